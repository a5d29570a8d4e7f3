#include "xla_byol/eval/evaluator.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/progress.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/eval/nearest_neighbours.h"
#include "xla_byol/eval/probe_source.h"
#include "xla_byol/input/permutation.h"
#include "xla_byol/runtime/stop_signal.h"

namespace xla_byol {
namespace {

constexpr int64_t kEncodeBatch = 256;  // a device

// A gallery's pictures are small: a report carries all of them.
constexpr int kGalleryPixels = 64;

// Keys of the orders in which images are held out and the probe is trained.
constexpr uint64_t kHoldoutKey = 0x401d;
constexpr uint64_t kProbeKey = 0x9e0b;

// Processes that work together ask each other about a stop at every so many
// calls for progress.
constexpr int64_t kChecksPerVote = 8;

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
  values.emplace_back("feature_rankme", feature_rankme);
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
  absl::StrAppendFormat(
      &text, "effective rank of the features %.1f (RankMe %.1f), spread %.4f",
      feature_rank, feature_rankme, feature_spread);
  return text;
}

Evaluator::Evaluator(const Runtime& runtime, const Config& config,
                     EvaluationData data)
    : runtime_(runtime),
      config_(config),
      data_(std::move(data)),
      sums_(runtime) {}

absl::StatusOr<std::unique_ptr<Evaluator>> Evaluator::Create(
    const Runtime& runtime, const Config& config, EvaluationData data) {
  if (config.data().classes() > 0) {
    RETURN_IF_ERROR(CheckProbeBatch(config, runtime.place().global_devices()));
  }
  // Not make_unique: the constructor is private.
  return std::unique_ptr<Evaluator>(
      new Evaluator(runtime, config, std::move(data)));
}

absl::Status Evaluator::CheckGoesOn() {
  if (runtime_.place().processes == 1) return CheckNotStopped();
  if (++checks_ % kChecksPerVote != 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<double> wishes,
                   sums_.Sum({StopRequested() ? 1.0 : 0.0}));
  return wishes[0] == 0 ? absl::OkStatus()
                        : absl::CancelledError(
                              "stopped during evaluation; run the same "
                              "command to resume");
}

absl::StatusOr<Features> Evaluator::Encode(FeatureExtractor& extractor,
                                           absl::string_view what,
                                           const input::Dataset& images) {
  Phase phase(absl::StrCat("encoding ", images.size(), " ", what));
  ASSIGN_OR_RETURN(
      Features features,
      extractor.EncodeAll(images, [&](int64_t done, int64_t total) {
        phase.SetProgress(done, total);
        return CheckGoesOn();
      }));
  const int64_t bad = images.size() - features.size();
  if (bad > 0 && runtime_.place().processes == 1) {
    phase.SetNote(absl::StrCat(bad, " of them cannot be read and ",
                               bad == 1 ? "does" : "do", " not count"));
  }
  return features;
}

absl::StatusOr<LinearResult> Evaluator::FitProbe(ProbeSource& source,
                                                 int64_t epoch_images,
                                                 const Features& holdout,
                                                 const Features& test) {
  Phase phase("training the linear probe");
  return TrainLinearProbe(runtime_, config_, source, epoch_images, holdout,
                          test, [&](int64_t done, int64_t total) {
                            phase.SetProgress(done, total);
                            return CheckGoesOn();
                          });
}

absl::StatusOr<LinearResult> Evaluator::Linear(FeatureExtractor& extractor,
                                               const Features& test,
                                               const Features& bank,
                                               bool random_crops) {
  const input::Dataset images = Shuffled(data_.train, kHoldoutKey);
  const int64_t holdout_images = config_.evaluation().holdout_images();
  const Features holdout = bank.First(holdout_images);
  const input::Dataset rest =
      input::Slice(images, holdout_images, images.size());
  if (random_crops) {
    RandomCrops crops(runtime_, config_, extractor, rest, kProbeKey);
    return FitProbe(crops, rest.size(), holdout, test);
  }
  Features train;
  // Several processes deal the rest out in another way than the bank.
  if (bank.size() == images.size() && runtime_.place().processes == 1) {
    train = bank.Part(holdout_images, rest.size());
  } else {
    ASSIGN_OR_RETURN(train, Encode(extractor, "training images", rest));
  }
  ShuffledFeatures features(runtime_, train, kProbeKey);
  return FitProbe(features, rest.size(), holdout, test);
}

absl::StatusOr<CollapseFigures> Evaluator::Collapse(const Features& test) {
  const bool alone = runtime_.place().processes == 1;
  return MeasureCollapse(
      test,
      [&](std::vector<double> mine) -> absl::StatusOr<std::vector<double>> {
        if (alone) return mine;
        return sums_.Sum(mine);
      });
}

absl::Status Evaluator::AddConfusion(const ProbeWeights& probe,
                                     const Features& test,
                                     FeatureDetails& details) {
  if (probe.classes > kConfusionClasses) return absl::OkStatus();
  details.classes = probe.classes;
  details.confusion = CountAnswers(test, probe);
  if (runtime_.place().processes == 1) return absl::OkStatus();
  ASSIGN_OR_RETURN(details.confusion, sums_.Sum(details.confusion));
  return absl::OkStatus();
}

void Evaluator::AddPictures(const Features& test, const Features& bank,
                            const input::Dataset& images,
                            FeatureDetails& details) {
  details.class_names = data_.test.info().label_names;
  details.map = MapFeatures(test);
  std::vector<GalleryRow> gallery = FindGallery(test, bank);
  input::LoaderOptions options = extractor_->loader_options();
  options.image_size = std::min(config_.data().image_size(), kGalleryPixels);
  const auto add = [&](const input::Dataset& dataset,
                       absl::Span<const int64_t> places) -> absl::Status {
    ASSIGN_OR_RETURN(const std::vector<uint8_t> pixels,
                     ReadPictures(dataset, places, options));
    details.pictures.insert(details.pictures.end(), pixels.begin(),
                            pixels.end());
    return absl::OkStatus();
  };
  const auto read = [&]() -> absl::Status {
    for (const GalleryRow& row : gallery) {
      std::vector<int64_t> neighbours;
      for (size_t i = 1; i < row.size(); ++i) {
        neighbours.push_back(row[i].place);
      }
      RETURN_IF_ERROR(add(data_.test, {row[0].place}));
      RETURN_IF_ERROR(add(images, neighbours));
    }
    return absl::OkStatus();
  };
  if (const absl::Status status = read(); !status.ok()) {
    LogWarning(absl::StrCat("no gallery of neighbours: ", status.message()));
    details.pictures.clear();
    return;
  }
  details.gallery = std::move(gallery);
  details.picture_size = options.image_size;
  details.channels = options.channels;
}

bool Evaluator::labelled() const {
  return config_.data().classes() > 0 && data_.train.info().has_labels &&
         data_.test.info().has_labels;
}

absl::StatusOr<EvaluationResult> Evaluator::Evaluate(
    absl::Span<const StateTensor> layout, const StateValues& values,
    EvaluationKind kind) {
  if (!extractor_.has_value()) {
    Phase phase("compiling the encoder");
    ASSIGN_OR_RETURN(FeatureExtractor extractor,
                     FeatureExtractor::Create(runtime_, config_, kEncodeBatch));
    extractor_.emplace(std::move(extractor));
  }
  RETURN_IF_ERROR(extractor_->SetWeights(layout, values));
  std::optional<FeatureDetails> details;
  if (kind == EvaluationKind::kFull) details.emplace();
  ASSIGN_OR_RETURN(
      EvaluationResult result,
      Measure(*extractor_, kind, config_.evaluation().random_crops(),
              details.has_value() ? &*details : nullptr));
  result.details = std::move(details);
  return result;
}

absl::StatusOr<EvaluationResult> Evaluator::Measure(FeatureExtractor& extractor,
                                                    EvaluationKind kind,
                                                    bool random_crops,
                                                    FeatureDetails* details) {
  EvaluationResult result;
  ASSIGN_OR_RETURN(Features test, Encode(extractor, "test images", data_.test));
  if (labelled()) {
    // The first images of a shuffled order choose the probe's learning rate;
    // k-NN, which chooses nothing, may have them in its bank.
    const input::Dataset images = Shuffled(data_.train, kHoldoutKey);
    const int64_t holdout = config_.evaluation().holdout_images();
    int64_t bank_images = config_.evaluation().bank_images();
    if (bank_images == 0) bank_images = images.size();
    bank_images = std::min(bank_images, images.size());
    ASSIGN_OR_RETURN(
        Features bank,
        Encode(extractor, "images for k-NN",
               input::Slice(images, 0, std::max(bank_images, holdout))));
    if (kind == EvaluationKind::kFull) {
      ASSIGN_OR_RETURN(result.linear,
                       Linear(extractor, test, bank, random_crops));
      if (details != nullptr) {
        RETURN_IF_ERROR(AddConfusion(result.linear->probe, test, *details));
      }
    }
    bank = bank.First(bank_images);
    bank.NormalizeRows();
    test.NormalizeRows();
    Phase phase("k-NN");
    ASSIGN_OR_RETURN(result.knn_top1,
                     NearestNeighbourTop1(runtime_, config_, bank, test,
                                          [&](int64_t done, int64_t total) {
                                            phase.SetProgress(done, total);
                                            return CheckGoesOn();
                                          }));
    if (details != nullptr) AddPictures(test, bank, images, *details);
  } else {
    test.NormalizeRows();
    if (details != nullptr) AddPictures(test, test, data_.test, *details);
  }
  ASSIGN_OR_RETURN(const CollapseFigures collapse, Collapse(test));
  result.feature_spread = collapse.spread;
  result.feature_rank = collapse.rank;
  result.feature_rankme = collapse.rankme;
  return result;
}

}  // namespace xla_byol
