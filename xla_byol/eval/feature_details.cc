#include "xla_byol/eval/feature_details.h"

#include <algorithm>

#include "Eigen/Dense"

namespace xla_byol {
namespace {

using Matrix =
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Two directions are wanted, so iterating with a few columns is far cheaper
// than all eigenvectors of a covariance of 2048 x 2048. The spare columns make
// the two converge also where the next ones are nearly as long.
constexpr int kColumns = 6;
constexpr int kIterations = 40;

Matrix MainDirections(const Matrix& centred) {
  const Eigen::Index d = centred.cols();
  Eigen::MatrixXf basis(d, std::min<Eigen::Index>(kColumns, d));
  for (Eigen::Index column = 0; column < basis.cols(); ++column) {
    // Any start will do that is not orthogonal to the answer: rows of the data.
    basis.col(column) = centred.row(column * (centred.rows() / kColumns));
    basis(column % d, column) += 1e-3f;
  }
  for (int i = 0; i < kIterations; ++i) {
    const Eigen::HouseholderQR<Eigen::MatrixXf> qr(basis);
    const Eigen::MatrixXf orthogonal =
        qr.householderQ() * Eigen::MatrixXf::Identity(d, basis.cols());
    basis = centred.transpose() * (centred * orthogonal);
  }
  const Eigen::HouseholderQR<Eigen::MatrixXf> qr(basis);
  const Eigen::MatrixXf orthogonal =
      qr.householderQ() * Eigen::MatrixXf::Identity(d, basis.cols());
  // Inside the space that was found the directions are exact.
  const Eigen::MatrixXf inside = centred * orthogonal;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXf> solver(
      inside.transpose() * inside);
  return orthogonal * solver.eigenvectors().rowwise().reverse().leftCols(
                          std::min<Eigen::Index>(2, basis.cols()));
}

}  // namespace

std::vector<double> CountAnswers(const Features& features,
                                 const ProbeWeights& probe) {
  const int64_t c = probe.classes;
  const Eigen::Map<const Matrix> x(features.values.data(), features.size(),
                                   features.dimension);
  const Eigen::Map<const Matrix> w(probe.w.data(), probe.features, c);
  const Eigen::Map<const Eigen::RowVectorXf> b(probe.b.data(), c);
  const Matrix logits = (x * w).rowwise() + b;
  std::vector<double> counts(static_cast<size_t>(c * c));
  for (int64_t row = 0; row < features.size(); ++row) {
    const int32_t label = features.labels[static_cast<size_t>(row)];
    if (label < 0 || label >= c) continue;
    Eigen::Index answer;
    logits.row(row).maxCoeff(&answer);
    ++counts[static_cast<size_t>(label * c + answer)];
  }
  return counts;
}

FeatureMap MapFeatures(const Features& features) {
  const int64_t rows = std::min(features.size(), kMapPoints);
  if (rows < 3 || features.dimension < 2) return {};
  Matrix centred = Eigen::Map<const Matrix>(features.values.data(), rows,
                                            features.dimension);
  const Eigen::RowVectorXf mean = centred.colwise().mean();
  centred.rowwise() -= mean;
  const float variance = centred.squaredNorm();
  if (!centred.allFinite() || variance == 0) return {};

  Matrix directions = MainDirections(centred);
  for (Eigen::Index i = 0; i < directions.cols(); ++i) {
    Eigen::Index largest;
    directions.col(i).cwiseAbs().maxCoeff(&largest);
    if (directions(largest, i) < 0) directions.col(i) *= -1;
  }
  const Matrix points = centred * directions;
  FeatureMap map;
  for (Eigen::Index i = 0; i < 2; ++i) {
    map.explained[i] = points.col(i).squaredNorm() / variance;
  }
  for (int64_t row = 0; row < rows; ++row) {
    map.x.push_back(points(row, 0));
    map.y.push_back(points(row, 1));
  }
  map.labels.assign(features.labels.begin(), features.labels.begin() + rows);
  return map;
}

}  // namespace xla_byol
