#include "xla_byol/methods/global_batch.h"

namespace xla_byol {
namespace {

using graph::Direction;
using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::Value;

constexpr double kEpsilon = 1e-5;

// This replica's products: [its parts, f, f].
Value LocalProducts(Value a, Value b, int64_t parts) {
  const auto split = [parts](Value x) {
    return Reshape(x, {parts, x.dim(0) / parts, x.dim(1)});
  };
  return DotGeneral(split(a), split(b),
                    {.lhs_batch = {0},
                     .rhs_batch = {0},
                     .lhs_contract = {1},
                     .rhs_contract = {1},
                     .precision = graph::Precision::kHighest});
}

// [1, f, f] as entry replica * parts / replicas of [parts, f, f], zeros
// elsewhere: where the sum over replicas needs it.
Value AtItsPart(Value product, int64_t parts) {
  if (parts == 1) return product;
  Graph& graph = *product.graph();
  const Value part = Convert(ReplicaId(graph), DType::kS32) /
                     static_cast<double>(graph.replicas() / parts);
  const Value all = Iota(graph, Shape{DType::kS32, {parts, 1, 1}}, 0);
  return product * Convert(Compare(all, part, Direction::kEq), DType::kF32);
}

// Feature numbers of the entries' rows and columns: s32[1, rows, f].
struct Indices {
  Value row, column;
};

Indices IndicesOf(const FeatureProduct& product) {
  Graph& graph = *product.entries.graph();
  const Shape shape{DType::kS32,
                    {1, product.entries.dim(1), product.entries.dim(2)}};
  Value row = Iota(graph, shape, 1);
  if (product.first_row.valid()) row = row + product.first_row;
  return {row, Iota(graph, shape, 2)};
}

}  // namespace

double GlobalImages(Value rows) {
  return static_cast<double>(rows.dim(0) * rows.graph()->replicas());
}

Value Centered(Value rows) {
  rows = Convert(rows, DType::kF32);
  return rows - AllReduce(ReduceSum(rows, {0})) / GlobalImages(rows);
}

Value SumOfSquares(Value rows) {
  return AllReduce(ReduceSum(Square(Convert(rows, DType::kF32)), {0}));
}

Value Standardized(Value rows) {
  // Two passes: the mean of squares less the squared mean would lose the
  // variance of features far from 0.
  const Value centered = Centered(rows);
  const Value variance = SumOfSquares(centered) / GlobalImages(rows);
  return centered * Rsqrt(variance + kEpsilon);
}

FeatureProduct ProductOverImages(const Config& config, Value a, Value b,
                                 int64_t parts) {
  Graph& graph = *a.graph();
  const int64_t replicas = graph.replicas();
  a = Convert(a, DType::kF32);
  b = Convert(b, DType::kF32);
  if (parts % replicas == 0) {
    return {.entries = LocalProducts(a, b, parts / replicas), .weight = 1};
  }
  const Value mine = AtItsPart(LocalProducts(a, b, 1), parts);
  const int64_t features = a.dim(1);
  if (features < config.execution().sharded_products_from() ||
      features % replicas != 0) {
    return {.entries = AllReduce(mine),
            .weight = 1.0 / static_cast<double>(replicas)};
  }
  return {.entries = ReduceScatter(mine, 1),
          .first_row = Convert(ReplicaId(graph), DType::kS32) *
                       static_cast<double>(features / replicas),
          .weight = 1};
}

Value SameFeature(const FeatureProduct& product) {
  const Indices at = IndicesOf(product);
  return Convert(Compare(at.row, at.column, Direction::kEq), DType::kF32);
}

Value OrderedFeatures(const FeatureProduct& product) {
  const Indices at = IndicesOf(product);
  return Convert(Compare(at.row, at.column, Direction::kLt), DType::kF32);
}

Value RowsOf(const FeatureProduct& product, Value matrix) {
  if (!product.first_row.valid()) return matrix;
  const Value zero = Constant(*matrix.graph(), 0, DType::kS32);
  return DynamicSlice(matrix, {product.first_row, zero},
                      {product.entries.dim(1), matrix.dim(1)});
}

}  // namespace xla_byol
