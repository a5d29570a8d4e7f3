// A hundred wrong uses: each leaves one clear sentence in the graph, and none
// aborts.

#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/graph/malformed_uses.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/graph/program.h"

namespace xla_byol::graph {
namespace {

// Not of one op: derivatives, attributes.
const std::vector<Misuse>& Others() {
  static const auto* const list = new std::vector<Misuse>{
      {OpCode::kAdd, MALFORMED_USE(Grad(m.matrix, {m.matrix})),
       "grad: the loss must be a scalar (f32[2,3])"},
      {OpCode::kAdd, MALFORMED_USE(Grad(Sum(m.matrix), {m.ints})),
       "grad: a variable must be floats (s32[2,3])"},
      {OpCode::kAdd, MALFORMED_USE(Grad(Sum(m.ints), {m.matrix})),
       "grad: an output must be floats (s32[])"},
      {OpCode::kAdd, MALFORMED_USE(Grad(Sum(m.matrix), {Value()})),
       "grad: a variable is not a value of this graph"},
      {OpCode::kAdd, MALFORMED_USE(Vjp({m.matrix}, {m.scalar}, {m.matrix})),
       "grad: a cotangent must have its output's shape (f32[2,3], f32[])"},
      {OpCode::kAdd, MALFORMED_USE(Vjp({m.matrix}, {}, {m.matrix})),
       "grad: got 0 cotangents for 1 outputs"},
      {OpCode::kWhile,
       MALFORMED_USE(Grad(Sum(Repeat(2, {m.vector},
                                     [](Graph&, Value, const Values& s) {
                                       return Values{s[0] * 2.0};
                                     })[0]),
                          {m.vector})),
       "while: has no derivative (s32[], f32[5]) at gradient/"},
      {OpCode::kCustomCall,
       MALFORMED_USE(
           Grad(Sum(CustomCall({m.vector}, {"f", {m.vector.shape()}})[0]),
                {m.vector})),
       "custom_call: has no derivative (f32[5]) at gradient/"},
      {OpCode::kAllReduce,
       MALFORMED_USE(
           Grad(Sum(AllReduce(m.vector, Combiner::kMax)), {m.vector})),
       "all_reduce: only the sum over replicas has a derivative (f32[5]) at "
       "gradient/"},
      {OpCode::kReduceWindow,
       MALFORMED_USE(
           Grad(Sum(ReduceWindow(
                    m.vector, {Combiner::kMax, {2}, {1}, {1}, {2}, {{0, 0}}})),
                {m.vector})),
       "reduce_window: the maximum has a derivative only without dilation "
       "(f32[5]) at gradient/"},
      {OpCode::kReshape,
       MALFORMED_USE(m.graph.Apply(OpCode::kReshape, {m.matrix})),
       "reshape: has another op's attributes (f32[2,3])"},
      {OpCode::kAdd,
       MALFORMED_USE(m.graph.Apply(OpCode::kAdd, {m.matrix, m.matrix},
                                   ReshapeAttributes{{6}})),
       "add: has another op's attributes (f32[2,3], f32[2,3])"},
      {OpCode::kAdd, MALFORMED_USE(m.matrix.dim(2)),
       "dim: there is no dimension 2 (f32[2,3])"},
      {OpCode::kAdd,
       MALFORMED_USE(Graph other; other.Parameter("x", {DType::kF32, {}});
                     m.scalar + Value(&other, 0)),
       "add: operand 1 belongs to another graph (f32[], f32[])"},
  };
  return *list;
}

std::vector<Misuse> All() {
  std::vector<Misuse> all;
  for (const auto* part : {&ElementwiseMisuses(), &ShapeMisuses(),
                           &ReductionMisuses(), &Others()}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

TEST(MalformedTest, EachUseLeavesOneSentence) {
  for (const Misuse& misuse : All()) {
    Graph graph(4);
    Material material(graph);
    misuse.use(material);
    EXPECT_EQ(std::string(graph.status().message()), misuse.message);
    // Whatever comes after is harmless, and Finish reports the first error.
    Value sum = Sum(Value(&graph, -1) * 2.0 + material.matrix);
    EXPECT_FALSE(sum.valid());
    EXPECT_EQ(Finish(graph, {{"sum", sum}}).status().message(), misuse.message);
  }
}

TEST(MalformedTest, ThereAreAHundredAndEveryOpHasOne) {
  EXPECT_GE(All().size(), 100u);
  std::set<OpCode> covered;
  for (const Misuse& misuse : All()) covered.insert(misuse.op);
  for (const OpInfo& op : kOpTable) {
    EXPECT_TRUE(covered.contains(op.code)) << "no misuse of " << op.name;
  }
}

TEST(MalformedTest, ValuesWithoutAGraphAreHarmless) {
  const Value none;
  EXPECT_FALSE((none + none).valid());
  EXPECT_FALSE((none * 2.0).valid());
  EXPECT_FALSE(Sum(Tanh(none)).valid());
  EXPECT_FALSE(Conv2d(none, none).valid());
  EXPECT_FALSE(MaxPool2d(none, {}).valid());
  EXPECT_FALSE(Reshape(none, {2}).valid());
  EXPECT_FALSE(Concatenate({}, 0).valid());
  EXPECT_FALSE(AllReduceMean(none).valid());
  EXPECT_FALSE(Grad(none, {none})[0].valid());
  EXPECT_EQ(While({none}, nullptr, nullptr).size(), 1u);
  EXPECT_EQ(OptimizationBarrier({none, none}).size(), 2u);
}

}  // namespace
}  // namespace xla_byol::graph
