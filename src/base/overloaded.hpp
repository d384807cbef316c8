// One function object out of several: what std::visit is given, a lambda per alternative.
#pragma once

namespace weft {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace weft
