// Offsets of time zones, from the system's database (RFC 8536, TZif).
#pragma once

#include <cstdint>
#include <string>

namespace weft::workload {

/// Seconds east of UTC at a moment (seconds since 1970-01-01 UTC); 0 if the zone is not known here. Reads the zone's
/// file at each first use on a thread.
int32_t zone_offset_s(const std::string& zone, int64_t moment_s);

}  // namespace weft::workload
