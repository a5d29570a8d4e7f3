#include "xla_byol/kernels/winograd_code.h"

#include <cstdlib>
#include <cstring>

#include "absl/strings/string_view.h"
#include "xla_byol/kernels/onednn.h"
#include "xla_byol/kernels/winograd_lines.h"

namespace xla_byol::kernels::winograd {
namespace {

// No function takes or returns registers: how depends on the machine.
template <size_t kFloats>
struct Registers {
  using Type [[gnu::vector_size(kFloats * sizeof(float))]] = float;
};

// Where the elements of a square of registers are.
template <typename Float>
struct AtPointers {
  Float* const* pointers;
  size_t offset;

  [[gnu::always_inline]] Float* operator[](int i) const {
    return pointers[i] + offset;
  }
};
template <typename Float>
struct AtStride {
  Float* first;
  size_t stride;

  [[gnu::always_inline]] Float* operator[](int i) const {
    return first + static_cast<size_t>(i) * stride;
  }
};

// The line to all columns, then to all rows of a square.
template <typename Line, typename T, typename From, typename To>
[[gnu::always_inline]] inline void Transform(const From& from, const To& to) {
  T rows[Line::kTo][Line::kFrom];
#pragma GCC unroll 6
  for (int column = 0; column < Line::kFrom; ++column) {
    T in[Line::kFrom], out[Line::kTo];
#pragma GCC unroll 6
    for (int row = 0; row < Line::kFrom; ++row) {
      std::memcpy(&in[row], from[row * Line::kFrom + column], sizeof(T));
    }
    Line::Apply(in, out);
#pragma GCC unroll 6
    for (int row = 0; row < Line::kTo; ++row) rows[row][column] = out[row];
  }
#pragma GCC unroll 6
  for (int row = 0; row < Line::kTo; ++row) {
    T out[Line::kTo];
    Line::Apply(rows[row], out);
#pragma GCC unroll 6
    for (int column = 0; column < Line::kTo; ++column) {
      std::memcpy(to[row * Line::kTo + column], &out[column], sizeof(T));
    }
  }
}

// kRows rows of kColumns registers: sums of a's elements times rows of b, which
// are kPanel floats apart as a's rows are. kTransposed: a's columns are rows.
template <typename T, size_t kRows, size_t kColumns, bool kTransposed>
struct Block {
  static constexpr size_t kFloats = sizeof(T) / sizeof(float);
  T sums[kRows][kColumns];

  [[gnu::always_inline]] void Clear() {
#pragma GCC unroll 8
    for (size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
      for (size_t column = 0; column < kColumns; ++column) {
        sums[row][column] = T{};
      }
    }
  }
  [[gnu::always_inline]] void Read(const float* from) {
#pragma GCC unroll 8
    for (size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
      for (size_t column = 0; column < kColumns; ++column) {
        std::memcpy(&sums[row][column], from + row * kPanel + column * kFloats,
                    sizeof(T));
      }
    }
  }
  [[gnu::always_inline]] void Write(float* to) const {
#pragma GCC unroll 8
    for (size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
      for (size_t column = 0; column < kColumns; ++column) {
        std::memcpy(to + row * kPanel + column * kFloats, &sums[row][column],
                    sizeof(T));
      }
    }
  }
  [[gnu::always_inline]] void Multiply(size_t depth, const float* a,
                                       const float* b) {
    for (size_t k = 0; k < depth; ++k) {
      T right[kColumns];
#pragma GCC unroll 4
      for (size_t column = 0; column < kColumns; ++column) {
        std::memcpy(&right[column], b + column * kFloats, sizeof(T));
      }
#pragma GCC unroll 8
      for (size_t row = 0; row < kRows; ++row) {
        const float left = kTransposed ? a[row] : a[row * kPanel];
#pragma GCC unroll 4
        for (size_t column = 0; column < kColumns; ++column) {
          sums[row][column] += left * right[column];
        }
      }
      a += kTransposed ? kPanel : 1;
      b += kPanel;
    }
  }
};

// The loops for registers of T; products have kColumns registers side by side.
template <typename T, size_t kColumns>
struct Loops {
  static constexpr size_t kFloats = sizeof(T) / sizeof(float);
  static constexpr size_t kRows = 6;  // with kColumns fills the registers

  [[gnu::always_inline]] static float* At(float* matrix, size_t channel,
                                          size_t panel) {
    return matrix + channel / kPanel * panel + channel % kPanel;
  }

  template <typename Line>
  [[gnu::always_inline]] static void ToFactors(const float* const* pixels,
                                               size_t channels, size_t panel,
                                               float* factors, size_t stride) {
    for (size_t c = 0; c < channels; c += kFloats) {
      Transform<Line, T>(AtPointers<const float>{pixels, c},
                         AtStride<float>{At(factors, c, panel), stride});
    }
  }
  [[gnu::always_inline]] static void Results(const float* products,
                                             size_t stride, size_t channels,
                                             size_t panel,
                                             float* const* pixels) {
    for (size_t c = 0; c < channels; c += kFloats) {
      const float* from = products + c / kPanel * panel + c % kPanel;
      Transform<ResultLine, T>(AtStride<const float>{from, stride},
                               AtPointers<float>{pixels, c});
    }
  }
  [[gnu::always_inline]] static void Kernel(const float* const* weights,
                                            float* factors, size_t stride) {
    for (size_t c = 0; c < kPanel; c += kFloats) {
      Transform<KernelLine, T>(AtPointers<const float>{weights, c},
                               AtStride<float>{factors + c, stride});
    }
  }
  [[gnu::always_inline]] static void KernelGradient(const float* factors,
                                                    size_t stride,
                                                    float* const* weights) {
    for (size_t c = 0; c < kPanel; c += kFloats) {
      Transform<KernelGradientLine, T>(
          AtStride<const float>{factors + c, stride},
          AtPointers<float>{weights, c});
    }
  }

  template <size_t kCount>
  [[gnu::always_inline]] static void MultiplyRows(size_t depth, const float* a,
                                                  size_t a_panel,
                                                  const float* b, float* to) {
    for (size_t c = 0; c < kPanel; c += kColumns * kFloats) {
      Block<T, kCount, kColumns, false> block;
      block.Clear();
      for (size_t k = 0; k < depth; k += kPanel) {
        block.Multiply(kPanel, a + k / kPanel * a_panel, b + k * kPanel + c);
      }
      block.Write(to + c);
    }
  }
  [[gnu::always_inline]] static void Multiply(size_t rows, size_t depth,
                                              const float* a, size_t a_panel,
                                              const float* b, float* to) {
    size_t row = 0;
    for (; row + kRows <= rows; row += kRows) {
      MultiplyRows<kRows>(depth, a + row * kPanel, a_panel, b,
                          to + row * kPanel);
    }
    for (; row + 2 <= rows; row += 2) {
      MultiplyRows<2>(depth, a + row * kPanel, a_panel, b, to + row * kPanel);
    }
    if (row < rows) {
      MultiplyRows<1>(depth, a + row * kPanel, a_panel, b, to + row * kPanel);
    }
  }

  template <size_t kCount>
  [[gnu::always_inline]] static void MultiplyColumns(size_t depth,
                                                     const float* a,
                                                     const float* b, bool first,
                                                     float* to) {
    for (size_t c = 0; c < kPanel; c += kColumns * kFloats) {
      Block<T, kCount, kColumns, true> block;
      if (first) {
        block.Clear();
      } else {
        block.Read(to + c);
      }
      block.Multiply(depth, a, b + c);
      block.Write(to + c);
    }
  }
  [[gnu::always_inline]] static void MultiplyTransposed(size_t depth,
                                                        const float* a,
                                                        const float* b,
                                                        bool first, float* to) {
    constexpr size_t kRest = kPanel % kRows;
    size_t row = 0;
    for (; row + kRows <= kPanel; row += kRows) {
      MultiplyColumns<kRows>(depth, a + row, b, first, to + row * kPanel);
    }
    MultiplyColumns<kRest>(depth, a + row, b, first, to + row * kPanel);
  }
};

#if defined(__x86_64__)
// The same code for each kind of registers, since the build is for any machine.
#define XLA_BYOL_WINOGRAD_CODE(NAME, TARGET, FLOATS, COLUMNS)                  \
  struct NAME {                                                                \
    using L = Loops<Registers<FLOATS>::Type, COLUMNS>;                         \
    [[gnu::target(TARGET)]] static void Images(const float* const* pixels,     \
                                               size_t channels, size_t panel,  \
                                               float* factors,                 \
                                               size_t stride) {                \
      L::ToFactors<ImageLine>(pixels, channels, panel, factors, stride);       \
    }                                                                          \
    [[gnu::target(TARGET)]] static void Cotangents(const float* const* pixels, \
                                                   size_t channels,            \
                                                   size_t panel,               \
                                                   float* factors,             \
                                                   size_t stride) {            \
      L::ToFactors<CotangentLine>(pixels, channels, panel, factors, stride);   \
    }                                                                          \
    [[gnu::target(TARGET)]] static void Results(const float* products,         \
                                                size_t stride,                 \
                                                size_t channels, size_t panel, \
                                                float* const* pixels) {        \
      L::Results(products, stride, channels, panel, pixels);                   \
    }                                                                          \
    [[gnu::target(TARGET)]] static void Kernel(const float* const* weights,    \
                                               float* factors,                 \
                                               size_t stride) {                \
      L::Kernel(weights, factors, stride);                                     \
    }                                                                          \
    [[gnu::target(TARGET)]] static void KernelGradient(                        \
        const float* factors, size_t stride, float* const* weights) {          \
      L::KernelGradient(factors, stride, weights);                             \
    }                                                                          \
    [[gnu::target(TARGET)]] static void Multiply(size_t rows, size_t depth,    \
                                                 const float* a,               \
                                                 size_t a_panel,               \
                                                 const float* b,               \
                                                 float* panel) {               \
      L::Multiply(rows, depth, a, a_panel, b, panel);                          \
    }                                                                          \
    [[gnu::target(TARGET)]] static void MultiplyTransposed(size_t depth,       \
                                                           const float* a,     \
                                                           const float* b,     \
                                                           bool first,         \
                                                           float* panel) {     \
      L::MultiplyTransposed(depth, a, b, first, panel);                        \
    }                                                                          \
    static constexpr Code kCode = {                                            \
        Images,         Cotangents, Results,           Kernel,                 \
        KernelGradient, Multiply,   MultiplyTransposed};                       \
  }

XLA_BYOL_WINOGRAD_CODE(Avx512, "avx512f", 16, 4);
XLA_BYOL_WINOGRAD_CODE(Avx2, "avx2,fma", 8, 2);
#undef XLA_BYOL_WINOGRAD_CODE
#endif

const Code* ChooseCode() {
  const char* wish = std::getenv("XLA_BYOL_KERNELS");
  if (wish != nullptr && absl::string_view(wish) == "onednn") return nullptr;
#if defined(__x86_64__)
  if (InstructionSet() == "AVX-512") return &Avx512::kCode;
  if (InstructionSet() == "AVX2" && __builtin_cpu_supports("fma")) {
    return &Avx2::kCode;
  }
#endif
  return nullptr;
}

}  // namespace

const Code* FindCode() {
  static const Code* const code = ChooseCode();
  return code;
}

}  // namespace xla_byol::kernels::winograd
