#include "workload/time_zone.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

namespace weft::workload {
namespace {

constexpr int64_t kDayS = 86400;
constexpr int64_t kTableEndYear = 2037;  // tables reach at least so far
constexpr int64_t kCalendars = 28;       // years in a row among which each kind of calendar occurs

/// Days from 1970-01-01 to the first of January of a year after 1600.
int64_t days_to_year(int64_t year) {
  const int64_t before = year - 1;
  return 365 * (year - 1970) + (before / 4 - before / 100 + before / 400) - (1969 / 4 - 1969 / 100 + 1969 / 400);
}

/// The same day and time in a year with the same calendar that tables still cover.
int64_t moment_in_tables(int64_t moment_s) {
  const int64_t days = moment_s / kDayS;
  if (days < days_to_year(kTableEndYear)) return moment_s;
  int64_t year = 1970 + days * 400 / 146097;
  while (days < days_to_year(year)) --year;
  while (days >= days_to_year(year + 1)) ++year;
  for (int64_t like = kTableEndYear - 1; like >= kTableEndYear - kCalendars; --like) {  // the newest rules first
    const bool same_start = (days_to_year(year) - days_to_year(like)) % 7 == 0;
    const bool same_length = days_to_year(year + 1) - days_to_year(year) == days_to_year(like + 1) - days_to_year(like);
    if (same_start && same_length) return moment_s - (days_to_year(year) - days_to_year(like)) * kDayS;
  }
  return moment_s;
}

struct Zone {
  std::vector<int64_t> moments;  // of transitions, ascending
  std::vector<int32_t> offsets;  // after each transition
  int32_t first_offset = 0;      // before all of them
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool has(size_t count) const { return bytes_.size() >= count; }
  std::string_view take(size_t count) {
    const std::string_view out = bytes_.substr(0, count);
    bytes_.remove_prefix(std::min(count, bytes_.size()));
    return out;
  }
  int64_t big_endian(size_t count) {
    const std::string_view bytes = take(count);
    uint64_t value = !bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0 ? ~uint64_t{0} : 0;
    for (const char c : bytes) value = (value << 8) | static_cast<unsigned char>(c);
    return static_cast<int64_t>(value);
  }

 private:
  std::string_view bytes_;
};

struct Header {
  size_t utc_flags = 0, standard_flags = 0, leaps = 0, moments = 0, types = 0, text = 0;
};

bool read_header(Reader& reader, Header& header) {
  if (!reader.has(44) || reader.take(4) != "TZif") return false;
  reader.take(16);
  for (size_t* count :
       {&header.utc_flags, &header.standard_flags, &header.leaps, &header.moments, &header.types, &header.text}) {
    *count = static_cast<size_t>(reader.big_endian(4));
  }
  return true;
}

Zone parse_zone(std::string_view bytes) {
  Zone zone;
  Reader reader(bytes);
  Header header;
  if (!read_header(reader, header)) return zone;
  // Version 1's block of 32-bit times comes first; the same in 64 bits follows.
  reader.take(header.moments * 5 + header.types * 6 + header.text + header.leaps * 8 + header.standard_flags +
              header.utc_flags);
  if (!read_header(reader, header) || !reader.has(header.moments * 9 + header.types * 6)) return zone;
  for (size_t i = 0; i < header.moments; ++i) zone.moments.push_back(reader.big_endian(8));
  const std::string_view indexes = reader.take(header.moments);
  std::vector<int32_t> types;
  for (size_t i = 0; i < header.types; ++i) {
    types.push_back(static_cast<int32_t>(reader.big_endian(4)));
    reader.take(2);
  }
  for (const char index : indexes) {
    const auto type = static_cast<unsigned char>(index);
    zone.offsets.push_back(type < types.size() ? types[type] : 0);
  }
  if (!types.empty()) zone.first_offset = types.front();
  return zone;
}

Zone load_zone(const std::string& name) {
  if (name.empty() || name.front() == '/' || name.find("..") != std::string::npos) return {};
  std::ifstream file("/usr/share/zoneinfo/" + name, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return parse_zone(bytes);
}

}  // namespace

int32_t zone_offset_s(const std::string& zone, int64_t moment_s) {
  thread_local std::map<std::string, Zone> zones;
  auto found = zones.find(zone);
  if (found == zones.end()) found = zones.emplace(zone, load_zone(zone)).first;
  const Zone& table = found->second;
  moment_s = moment_in_tables(moment_s);  // after the table's end its last rules go on
  const auto after = std::upper_bound(table.moments.begin(), table.moments.end(), moment_s);
  if (after == table.moments.begin()) return table.first_offset;
  return table.offsets[static_cast<size_t>(after - table.moments.begin()) - 1];
}

}  // namespace weft::workload
