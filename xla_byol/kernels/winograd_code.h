// The inner loops of winograd.h, compiled for each kind of registers.
//
// Matrices lie in panels of kPanel columns: [columns / kPanel, rows, kPanel].
// A value of each of the 36 products is a matrix of its own; `stride` is the
// number of floats from one to the next. Everything runs on the calling thread.

#ifndef XLA_BYOL_KERNELS_WINOGRAD_CODE_H_
#define XLA_BYOL_KERNELS_WINOGRAD_CODE_H_

#include <cstddef>

namespace xla_byol::kernels::winograd {

inline constexpr size_t kPanel = 64;

struct Code {
  // One tile's 36 pixels, row by row, each of `channels` floats, to a row of
  // the factors; `panel` is the number of floats from a panel to the next one.
  void (*images)(const float* const* pixels, size_t channels, size_t panel,
                 float* factors, size_t stride);
  // The same for the 16 cotangents of a tile's results.
  void (*cotangents)(const float* const* pixels, size_t channels, size_t panel,
                     float* factors, size_t stride);
  // A row of the products to the 16 results of a tile.
  void (*results)(const float* products, size_t stride, size_t channels,
                  size_t panel, float* const* pixels);
  // kPanel columns of a kernel to a row of a panel: weights[i] are those at
  // row i / 3, column i % 3 of the window.
  void (*kernel)(const float* const* weights, float* factors, size_t stride);
  // The transpose: cotangents of a row of a panel to those of the weights.
  void (*kernel_gradient)(const float* factors, size_t stride,
                          float* const* weights);

  // panel = a * b: `rows` rows; a has `depth` columns in panels that are
  // `a_panel` floats apart; b is a panel of `depth` rows.
  void (*multiply)(size_t rows, size_t depth, const float* a, size_t a_panel,
                   const float* b, float* panel);
  // panel += transpose(a) * b, where a and b are panels of `depth` rows; or =
  // where `first`.
  void (*multiply_transposed)(size_t depth, const float* a, const float* b,
                              bool first, float* panel);
};

// For the instructions that oneDNN takes here (onednn.h); null without AVX2,
// and where XLA_BYOL_KERNELS=onednn in the environment asks for oneDNN alone.
const Code* FindCode();

}  // namespace xla_byol::kernels::winograd

#endif  // XLA_BYOL_KERNELS_WINOGRAD_CODE_H_
