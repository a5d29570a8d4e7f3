// Where the time of one call of Train went.

#ifndef XLA_BYOL_TRAINING_SESSION_TIMES_H_
#define XLA_BYOL_TRAINING_SESSION_TIMES_H_

#include <cstdint>
#include <string>

#include "xla_byol/metrics/metrics_record.h"
#include "xla_byol/training/training_loop.h"

namespace xla_byol {

struct SessionTimes {
  double compile_s = 0;
  double restore_s = 0;
  LoopTimes loop;
  double final_evaluation_s = 0;  // and that of the baselines
};

// The record of kind "session" after `step` steps.
MetricsRecord SessionRecord(const SessionTimes& times, int64_t step);

// A line for people: "61.2 s training (87.4% of the time), ...".
std::string Summary(const SessionTimes& times);

}  // namespace xla_byol

#endif  // XLA_BYOL_TRAINING_SESSION_TIMES_H_
