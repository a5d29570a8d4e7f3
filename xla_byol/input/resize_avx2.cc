#include "xla_byol/input/resize_avx2.h"

#if XLA_BYOL_RESIZE_AVX2

#include <immintrin.h>

#include <cstring>

namespace xla_byol::input::internal {
namespace {

#define XLA_BYOL_AVX2 __attribute__((target("avx2")))

// Two 16-bit weights side by side, as the multiply-and-add instruction takes
// them.
int32_t Pair(int16_t first, int16_t second) {
  return static_cast<int32_t>(static_cast<uint32_t>(first & 0xffff) |
                              static_cast<uint32_t>(second) << 16);
}

XLA_BYOL_AVX2 inline __m256i LoadBytes(const uint8_t* from) {
  return _mm256_cvtepu8_epi16(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

// One output pixel of three channels, as 32-bit sums (the fourth is 0).
XLA_BYOL_AVX2 inline __m128i BlendPixel(const int16_t* row, const Taps& taps) {
  // Brings the same channel of two neighbouring pixels side by side.
  const __m128i pair_channels =
      _mm_setr_epi8(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, -1, -1, -1, -1);
  const int16_t* source = row + int64_t{taps.first} * 3;
  const __m128i near = _mm_shuffle_epi8(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(source)), pair_channels);
  const __m128i far = _mm_shuffle_epi8(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + 6)),
      pair_channels);
  __m128i weights =
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(taps.weights.data()));
  const __m128i sum =
      _mm_add_epi32(_mm_madd_epi16(near, _mm_shuffle_epi32(weights, 0x00)),
                    _mm_madd_epi16(far, _mm_shuffle_epi32(weights, 0x55)));
  return _mm_srai_epi32(_mm_add_epi32(sum, _mm_set1_epi32(1 << 19)), 20);
}

}  // namespace

XLA_BYOL_AVX2 void BlendRowsAvx2(const uint8_t* const rows[kTaps],
                                 const std::array<int16_t, kTaps>& weights,
                                 int64_t count, int16_t* out) {
  const __m256i upper = _mm256_set1_epi32(Pair(weights[0], weights[1]));
  const __m256i lower = _mm256_set1_epi32(Pair(weights[2], weights[3]));
  const __m256i half = _mm256_set1_epi32(1 << 7);
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m256i row0 = LoadBytes(rows[0] + i);
    const __m256i row1 = LoadBytes(rows[1] + i);
    const __m256i row2 = LoadBytes(rows[2] + i);
    const __m256i row3 = LoadBytes(rows[3] + i);
    __m256i low = _mm256_add_epi32(
        _mm256_madd_epi16(_mm256_unpacklo_epi16(row0, row1), upper),
        _mm256_madd_epi16(_mm256_unpacklo_epi16(row2, row3), lower));
    __m256i high = _mm256_add_epi32(
        _mm256_madd_epi16(_mm256_unpackhi_epi16(row0, row1), upper),
        _mm256_madd_epi16(_mm256_unpackhi_epi16(row2, row3), lower));
    low = _mm256_srai_epi32(_mm256_add_epi32(low, half), 8);
    high = _mm256_srai_epi32(_mm256_add_epi32(high, half), 8);
    // Unpacking and packing work within the same halves: the order is restored.
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm256_packs_epi32(low, high));
  }
  if (i < count) {
    const uint8_t* const rest[kTaps] = {rows[0] + i, rows[1] + i, rows[2] + i,
                                        rows[3] + i};
    PlainKernels().rows(rest, weights, count - i, out + i);
  }
}

XLA_BYOL_AVX2 void BlendColumnsAvx2(const int16_t* row, const Taps* taps,
                                    int32_t width, int channels, uint8_t* out) {
  if (channels != 3) {
    PlainKernels().columns(row, taps, width, channels, out);
    return;
  }
  const __m128i drop_fourth =
      _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
  int32_t x = 0;
  for (; x + 4 <= width; x += 4) {
    const __m128i first =
        _mm_packs_epi32(BlendPixel(row, taps[x]), BlendPixel(row, taps[x + 1]));
    const __m128i second = _mm_packs_epi32(BlendPixel(row, taps[x + 2]),
                                           BlendPixel(row, taps[x + 3]));
    const __m128i bytes =
        _mm_shuffle_epi8(_mm_packus_epi16(first, second), drop_fourth);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), bytes);
    const int32_t last = _mm_extract_epi32(bytes, 2);
    std::memcpy(out + 8, &last, sizeof(last));
    out += 12;
  }
  PlainKernels().columns(row, taps + x, width - x, channels, out);
}

}  // namespace xla_byol::input::internal

#endif  // XLA_BYOL_RESIZE_AVX2
