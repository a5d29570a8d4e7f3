#include "xla_byol/eval/features.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/eval/evaluation.h"

namespace xla_byol {

void Features::Append(const Features& more) {
  values.insert(values.end(), more.values.begin(), more.values.end());
  labels.insert(labels.end(), more.labels.begin(), more.labels.end());
}

Features Features::Part(int64_t begin, int64_t count) const {
  Features part{.dimension = dimension};
  const int64_t end = std::min(begin + count, size());
  if (begin < end) {
    part.values.assign(values.begin() + begin * dimension,
                       values.begin() + end * dimension);
    part.labels.assign(labels.begin() + begin, labels.begin() + end);
  }
  part.values.resize(static_cast<size_t>(count * dimension));
  part.labels.resize(static_cast<size_t>(count), input::kNoLabel);
  return part;
}

void Features::NormalizeRows() {
  for (int64_t i = 0; i < size(); ++i) {
    float* row = &values[static_cast<size_t>(i * dimension)];
    double squares = 0;
    for (int64_t f = 0; f < dimension; ++f) squares += double{row[f]} * row[f];
    const float scale =
        static_cast<float>(1 / std::sqrt(std::max(squares, 1e-24)));
    for (int64_t f = 0; f < dimension; ++f) row[f] *= scale;
  }
}

absl::StatusOr<FeatureExtractor> FeatureExtractor::Create(
    const Runtime& runtime, const Config& config, int64_t device_batch) {
  ASSIGN_OR_RETURN(
      NamedProgram program,
      BuildEncode(config, device_batch, runtime.program_options()));
  ASSIGN_OR_RETURN(DeviceProgram encode,
                   DeviceProgram::Compile(runtime, std::move(program)));
  return FeatureExtractor(
      runtime, config,
      std::make_unique<const DeviceProgram>(std::move(encode)));
}

absl::Status FeatureExtractor::SetWeights(absl::Span<const StateTensor> layout,
                                          const StateValues& values) {
  for (const ProgramTensor& input : program_->program().inputs) {
    if (!IsState(input.role)) continue;
    const auto tensor = std::find_if(
        layout.begin(), layout.end(),
        [&](const StateTensor& one) { return one.path == input.name; });
    if (tensor == layout.end()) {
      return absl::InternalError(
          absl::StrCat("the state has no tensor '", input.name, "'"));
    }
    const size_t place = static_cast<size_t>(tensor - layout.begin());
    RETURN_IF_ERROR(
        encode_.SetAll(input.name, absl::MakeConstSpan(values[place])));
  }
  return absl::OkStatus();
}

const graph::Shape& FeatureExtractor::output() const {
  return program_->program().FindOutput("features")->shape;
}

int64_t FeatureExtractor::dimension() const { return output().dims[1]; }

int64_t FeatureExtractor::batch() const {
  return output().dims[0] * static_cast<int64_t>(runtime_.devices());
}

input::LoaderOptions FeatureExtractor::loader_options() const {
  input::LoaderOptions options;
  options.mode = input::LoaderOptions::Mode::kEvaluate;
  options.views = 1;
  options.global_batch = batch();
  options.devices = static_cast<int>(runtime_.devices());
  options.image_size = config_.evaluation().image_size();
  options.channels = config_.data().channels();
  options.scaled_decoding = config_.data().scaled_decoding();
  options.seed = config_.seed();
  // Small pictures have no margin to give away.
  if (config_.data().image_size() < 64) options.center_crop_share = 1;
  return options;
}

absl::StatusOr<Features> FeatureExtractor::EncodeBatch(
    const input::BatchBuffer& batch) {
  const input::BatchLayout& layout = batch.layout();
  for (size_t device = 0; device < runtime_.devices(); ++device) {
    const absl::Span<const uint8_t> pixels(
        batch.pixels(0, static_cast<int>(device)),
        static_cast<size_t>(layout.device_rows * layout.image_bytes()));
    RETURN_IF_ERROR(encode_.Set("images", device, pixels));
  }
  RETURN_IF_ERROR(encode_.Run());
  Features features{.dimension = dimension()};
  for (size_t device = 0; device < runtime_.devices(); ++device) {
    ASSIGN_OR_RETURN(const std::vector<float> rows,
                     encode_.Read<float>("features", device));
    const int place = static_cast<int>(device);
    for (int64_t row = 0; row < layout.device_rows; ++row) {
      if (batch.mask(place)[row] == 0) continue;
      const float* values = &rows[static_cast<size_t>(row * dimension())];
      features.values.insert(features.values.end(), values,
                             values + dimension());
      features.labels.push_back(batch.labels(place)[row]);
    }
  }
  return features;
}

absl::StatusOr<Features> FeatureExtractor::EncodeAll(
    const input::Dataset& dataset, ImageProgress progress) {
  ASSIGN_OR_RETURN(const std::unique_ptr<input::Loader> loader,
                   input::Loader::Create(dataset, loader_options()));
  Features features{.dimension = dimension()};
  features.values.reserve(static_cast<size_t>(dataset.size() * dimension()));
  for (int64_t i = 0; i < loader->evaluation_batches(); ++i) {
    ASSIGN_OR_RETURN(const input::Loader::Batch batch, loader->Next());
    ASSIGN_OR_RETURN(const Features some, EncodeBatch(*batch));
    features.Append(some);
    RETURN_IF_ERROR(progress(std::min((i + 1) * this->batch(), dataset.size()),
                             dataset.size()));
  }
  return features;
}

}  // namespace xla_byol
