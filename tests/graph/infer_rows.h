// Rows of the inference table: operands and attributes of an op, and the
// results' shapes or the message.

#ifndef XLA_BYOL_TESTS_GRAPH_INFER_ROWS_H_
#define XLA_BYOL_TESTS_GRAPH_INFER_ROWS_H_

#include <string>
#include <utility>
#include <vector>

#include "xla_byol/graph/graph.h"
#include "xla_byol/graph/infer.h"

namespace xla_byol::graph {

struct InferRow {
  OpCode op;
  Shapes operands;
  Attributes attributes;
  // The results' shapes, or the whole message.
  std::string expected;
};

inline Shape F32(Dims dims) { return {DType::kF32, std::move(dims)}; }
inline Shape BF16(Dims dims) { return {DType::kBF16, std::move(dims)}; }
inline Shape S32(Dims dims) { return {DType::kS32, std::move(dims)}; }
inline Shape U32(Dims dims) { return {DType::kU32, std::move(dims)}; }
inline Shape Pred(Dims dims) { return {DType::kPred, std::move(dims)}; }

// Element by element, from infer_rows_elementwise.cc.
std::vector<InferRow> UnaryRows();
std::vector<InferRow> BinaryRows();

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_TESTS_GRAPH_INFER_ROWS_H_
