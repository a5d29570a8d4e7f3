// From a record to the views of it that a batch holds.

#ifndef XLA_BYOL_INPUT_VIEWS_H_
#define XLA_BYOL_INPUT_VIEWS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla_byol/input/crop.h"
#include "xla_byol/input/dataset.h"
#include "xla_byol/input/decoded_cache.h"
#include "xla_byol/input/image.h"
#include "xla_byol/input/image_decoder.h"
#include "xla_byol/input/resize.h"

namespace xla_byol::input {

// One view: which part of the image, mirrored or not, and where it goes.
struct View {
  Rect crop;
  bool flip = false;
  uint8_t* out = nullptr;  // size x size x channels bytes.
};

struct ViewOptions {
  int32_t size = 224;  // Side of the square result.
  int channels = 3;
  // Decode JPEGs at 1/2, 1/4 or 1/8 when every view shrinks by at least that
  // (but not those small enough for the cache, decoded_cache.h).
  // Cheaper, and filters what bicubic without antialiasing would alias; off
  // gives the reference's pixels for such large crops.
  bool scaled_decoding = true;
};

// Chooses the windows once the image's size is known.
using ChooseCrops = absl::FunctionRef<void(ImageSize, absl::Span<View>)>;

// One thread's decoder, resizer and memory.
class ViewMaker {
 public:
  explicit ViewMaker(const ViewOptions& options) : options_(options) {}

  // Fills each view's `crop` by `choose`, then its pixels. One decode serves
  // all views. Small images are put into `cache` (may be null) as record
  // `index`. DataLoss if the record's image is bad, or not of the `expected`
  // size where one is given.
  absl::Status Make(const Record& record, int64_t index,
                    std::optional<ImageSize> expected, ChooseCrops choose,
                    absl::Span<View> views, DecodedCache* cache);

  // The same for decoded pixels, of one channel or of options.channels.
  void MakeFromPixels(const ImageView& image, ChooseCrops choose,
                      absl::Span<View> views);

 private:
  void Resize(const DecodedRegion& region, absl::Span<const View> views);
  int Denominator(absl::Span<const View> views) const;

  const ViewOptions options_;
  ImageDecoder decoder_;
  Resizer resizer_;
  std::vector<uint8_t> gray_;
};

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_VIEWS_H_
