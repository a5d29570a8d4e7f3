#include "xla_byol/reporting/samples.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "xla_byol/augment/augmentation_draws.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/eval/evaluation.h"
#include "xla_byol/reporting/png_encoder.h"
#include "xla_byol/runtime/bound_program.h"

namespace xla_byol {
namespace {

constexpr int kColumns = 8;

}  // namespace

absl::StatusOr<MetricImage> DrawSamples(const Runtime& runtime,
                                        const Config& config,
                                        const input::BatchBuffer& batch) {
  const input::BatchLayout& layout = batch.layout();
  const int64_t images = std::min(kSampleImages, layout.device_rows);
  const size_t bytes = static_cast<size_t>(images * layout.image_bytes());
  std::vector<uint8_t> views[2];
  if (config.data().augmentation()) {
    ASSIGN_OR_RETURN(NamedProgram program,
                     BuildAugment(config, images, runtime.program_options()));
    ASSIGN_OR_RETURN(const DeviceProgram compiled,
                     DeviceProgram::Compile(runtime, std::move(program)));
    BoundProgram augment = compiled.Bind();
    for (int view = 0; view < 2; ++view) {
      const absl::Span<const uint8_t> pixels(batch.pixels(view, 0), bytes);
      const absl::Span<const float> draws(
          batch.draws(view, 0),
          static_cast<size_t>(images * kAugmentationDraws));
      RETURN_IF_ERROR(augment.SetAll("pixels", pixels));
      RETURN_IF_ERROR(augment.SetAll("draws", draws));
      RETURN_IF_ERROR(augment.Run());
      ASSIGN_OR_RETURN(views[view], augment.Read<uint8_t>("augmented"));
    }
  } else {
    for (int view = 0; view < 2; ++view) {
      views[view].assign(batch.pixels(view, 0), batch.pixels(view, 0) + bytes);
    }
  }

  // Rows of pictures alternate between the views.
  std::vector<uint8_t> pictures;
  for (int64_t first = 0; first + kColumns <= images; first += kColumns) {
    for (const std::vector<uint8_t>& view : views) {
      const auto begin = view.begin() + first * layout.image_bytes();
      pictures.insert(pictures.end(), begin,
                      begin + kColumns * layout.image_bytes());
    }
  }
  if (pictures.empty()) {
    for (const std::vector<uint8_t>& view : views) {
      pictures.insert(pictures.end(), view.begin(), view.end());
    }
  }
  const PictureGrid grid = MakePictureGrid(
      pictures, {layout.image_size, layout.image_size}, layout.channels,
      static_cast<int>(std::min<int64_t>(kColumns, images)));
  ASSIGN_OR_RETURN(std::string png, EncodePng(grid.view()));
  return MetricImage{.name = "views",
                     .png = std::move(png),
                     .width = grid.size.width,
                     .height = grid.size.height};
}

}  // namespace xla_byol
