#include "xla_byol/graph/lower_collectives.h"

#include <algorithm>
#include <map>
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

// Larger ones go alone: joining them would cost more than a turn.
constexpr int64_t kSmallSum = 1 << 16;  // elements

bool IsSmallSum(const Graph& graph, const Node& node) {
  if (node.op != OpCode::kAllReduce) return false;
  const Shape& shape = graph.shape(node.first_result);
  return shape.elements() <= kSmallSum && CallsTake(CallType(shape.dtype));
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

std::vector<CollectiveLine::Turn> CollectiveLine::Turns(
    const Graph& graph, const std::vector<bool>& live, const Backend& backend) {
  std::vector<Turn> turns;
  std::vector<int> sums(live.size(), 0);
  for (size_t i = 0; i < live.size(); ++i) {
    if (!live[i]) continue;
    if (backend.processes() > 1) {
      for (int32_t id : graph.nodes()[i].operands) {
        const size_t from = static_cast<size_t>(graph.producer(id));
        sums[i] = std::max(sums[i],
                           sums[from] + IsSmallSum(graph, graph.nodes()[from]));
      }
    }
    turns.push_back({i, sums[i]});
  }
  std::stable_sort(
      turns.begin(), turns.end(),
      [](const Turn& a, const Turn& b) { return a.sums < b.sums; });
  return turns;
}

bool CollectiveLine::Collect(const Node& node,
                             const std::vector<int32_t>& operands) {
  if (processes_ == 1 || forbidden_ || node.op != OpCode::kAllReduce) {
    return false;
  }
  const Value operand(&copy_, operands[0]);
  if (operand.shape().elements() > kSmallSum ||
      !CallsTake(CallType(operand.dtype()))) {
    return false;
  }
  collected_.push_back(
      {node.first_result, operand,
       std::get<AllReduceAttributes>(node.attributes).combiner});
  return true;
}

void CollectiveLine::Send(std::vector<int32_t>& copied) {
  while (!collected_.empty()) {
    std::vector<Collected> some, others;
    const Collected& first = collected_.front();
    for (const Collected& one : collected_) {
      const bool alike =
          one.combiner == first.combiner &&
          CallType(one.operand.dtype()) == CallType(first.operand.dtype());
      (alike ? some : others).push_back(one);
    }
    SendTogether(some, copied);
    collected_ = std::move(others);
  }
}

void CollectiveLine::SendTogether(const std::vector<Collected>& some,
                                  std::vector<int32_t>& copied) {
  std::vector<Value> flat;
  std::map<int32_t, int64_t> places;  // where an operand begins
  int64_t size = 0;
  for (const Collected& one : some) {
    if (!places.emplace(one.operand.id(), size).second) continue;
    const DType type = CallType(one.operand.dtype());
    const Value x =
        one.operand.dtype() == type ? one.operand : Convert(one.operand, type);
    const int64_t elements = x.shape().elements();
    flat.push_back(Reshape(x, {elements}));
    size += elements;
  }
  const Value sums = AllReduce(
      flat.size() == 1 ? flat[0] : Concatenate(flat, 0), some[0].combiner);
  for (const Collected& one : some) {
    const Shape& shape = one.operand.shape();
    const int64_t begin = places[one.operand.id()];
    Value sum = flat.size() == 1
                    ? sums
                    : Slice(sums, {begin}, {begin + shape.elements()});
    sum = Reshape(sum, shape.dims);
    if (sum.dtype() != shape.dtype) sum = Convert(sum, shape.dtype);
    copied[static_cast<size_t>(one.result)] = sum.id();
  }
}

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
