// The resize kernels for x86-64 machines with AVX2; bit for bit the plain ones.

#ifndef XLA_BYOL_INPUT_RESIZE_AVX2_H_
#define XLA_BYOL_INPUT_RESIZE_AVX2_H_

#include "xla_byol/input/resize.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define XLA_BYOL_RESIZE_AVX2 1
#else
#define XLA_BYOL_RESIZE_AVX2 0
#endif

#if XLA_BYOL_RESIZE_AVX2
namespace xla_byol::input::internal {

void BlendRowsAvx2(const uint8_t* const rows[kTaps],
                   const std::array<int16_t, kTaps>& weights, int64_t count,
                   int16_t* out);
void BlendColumnsAvx2(const int16_t* row, const Taps* taps, int32_t width,
                      int channels, uint8_t* out);

}  // namespace xla_byol::input::internal
#endif

#endif  // XLA_BYOL_INPUT_RESIZE_AVX2_H_
