// Features whose right answers are known, and devices to evaluate them on.

#ifndef XLA_BYOL_TESTS_EVAL_SYNTHETIC_FEATURES_H_
#define XLA_BYOL_TESTS_EVAL_SYNTHETIC_FEATURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/pjrt/testing.h"
#include "tests/step/noise.h"
#include "xla_byol/eval/features.h"
#include "xla_byol/pjrt/executable_cache.h"
#include "xla_byol/runtime/device_program.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {

// A CPU with so many devices, without a cache of programs.
struct TestRuntime {
  explicit TestRuntime(int devices)
      : client(pjrt::CpuClient(devices)), cache("") {}

  pjrt::Client client;
  pjrt::ExecutableCache cache;
  Runtime runtime{&client, &cache};
};

// Row i is of class i % classes, and is that class's axis with a little noise:
// any sensible classifier is always right.
inline Features Separable(int64_t rows, int64_t dimension, int64_t classes,
                          uint64_t seed) {
  Features features{.dimension = dimension};
  features.values = Noise(static_cast<size_t>(rows * dimension), seed);
  for (float& value : features.values) value *= 0.05f;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t label = i % classes;
    features.values[static_cast<size_t>(i * dimension + label)] += 1;
    features.labels.push_back(static_cast<int32_t>(label));
  }
  return features;
}

// What `process` has of features of which row `without` is a bad record.
inline Features ShareOf(const Features& whole, int process, RowDeal deal,
                        int64_t without = -1) {
  Features share{
      .dimension = whole.dimension, .all_places = whole.size(), .deal = deal};
  for (int64_t i = 0; i < whole.size(); ++i) {
    if (i / deal.block % deal.processes != process || i == without) continue;
    const absl::Span<const float> row = whole.row(i);
    share.values.insert(share.values.end(), row.begin(), row.end());
    share.labels.push_back(whole.labels[static_cast<size_t>(i)]);
    share.places.push_back(i);
  }
  return share;
}

// A config of four classes for evaluation only.
inline Config FourClasses(std::vector<std::string> set = {}) {
  set.insert(set.begin(), {"data.classes=4", "evaluation.neighbours=5",
                           "evaluation.linear_epochs=20",
                           "evaluation.linear_batch_size=64"});
  return pjrt::Get(LoadConfig("", "", set, 1));
}

inline absl::Status NoProgress(int64_t, int64_t) { return absl::OkStatus(); }

}  // namespace xla_byol

#endif  // XLA_BYOL_TESTS_EVAL_SYNTHETIC_FEATURES_H_
