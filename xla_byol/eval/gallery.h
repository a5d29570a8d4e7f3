// Some images with those that the features take for most similar.

#ifndef XLA_BYOL_EVAL_GALLERY_H_
#define XLA_BYOL_EVAL_GALLERY_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/eval/features.h"
#include "xla_byol/input/dataset.h"
#include "xla_byol/input/loader.h"

namespace xla_byol {

inline constexpr int64_t kGalleryRows = 10;
inline constexpr int64_t kGalleryNeighbours = 8;

struct Neighbour {
  int64_t place = 0;  // in the data set
  int32_t label = -1;
  float cosine = 0;
};

// A row: the image that was asked about, with cosine 1, then its neighbours,
// the nearest first.
using GalleryRow = std::vector<Neighbour>;

// Rows of length 1. One image for each of the first classes, the first of it in
// `queries`; without labels, images at even distances. If `bank` is `queries`
// itself, an image is not its own neighbour.
std::vector<GalleryRow> FindGallery(const Features& queries,
                                    const Features& bank);

// The images at these places, [n,h,w,c], cropped and scaled as `options` say;
// a bad record is black. Options of several processes are read as those of one.
absl::StatusOr<std::vector<uint8_t>> ReadPictures(
    const input::Dataset& dataset, absl::Span<const int64_t> places,
    input::LoaderOptions options);

}  // namespace xla_byol

#endif  // XLA_BYOL_EVAL_GALLERY_H_
