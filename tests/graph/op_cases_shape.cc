#include <algorithm>

#include "tests/graph/op_cases.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol::graph {
namespace {

using Values = std::vector<Value>;

const Shape kVector = F64({5});
const Shape kMatrix = F64({3, 4});
const Shape kIndices{DType::kS32, {4}};
const Shape kIndex{DType::kS32, {}};

// Where start indices are clamped to.
int64_t Clamped(double start, int64_t size, int64_t window) {
  return std::clamp<int64_t>(static_cast<int64_t>(start), 0, size - window);
}

}  // namespace

std::vector<OpCase> ShapeCases() {
  std::vector<OpCase> cases;
  auto add = [&cases](const char* name, OpCode op,
                      std::vector<CaseInput> inputs,
                      std::function<Value(const Values&)> build, Shape result,
                      std::function<double(const Tensors&, const Dims&)> at) {
    cases.push_back({name, op, std::move(inputs),
                     [build](Graph&, const Values& v) { return build(v); },
                     FromInputs([result, at](const Tensors& in) {
                       return Generate(
                           result, [&](const Dims& i) { return at(in, i); });
                     })});
  };
  using T = const Tensors&;
  using I = const Dims&;

  add(
      "reshape", OpCode::kReshape, {{kMatrix}},
      [](const Values& v) {
        return Reshape(v[0], {2, -1});
      },
      F64({2, 6}), [](T in, I i) { return in[0].data[i[0] * 6 + i[1]]; });
  add(
      "broadcast_in_dim", OpCode::kBroadcastInDim, {{F64({4, 1, 3})}},
      [](const Values& v) {
        return BroadcastInDim(v[0], {3, 2, 4, 2}, {2, 1, 0});
      },
      F64({3, 2, 4, 2}),
      [](T in, I i) {
        return in[0].at({i[2], 0, i[0]});
      });
  add(
      "broadcast_to", OpCode::kBroadcastInDim, {{F64({3, 1})}},
      [](const Values& v) {
        return BroadcastTo(v[0], {2, 3, 4});
      },
      F64({2, 3, 4}),
      [](T in, I i) {
        return in[0].at({i[1], 0});
      });
  add(
      "transpose", OpCode::kTranspose, {{F64({2, 3, 4})}},
      [](const Values& v) {
        return Transpose(v[0], {2, 0, 1});
      },
      F64({4, 2, 3}),
      [](T in, I i) {
        return in[0].at({i[1], i[2], i[0]});
      });
  add(
      "reverse", OpCode::kReverse, {{kMatrix}},
      [](const Values& v) { return Reverse(v[0], {-1}); }, kMatrix,
      [](T in, I i) {
        return in[0].at({i[0], 3 - i[1]});
      });
  add(
      "slice", OpCode::kSlice, {{F64({7, 4})}},
      [](const Values& v) {
        return Slice(v[0], {1, 2}, {6, 4}, {2, 1});
      },
      F64({3, 2}),
      [](T in, I i) {
        return in[0].at({1 + 2 * i[0], 2 + i[1]});
      });
  add(
      "pad", OpCode::kPad, {{kMatrix}, {F64({})}},
      [](const Values& v) {
        return Pad(v[0], v[1], {1, -1}, {2, 0}, {1, 0});
      },
      F64({8, 3}),
      [](T in, I i) {
        const bool inside = i[0] >= 1 && i[0] < 6 && (i[0] - 1) % 2 == 0;
        return inside ? in[0].at({(i[0] - 1) / 2, i[1] + 1}) : in[1].at({});
      });
  add(
      "pad_edges", OpCode::kPad, {{kVector}},
      [](const Values& v) { return Pad(v[0], 7.0, {2}, {-1}); }, F64({6}),
      [](T in, I i) { return i[0] < 2 ? 7.0 : in[0].at({i[0] - 2}); });
  add(
      "concatenate", OpCode::kConcatenate, {{F64({2, 1})}, {F64({2, 3})}},
      [](const Values& v) { return Concatenate(v, 1); }, F64({2, 4}),
      [](T in, I i) {
        return i[1] < 1 ? in[0].at(i) : in[1].at({i[0], i[1] - 1});
      });
  add(
      "stack", OpCode::kConcatenate, {{kVector}, {kVector}},
      [](const Values& v) { return Stack(v, 1); }, F64({5, 2}),
      [](T in, I i) { return in[i[1]].at({i[0]}); });
  add(
      "dynamic_slice", OpCode::kDynamicSlice,
      {{kMatrix}, {kIndex, -2, 5}, {kIndex, -2, 5}},
      [](const Values& v) {
        return DynamicSlice(v[0], {v[1], v[2]}, {2, 3});
      },
      F64({2, 3}),
      [](T in, I i) {
        return in[0].at({i[0] + Clamped(in[1].at({}), 3, 2),
                         i[1] + Clamped(in[2].at({}), 4, 3)});
      });
  add(
      "dynamic_update_slice", OpCode::kDynamicUpdateSlice,
      {{kMatrix}, {F64({2, 3})}, {kIndex, -2, 5}, {kIndex, -2, 5}},
      [](const Values& v) {
        return DynamicUpdateSlice(v[0], v[1], {v[2], v[3]});
      },
      kMatrix,
      [](T in, I i) {
        const int64_t row = i[0] - Clamped(in[2].at({}), 3, 2);
        const int64_t column = i[1] - Clamped(in[3].at({}), 4, 3);
        const bool inside = row >= 0 && row < 2 && column >= 0 && column < 3;
        return inside ? in[1].at({row, column}) : in[0].at(i);
      });
  add(
      "take", OpCode::kTake, {{kMatrix}, {kIndices, -2, 6}},
      [](const Values& v) { return Take(v[0], v[1], 0); }, F64({4, 4}),
      [](T in, I i) {
        return in[0].at({Clamped(in[1].at({i[0]}), 3, 1), i[1]});
      });
  add(
      "take_last", OpCode::kTake, {{F64({2, 5})}, {kIndices, 0, 5}},
      [](const Values& v) { return Take(v[0], v[1], -1); }, F64({2, 4}),
      [](T in, I i) {
        return in[0].at({i[0], static_cast<int64_t>(in[1].at({i[1]}))});
      });
  add(
      "scatter_add", OpCode::kScatterAdd,
      {{kMatrix}, {kIndices, -2, 6}, {F64({4, 4})}},
      [](const Values& v) { return ScatterAdd(v[0], v[1], v[2], 0); }, kMatrix,
      [](T in, I i) {
        double sum = in[0].at(i);
        for (int64_t k = 0; k < 4; ++k) {
          if (in[1].at({k}) == static_cast<double>(i[0])) {
            sum += in[2].at({k, i[1]});
          }
        }
        return sum;
      });
  add(
      "optimization_barrier", OpCode::kOptimizationBarrier,
      {{kVector}, {kVector}},
      [](const Values& v) {
        const Values passed = OptimizationBarrier(v);
        return passed[0] - passed[1];
      },
      kVector, [](T in, I i) { return in[0].at(i) - in[1].at(i); });
  add(
      "while", OpCode::kWhile, {{kVector}, {kVector}},
      [](const Values& v) {
        // x <- x * y, three times; the condition looks at the counter.
        return Repeat(3, v, [](Graph&, Value, const Values& state) {
          return Values{state[0] * state[1], state[1]};
        })[0];
      },
      kVector,
      [](T in, I i) {
        const double y = in[1].at(i);
        return in[0].at(i) * y * y * y;
      });
  add(
      "custom_call", OpCode::kCustomCall, {{kVector}, {kVector}},
      [](const Values& v) {
        const Scope scope(*v[0].graph(), "layer");
        const Values results =
            CustomCall(v, {kTestCall,
                           {v[0].shape(), v[0].shape()},
                           {{"factor", 3}, {"offsets", Dims{5, 7}}}});
        return results[0] * results[1];
      },
      kVector,
      [](T in, I i) {
        return (in[0].at(i) - in[1].at(i)) * (3 * in[0].at(i) + 5 + 2 * 7);
      });
  return cases;
}

}  // namespace xla_byol::graph
