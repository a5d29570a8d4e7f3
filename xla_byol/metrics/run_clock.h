// How long a run has taken: the pauses between the sessions of a run that was
// stopped or killed, and what a kill made it repeat, are no part of it.

#ifndef XLA_BYOL_METRICS_RUN_CLOCK_H_
#define XLA_BYOL_METRICS_RUN_CLOCK_H_

#include "xla_byol/metrics/metrics_record.h"

namespace xla_byol {

// Given all records of a run in the file's order.
class RunClock {
 public:
  // The record's time, less all pauses before it: later than the first
  // record's by the time that the run had taken.
  double Time(const MetricsRecord& record) {
    if (record.kind == kResume && last_ > 0) paused_ += record.time - last_;
    last_ = record.time;
    return record.time - paused_;
  }

 private:
  double last_ = 0;  // of the record before; 0: there was none
  double paused_ = 0;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_METRICS_RUN_CLOCK_H_
