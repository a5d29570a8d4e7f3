#include "xla_byol/input/crop.h"

#include <algorithm>
#include <cmath>

#include "xla_byol/base/philox.h"

namespace xla_byol::input {
namespace {

// Rounded half to even (the default rounding mode), within [1, limit].
int32_t Side(double length, int32_t limit) {
  return std::clamp(static_cast<int32_t>(std::nearbyint(length)), 1, limit);
}

}  // namespace

Rect RandomCrop(int32_t width, int32_t height, const CropOptions& options,
                const std::array<uint32_t, 4>& words) {
  const double area =
      (options.min_area +
       (options.max_area - options.min_area) * UnitUniform(words[0])) *
      width * height;
  const double low = std::log(options.min_aspect);
  const double high = std::log(options.max_aspect);
  const double aspect = std::exp(low + (high - low) * UnitUniform(words[1]));
  Rect crop;
  crop.width = Side(std::sqrt(area * aspect), width);
  crop.height = Side(std::sqrt(area / aspect), height);
  crop.x = static_cast<int32_t>(
      UniformBelow(words[2], static_cast<uint32_t>(width - crop.width + 1)));
  crop.y = static_cast<int32_t>(
      UniformBelow(words[3], static_cast<uint32_t>(height - crop.height + 1)));
  return crop;
}

Rect CenterCrop(int32_t width, int32_t height, double share) {
  const int32_t shorter = std::min(width, height);
  const int32_t size =
      std::clamp(static_cast<int32_t>(share * shorter), 1, shorter);
  return {(width - size + 1) / 2, (height - size + 1) / 2, size, size};
}

Rect Union(const Rect& a, const Rect& b) {
  Rect both;
  both.x = std::min(a.x, b.x);
  both.y = std::min(a.y, b.y);
  both.width = std::max(a.x + a.width, b.x + b.width) - both.x;
  both.height = std::max(a.y + a.height, b.y + b.height) - both.y;
  return both;
}

}  // namespace xla_byol::input
