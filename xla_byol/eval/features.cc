#include "xla_byol/eval/features.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol {
namespace {

// A device's pixels, with the batch's images again, in turn, where it has none:
// statistics over a last batch that is not full are then those of its images.
std::vector<uint8_t> FilledRows(const input::BatchBuffer& batch, int device,
                                int devices) {
  const int64_t rows = batch.layout().device_rows;
  const int64_t bytes = batch.layout().image_bytes();
  std::vector<const uint8_t*> images;
  for (int other = 0; other < devices; ++other) {
    for (int64_t row = 0; row < rows; ++row) {
      if (batch.mask(other)[row] == 0) continue;
      images.push_back(batch.pixels(0, other) + row * bytes);
    }
  }
  const uint8_t* first = batch.pixels(0, device);
  std::vector<uint8_t> pixels(first, first + rows * bytes);
  for (int64_t row = 0; row < rows && !images.empty(); ++row) {
    if (batch.mask(device)[row] != 0) continue;
    const auto place = static_cast<size_t>(device * rows + row);
    std::copy_n(images[place % images.size()], bytes,
                pixels.begin() + row * bytes);
  }
  return pixels;
}

}  // namespace

int64_t RowDeal::LargestShare(int64_t total) const {
  const int64_t round = block * processes;
  return total / round * block + std::min(total % round, block);
}

Features Features::First(int64_t count) const {
  int64_t rows = 0;
  while (rows < size() && place(rows) < count) ++rows;
  Features first = Part(0, rows);
  if (!places.empty()) {
    first.places.assign(places.begin(), places.begin() + rows);
  }
  first.all_places = std::min(count, total());
  first.deal = deal;
  return first;
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
    const Runtime& runtime, const Config& config, int64_t device_batch,
    FeatureSource source) {
  ASSIGN_OR_RETURN(
      NamedProgram program,
      BuildEncode(config, device_batch, runtime.program_options(), source));
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
  return output().dims[0] * runtime_.place().global_devices();
}

input::LoaderOptions FeatureExtractor::loader_options() const {
  input::LoaderOptions options;
  options.mode = input::LoaderOptions::Mode::kEvaluate;
  options.views = 1;
  const ProcessPlace place = runtime_.place();
  options.global_batch = batch();
  options.process_index = place.process;
  options.process_count = place.processes;
  options.devices = place.devices;
  options.cache_bytes /= place.processes;
  options.image_size = config_.evaluation().image_size();
  options.channels = config_.data().channels();
  options.scaled_decoding = config_.data().scaled_decoding();
  options.seed = config_.seed();
  // Small pictures have no margin to give away.
  if (config_.data().image_size() < 64) options.center_crop_share = 1;
  return options;
}

absl::Status FeatureExtractor::EncodeBatch(const input::BatchBuffer& batch,
                                           int64_t first, Features& features) {
  const input::BatchLayout& layout = batch.layout();
  for (size_t device = 0; device < runtime_.devices(); ++device) {
    const std::vector<uint8_t> pixels = FilledRows(
        batch, static_cast<int>(device), static_cast<int>(runtime_.devices()));
    RETURN_IF_ERROR(encode_.Set("images", device, absl::MakeConstSpan(pixels)));
  }
  RETURN_IF_ERROR(encode_.Run());
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
      features.places.push_back(first + place * layout.device_rows + row);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Features> FeatureExtractor::EncodeAll(
    const input::Dataset& dataset, ImageProgress progress) {
  const input::LoaderOptions options = loader_options();
  ASSIGN_OR_RETURN(const std::unique_ptr<input::Loader> loader,
                   input::Loader::Create(dataset, options));
  Features features{
      .dimension = dimension(),
      .all_places = dataset.size(),
      .deal = {.block = options.global_batch / options.process_count,
               .processes = options.process_count}};
  features.values.reserve(
      static_cast<size_t>(features.LargestShare() * dimension()));
  for (int64_t i = 0; i < loader->evaluation_batches(); ++i) {
    ASSIGN_OR_RETURN(const input::Loader::Batch batch, loader->Next());
    const int64_t first =
        i * options.global_batch + options.process_index * features.deal.block;
    RETURN_IF_ERROR(EncodeBatch(*batch, first, features));
    RETURN_IF_ERROR(progress(std::min((i + 1) * this->batch(), dataset.size()),
                             dataset.size()));
  }
  return features;
}

}  // namespace xla_byol
