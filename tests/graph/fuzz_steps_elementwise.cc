// Steps of random programs: element by element, reductions, types.

#include <iterator>

#include "tests/graph/fuzz_builder.h"

namespace xla_byol::graph {
namespace {

using Unary = Value (*)(Value);
using Binary = Value (*)(Value, Value);

}  // namespace

void FuzzBuilder::UnaryStep() {
  struct Row {
    const char* name;
    Unary build;
    bool positive, rounds;
  };
  static constexpr Row kRows[] = {
      {"abs", Abs, false, false},
      {"ceil", Ceil, false, true},
      {"cosine", Cosine, false, false},
      {"exp", Exp, false, false},
      {"expm1", Expm1, false, false},
      {"floor", Floor, false, true},
      {"log", Log, true, false},
      {"log1p", Log1p, true, false},
      {"logistic", Logistic, false, false},
      {"negate", Negate, false, false},
      {"round", RoundNearestEven, false, true},
      {"rsqrt", Rsqrt, true, false},
      {"sign", Sign, false, true},
      {"sqrt", Sqrt, true, false},
      {"tanh", Tanh, false, false},
  };
  const Row& row = kRows[Below(static_cast<int>(std::size(kRows)))];
  int x = Squash(Pick());
  if (row.positive) x = Positive(x);
  // Away from the edges where rounding decides.
  if (row.rounds) x = Scale(x, 1.7, 0.3);
  Record(row.name, {x}, row.build(V(x)));
}

void FuzzBuilder::BinaryStep() {
  struct Row {
    const char* name;
    Binary build;
    bool positive;
  };
  static constexpr Row kRows[] = {
      {"add", Add, false},           {"subtract", Subtract, false},
      {"multiply", Multiply, false}, {"divide", Divide, true},
      {"maximum", Maximum, false},   {"minimum", Minimum, false},
      {"power", Power, true},        {"atan2", Atan2, true},
  };
  const Row& row = kRows[Below(static_cast<int>(std::size(kRows)))];
  int a = Squash(Pick());
  // The other operand: of a's shape with some dimensions 1 or missing.
  int b = Broadcastable(a);
  if (row.positive) {
    a = Positive(a);
    b = Positive(b);
  }
  Record(row.name, {a, b}, row.build(V(a), V(b)));
}

void FuzzBuilder::IntegerStep() {
  struct Row {
    const char* name;
    Binary build;
  };
  static constexpr Row kRows[] = {
      {"add", Add}, {"multiply", Multiply}, {"and", And},
      {"or", Or},   {"xor", Xor},           {"maximum", Maximum},
  };
  int x = -1;
  for (int i = 0; i <= Last(); ++i) {
    if (V(i).dtype() == DType::kS32) x = i;
  }
  const Row& row = kRows[Below(static_cast<int>(std::size(kRows)))];
  x = Record(row.name, {x, x}, row.build(V(x), V(x)));
  x = Record("not", {x}, Not(V(x)));
  x = Record("shift_right", {x}, ShiftRightArithmetic(V(x), 1));
  // Back to floats, small again.
  int f = Record("convert", {x}, Convert(V(x), dtype_),
                 Field("dtype", Name(dtype_)));
  Squash(f);
}

void FuzzBuilder::SelectStep() {
  const int x = Squash(Pick());
  const int y = Broadcastable(x);
  if (Below(2) == 0) {
    Record("select_gt", {x, x, y},
           Select(Compare(V(x), 0.1234, Direction::kGt), V(x), V(y)),
           Field("threshold", 0.1234));
  } else {
    Record("clamp", {x}, Clamp(-0.4321, V(x), 0.5432));
  }
}

void FuzzBuilder::ReduceStep() {
  const int x = PickRanked(1);
  Dims axes;
  for (int64_t axis = 0; axis < V(x).rank(); ++axis) {
    if (Below(2) == 0) axes.push_back(axis);
  }
  if (axes.empty()) axes.push_back(Below(static_cast<int>(V(x).rank())));
  static constexpr Combiner kCombiners[] = {Combiner::kSum, Combiner::kMax,
                                            Combiner::kMin};
  static constexpr const char* kNames[] = {"reduce_sum", "reduce_max",
                                           "reduce_min"};
  const int c = Below(3);
  Record(kNames[c], {x}, Reduce(V(x), kCombiners[c], axes),
         Field("axes", axes));
}

void FuzzBuilder::ConvertStep() {
  int x = Scale(Squash(Pick()), 1.7, 0.3);
  const DType other = dtype_ == DType::kF32 ? DType::kF64 : DType::kF32;
  x = Record("convert", {x}, Convert(V(x), other), Field("dtype", Name(other)));
  Record("convert", {x}, Convert(V(x), dtype_), Field("dtype", Name(dtype_)));
}

void FuzzBuilder::MarkerStep() {
  const int x = Pick();
  if (Below(2) == 0) {
    Record("stop_gradient", {x}, StopGradient(V(x)));
  } else {
    Record("barrier", {x}, OptimizationBarrier({V(x)})[0]);
  }
}

}  // namespace xla_byol::graph
