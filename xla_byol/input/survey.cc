#include "xla_byol/input/survey.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/input/dataset_format.h"
#include "xla_byol/input/image_decoder.h"

namespace xla_byol::input {
namespace {

constexpr int kRgb = 3;
constexpr int64_t kHeldOutShare = 10;
constexpr int64_t kMostHeldOut = 10000;

// Names of splits, in the order in which they are preferred. ImageNet's "test"
// has no labels, so it comes last.
constexpr const char* kTrainNames[] = {"train", "training", "unlabeled"};
constexpr const char* kTestNames[] = {"validation", "val", "valid", "test"};

// JPEG's rounding may tell the channels of a gray image apart by this much.
constexpr int kGrayTolerance = 2;

// Photos are decoded at a fraction of their size that has at least this side.
constexpr int kSampleSide = 64;

// No colour varies less in a data set that means anything; one that does is
// left as it is instead of being blown up.
constexpr double kLeastStddev = 0.01;

template <size_t n>
std::optional<std::string> FirstOf(const char* const (&names)[n],
                                   const std::vector<std::string>& splits) {
  for (const char* name : names) {
    if (std::find(splits.begin(), splits.end(), name) != splits.end()) {
      return name;
    }
  }
  return std::nullopt;
}

absl::Status ChooseSplits(const SurveyOptions& options, DatasetSurvey& survey) {
  survey.train_split = options.train_split;
  survey.test_split = options.test_split;
  if (!survey.train_split.empty() && !survey.test_split.empty()) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> splits,
                   FormatOf(survey.folder).splits(survey.folder));
  if (survey.train_split.empty()) {
    const auto train = FirstOf(kTrainNames, splits);
    if (!train.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(
          survey.folder, " has no split named train but ",
          absl::StrJoin(splits, ", "), "; choose one with data.train_split"));
    }
    survey.train_split = *train;
  }
  if (!survey.test_split.empty()) return absl::OkStatus();
  if (const auto test = FirstOf(kTestNames, splits);
      test.has_value() && *test != survey.train_split) {
    survey.test_split = *test;
    return absl::OkStatus();
  }
  if (!options.train_split.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(survey.folder, " has no test split beside ",
                     options.train_split, "; choose one with data.test_split"));
  }
  ASSIGN_OR_RETURN(
      const Dataset whole,
      OpenDataset(survey.folder, survey.train_split, options.open));
  if (whole.size() < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        survey.folder, " has a single image; training needs more"));
  }
  const int64_t step =
      std::max(kHeldOutShare, (whole.size() + kMostHeldOut - 1) / kMostHeldOut);
  survey.test_split = absl::StrCat(survey.train_split, "[::", step, "]");
  survey.train_split = absl::StrCat(survey.train_split, "[!::", step, "]");
  survey.held_out = true;
  return absl::OkStatus();
}

// Sums over the sampled images.
class Sample {
 public:
  absl::Status Add(const Dataset& dataset, int64_t index);
  int64_t images() const { return static_cast<int64_t>(sides_.size()); }
  void Finish(DatasetSurvey& survey);

 private:
  void AddPixels(const ImageView& view);

  ImageDecoder decoder_;
  RecordScratch scratch_;
  std::vector<int> sides_;
  bool gray_ = true;
  std::array<double, kRgb> sum_ = {};  // of each image's means
  std::array<double, kRgb> sum_of_squares_ = {};
};

absl::Status Sample::Add(const Dataset& dataset, int64_t index) {
  Record record;
  RETURN_IF_ERROR(dataset.Read(index, scratch_, record));
  if (record.encoded.empty()) {
    const ImageSize size = record.pixels.size;
    sides_.push_back(std::min(size.width, size.height));
    AddPixels(record.pixels);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const ImageSize size, decoder_.Open(record.encoded));
  const int side = std::min(size.width, size.height);
  int denominator = 1;
  while (denominator < 8 && side / (2 * denominator) >= kSampleSide) {
    denominator *= 2;
  }
  ASSIGN_OR_RETURN(
      const DecodedRegion region,
      decoder_.Decode({0, 0, size.width, size.height}, kRgb, denominator));
  sides_.push_back(side);
  AddPixels(region.pixels);
  return absl::OkStatus();
}

void Sample::AddPixels(const ImageView& view) {
  std::array<double, kRgb> sum = {};
  std::array<double, kRgb> squares = {};
  for (int y = 0; y < view.size.height; ++y) {
    const uint8_t* pixel = view.data + y * view.stride;
    for (int x = 0; x < view.size.width; ++x, pixel += view.channels) {
      for (int c = 0; c < kRgb; ++c) {
        const int value = pixel[view.channels == 1 ? 0 : c];
        gray_ = gray_ && std::abs(value - pixel[0]) <= kGrayTolerance;
        sum[static_cast<size_t>(c)] += value / 255.0;
        squares[static_cast<size_t>(c)] += value / 255.0 * value / 255.0;
      }
    }
  }
  const double pixels = 1.0 * view.size.width * view.size.height;
  for (size_t c = 0; c < kRgb; ++c) {
    sum_[c] += sum[c] / pixels;
    sum_of_squares_[c] += squares[c] / pixels;
  }
}

void Sample::Finish(DatasetSurvey& survey) {
  survey.channels = gray_ ? 1 : kRgb;
  const auto middle = sides_.begin() + static_cast<int64_t>(sides_.size()) / 2;
  std::nth_element(sides_.begin(), middle, sides_.end());
  survey.shorter_side = *middle;
  const auto rounded = [](double value) {
    return static_cast<float>(std::round(value * 1e4) / 1e4);
  };
  const double count = static_cast<double>(images());
  for (size_t c = 0; c < static_cast<size_t>(survey.channels); ++c) {
    const double mean = sum_[c] / count;
    const double variance = sum_of_squares_[c] / count - mean * mean;
    const double stddev = std::sqrt(std::max(variance, 0.0));
    survey.mean.push_back(rounded(mean));
    survey.stddev.push_back(rounded(stddev < kLeastStddev ? 1 : stddev));
  }
}

}  // namespace

absl::StatusOr<DatasetSurvey> SurveyDataset(const std::string& name_or_path,
                                            const SurveyOptions& options) {
  DatasetSurvey survey;
  ASSIGN_OR_RETURN(survey.folder, FindDataset(name_or_path, options.open));
  RETURN_IF_ERROR(ChooseSplits(options, survey));
  ASSIGN_OR_RETURN(
      const Dataset train,
      OpenDataset(survey.folder, survey.train_split, options.open));
  ASSIGN_OR_RETURN(const Dataset test,
                   OpenDataset(survey.folder, survey.test_split, options.open));
  const DatasetInfo& info = train.info();
  survey.name = info.name;
  survey.train_images = info.size;
  survey.test_images = test.size();
  survey.left_out = info.left_out;
  if (info.has_labels && info.num_classes > 1) {
    survey.classes = info.num_classes;
  }
  const int64_t images = std::min<int64_t>(options.sample_images, info.size);
  if (images == 0) return survey;
  Sample sample;
  absl::Status bad;
  for (int64_t i = 0; i < images; ++i) {
    const absl::Status added = sample.Add(train, i * info.size / images);
    if (!added.ok()) {
      if (!absl::IsDataLoss(added)) return added;
      bad = added;
    }
    if (options.progress) options.progress(i + 1, images);
  }
  if (sample.images() == 0) {
    return absl::DataLossError(
        absl::StrCat("none of ", images, " images of ", survey.folder,
                     " can be read; the last one: ", bad.message()));
  }
  sample.Finish(survey);
  return survey;
}

}  // namespace xla_byol::input
