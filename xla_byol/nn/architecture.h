// The residual networks that can be built, as a table.

#ifndef XLA_BYOL_NN_ARCHITECTURE_H_
#define XLA_BYOL_NN_ARCHITECTURE_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla_byol::nn {

inline constexpr int kStages = 4;

// Residual networks, version 1, with the stride of a bottleneck on its 3x3
// convolution.
struct Architecture {
  const char* name;
  std::array<int, kStages> blocks;
  // A bottleneck (1x1, 3x3, 1x1) puts out four times its inner channels; a
  // basic block is two 3x3 convolutions.
  bool bottleneck;

  int expansion() const { return bottleneck ? 4 : 1; }
};

// What comes before the first stage.
struct Stem {
  const char* name;  // of Model::Stem
  int64_t kernel;    // of the one convolution, and its stride
  int64_t stride;
  bool pools;  // a 3x3 max-pool with stride 2 follows
  // The least side of an image with which the last stage sees more than one
  // pixel.
  int smallest_image;
};

// An unknown name's error names the nearest valid one.
absl::StatusOr<Stem> FindStem(absl::string_view name);
absl::StatusOr<Architecture> FindArchitecture(absl::string_view name);

std::vector<std::string> ArchitectureNames();

}  // namespace xla_byol::nn

#endif  // XLA_BYOL_NN_ARCHITECTURE_H_
