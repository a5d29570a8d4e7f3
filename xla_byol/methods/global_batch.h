// What losses need of all images of a step, wherever these are: statistics of
// features, and products of features by features.
//
// All of it is f32 at the highest precision: correlations of different features
// are small, and bf16 would lose them. Gradients pass through the collectives
// and are those of the global batch.

#ifndef XLA_BYOL_METHODS_GLOBAL_BATCH_H_
#define XLA_BYOL_METHODS_GLOBAL_BATCH_H_

#include <cstdint>

#include "xla_byol/config/config.pb.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol {

// Images in all replicas' rows.
double GlobalImages(graph::Value rows);

// rows[b,f] less their mean over all images.
graph::Value Centered(graph::Value rows);

// The sum over all images of the squares of rows[b,f]: [f], the same on every
// replica.
graph::Value SumOfSquares(graph::Value rows);

// rows[b,f] with mean 0 and variance 1 over all images, feature by feature: a
// batch norm without scale and offset (biased variance, epsilon 1e-5).
graph::Value Standardized(graph::Value rows);

// Sums over images of one feature times another.
struct FeatureProduct {
  // [parts, rows, f]: of feature first_row + i of a and feature j of b, for
  // those parts of the batch and those rows that this replica has.
  graph::Value entries;
  graph::Value first_row;  // s32[]; invalid: 0, all rows are here
  // Summed over replicas, this times a function of the entries counts every
  // entry once.
  double weight;
};

// Of a[b,f] and b[b,f] over all images, or over each of `parts` equal parts of
// them in their order. `parts` divides by the number of replicas (then nothing
// is communicated) or divides it.
//
// A product over several replicas is the same on all of them, or, from
// execution.sharded_products_from on and where f divides, each has its rows:
// one matrix of 8192 x 8192 has 268 MB.
FeatureProduct ProductOverImages(const Config& config, graph::Value a,
                                 graph::Value b, int64_t parts = 1);

// 1 where an entry's features are the same (i = j) or in order (i < j), else 0:
// f32[1, rows, f].
graph::Value SameFeature(const FeatureProduct& product);
graph::Value OrderedFeatures(const FeatureProduct& product);

// The product's rows of a matrix [f,f] that every replica has: [rows, f].
graph::Value RowsOf(const FeatureProduct& product, graph::Value matrix);

}  // namespace xla_byol

#endif  // XLA_BYOL_METHODS_GLOBAL_BATCH_H_
