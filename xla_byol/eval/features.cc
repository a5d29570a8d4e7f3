#include "xla_byol/eval/features.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/eval/evaluation.h"

namespace xla_byol {

void Features::Append(const Features& more) {
  values.insert(values.end(), more.values.begin(), more.values.end());
  labels.insert(labels.end(), more.labels.begin(), more.labels.end());
}

absl::StatusOr<FeatureExtractor> FeatureExtractor::Create(
    const Runtime& runtime, const Config& config, int64_t device_batch) {
  ASSIGN_OR_RETURN(StepProgram program,
                   BuildEncode(config, device_batch, runtime.step_options()));
  ASSIGN_OR_RETURN(DeviceProgram encode,
                   DeviceProgram::Compile(runtime, std::move(program)));
  return FeatureExtractor(runtime, config, std::move(encode));
}

absl::Status FeatureExtractor::SetWeights(absl::Span<const StateTensor> layout,
                                          const StateValues& values) {
  const StepProgram& program = encode_.program();
  weights_.clear();
  for (size_t device = 0; device < runtime_.devices(); ++device) {
    size_t tensor = 0;  // the program has the layout's order
    for (int i = 0; i < program.state_tensors; ++i, ++tensor) {
      const size_t input = static_cast<size_t>(i);
      while (tensor < layout.size() &&
             layout[tensor].path != program.inputs[input].name) {
        ++tensor;
      }
      if (tensor == layout.size()) {
        return absl::InternalError(absl::StrCat(
            "the state has no tensor '", program.inputs[input].name, "'"));
      }
      ASSIGN_OR_RETURN(
          pjrt::Buffer buffer,
          encode_.CopyInput(input, BytesOf(absl::MakeConstSpan(values[tensor])),
                            device));
      weights_.push_back(std::move(buffer));
    }
  }
  return absl::OkStatus();
}

int64_t FeatureExtractor::dimension() const {
  return encode_.program().outputs[0].shape.dims[1];
}

int64_t FeatureExtractor::batch() const {
  return encode_.program().outputs[0].shape.dims[0] *
         static_cast<int64_t>(runtime_.devices());
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
    const input::BatchBuffer& batch) const {
  const size_t state = static_cast<size_t>(encode_.program().state_tensors);
  const input::BatchLayout& layout = batch.layout();
  std::vector<pjrt::Buffer> images(runtime_.devices());
  std::vector<pjrt::Buffer*> arguments;
  for (size_t device = 0; device < runtime_.devices(); ++device) {
    const absl::Span<const uint8_t> pixels(
        batch.pixels(0, static_cast<int>(device)),
        static_cast<size_t>(layout.device_rows * layout.image_bytes()));
    ASSIGN_OR_RETURN(images[device],
                     encode_.CopyInput(state, BytesOf(pixels), device));
    for (size_t i = 0; i < state; ++i) {
      arguments.push_back(&weights_[device * state + i]);
    }
    arguments.push_back(&images[device]);
  }
  ASSIGN_OR_RETURN(const std::vector<pjrt::Buffer> results,
                   encode_.executable().Execute(arguments));
  Features features{.dimension = dimension()};
  for (size_t device = 0; device < runtime_.devices(); ++device) {
    ASSIGN_OR_RETURN(const std::vector<float> rows,
                     results[device].ToVector<float>());
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
    const input::Dataset& dataset, ImageProgress progress) const {
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
