// The spectrum of the latents' covariance, finished on the host in double.

#ifndef XLA_BYOL_STEP_SPECTRUM_H_
#define XLA_BYOL_STEP_SPECTRUM_H_

#include <array>
#include <vector>

#include "absl/types/span.h"

namespace xla_byol {

// Of a symmetric matrix, row by row, largest first. Only the mean of the matrix
// and its transpose counts. NaN if an entry is not finite.
std::vector<double> SymmetricEigenvalues(absl::Span<const float> matrix);

// Singular values of a covariance (its eigenvalues), divided by the largest.
struct Spectrum {
  static constexpr int kBins = 20;

  double largest = 0;  // before the division
  // Linear interpolation between neighbours, as NumPy's quantile.
  double quantile25 = 0, quantile50 = 0, quantile75 = 0;
  // Shares of the values in kBins equal parts of [0,1].
  std::array<double, kBins> histogram = {};
};

Spectrum SpectrumOf(absl::Span<const float> covariance);

}  // namespace xla_byol

#endif  // XLA_BYOL_STEP_SPECTRUM_H_
