// Checks and benchmarks of the GPU run small queries on it too.
#pragma once

#include <map>
#include <string>
#include <utility>

namespace weft::workload {

/// The settings, with small_on_cpu off unless they say otherwise.
inline std::map<std::string, std::string> small_on_gpu(std::map<std::string, std::string> settings) {
  settings.try_emplace("small_on_cpu", "false");
  return settings;
}

}  // namespace weft::workload
