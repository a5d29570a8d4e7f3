#include "xla_byol/training/session_times.h"

#include "absl/strings/str_format.h"

namespace xla_byol {

MetricsRecord SessionRecord(const SessionTimes& times, int64_t step) {
  return {.kind = "session",
          .step = step,
          .values = {{"compile_s", times.compile_s},
                     {"restore_s", times.restore_s},
                     {"training_s", times.loop.training_s},
                     {"data_wait_s", times.loop.data_wait_s},
                     {"checkpoint_s", times.loop.checkpoint_s},
                     {"evaluation_s", times.loop.evaluation_s},
                     {"final_evaluation_s", times.final_evaluation_s}}};
}

std::string Summary(const SessionTimes& times) {
  const LoopTimes& loop = times.loop;
  const double useful = loop.training_s - loop.data_wait_s - loop.checkpoint_s -
                        loop.evaluation_s;
  const double evaluation = loop.evaluation_s + times.final_evaluation_s;
  const double all = times.compile_s + times.restore_s + loop.training_s +
                     times.final_evaluation_s;
  return absl::StrFormat(
      "%.1f s training (%.1f%% of the time), waiting for data %.1f s, "
      "checkpoints %.1f s, evaluation %.1f s, compiling %.1f s",
      useful, all > 0 ? 100 * useful / all : 0, loop.data_wait_s,
      loop.checkpoint_s, evaluation, times.compile_s);
}

}  // namespace xla_byol
