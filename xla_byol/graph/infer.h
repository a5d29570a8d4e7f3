// Shape and type inference: pure functions from an op's operands and attributes
// to its results' shapes. Comments such as (C3) are the numbers of constraints
// in StableHLO's specification of the op.
//
// A message says what is wrong; Graph adds the op, all shapes and the scope.

#ifndef XLA_BYOL_GRAPH_INFER_H_
#define XLA_BYOL_GRAPH_INFER_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla_byol/graph/attributes.h"
#include "xla_byol/graph/op_table.h"
#include "xla_byol/graph/shape.h"

namespace xla_byol::graph {

struct InferInput {
  const OpInfo& op;
  const std::vector<const Shape*>& operands;
  const Attributes& attributes;
  int64_t replicas = 1;

  const Shape& operand(size_t i) const { return *operands[i]; }
};

// Checks the number and types of operands and the kind of attributes, then
// calls the op's own function.
absl::StatusOr<Shapes> Infer(const InferInput& input);

// Infer<inference> of each row of the op table.
absl::StatusOr<Shapes> InferElementwise(const InferInput&);
absl::StatusOr<Shapes> InferPredicate(const InferInput&);
absl::StatusOr<Shapes> InferParameter(const InferInput&,
                                      const ParameterAttributes&);
absl::StatusOr<Shapes> InferConstant(const InferInput&,
                                     const ConstantAttributes&);
absl::StatusOr<Shapes> InferIota(const InferInput&, const IotaAttributes&);
absl::StatusOr<Shapes> InferCompare(const InferInput&,
                                    const CompareAttributes&);
absl::StatusOr<Shapes> InferSelect(const InferInput&);
absl::StatusOr<Shapes> InferClamp(const InferInput&);
absl::StatusOr<Shapes> InferConvert(const InferInput&,
                                    const ConvertAttributes&);
absl::StatusOr<Shapes> InferBitcastConvert(const InferInput&,
                                           const ConvertAttributes&);
absl::StatusOr<Shapes> InferReshape(const InferInput&,
                                    const ReshapeAttributes&);
absl::StatusOr<Shapes> InferBroadcastInDim(const InferInput&,
                                           const BroadcastAttributes&);
absl::StatusOr<Shapes> InferTranspose(const InferInput&,
                                      const TransposeAttributes&);
absl::StatusOr<Shapes> InferReverse(const InferInput&,
                                    const ReverseAttributes&);
absl::StatusOr<Shapes> InferSlice(const InferInput&, const SliceAttributes&);
absl::StatusOr<Shapes> InferPad(const InferInput&, const PadAttributes&);
absl::StatusOr<Shapes> InferConcatenate(const InferInput&,
                                        const ConcatenateAttributes&);
absl::StatusOr<Shapes> InferDynamicSlice(const InferInput&,
                                         const DynamicSliceAttributes&);
absl::StatusOr<Shapes> InferDynamicUpdateSlice(const InferInput&);
absl::StatusOr<Shapes> InferTake(const InferInput&, const TakeAttributes&);
absl::StatusOr<Shapes> InferScatterAdd(const InferInput&,
                                       const TakeAttributes&);
absl::StatusOr<Shapes> InferReduce(const InferInput&, const ReduceAttributes&);
absl::StatusOr<Shapes> InferReduceWindow(const InferInput&,
                                         const WindowAttributes&);
absl::StatusOr<Shapes> InferSelectAndScatter(const InferInput&,
                                             const SelectAndScatterAttributes&);
absl::StatusOr<Shapes> InferDotGeneral(const InferInput&, const DotAttributes&);
absl::StatusOr<Shapes> InferConvolution(const InferInput&,
                                        const ConvAttributes&);
absl::StatusOr<Shapes> InferAllReduce(const InferInput&,
                                      const AllReduceAttributes&);
absl::StatusOr<Shapes> InferAllGather(const InferInput&,
                                      const AllGatherAttributes&);
absl::StatusOr<Shapes> InferReduceScatter(const InferInput&,
                                          const ReduceScatterAttributes&);
absl::StatusOr<Shapes> InferReplicaId(const InferInput&);
absl::StatusOr<Shapes> InferOptimizationBarrier(const InferInput&);
absl::StatusOr<Shapes> InferStopGradient(const InferInput&);
absl::StatusOr<Shapes> InferWithGradientOf(const InferInput&);
absl::StatusOr<Shapes> InferWhile(const InferInput&, const WhileAttributes&);
absl::StatusOr<Shapes> InferCustomCall(const InferInput&,
                                       const CustomCallAttributes&);

// Helpers of the functions above.

template <typename... Parts>
absl::Status Invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// `axes` are distinct and in [0, rank); `what` names them in the message.
absl::Status CheckAxes(const Dims& axes, int64_t rank, absl::string_view what);
// There are `rank` values, each at least `lowest`.
absl::Status CheckSizes(const Dims& sizes, size_t rank, int64_t lowest,
                        absl::string_view what);
// Whether a combiner can reduce elements of a type: sums need numbers, and/or
// need pred or integers.
absl::Status CheckCombiner(Combiner combiner, DType dtype);
// Size of a dimension after dilation: 0 stays 0.
int64_t DilatedSize(int64_t size, int64_t dilation);
// Number of windows that fit, 0 when none does.
int64_t WindowCount(int64_t padded, int64_t window, int64_t stride);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_INFER_H_
