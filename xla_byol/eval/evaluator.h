// How good a state's features are: k-NN, the linear probe, signs of collapse.

#ifndef XLA_BYOL_EVAL_EVALUATOR_H_
#define XLA_BYOL_EVAL_EVALUATOR_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/checkpoint/checkpoint.h"
#include "xla_byol/config/config.h"
#include "xla_byol/eval/collapse.h"
#include "xla_byol/eval/feature_details.h"
#include "xla_byol/eval/features.h"
#include "xla_byol/eval/linear_probe.h"
#include "xla_byol/eval/process_sums.h"
#include "xla_byol/input/dataset.h"
#include "xla_byol/metrics/metrics_record.h"
#include "xla_byol/runtime/device_program.h"

namespace xla_byol {

// The training and test images of a config.
struct EvaluationData {
  input::Dataset train;
  input::Dataset test;
};

// Shows its progress; a large data set is indexed when it is first opened.
absl::StatusOr<EvaluationData> OpenEvaluationData(const Config& config,
                                                  const std::string& data_dir);

struct EvaluationResult {
  // Without labels there are none.
  std::optional<double> knn_top1;
  std::optional<LinearResult> linear;
  // Of the test images' features: see collapse.h.
  double feature_spread = 0;
  double feature_rank = 0;
  double feature_rankme = 0;
  // Of a full evaluation, for a report; of one without labels too.
  std::optional<FeatureDetails> details;

  // For metrics: knn_top1, linear_top1, ... of the state after `step` steps,
  // now.
  MetricsRecord Record(const Config& config, int64_t step) const;
  // For people: "k-NN 82.1%, linear probe 86.3% (top-5 99.1%), ...".
  std::string Summary() const;
};

// The same measures of what was there before anything was learned, for an
// evaluation's record: pixels_knn_top1, pixels_linear_top1, and so on for the
// directions, and untrained_... for the run's network with its first weights.
// Empty if they were not measured.
using Baselines = std::vector<std::pair<std::string, double>>;

// Two lines for people; empty for no baselines.
std::string BaselineSummary(const Baselines& baselines);

enum class EvaluationKind {
  kQuick,  // k-NN with a bank of bank_images
  kFull,   // and the linear probe
};

// Programs are compiled once, at the first use. Every process encodes and keeps
// its share of the images, and all get the same results; all must call the same
// functions in the same order.
class Evaluator {
 public:
  // The runtime must outlive it. INVALID_ARGUMENT if the config, which must be
  // resolved and valid, cannot be evaluated on the runtime's devices: known
  // before a run is trained, not after.
  static absl::StatusOr<std::unique_ptr<Evaluator>> Create(
      const Runtime& runtime, const Config& config, EvaluationData data);

  // CANCELLED soon after a signal asked any process for a stop, in all of them.
  absl::StatusOr<EvaluationResult> Evaluate(
      absl::Span<const StateTensor> layout, const StateValues& values,
      EvaluationKind kind);

  // Raw pixels, and the network that the config's seed begins with. Nothing
  // without labels or for more than 100,000 training images, whose pixels would
  // not fit in memory. Pixels are evaluated at data.image_size, 32 at most.
  //
  // Measured once: where one process works alone the numbers are kept in the
  // user's cache, by everything they depend on.
  absl::StatusOr<Baselines> EvaluateBaselines(
      absl::Span<const StateTensor> layout, EvaluationKind kind);

  // Each process's value, in all of them.
  absl::StatusOr<std::vector<double>> Gather(double mine) {
    return sums_.Gather(mine);
  }

 private:
  Evaluator(const Runtime& runtime, const Config& config, EvaluationData data);
  bool labelled() const;
  absl::StatusOr<Baselines> MeasureBaselines(
      absl::Span<const StateTensor> layout, EvaluationKind kind);
  // What the extractor, whose weights are set, makes of the images.
  absl::StatusOr<EvaluationResult> Measure(FeatureExtractor& extractor,
                                           EvaluationKind kind,
                                           bool random_crops,
                                           FeatureDetails* details = nullptr);
  absl::Status AddConfusion(const ProbeWeights& probe, const Features& test,
                            FeatureDetails& details);
  // Features of length 1; `images` are those of the bank. A picture that cannot
  // be read is left out with a warning: nothing depends on it.
  void AddPictures(const Features& test, const Features& bank,
                   const input::Dataset& images, FeatureDetails& details);
  // Shows its progress.
  absl::StatusOr<Features> Encode(FeatureExtractor& extractor,
                                  absl::string_view what,
                                  const input::Dataset& images);
  absl::StatusOr<LinearResult> FitProbe(ProbeSource& source,
                                        int64_t epoch_images,
                                        const Features& holdout,
                                        const Features& test);
  // The bank begins with the images that choose the rate, and saves encoding
  // the others where it has them all.
  absl::StatusOr<LinearResult> Linear(FeatureExtractor& extractor,
                                      const Features& test,
                                      const Features& bank, bool random_crops);
  // CANCELLED if the processes agreed to stop.
  absl::Status CheckGoesOn();
  absl::StatusOr<CollapseFigures> Collapse(const Features& test);

  Runtime runtime_;
  Config config_;
  EvaluationData data_;
  std::optional<FeatureExtractor> extractor_;
  ProcessSums sums_;
  int64_t checks_ = 0;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_EVAL_EVALUATOR_H_
