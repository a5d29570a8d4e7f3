#include "xla_byol/input/views.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::input {

absl::Status ViewMaker::Make(const Record& record, int64_t index,
                             std::optional<ImageSize> expected,
                             ChooseCrops choose, absl::Span<View> views,
                             DecodedCache* cache) {
  if (record.pixels.data != nullptr) {
    MakeFromPixels(record.pixels, choose, views);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const ImageSize size, decoder_.Open(record.encoded));
  if (expected.has_value() && *expected != size) {
    return absl::DataLossError(absl::StrCat(
        "image of ", size.width, " x ", size.height, " pixels, not ",
        expected->width, " x ", expected->height));
  }
  choose(size, views);
  Rect region = views[0].crop;
  for (const View& view : views) region = Union(region, view.crop);
  // Pixels must not depend on what the cache has room for, which is a matter
  // of timing: an image that may be cached is never decoded at a fraction.
  const int denominator =
      DecodedCache::IsSmall(size, options_.channels) ? 1 : Denominator(views);
  const bool keep = cache != nullptr && cache->Wants(size, options_.channels);
  if (keep) region = {0, 0, size.width, size.height};
  ASSIGN_OR_RETURN(const DecodedRegion decoded,
                   decoder_.Decode(region, options_.channels, denominator));
  if (keep) cache->Insert(index, decoded.pixels, record.label);
  Resize(decoded, views);
  return absl::OkStatus();
}

void ViewMaker::MakeFromPixels(const ImageView& image, ChooseCrops choose,
                               absl::Span<View> views) {
  choose(image.size, views);
  DecodedRegion whole;
  whole.pixels = image;
  Resize(whole, views);
}

int ViewMaker::Denominator(absl::Span<const View> views) const {
  if (!options_.scaled_decoding) return 1;
  int32_t least = views[0].crop.width;
  for (const View& view : views) {
    least = std::min({least, view.crop.width, view.crop.height});
  }
  int denominator = 8;
  while (denominator > 1 && least < denominator * options_.size) {
    denominator /= 2;
  }
  return denominator;
}

void ViewMaker::Resize(const DecodedRegion& region,
                       absl::Span<const View> views) {
  const ImageSize size = {options_.size, options_.size};
  const double scale = 1.0 / region.denominator;
  for (const View& view : views) {
    const ResizeWindow window = {
        (view.crop.x - region.x) * scale, (view.crop.y - region.y) * scale,
        view.crop.width * scale, view.crop.height * scale};
    if (region.pixels.channels == options_.channels) {
      resizer_.Resize(region.pixels, window, size, view.flip, view.out);
      continue;
    }
    // Grey pixels for a step that takes colours.
    gray_.resize(static_cast<size_t>(options_.size) *
                 static_cast<size_t>(options_.size));
    resizer_.Resize(region.pixels, window, size, view.flip, gray_.data());
    uint8_t* out = view.out;
    for (uint8_t value : gray_) {
      for (int c = 0; c < options_.channels; ++c) *out++ = value;
    }
  }
}

}  // namespace xla_byol::input
