#include "xla_byol/eval/evaluator.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "xla_byol/base/progress.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/eval/classifiers.h"
#include "xla_byol/input/loader.h"
#include "xla_byol/input/permutation.h"
#include "xla_byol/runtime/stop_signal.h"

namespace xla_byol {
namespace {

constexpr int64_t kEncodeBatch = 256;  // a device
constexpr int64_t kQueryBatch = 256;

// Keys of the orders in which images are held out and the probe is trained.
constexpr uint64_t kHoldoutKey = 0x401d;
constexpr uint64_t kProbeKey = 0x9e0b;

// For work that a stop may interrupt. The phase must outlive it.
auto ShowProgress(Phase& phase) {
  return [&phase](int64_t done, int64_t total) {
    phase.SetProgress(done, total);
    return CheckNotStopped();
  };
}

// The same images in a fixed shuffled order, so that a part of them is a fair
// sample whatever the order on disk is.
input::Dataset Shuffled(const input::Dataset& dataset, uint64_t key) {
  const input::Permutation order(key, 0, static_cast<uint64_t>(dataset.size()));
  const auto place = [order](int64_t index) {
    return static_cast<int64_t>(order.At(static_cast<uint64_t>(index)));
  };
  return input::Dataset(
      dataset.info(),
      [dataset, place](int64_t index, input::RecordScratch& scratch,
                       input::Record& record) {
        return dataset.Read(place(index), scratch, record);
      },
      [dataset, place](int64_t index) { return dataset.Locate(place(index)); });
}

void NormalizeRows(Features& features) {
  for (int64_t i = 0; i < features.size(); ++i) {
    float* row = &features.values[static_cast<size_t>(i * features.dimension)];
    double squares = 0;
    for (int64_t f = 0; f < features.dimension; ++f) {
      squares += double{row[f]} * row[f];
    }
    const float scale =
        static_cast<float>(1 / std::sqrt(std::max(squares, 1e-24)));
    for (int64_t f = 0; f < features.dimension; ++f) row[f] *= scale;
  }
}

// Rows [begin, begin + count), the missing ones without a label.
Features Part(const Features& features, int64_t begin, int64_t count) {
  Features part{.dimension = features.dimension};
  const int64_t end = std::min(begin + count, features.size());
  if (begin < end) {
    part.values.assign(features.values.begin() + begin * features.dimension,
                       features.values.begin() + end * features.dimension);
    part.labels.assign(features.labels.begin() + begin,
                       features.labels.begin() + end);
  }
  part.values.resize(static_cast<size_t>(count * features.dimension));
  part.labels.resize(static_cast<size_t>(count), input::kNoLabel);
  return part;
}

// Sets feature_spread and feature_rank from rows of length 1.
void JudgeCollapse(const Features& features, EvaluationResult& result) {
  const size_t d = static_cast<size_t>(features.dimension);
  const double n = static_cast<double>(features.size());
  std::vector<double> mean(d), covariance(d * d);
  // A sample says enough, and keeps wide features affordable.
  const int64_t rows = std::min<int64_t>(features.size(), 2048);
  for (int64_t i = 0; i < features.size(); ++i) {
    const absl::Span<const float> row = features.row(i);
    for (size_t a = 0; a < d; ++a) mean[a] += row[a] / n;
  }
  double variance = 0, spread = 0;
  for (size_t a = 0; a < d; ++a) {
    double squares = 0;
    for (int64_t i = 0; i < features.size(); ++i) {
      const double x = features.row(i)[a] - mean[a];
      squares += x * x / n;
    }
    spread += std::sqrt(squares) / static_cast<double>(d);
  }
  for (int64_t i = 0; i < rows; ++i) {
    const absl::Span<const float> row = features.row(i);
    for (size_t a = 0; a < d; ++a) {
      const double x = row[a] - mean[a];
      for (size_t b = 0; b < d; ++b) {
        covariance[a * d + b] += x * (row[b] - mean[b]);
      }
    }
  }
  double norm = 0;
  for (size_t a = 0; a < d; ++a) variance += covariance[a * d + a];
  for (const double c : covariance) norm += c * c;
  result.feature_spread = spread;
  result.feature_rank = norm > 0 ? variance * variance / norm : 0;
}

}  // namespace

absl::StatusOr<EvaluationData> OpenEvaluationData(const Config& config,
                                                  const std::string& data_dir) {
  Phase phase("opening the data set");
  const input::OpenOptions options = {
      .data_dir = data_dir, .indexing = [&phase](int64_t done, int64_t total) {
        phase.SetProgress(done, total);
      }};
  ASSIGN_OR_RETURN(input::Dataset train,
                   input::OpenDataset(config.data().dataset(),
                                      config.data().train_split(), options));
  ASSIGN_OR_RETURN(input::Dataset test,
                   input::OpenDataset(config.data().dataset(),
                                      config.data().test_split(), options));
  phase.SetNote(absl::StrFormat("%d training and %d test images in '%s'",
                                train.size(), test.size(), train.info().path));
  return EvaluationData{std::move(train), std::move(test)};
}

MetricsRecord EvaluationResult::Record(const Config& config,
                                       int64_t step) const {
  MetricsRecord record{.kind = kEvaluation,
                       .step = step,
                       .epoch = EpochsAfter(config, step),
                       .time = absl::ToUnixMillis(absl::Now()) / 1e3};
  auto& values = record.values;
  if (knn_top1.has_value()) values.emplace_back("knn_top1", *knn_top1);
  if (linear.has_value()) {
    values.emplace_back("linear_top1", linear->top1);
    values.emplace_back("linear_top5", linear->top5);
    values.emplace_back("linear_learning_rate", linear->learning_rate);
    values.emplace_back("linear_holdout_top1", linear->holdout_top1);
  }
  values.emplace_back("feature_spread", feature_spread);
  values.emplace_back("feature_rank", feature_rank);
  return record;
}

std::string EvaluationResult::Summary() const {
  std::string text;
  if (knn_top1.has_value()) {
    absl::StrAppendFormat(&text, "k-NN %.2f%%, ", 100 * *knn_top1);
  }
  if (linear.has_value()) {
    absl::StrAppendFormat(&text, "linear probe %.2f%% (top-5 %.2f%%), ",
                          100 * linear->top1, 100 * linear->top5);
  }
  absl::StrAppendFormat(&text, "features fill %.1f directions, spread %.4f",
                        feature_rank, feature_spread);
  return text;
}

Evaluator::Evaluator(const Runtime& runtime, Config config, EvaluationData data)
    : runtime_(runtime), config_(std::move(config)), data_(std::move(data)) {}

absl::StatusOr<double> Evaluator::NearestNeighbours(
    const Features& bank, const Features& test) const {
  const int64_t devices = static_cast<int64_t>(runtime_.devices());
  const int64_t share = (bank.size() + devices - 1) / devices;
  ASSIGN_OR_RETURN(
      StepProgram program,
      BuildNeighbourJudge({.bank = share,
                           .queries = kQueryBatch,
                           .features = bank.dimension,
                           .classes = config_.data().classes(),
                           .neighbours = config_.evaluation().neighbours(),
                           .temperature = config_.evaluation().temperature()},
                          runtime_.step_options()));
  ASSIGN_OR_RETURN(const DeviceProgram judge,
                   DeviceProgram::Compile(runtime_, std::move(program)));
  constexpr size_t kInputs = 4;
  std::vector<pjrt::Buffer> inputs(runtime_.devices() * kInputs);
  std::vector<pjrt::Buffer*> arguments;
  for (pjrt::Buffer& input : inputs) arguments.push_back(&input);
  // Inputs `first` and `first` + 1 of a device.
  const auto set = [&](size_t device, size_t first,
                       const Features& part) -> absl::Status {
    ASSIGN_OR_RETURN(
        inputs[device * kInputs + first],
        judge.CopyInput(first, BytesOf(absl::MakeConstSpan(part.values)),
                        device));
    ASSIGN_OR_RETURN(
        inputs[device * kInputs + first + 1],
        judge.CopyInput(first + 1, BytesOf(absl::MakeConstSpan(part.labels)),
                        device));
    return absl::OkStatus();
  };
  for (size_t device = 0; device < runtime_.devices(); ++device) {
    RETURN_IF_ERROR(set(
        device, 0, Part(bank, share * static_cast<int64_t>(device), share)));
  }
  double right = 0, count = 0;
  Phase phase("k-NN");
  for (int64_t at = 0; at < test.size(); at += kQueryBatch) {
    RETURN_IF_ERROR(ShowProgress(phase)(at, test.size()));
    const Features queries = Part(test, at, kQueryBatch);
    for (size_t device = 0; device < runtime_.devices(); ++device) {
      RETURN_IF_ERROR(set(device, 2, queries));
    }
    ASSIGN_OR_RETURN(const std::vector<pjrt::Buffer> results,
                     judge.executable().Execute(arguments));
    ASSIGN_OR_RETURN(const std::vector<float> some,
                     results[0].ToVector<float>());
    ASSIGN_OR_RETURN(const std::vector<float> counted,
                     results[1].ToVector<float>());
    right += some[0];
    count += counted[0];
  }
  return right / std::max(count, 1.0);
}

absl::StatusOr<Features> Evaluator::Encode(absl::string_view what,
                                           const input::Dataset& images) const {
  Phase phase(absl::StrCat("encoding ", images.size(), " ", what));
  return extractor_->EncodeAll(images, ShowProgress(phase));
}

absl::StatusOr<LinearResult> Evaluator::FitProbe(const FeatureSource& source,
                                                 int64_t epoch_images,
                                                 const Features& holdout,
                                                 const Features& test) const {
  Phase phase("training the linear probe");
  return TrainLinearProbe(runtime_, config_, source, epoch_images, holdout,
                          test, ShowProgress(phase));
}

absl::StatusOr<LinearResult> Evaluator::Linear(const Features& test,
                                               const Features& holdout) const {
  const input::Dataset images = Shuffled(data_.train, kHoldoutKey);
  const input::Dataset rest = input::Slice(
      images, config_.evaluation().holdout_images(), images.size());
  if (!config_.evaluation().random_crops()) {
    ASSIGN_OR_RETURN(const Features train, Encode("training images", rest));
    return FitProbe(ShuffledFeatures(train, kProbeKey), rest.size(), holdout,
                    test);
  }
  input::LoaderOptions options = extractor_->loader_options();
  options.mode = input::LoaderOptions::Mode::kTrain;
  options.seed = kProbeKey;
  ASSIGN_OR_RETURN(const std::unique_ptr<input::Loader> loader,
                   input::Loader::Create(rest, options));
  Features left{.dimension = extractor_->dimension()};
  const FeatureSource source = [&](int64_t rows) -> absl::StatusOr<Features> {
    while (left.size() < rows) {
      ASSIGN_OR_RETURN(const input::Loader::Batch batch, loader->Next());
      ASSIGN_OR_RETURN(const Features some, extractor_->EncodeBatch(*batch));
      left.Append(some);
    }
    Features taken = Part(left, 0, rows);
    left = Part(left, rows, left.size() - rows);
    return taken;
  };
  return FitProbe(source, rest.size(), holdout, test);
}

absl::StatusOr<EvaluationResult> Evaluator::Evaluate(
    absl::Span<const StateTensor> layout, const StateValues& values,
    EvaluationKind kind) {
  const bool labelled = config_.data().classes() > 0 &&
                        data_.train.info().has_labels &&
                        data_.test.info().has_labels;
  if (!extractor_.has_value()) {
    Phase phase("compiling the encoder");
    ASSIGN_OR_RETURN(FeatureExtractor extractor,
                     FeatureExtractor::Create(runtime_, config_, kEncodeBatch));
    extractor_ = std::move(extractor);
  }
  RETURN_IF_ERROR(extractor_->SetWeights(layout, values));
  EvaluationResult result;
  ASSIGN_OR_RETURN(Features test, Encode("test images", data_.test));
  if (labelled) {
    // The first images of a shuffled order choose the probe's learning rate;
    // k-NN, which chooses nothing, may have them in its bank.
    const input::Dataset images = Shuffled(data_.train, kHoldoutKey);
    const int64_t holdout = config_.evaluation().holdout_images();
    int64_t bank_images = config_.evaluation().bank_images();
    if (bank_images == 0) bank_images = images.size();
    bank_images = std::min(bank_images, images.size());
    ASSIGN_OR_RETURN(
        Features bank,
        Encode("images for k-NN",
               input::Slice(images, 0, std::max(bank_images, holdout))));
    if (kind == EvaluationKind::kFull) {
      ASSIGN_OR_RETURN(result.linear, Linear(test, Part(bank, 0, holdout)));
    }
    bank = Part(bank, 0, bank_images);
    NormalizeRows(bank);
    NormalizeRows(test);
    ASSIGN_OR_RETURN(result.knn_top1, NearestNeighbours(bank, test));
  } else {
    NormalizeRows(test);
  }
  JudgeCollapse(test, result);
  return result;
}

}  // namespace xla_byol
