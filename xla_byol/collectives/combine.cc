#include "xla_byol/collectives/combine.h"

#include <algorithm>
#include <cstdint>

namespace xla_byol::collectives {
namespace {

using graph::Combiner;

template <typename T, T (*kCombine)(T, T)>
void Apply(void* result, const void* a, const void* b, size_t count) {
  auto* to = static_cast<T*>(result);
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  for (size_t i = 0; i < count; ++i) to[i] = kCombine(x[i], y[i]);
}

template <typename T>
T Add(T a, T b) {
  return a + b;
}
// A number that is none stays none, as in the compiler's own reductions.
template <typename T>
T Larger(T a, T b) {
  return a != a || a > b ? a : b;
}
template <typename T>
T Smaller(T a, T b) {
  return a != a || a < b ? a : b;
}
template <typename T>
T And(T a, T b) {
  return a & b;
}
template <typename T>
T Or(T a, T b) {
  return a | b;
}

struct Row {
  Combiner combiner;
  Element element;
  Exchange::Combine combine;
};

constexpr Row kRows[] = {
    {Combiner::kSum, Element::kF32, Apply<float, Add<float>>},
    {Combiner::kMax, Element::kF32, Apply<float, Larger<float>>},
    {Combiner::kMin, Element::kF32, Apply<float, Smaller<float>>},
    {Combiner::kSum, Element::kS32, Apply<uint32_t, Add<uint32_t>>},
    {Combiner::kMax, Element::kS32, Apply<int32_t, Larger<int32_t>>},
    {Combiner::kMin, Element::kS32, Apply<int32_t, Smaller<int32_t>>},
    {Combiner::kAnd, Element::kS32, Apply<uint32_t, And<uint32_t>>},
    {Combiner::kOr, Element::kS32, Apply<uint32_t, Or<uint32_t>>},
    {Combiner::kSum, Element::kU32, Apply<uint32_t, Add<uint32_t>>},
    {Combiner::kMax, Element::kU32, Apply<uint32_t, Larger<uint32_t>>},
    {Combiner::kMin, Element::kU32, Apply<uint32_t, Smaller<uint32_t>>},
    {Combiner::kAnd, Element::kU32, Apply<uint32_t, And<uint32_t>>},
    {Combiner::kOr, Element::kU32, Apply<uint32_t, Or<uint32_t>>},
};

}  // namespace

absl::StatusOr<Exchange::Combine> CombinerOf(Combiner combiner,
                                             Element element) {
  for (const Row& row : kRows) {
    if (row.combiner == combiner && row.element == element) return row.combine;
  }
  return absl::InvalidArgumentError("elements of this type have no such sum");
}

}  // namespace xla_byol::collectives
