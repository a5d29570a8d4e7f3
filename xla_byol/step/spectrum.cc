#include "xla_byol/step/spectrum.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "Eigen/Core"
#include "Eigen/Eigenvalues"

namespace xla_byol {
namespace {

double Quantile(const std::vector<double>& falling, double share) {
  const double place = (1 - share) * static_cast<double>(falling.size() - 1);
  const size_t below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, falling.size() - 1);
  const double part = place - static_cast<double>(below);
  return falling[below] + part * (falling[above] - falling[below]);
}

}  // namespace

std::vector<double> SymmetricEigenvalues(absl::Span<const float> matrix) {
  const auto side = static_cast<Eigen::Index>(
      std::llround(std::sqrt(static_cast<double>(matrix.size()))));
  if (side == 0) return {};
  const Eigen::MatrixXd given =
      Eigen::Map<const Eigen::MatrixXf>(matrix.data(), side, side)
          .cast<double>();
  const Eigen::MatrixXd symmetric = 0.5 * (given + given.transpose());
  std::vector<double> eigenvalues(static_cast<size_t>(side),
                                  std::numeric_limits<double>::quiet_NaN());
  if (!symmetric.allFinite()) return eigenvalues;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      symmetric, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return eigenvalues;
  const auto& rising = solver.eigenvalues();
  std::reverse_copy(rising.begin(), rising.end(), eigenvalues.begin());
  return eigenvalues;
}

Spectrum SpectrumOf(absl::Span<const float> covariance) {
  std::vector<double> values = SymmetricEigenvalues(covariance);
  Spectrum spectrum;
  if (values.empty()) return spectrum;
  spectrum.largest = values[0];
  // A zero covariance has a spectrum of zeros, not of NaN.
  const double divisor = values[0] == 0 ? 1.0 : values[0];
  for (double& value : values) {
    value = std::max(value / divisor, 0.0);  // rounding may leave -1e-9
    if (std::isnan(divisor)) value = divisor;
  }
  spectrum.quantile25 = Quantile(values, 0.25);
  spectrum.quantile50 = Quantile(values, 0.50);
  spectrum.quantile75 = Quantile(values, 0.75);
  if (std::isnan(divisor)) return spectrum;
  for (const double value : values) {
    const int bin = std::min(static_cast<int>(value * Spectrum::kBins),
                             Spectrum::kBins - 1);
    spectrum.histogram[static_cast<size_t>(bin)] +=
        1.0 / static_cast<double>(values.size());
  }
  return spectrum;
}

}  // namespace xla_byol
