// Winograd's F(4x4, 3x3) along one line: how four neighbouring results of a
// convolution with three weights follow from six products instead of twelve
// (A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks",
// CVPR 2016). In two dimensions every transform is applied to the rows, then to
// the columns: 36 products instead of 144.
//
// A polynomial of degree 5 is known by its values at 0, a, -a, b, -b and its
// leading coefficient. With the usual a = 1, b = 2 results are off by 2.6e-6 of
// their norm (256 channels, f32); with 5/8 and 3/2, whose powers are exact, by
// 1.1e-6.
//
// T is a register of floats. Everything is inlined: how functions take
// registers depends on the machine.

#ifndef XLA_BYOL_KERNELS_WINOGRAD_LINES_H_
#define XLA_BYOL_KERNELS_WINOGRAD_LINES_H_

namespace xla_byol::kernels::winograd {

inline constexpr int kTile = 4;    // results along a line
inline constexpr int kWindow = 3;  // weights
inline constexpr int kPoints = 6;  // products, and pixels that are read

inline constexpr float kA = 0.625f, kA2 = kA * kA, kA3 = kA2 * kA;
inline constexpr float kB = 1.5f, kB2 = kB * kB, kB3 = kB2 * kB;
// What the weights are divided by: products of differences of the points.
inline constexpr float kAt0 = 1 / (kA2 * kB2);
inline constexpr float kAtA = 1 / (2 * kA2 * (kA2 - kB2));
inline constexpr float kAtB = 1 / (2 * kB2 * (kB2 - kA2));

// Six pixels to six factors.
struct ImageLine {
  static constexpr int kFrom = kPoints, kTo = kPoints;
  template <typename T>
  [[gnu::always_inline]] static void Apply(const T (&d)[kFrom], T (&v)[kTo]) {
    const T even_a = d[4] - kB2 * d[2], odd_a = kA * (d[3] - kB2 * d[1]);
    const T even_b = d[4] - kA2 * d[2], odd_b = kB * (d[3] - kA2 * d[1]);
    v[0] = kA2 * kB2 * d[0] - (kA2 + kB2) * d[2] + d[4];
    v[1] = even_a + odd_a;
    v[2] = even_a - odd_a;
    v[3] = even_b + odd_b;
    v[4] = even_b - odd_b;
    v[5] = kA2 * kB2 * d[1] - (kA2 + kB2) * d[3] + d[5];
  }
};

// Three weights to six factors.
struct KernelLine {
  static constexpr int kFrom = kWindow, kTo = kPoints;
  template <typename T>
  [[gnu::always_inline]] static void Apply(const T (&k)[kFrom], T (&u)[kTo]) {
    const T even_a = kAtA * k[0] + (kAtA * kA2) * k[2];
    const T even_b = kAtB * k[0] + (kAtB * kB2) * k[2];
    u[0] = kAt0 * k[0];
    u[1] = even_a + (kAtA * kA) * k[1];
    u[2] = even_a - (kAtA * kA) * k[1];
    u[3] = even_b + (kAtB * kB) * k[1];
    u[4] = even_b - (kAtB * kB) * k[1];
    u[5] = k[2];
  }
};

// Six products to four results.
struct ResultLine {
  static constexpr int kFrom = kPoints, kTo = kTile;
  template <typename T>
  [[gnu::always_inline]] static void Apply(const T (&m)[kFrom], T (&y)[kTo]) {
    const T even_a = m[1] + m[2], odd_a = m[1] - m[2];
    const T even_b = m[3] + m[4], odd_b = m[3] - m[4];
    y[0] = m[0] + even_a + even_b;
    y[1] = kA * odd_a + kB * odd_b;
    y[2] = kA2 * even_a + kB2 * even_b;
    y[3] = kA3 * odd_a + kB3 * odd_b + m[5];
  }
};

// The transpose of ResultLine: cotangents of four results to those of six
// products.
struct CotangentLine {
  static constexpr int kFrom = kTile, kTo = kPoints;
  template <typename T>
  [[gnu::always_inline]] static void Apply(const T (&y)[kFrom], T (&w)[kTo]) {
    const T even_a = y[0] + kA2 * y[2], odd_a = kA * y[1] + kA3 * y[3];
    const T even_b = y[0] + kB2 * y[2], odd_b = kB * y[1] + kB3 * y[3];
    w[0] = y[0];
    w[1] = even_a + odd_a;
    w[2] = even_a - odd_a;
    w[3] = even_b + odd_b;
    w[4] = even_b - odd_b;
    w[5] = y[3];
  }
};

// The transpose of KernelLine: cotangents of six factors to those of three
// weights.
struct KernelGradientLine {
  static constexpr int kFrom = kPoints, kTo = kWindow;
  template <typename T>
  [[gnu::always_inline]] static void Apply(const T (&u)[kFrom], T (&k)[kTo]) {
    const T even_a = u[1] + u[2], odd_a = u[1] - u[2];
    const T even_b = u[3] + u[4], odd_b = u[3] - u[4];
    k[0] = kAt0 * u[0] + kAtA * even_a + kAtB * even_b;
    k[1] = (kAtA * kA) * odd_a + (kAtB * kB) * odd_b;
    k[2] = (kAtA * kA2) * even_a + (kAtB * kB2) * even_b + u[5];
  }
};

}  // namespace xla_byol::kernels::winograd

#endif  // XLA_BYOL_KERNELS_WINOGRAD_LINES_H_
