// Run directories with plausible numbers, for what reads runs.

#ifndef XLA_BYOL_TESTS_REPORTING_SYNTHETIC_RUN_H_
#define XLA_BYOL_TESTS_REPORTING_SYNTHETIC_RUN_H_

#include <cstdint>
#include <string>

namespace xla_byol {

struct SyntheticRun {
  int64_t steps = 1000;
  int64_t diagnostics_every = 20;
  int64_t evaluate_every = 100;
  uint32_t seed = 1;
  std::string predictor = "NEWTON_SCHULZ";  // in the config
  double final_accuracy = 0.87;
  bool features = false;  // features.json and baselines too
};

// Writes config, metrics, events and sample pictures through the driver's own
// code. The folder exists.
void WriteSyntheticRun(const std::string& folder, const SyntheticRun& run);

}  // namespace xla_byol

#endif  // XLA_BYOL_TESTS_REPORTING_SYNTHETIC_RUN_H_
