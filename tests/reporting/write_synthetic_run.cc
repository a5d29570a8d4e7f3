// write_synthetic_run FOLDER STEPS SEED PREDICTOR FINAL_ACCURACY [features]

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "tests/reporting/synthetic_run.h"
#include "xla_byol/base/files.h"

int main(int argc, char** argv) {
  if (argc < 6 || argc > 7 || !xla_byol::MakeDirectories(argv[1]).ok())
    return 2;
  xla_byol::SyntheticRun run;
  run.steps = std::atoll(argv[2]);
  run.seed = static_cast<uint32_t>(std::atoi(argv[3]));
  run.predictor = argv[4];
  run.final_accuracy = std::atof(argv[5]);
  run.features = argc == 7;
  run.diagnostics_every = std::max<int64_t>(1, run.steps / 50);
  run.evaluate_every = std::max<int64_t>(1, run.steps / 10);
  xla_byol::WriteSyntheticRun(argv[1], run);
}
