#include "xla_byol/graph/lower_collectives.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "xla_byol/graph/collective.h"
#include "xla_byol/graph/custom_call.h"
#include "xla_byol/graph/elementwise.h"
#include "xla_byol/graph/shape_ops.h"

namespace xla_byol::graph {
namespace {

bool IsCollective(OpCode op) {
  return op == OpCode::kAllReduce || op == OpCode::kAllGather ||
         op == OpCode::kReduceScatter || op == OpCode::kReplicaId;
}

// What calls take in place of a type; the same if they do not take it.
DType CallType(DType dtype) {
  switch (dtype) {
    case DType::kBF16:
      return DType::kF32;
    case DType::kPred:
    case DType::kU8:
      return DType::kU32;
    default:
      return dtype;
  }
}

bool CallsTake(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kS32 || dtype == DType::kU32;
}

// Exchanges the first dimension and `axis`; its own inverse.
Value SwapFirst(Value x, int64_t axis) {
  if (axis == 0) return x;
  Dims permutation;
  for (int64_t i = 0; i < x.rank(); ++i) permutation.push_back(i);
  std::swap(permutation[0], permutation[axis]);
  return Transpose(x, permutation);
}

}  // namespace

std::optional<Value> CollectiveLine::Lower(
    const Node& node, const std::vector<int32_t>& operands) {
  if (processes_ == 1 || !IsCollective(node.op)) return std::nullopt;
  if (forbidden_) {
    return copy_.Fail("collective",
                      "several processes have none inside a loop");
  }
  if (node.op == OpCode::kReplicaId) {
    return CustomCall({Replica()}, {.name = kReplicaIdCall,
                                    .results = {{DType::kU32, {}}}})[0];
  }
  for (const Made& made : made_) {
    if (made.op == node.op && made.operand == operands[0] &&
        made.attributes == node.attributes) {
      return made.result;
    }
  }
  const Value operand(&copy_, operands[0]);
  const DType dtype = operand.dtype();
  const Value x =
      CallType(dtype) == dtype ? operand : Convert(operand, CallType(dtype));
  if (!CallsTake(x.dtype())) {
    return copy_.Fail("collective", "several processes have none of this type",
                      {operand});
  }
  Value result;
  if (const auto* reduce = std::get_if<AllReduceAttributes>(&node.attributes)) {
    if (reduce->group != 0) {
      return copy_.Fail("collective", "several processes have no groups",
                        {operand});
    }
    result = AllReduce(x, reduce->combiner);
  } else if (const auto* gather =
                 std::get_if<AllGatherAttributes>(&node.attributes)) {
    result = AlongFirst(kAllGatherCall, x, gather->dimension);
  } else {
    result = AlongFirst(
        kReduceScatterCall, x,
        std::get<ReduceScatterAttributes>(node.attributes).dimension);
  }
  if (result.valid() && result.dtype() != dtype) {
    result = Convert(result, dtype);
  }
  made_.push_back({node.op, operands[0], node.attributes, result});
  return result;
}

Value CollectiveLine::Replica() { return ReplicaId(copy_); }

Value CollectiveLine::AllReduce(Value x, Combiner combiner) {
  return Call(kAllReduceCall, x, x.shape(),
              {{"combiner", static_cast<int64_t>(combiner)}});
}

Value CollectiveLine::AlongFirst(const char* name, Value x, int64_t axis) {
  x = SwapFirst(x, axis);
  const int64_t replicas = copy_.replicas() * processes_;
  Shape result = x.shape();
  if (name == kAllGatherCall) {
    result.dims[0] *= replicas;
  } else {
    result.dims[0] /= replicas;
  }
  return SwapFirst(Call(name, x, std::move(result), {}), axis);
}

Value CollectiveLine::Call(const char* name, Value x, Shape result,
                           CallConfig config) {
  config["tag"] = next_tag_++;
  const Value replica = Replica();
  const std::vector<Value> results =
      CustomCall({x, replica, order_.value_or(replica)},
                 {.name = name,
                  .results = {std::move(result), {DType::kU32, {}}},
                  .config = std::move(config)});
  order_ = results[1];
  return results[0];
}

}  // namespace xla_byol::graph
