// TensorBoard's event files: TFRecords of tensorboard.Event.

#ifndef XLA_BYOL_METRICS_EVENT_FILE_H_
#define XLA_BYOL_METRICS_EVENT_FILE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "xla_byol/metrics/metrics_record.h"

namespace xla_byol {

// A name for a new event file in the folder: events.out.tfevents.<seconds>.
// <host>.<pid>.<n>. TensorBoard reads a folder's files in the order of their
// names, so the seconds are at least one more than any other file's there.
std::string NewEventFilePath(const std::string& folder, absl::Time now);

// How a file begins: its version, and the start of a session, upon which
// TensorBoard forgets what earlier files said of steps > finished_steps.
std::string EventFilePreamble(absl::Time now, int64_t finished_steps);

// A record as one framed event. A value's tag is kind/name: train/loss.
std::string EventOf(const MetricsRecord& record);

}  // namespace xla_byol

#endif  // XLA_BYOL_METRICS_EVENT_FILE_H_
