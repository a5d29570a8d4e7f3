#include "xla_byol/eval/collapse.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Eigenvalues"
#include "xla_byol/base/status_macros.h"

namespace xla_byol {
namespace {

// A sample says enough, and keeps wide features affordable.
constexpr int64_t kRankRows = 2048;
// Eigenvalues of a matrix of this side take a tenth of a second.
constexpr Eigen::Index kRankMeSide = 512;

using Rows =
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The first places' rows of all processes; those of bad records are left out.
absl::StatusOr<Eigen::MatrixXd> FirstRows(const Eigen::Map<const Rows>& rows,
                                          const Features& features,
                                          SumOfProcesses sum) {
  const int64_t places = std::min(features.total(), kRankRows);
  // One more column: whether there is such a row.
  const int64_t width = features.dimension + 1;
  std::vector<double> mine(static_cast<size_t>(places * width));
  using Wide =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Wide> table(mine.data(), places, width);
  for (int64_t i = 0; i < features.size() && features.place(i) < places; ++i) {
    table.row(features.place(i)) << rows.row(i).cast<double>(), 1.0;
  }
  ASSIGN_OR_RETURN(mine, sum(std::move(mine)));
  new (&table) Eigen::Map<Wide>(mine.data(), places, width);
  Eigen::MatrixXd first(places, features.dimension);
  int64_t count = 0;
  for (int64_t i = 0; i < places; ++i) {
    if (table(i, width - 1) == 0) continue;
    first.row(count++) = table.row(i).head(features.dimension);
  }
  return first.topRows(count).eval();
}

// The lower triangle of X^T X or X X^T, whichever is smaller: both have the
// same eigenvalues that are not 0.
Eigen::MatrixXd GramOf(const Eigen::MatrixXd& rows) {
  const Eigen::Index side = std::min(rows.rows(), rows.cols());
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(side, side);
  if (rows.cols() <= rows.rows()) {
    gram.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
  } else {
    gram.selfadjointView<Eigen::Lower>().rankUpdate(rows);
  }
  return gram;
}

double RankMe(const Eigen::MatrixXd& gram) {
  if (!gram.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const Eigen::VectorXd eigenvalues =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram,
                                                     Eigen::EigenvaluesOnly)
          .eigenvalues();
  const Eigen::ArrayXd singular = eigenvalues.array().max(0).sqrt();
  const double sum = singular.sum();
  if (sum == 0) return 0;
  double entropy = 0;
  for (const double value : singular) {
    if (value > 0) entropy -= value / sum * std::log(value / sum);
  }
  return std::exp(entropy);
}

}  // namespace

absl::StatusOr<CollapseFigures> MeasureCollapse(const Features& features,
                                                SumOfProcesses sum) {
  if (features.total() == 0) return CollapseFigures{};
  const Eigen::Map<const Rows> rows(features.values.data(), features.size(),
                                    features.dimension);
  const auto add_up = [&](auto&& of_row) -> absl::StatusOr<Eigen::RowVectorXd> {
    // Row by row, as they lie in memory; the last number counts them.
    std::vector<double> sums(static_cast<size_t>(rows.cols() + 1));
    Eigen::Map<Eigen::RowVectorXd> mine(sums.data(), rows.cols());
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      mine += of_row(rows.row(i).template cast<double>());
    }
    sums.back() = static_cast<double>(rows.rows());
    ASSIGN_OR_RETURN(sums, sum(std::move(sums)));
    const double count = std::max(sums.back(), 1.0);
    return Eigen::RowVectorXd(
        Eigen::Map<Eigen::RowVectorXd>(sums.data(), rows.cols()) / count);
  };
  ASSIGN_OR_RETURN(const Eigen::RowVectorXd mean,
                   add_up([](const auto& row) { return row; }));
  ASSIGN_OR_RETURN(
      const Eigen::RowVectorXd variance,
      add_up([&mean](const auto& row) { return (row - mean).cwiseAbs2(); }));
  ASSIGN_OR_RETURN(Eigen::MatrixXd centred, FirstRows(rows, features, sum));
  centred.rowwise() -= mean;
  const Eigen::MatrixXd gram = GramOf(centred);
  const double trace = gram.trace();
  const double norm = 2 * gram.squaredNorm() - gram.diagonal().squaredNorm();
  const bool narrow = gram.rows() <= kRankMeSide;
  return CollapseFigures{
      .spread = variance.cwiseSqrt().mean(),
      .rank = norm == 0 ? 0 : trace * trace / norm,
      .rankme = RankMe(narrow ? gram : GramOf(centred.topRows(kRankMeSide)))};
}

}  // namespace xla_byol
