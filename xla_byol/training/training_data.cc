#include "xla_byol/training/training_data.h"

#include "absl/strings/str_cat.h"
#include "xla_byol/augment/augmentation_draws.h"

namespace xla_byol {
namespace {

// Held by the loop: one on its way, one running, one looked at; and at least
// two to be filled meanwhile.
constexpr int kPrefetchBatches = 6;

input::AugmentationOptions ViewOptions(const Augmentation& view) {
  input::AugmentationOptions options;
  options.crop.min_area = view.min_crop_area();
  options.flip_probability = view.flip_probability();
  options.jitter_probability = view.jitter_probability();
  options.brightness = view.brightness();
  options.contrast = view.contrast();
  options.saturation = view.saturation();
  options.hue = view.hue();
  options.grayscale_probability = view.grayscale_probability();
  options.blur_probability = view.blur_probability();
  options.solarize_probability = view.solarize_probability();
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<input::Loader>> MakeTrainingLoader(
    const Config& config, const input::Dataset& dataset,
    const ProcessPlace& place, int threads, int64_t first_step) {
  input::LoaderOptions options;
  options.global_batch = config.schedule().batch_size();
  options.process_index = place.process;
  options.process_count = place.processes;
  options.devices = place.devices;
  options.image_size = config.data().image_size();
  options.channels = config.data().channels();
  options.scaled_decoding = config.data().scaled_decoding();
  options.augmentation = {ViewOptions(config.data().view1()),
                          ViewOptions(config.data().view2())};
  options.seed = config.seed();
  options.first_step = first_step;
  options.threads = threads;
  options.prefetch_batches = kPrefetchBatches;
  return input::Loader::Create(dataset, options);
}

std::vector<HostBatch> HostBatches(const input::BatchBuffer& batch) {
  const input::BatchLayout& layout = batch.layout();
  const size_t rows = static_cast<size_t>(layout.device_rows);
  const size_t bytes = rows * static_cast<size_t>(layout.image_bytes());
  std::vector<HostBatch> batches;
  for (int device = 0; device < layout.devices; ++device) {
    batches.push_back({{batch.pixels(0, device), bytes},
                       {batch.pixels(1, device), bytes},
                       {batch.labels(device), rows},
                       {batch.draws(0, device), rows * kAugmentationDraws},
                       {batch.draws(1, device), rows * kAugmentationDraws}});
  }
  return batches;
}

absl::Status CheckDataset(const Config& config, const input::Dataset& dataset) {
  const input::DatasetInfo& info = dataset.info();
  if (config.data().train_images() != info.size) {
    return absl::InvalidArgumentError(absl::StrCat(
        "config: data.train_images is ", config.data().train_images(),
        ", but split '", info.split, "' of ", info.name, " has ", info.size,
        " images; the schedules count in epochs, so it must be right"));
  }
  if (config.data().classes() > 0 && info.num_classes > 0 &&
      config.data().classes() < info.num_classes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "config: data.classes is ", config.data().classes(), ", but ",
        info.name, " has ", info.num_classes, " classes"));
  }
  return absl::OkStatus();
}

}  // namespace xla_byol
