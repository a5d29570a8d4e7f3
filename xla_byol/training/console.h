// The line about the training that a person who watches sees.

#ifndef XLA_BYOL_TRAINING_CONSOLE_H_
#define XLA_BYOL_TRAINING_CONSOLE_H_

#include <cstdint>
#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace xla_byol {

// What is known of the training at one moment; NaN where it is not.
struct TrainingStatus {
  int64_t step = 0;  // finished
  int64_t total_steps = 0;
  double epoch = 0;
  double epochs = 0;
  double loss = 0;
  double probe_accuracy = 0;  // smoothed over some twenty steps
  double stable_rank = 0;
  double images_per_s = 0;
  double data_wait_share = 0;
  absl::Duration left;
};

// "step 120/702 | ETA 3m12s | epoch 0.51/3 | loss 1.2345 | probe 61.2% |
// rank 23.4 | 812 img/s | data wait 1%": a narrow terminal cuts the end, so
// what everybody looks for comes first.
std::string FormatStatus(const TrainingStatus& status);

// Shows it live on a terminal, with a bar, at most ten times a second;
// elsewhere prints a line at the first call and then one a minute.
class TrainingConsole {
 public:
  void Update(const TrainingStatus& status, absl::Time now = absl::Now());
  // Leaves the last state as a line on a terminal, if there was one before.
  void Finish(const TrainingStatus& status);

 private:
  absl::Time next_ = absl::InfinitePast();
  bool updated_ = false;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_TRAINING_CONSOLE_H_
