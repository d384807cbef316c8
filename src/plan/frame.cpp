// Window frames: who reads one, and how it is spelled.
#include <string>

#include "plan/walk.hpp"

namespace weft::plan {

const char* unit_text(FrameUnit unit) {
  switch (unit) {
    case FrameUnit::Rows:
      return "ROWS";
    case FrameUnit::Range:
      return "RANGE";
    case FrameUnit::Groups:
      return "GROUPS";
  }
  return "";
}

const char* exclude_text(FrameExclude exclude) {
  switch (exclude) {
    case FrameExclude::NoOthers:
      return " EXCLUDE NO OTHERS";
    case FrameExclude::CurrentRow:
      return " EXCLUDE CURRENT ROW";
    case FrameExclude::Group:
      return " EXCLUDE GROUP";
    case FrameExclude::Ties:
      return " EXCLUDE TIES";
  }
  return "";
}

namespace {

std::string bound_text(FrameBoundKind kind, const std::string& value) {
  switch (kind) {
    case FrameBoundKind::UnboundedPreceding:
      return "UNBOUNDED PRECEDING";
    case FrameBoundKind::Preceding:
      return value + " PRECEDING";
    case FrameBoundKind::CurrentRow:
      return "CURRENT ROW";
    case FrameBoundKind::Following:
      return value + " FOLLOWING";
    case FrameBoundKind::UnboundedFollowing:
      return "UNBOUNDED FOLLOWING";
  }
  return "";
}

}  // namespace

bool reads_frame(const WindowCall& call) {
  return call.is_aggregate || call.function == "first_value" || call.function == "last_value" ||
         call.function == "nth_value";
}

std::string frame_text(const Frame& frame, const std::string& start, const std::string& end) {
  return std::string(unit_text(frame.unit)) + " BETWEEN " + bound_text(frame.start.kind, start) + " AND " +
         bound_text(frame.end.kind, end) + (frame.exclude == FrameExclude::NoOthers ? "" : exclude_text(frame.exclude));
}

}  // namespace weft::plan
