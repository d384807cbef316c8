#include "cli/render/type_label.hpp"

#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace weft::cli {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kIntegerLabels = {{{"TINYINT", "int8"},
                                                                                           {"SMALLINT", "int16"},
                                                                                           {"INTEGER", "int32"},
                                                                                           {"BIGINT", "int64"},
                                                                                           {"HUGEINT", "int128"},
                                                                                           {"UTINYINT", "uint8"},
                                                                                           {"USMALLINT", "uint16"},
                                                                                           {"UINTEGER", "uint32"},
                                                                                           {"UBIGINT", "uint64"},
                                                                                           {"UHUGEINT", "uint128"}}};

std::string label(std::string_view name) {
  if (name.ends_with("[]")) return label(name.substr(0, name.size() - 2)) + "[]";
  for (const auto& [type, shown] : kIntegerLabels) {
    if (name == type) return std::string(shown);
  }
  std::string out(name);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::string type_label(const plan::Type& type) { return label(type.to_string()); }

}  // namespace weft::cli
