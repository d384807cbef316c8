// The account that this thread's allocations are charged to; null outside every AccountScope.
#pragma once

#include <memory>

namespace weft::gpu {

class Account;
const std::shared_ptr<Account>& current_account() noexcept;

}  // namespace weft::gpu
