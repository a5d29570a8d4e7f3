#include "xla_byol/metrics/event_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/tfrecord.h"
#include "xla_byol/metrics/event.pb.h"

namespace xla_byol {
namespace {

using tensorboard::Event;
using tensorboard::HistogramProto;
using tensorboard::SessionLog;
using tensorboard::Summary;

std::string Frame(const Event& event) {
  return FrameRecord(event.SerializeAsString());
}

// Sums are those of values in the middle of their bins: nothing finer is known.
void FillHistogram(const Histogram& histogram, HistogramProto& out) {
  double count = 0, sum = 0, squares = 0;
  size_t first = histogram.counts.size(), last = 0;
  for (size_t i = 0; i < histogram.counts.size(); ++i) {
    const double weight = histogram.counts[i];
    const double middle = (histogram.edges[i] + histogram.edges[i + 1]) / 2;
    count += weight;
    sum += weight * middle;
    squares += weight * middle * middle;
    if (weight > 0) {
      first = std::min(first, i);
      last = i + 1;
    }
    out.add_bucket_limit(histogram.edges[i + 1]);
    out.add_bucket(weight);
  }
  const bool empty = count == 0;
  out.set_min(empty ? histogram.edges.front() : histogram.edges[first]);
  out.set_max(empty ? histogram.edges.front() : histogram.edges[last]);
  out.set_num(count);
  out.set_sum(sum);
  out.set_sum_squares(squares);
}

}  // namespace

std::string NewEventFilePath(const std::string& folder, absl::Time now) {
  int64_t seconds = absl::ToUnixSeconds(now);
  if (const auto names = ListDirectory(folder); names.ok()) {
    for (const absl::string_view name : *names) {
      int64_t other = 0;
      if (absl::StartsWith(name, kEventFilePrefix) &&
          absl::SimpleAtoi(name.substr(kEventFilePrefix.size(), 10), &other)) {
        seconds = std::max(seconds, other + 1);
      }
    }
  }
  std::array<char, 256> host = {};
  if (gethostname(host.data(), host.size() - 1) != 0) host = {"host"};
  return JoinPath(folder, absl::StrFormat("%s%010d.%s.%d.0", kEventFilePrefix,
                                          seconds, host.data(), getpid()));
}

std::string EventFilePreamble(absl::Time now, int64_t finished_steps) {
  const double time = absl::ToDoubleSeconds(now - absl::UnixEpoch());
  Event version;
  version.set_wall_time(time);
  version.set_file_version("brain.Event:2");
  Event start;
  start.set_wall_time(time);
  // TensorBoard forgets from this step on.
  start.set_step(finished_steps + 1);
  start.mutable_session_log()->set_status(SessionLog::START);
  return Frame(version) + Frame(start);
}

std::string EventOf(const MetricsRecord& record) {
  Event event;
  event.set_wall_time(record.time);
  event.set_step(record.step);
  const auto add = [&](absl::string_view name) {
    Summary::Value* value = event.mutable_summary()->add_value();
    value->set_tag(absl::StrCat(record.kind, "/", name));
    return value;
  };
  for (const auto& [name, value] : record.values) {
    add(name)->set_simple_value(static_cast<float>(value));
  }
  for (const Histogram& histogram : record.histograms) {
    FillHistogram(histogram, *add(histogram.name)->mutable_histo());
  }
  for (const MetricImage& image : record.images) {
    Summary::Image* out = add(image.name)->mutable_image();
    out->set_width(image.width);
    out->set_height(image.height);
    out->set_colorspace(3);
    out->set_encoded_image_string(image.png);
  }
  return Frame(event);
}

}  // namespace xla_byol
