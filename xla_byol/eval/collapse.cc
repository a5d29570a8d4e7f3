#include "xla_byol/eval/collapse.h"

#include <algorithm>

#include "Eigen/Core"

namespace xla_byol {
namespace {

// A sample says enough, and keeps wide features affordable.
constexpr int64_t kRankRows = 2048;

}  // namespace

CollapseFigures MeasureCollapse(const Features& features) {
  if (features.size() == 0) return {};
  const Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic,
                                       Eigen::RowMajor>>
      rows(features.values.data(), features.size(), features.dimension);
  const double n = static_cast<double>(features.size());
  // Row by row, as they lie in memory.
  Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(rows.cols());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    mean += rows.row(i).cast<double>();
  }
  mean /= n;
  Eigen::RowVectorXd squares = Eigen::RowVectorXd::Zero(rows.cols());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    squares += (rows.row(i).cast<double>() - mean).cwiseAbs2();
  }

  const Eigen::MatrixXd centred =
      rows.topRows(std::min(features.size(), kRankRows))
          .cast<double>()
          .rowwise() -
      mean;
  // X^T X and X X^T have the same trace and norm: the smaller one will do, and
  // of it one triangle.
  const Eigen::Index side = std::min(centred.rows(), centred.cols());
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(side, side);
  if (centred.cols() <= centred.rows()) {
    gram.selfadjointView<Eigen::Lower>().rankUpdate(centred.transpose());
  } else {
    gram.selfadjointView<Eigen::Lower>().rankUpdate(centred);
  }
  const double trace = gram.trace();
  const double norm = 2 * gram.squaredNorm() - gram.diagonal().squaredNorm();
  return {.spread = (squares / n).cwiseSqrt().mean(),
          .rank = norm == 0 ? 0 : trace * trace / norm};
}

}  // namespace xla_byol
