// A run's records on their way to disk: metrics.jsonl for programs and the
// report, an event file for TensorBoard, and pictures in samples/.
//
//   ASSIGN_OR_RETURN(auto log, MetricsLog::Open(run_dir, finished_steps));
//   log->Write({.kind = "train", .step = step + 1, .epoch = epoch,
//               .values = {{"loss", loss}, {"learning_rate", rate}}});

#ifndef XLA_BYOL_METRICS_METRICS_LOG_H_
#define XLA_BYOL_METRICS_METRICS_LOG_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "xla_byol/metrics/append_file.h"
#include "xla_byol/metrics/metrics_record.h"

namespace xla_byol {

// One process writes a run's metrics at a time; its threads may share a log.
class MetricsLog {
 public:
  // The run directory exists. A record's step counts finished steps, so a run
  // that goes on from a checkpoint after `finished_steps` steps keeps the
  // records with step <= finished_steps: the others are cut from
  // metrics.jsonl, a torn last line with them, and TensorBoard is told to
  // forget them. 0 for a new run keeps what was measured before the first
  // step. Broken lines go too, with a warning. Fails if records are there but
  // cannot be read or cut.
  static absl::StatusOr<std::unique_ptr<MetricsLog>> Open(
      const std::string& run_dir, int64_t finished_steps);

  // Each record is with the operating system when this returns. Trouble is
  // told as AppendFile does, and never stops the run. Pictures also go to
  // samples/<name>-step-<step, eight digits>.png.
  void Write(MetricsRecord record);

  // Whether the run had records that were kept.
  bool resumes() const { return resumes_; }

  // The step of the last evaluation that is on record; -1: none.
  int64_t evaluated_step() const;

  // Makes what was written survive a power cut: before a checkpoint that
  // counts on it.
  void Sync();

 private:
  // What a session finds.
  struct Kept {
    bool any = false;
    int64_t evaluated_step = -1;  // of the last evaluation; -1: none
  };
  // Cuts a metrics file back to the records that a run after `finished_steps`
  // keeps.
  static absl::StatusOr<Kept> CutBack(const std::string& path,
                                      int64_t finished_steps);

  MetricsLog(std::string run_dir, absl::Time now, int64_t finished_steps,
             const Kept& kept);
  void WriteImages(MetricsRecord& record) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string run_dir_;
  const bool resumes_;
  mutable absl::Mutex mutex_;
  int64_t evaluated_step_ ABSL_GUARDED_BY(mutex_);
  AppendFile lines_ ABSL_GUARDED_BY(mutex_);
  AppendFile events_ ABSL_GUARDED_BY(mutex_);
  // The last trouble with a picture, so that it is told once.
  absl::StatusCode image_trouble_ ABSL_GUARDED_BY(mutex_) =
      absl::StatusCode::kOk;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_METRICS_METRICS_LOG_H_
