#include <cmath>
#include <limits>

#include "tests/graph/op_cases.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol::graph {
namespace {

using Values = std::vector<Value>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<OpCase> DotCases() {
  std::vector<OpCase> cases;
  cases.push_back({"matmul",
                   OpCode::kDotGeneral,
                   {{F64({2, 3})}, {F64({3, 4})}},
                   [](Graph&, const Values& v) {
                     return MatMul(v[0], v[1], Precision::kHighest);
                   },
                   FromInputs([](const Tensors& in) {
                     return Generate(F64({2, 4}), [&in](const Dims& i) {
                       double sum = 0;
                       for (int64_t k = 0; k < 3; ++k) {
                         sum += in[0].at({i[0], k}) * in[1].at({k, i[1]});
                       }
                       return sum;
                     });
                   })});
  cases.push_back({"dot_general",
                   OpCode::kDotGeneral,
                   {{F64({3, 2, 5, 4})}, {F64({4, 5, 2, 3})}},
                   [](Graph&, const Values& v) {
                     // Batch over 2; contract 5 with 5 and 3 with 3, listed out
                     // of order.
                     return DotGeneral(v[0], v[1],
                                       {.lhs_batch = {1},
                                        .rhs_batch = {2},
                                        .lhs_contract = {2, 0},
                                        .rhs_contract = {1, 3}});
                   },
                   FromInputs([](const Tensors& in) {
                     return Generate(F64({2, 4, 4}), [&in](const Dims& i) {
                       double sum = 0;
                       ForEach({5, 3}, [&](const Dims& k) {
                         sum += in[0].at({k[1], i[0], k[0], i[1]}) *
                                in[1].at({i[2], k[0], i[0], k[1]});
                       });
                       return sum;
                     });
                   })});
  return cases;
}

std::vector<OpCase> CollectiveCases() {
  std::vector<OpCase> cases;
  cases.push_back({"all_reduce",
                   OpCode::kAllReduce,
                   {{F64({2, 3})}},
                   [](Graph&, const Values& v) { return AllReduce(v[0]); },
                   [](const std::vector<Tensors>& in, int) {
                     return Generate(F64({2, 3}), [&in](const Dims& i) {
                       return in[0][0].at(i) + in[1][0].at(i);
                     });
                   },
                   2});
  cases.push_back({"all_reduce_groups",
                   OpCode::kAllReduce,
                   {{F64({2, 3})}},
                   [](Graph&, const Values& v) {
                     return AllReduce(v[0], Combiner::kSum, 1);
                   },
                   [](const std::vector<Tensors>& in, int replica) {
                     return in[replica][0];
                   },
                   2});
  cases.push_back({"all_gather",
                   OpCode::kAllGather,
                   {{F64({2, 3})}},
                   [](Graph&, const Values& v) { return AllGather(v[0], 1); },
                   [](const std::vector<Tensors>& in, int) {
                     return Generate(F64({2, 6}), [&in](const Dims& i) {
                       return in[i[1] / 3][0].at({i[0], i[1] % 3});
                     });
                   },
                   2});
  cases.push_back(
      {"reduce_scatter",
       OpCode::kReduceScatter,
       {{F64({4, 3})}},
       [](Graph&, const Values& v) { return ReduceScatter(v[0], 0); },
       [](const std::vector<Tensors>& in, int replica) {
         return Generate(F64({2, 3}), [&in, replica](const Dims& i) {
           const Dims at = {i[0] + 2 * replica, i[1]};
           return in[0][0].at(at) + in[1][0].at(at);
         });
       },
       2});
  cases.push_back({"replica_id",
                   OpCode::kReplicaId,
                   {},
                   [](Graph& graph, const Values&) { return ReplicaId(graph); },
                   [](const std::vector<Tensors>&, int replica) {
                     return Tensor{{DType::kU32, {}}, {double(replica)}};
                   },
                   2});
  return cases;
}

}  // namespace

std::vector<OpCase> ReductionCases() {
  std::vector<OpCase> cases;
  const Combiner combiners[] = {Combiner::kSum, Combiner::kMax, Combiner::kMin,
                                Combiner::kAnd, Combiner::kOr};
  const char* names[] = {"reduce_sum", "reduce_max", "reduce_min", "reduce_and",
                         "reduce_or"};
  for (int c = 0; c < 5; ++c) {
    const bool logical = c >= 3;
    const DType dtype = logical ? DType::kPred : DType::kF64;
    cases.push_back({names[c],
                     OpCode::kReduce,
                     {{{dtype, {3, 2, 4}}, logical ? 0.0 : -2.0, 2}},
                     [combiner = combiners[c]](Graph&, const Values& v) {
                       return Reduce(v[0], combiner, {0, -1});
                     },
                     FromInputs([c, dtype](const Tensors& in) {
                       return Generate({dtype, {2}}, [&](const Dims& i) {
                         double value = c == 0 || c == 4 ? 0
                                        : c == 1         ? -kInfinity
                                        : c == 2         ? kInfinity
                                                         : 1;
                         ForEach({3, 4}, [&](const Dims& k) {
                           const double x = in[0].at({k[0], i[0], k[1]});
                           value = c == 0             ? value + x
                                   : c == 1 || c == 4 ? std::fmax(value, x)
                                                      : std::fmin(value, x);
                         });
                         return value;
                       });
                     })});
  }
  cases.push_back({"reduce_mean",
                   OpCode::kReduce,
                   {{F64({3, 4})}},
                   [](Graph&, const Values& v) {
                     return ReduceMean(v[0], {1}, /*keep_dims=*/true);
                   },
                   FromInputs([](const Tensors& in) {
                     return Generate(F64({3, 1}), [&in](const Dims& i) {
                       double sum = 0;
                       for (int64_t k = 0; k < 4; ++k)
                         sum += in[0].at({i[0], k});
                       return sum / 4;
                     });
                   })});
  for (auto part : {DotCases, CollectiveCases}) {
    for (OpCase& c : part()) cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace xla_byol::graph
