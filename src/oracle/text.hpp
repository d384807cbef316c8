// Quoting of SQL names and texts.
#pragma once

#include <string>
#include <string_view>

namespace weft::oracle {

/// "name", with quotes inside doubled.
std::string quoted_name(std::string_view name);
/// 'text', with quotes inside doubled. Not for texts with zero bytes: plan::Value::to_sql writes those.
std::string quoted_text(std::string_view text);

}  // namespace weft::oracle
