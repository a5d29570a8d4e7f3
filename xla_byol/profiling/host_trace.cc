#include "xla_byol/profiling/host_trace.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace xla_byol::profiling {
namespace {

// How the format marks a step: its number, and that other events belong to it.
enum StatId : int64_t { kStepNumber = 1, kIsRoot = 2 };

void DescribeStats(xspace::XPlane& plane) {
  for (const auto& [id, name] :
       {std::pair{kStepNumber, "step_num"}, std::pair{kIsRoot, "_r"}}) {
    xspace::XStatMetadata& stat = (*plane.mutable_stat_metadata())[id];
    stat.set_id(id);
    stat.set_name(name);
  }
}

// The number of an event's name in the plane.
int64_t NameId(const char* name, std::map<std::string, int64_t>& ids,
               xspace::XPlane& plane) {
  const auto [place, added] =
      ids.emplace(name, static_cast<int64_t>(ids.size()) + 1);
  if (added) {
    xspace::XEventMetadata& event =
        (*plane.mutable_event_metadata())[place->second];
    event.set_id(place->second);
    event.set_name(name);
  }
  return place->second;
}

void AddStat(StatId id, int64_t value, xspace::XEvent& event) {
  xspace::XStat& stat = *event.add_stats();
  stat.set_metadata_id(id);
  stat.set_int64_value(value);
}

int64_t Picoseconds(absl::Duration duration) {
  return 1000 * absl::ToInt64Nanoseconds(duration);
}

}  // namespace

void HostTrace::Start() {
  absl::MutexLock lock(&mutex_);
  threads_.clear();
  recording_ = true;
}

void HostTrace::Add(const char* name, absl::Time begin, absl::Time end,
                    int64_t step) {
  absl::MutexLock lock(&mutex_);
  threads_[std::this_thread::get_id()].push_back({name, begin, end, step});
}

xspace::XPlane HostTrace::ToPlane(absl::Time origin) const {
  xspace::XPlane plane;
  plane.set_name(kHostPlane);
  DescribeStats(plane);
  std::map<std::string, int64_t> ids;
  absl::MutexLock lock(&mutex_);
  int64_t number = 0;
  for (const auto& [thread, recorded] : threads_) {
    xspace::XLine& line = *plane.add_lines();
    line.set_id(++number);
    line.set_name(absl::StrCat("xla_byol/", number));
    std::vector<Event> events = recorded;
    // As readers want them: by their beginning, and what holds others first.
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    const absl::Time first = std::max(origin, events.front().begin);
    line.set_timestamp_ns(absl::ToInt64Nanoseconds(first - origin));
    for (const Event& event : events) {
      const absl::Time begin = std::max(event.begin, first);
      xspace::XEvent& out = *line.add_events();
      out.set_metadata_id(NameId(event.name, ids, plane));
      out.set_offset_ps(Picoseconds(begin - first));
      out.set_duration_ps(Picoseconds(std::max(event.end, begin) - begin));
      if (event.step < 0) continue;
      AddStat(kStepNumber, event.step, out);
      AddStat(kIsRoot, 1, out);
    }
  }
  return plane;
}

Span::Span(HostTrace* trace, const char* name, int64_t step)
    : trace_(trace), name_(name), step_(step) {
  if (trace_ != nullptr && trace_->recording()) begin_ = absl::Now();
}

Span::~Span() {
  if (trace_ == nullptr || !trace_->recording() ||
      begin_ == absl::UnixEpoch()) {
    return;
  }
  trace_->Add(name_, begin_, absl::Now(), step_);
}

}  // namespace xla_byol::profiling
