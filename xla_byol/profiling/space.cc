#include "xla_byol/profiling/space.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/profiling/host_trace.h"

namespace xla_byol::profiling {
namespace {

template <typename Map>
int64_t LargestKey(const Map& map) {
  int64_t largest = 0;
  for (const auto& [id, unused] : map) largest = std::max(largest, id);
  return largest;
}

template <typename Stats>
void MoveStats(int64_t by, Stats& stats) {
  for (xspace::XStat& stat : stats) {
    stat.set_metadata_id(stat.metadata_id() + by);
    if (stat.has_ref_value()) {
      stat.set_ref_value(stat.ref_value() + static_cast<uint64_t>(by));
    }
  }
}

// Moves the lines of `from` into `host`, with numbers of names that `host` does
// not have yet.
void Join(xspace::XPlane from, xspace::XPlane& host) {
  const int64_t events = LargestKey(host.event_metadata());
  const int64_t stats = LargestKey(host.stat_metadata());
  for (auto& [id, metadata] : *from.mutable_event_metadata()) {
    metadata.set_id(id + events);
    MoveStats(stats, *metadata.mutable_stats());
    for (int64_t& child : *metadata.mutable_child_id()) child += events;
    (*host.mutable_event_metadata())[id + events] = std::move(metadata);
  }
  for (auto& [id, metadata] : *from.mutable_stat_metadata()) {
    metadata.set_id(id + stats);
    (*host.mutable_stat_metadata())[id + stats] = std::move(metadata);
  }
  int64_t line_id = 0;
  for (const xspace::XLine& line : host.lines()) {
    line_id = std::max(line_id, line.id());
  }
  for (xspace::XLine& line : *from.mutable_lines()) {
    line.set_id(++line_id);
    line.clear_display_id();
    for (xspace::XEvent& event : *line.mutable_events()) {
      event.set_metadata_id(event.metadata_id() + events);
      MoveStats(stats, *event.mutable_stats());
    }
    *host.add_lines() = std::move(line);
  }
}

xspace::XPlane& HostPlane(xspace::XSpace& space) {
  for (xspace::XPlane& plane : *space.mutable_planes()) {
    if (plane.name() == kHostPlane) return plane;
  }
  xspace::XPlane& plane = *space.add_planes();
  plane.set_name(kHostPlane);
  return plane;
}

// "/host:CPU", "/host:CUPTI", "/host:TPU-runtime"; but "/host:metadata" holds
// programs.
bool HasHostLines(const xspace::XPlane& plane) {
  return absl::StartsWith(plane.name(), "/host:") && plane.lines_size() > 0;
}

}  // namespace

absl::StatusOr<xspace::XSpace> ParseSpace(absl::string_view bytes) {
  xspace::XSpace space;
  if (space.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      (!bytes.empty() &&
       space.ParseFromArray(bytes.data(),
                            static_cast<int>(bytes.size()) - 1))) {
    return space;
  }
  return absl::DataLossError(
      "the plugin's profiler gave what is no profile (XSpace)");
}

void AddPluginPlanes(xspace::XSpace plugin, absl::Time origin,
                     xspace::XSpace& space) {
  const int64_t begin = absl::ToUnixNanos(origin);
  for (xspace::XPlane& plane : *plugin.mutable_planes()) {
    for (xspace::XLine& line : *plane.mutable_lines()) {
      // A line without times stays so.
      if (line.timestamp_ns() >= begin) {
        line.set_timestamp_ns(line.timestamp_ns() - begin);
      }
    }
    if (HasHostLines(plane)) {
      Join(std::move(plane), HostPlane(space));
    } else {
      *space.add_planes() = std::move(plane);
    }
  }
  for (std::string& error : *plugin.mutable_errors()) {
    space.add_errors(std::move(error));
  }
  for (std::string& warning : *plugin.mutable_warnings()) {
    space.add_warnings(std::move(warning));
  }
}

absl::StatusOr<std::string> WriteSpace(const xspace::XSpace& space,
                                       const std::string& folder,
                                       const std::string& run,
                                       const std::string& host) {
  const std::string profiles =
      JoinPath(JoinPath(folder, "plugins/profile"), run);
  RETURN_IF_ERROR(MakeDirectories(profiles));
  const std::string path = JoinPath(profiles, absl::StrCat(host, ".xplane.pb"));
  RETURN_IF_ERROR(WriteFileAtomically(path, space.SerializeAsString()));
  return path;
}

}  // namespace xla_byol::profiling
