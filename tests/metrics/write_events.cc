// Writes records of steps as one session of a run does:
//   write_events RUN_DIR FINISHED_STEPS FIRST LAST

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "xla_byol/metrics/metrics_log.h"
#include "xla_byol/reporting/png_encoder.h"

int main(int argc, char** argv) {
  using namespace xla_byol;  // NOLINT
  if (argc != 5) return 2;
  const auto log = MetricsLog::Open(argv[1], std::atoll(argv[2]));
  if (!log.ok()) {
    std::fprintf(stderr, "%s\n", log.status().ToString().c_str());
    return 1;
  }
  const std::vector<uint8_t> pixels(5 * 3 * 3, 200);
  for (int64_t step = std::atoll(argv[3]); step <= std::atoll(argv[4]);
       ++step) {
    MetricsRecord record{.kind = "train", .step = step};
    // The session shows in the value, so that a stale one is seen.
    record.values = {
        {"loss", static_cast<double>(step) + std::atof(argv[2]) / 100}};
    record.histograms = {{"spectrum", {0, 0.25, 0.5, 1}, {0, 3, 1}}};
    record.images = {
        {"views", EncodePng({pixels.data(), {5, 3}, 3, 15}).value(), 5, 3}};
    (*log)->Write(record);
  }
}
