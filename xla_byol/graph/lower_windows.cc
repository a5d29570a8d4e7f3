#include "xla_byol/graph/lower_windows.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "xla_byol/graph/constants.h"
#include "xla_byol/graph/elementwise.h"
#include "xla_byol/graph/shape_ops.h"
#include "xla_byol/graph/window.h"

namespace xla_byol::graph {
namespace {

// Larger windows would mean as many slices.
constexpr int64_t kLargestWindow = 4;

// Windows along one dimension.
struct Windows {
  int64_t axis, size, stride, low;  // low: padding before the first element
  int64_t inputs, count;
};

// Zeros or other elements before and after, negative to remove some.
Value PadAxis(Value x, int64_t axis, double value, int64_t low, int64_t high) {
  if (low == 0 && high == 0) return x;
  Dims lows(x.rank(), 0), highs(x.rank(), 0);
  lows[axis] = low;
  highs[axis] = high;
  return Pad(x, value, lows, highs);
}

// x with the padding's elements and those behind that windows reach, so that
// the element at place i of each window is a slice.
Value PadForWindows(Value x, const Windows& w) {
  const int64_t seen = (w.count - 1) * w.stride + w.size;
  return PadAxis(x, w.axis, -std::numeric_limits<double>::infinity(), w.low,
                 seen - w.low - w.inputs);
}

Value ElementAt(int64_t place, Value padded, const Windows& w) {
  const int64_t extent = (w.count - 1) * w.stride + 1;
  return SliceAxis(padded, w.axis, place, place + extent, w.stride);
}

struct Winners {
  Value largest;
  Value position;  // within the window, as a float: selects of one type are
                   // what the compiler vectorizes
};

// Of windows along one dimension; the first of equals wins.
Winners FindWinners(Value x, const Windows& w) {
  const Value padded = PadForWindows(x, w);
  Winners winners;
  for (int64_t i = 0; i < w.size; ++i) {
    const Value rival = ElementAt(i, padded, w);
    if (i == 0) {
      winners = {rival, BroadcastTo(ScalarLike(rival, 0.0), rival.dims())};
      continue;
    }
    const Value keeps = Compare(winners.largest, rival, Direction::kGe);
    winners.largest = Select(keeps, winners.largest, rival);
    winners.position =
        Select(keeps, winners.position, ScalarLike(rival, 1.0 * i));
  }
  return winners;
}

// Elements of `source`, one per window, at the winners' places, added up where
// windows overlap. Places that are a multiple of the stride apart belong to the
// same positions in windows: one sum for each remainder, then all in turns.
Value Scatter(Value source, Value position, const Windows& w) {
  const int64_t overlap = (w.size + w.stride - 1) / w.stride;
  const int64_t places = w.count + overlap - 1;
  std::vector<Value> remainders;
  for (int64_t remainder = 0; remainder < w.stride; ++remainder) {
    std::optional<Value> sum;
    for (int64_t i = remainder, m = 0; i < w.size; i += w.stride, ++m) {
      const Value won = Select(Compare(position, 1.0 * i, Direction::kEq),
                               source, ScalarLike(source, 0.0));
      const Value placed = PadAxis(won, w.axis, 0, m, overlap - 1 - m);
      sum = sum.has_value() ? *sum + placed : placed;
    }
    if (!sum.has_value()) {  // with strides longer than the windows
      sum = BroadcastTo(ScalarLike(source, 0.0), remainders[0].dims());
    }
    remainders.push_back(*sum);
  }
  Dims dims = remainders[0].dims();
  dims[w.axis] *= w.stride;
  const Value all = Reshape(Stack(remainders, w.axis + 1), dims);
  return PadAxis(all, w.axis, 0, -w.low, w.low + w.inputs - places * w.stride);
}

// The dimensions along which there are windows, the last first, or nothing
// where they are not lowered.
std::optional<std::vector<Windows>> SmallWindows(
    const Dims& inputs, const Dims& counts, const Dims& window,
    const Dims& strides, const PaddingPairs& padding, const Backend& backend) {
  if (backend != Backend::kCpu) return std::nullopt;
  std::vector<Windows> windows;
  for (size_t i = inputs.size(); i-- > 0;) {
    const Windows w{static_cast<int64_t>(i), window[i], strides[i],
                    padding[i].first,        inputs[i], counts[i]};
    if (w.size > kLargestWindow || w.low < 0) return std::nullopt;
    if (w.size > 1 || w.stride > 1 || w.count != w.inputs) windows.push_back(w);
  }
  return windows;
}

bool AllOnes(const Dims& dims) {
  return std::all_of(dims.begin(), dims.end(),
                     [](int64_t n) { return n == 1; });
}

}  // namespace

Value LowerReduceWindow(Value x, const Dims& counts,
                        const WindowAttributes& attributes,
                        const Backend& backend) {
  const bool pools =
      attributes.combiner == Combiner::kMax && x.dtype() == DType::kF32 &&
      AllOnes(attributes.base_dilation) && AllOnes(attributes.window_dilation);
  const auto windows =
      pools ? SmallWindows(x.dims(), counts, attributes.window,
                           attributes.strides, attributes.padding, backend)
            : std::nullopt;
  if (!windows.has_value()) {
    return Apply(OpCode::kReduceWindow, {x}, attributes);
  }
  for (const Windows& w : *windows) {
    const Value padded = PadForWindows(x, w);
    x = ElementAt(0, padded, w);
    for (int64_t i = 1; i < w.size; ++i)
      x = Maximum(x, ElementAt(i, padded, w));
  }
  return x;
}

Value LowerSelectAndScatter(Value x, Value source,
                            const SelectAndScatterAttributes& attributes,
                            const Backend& backend) {
  const auto windows =
      SmallWindows(x.dims(), source.dims(), attributes.window,
                   attributes.strides, attributes.padding, backend);
  if (!windows.has_value()) {
    return Apply(OpCode::kSelectAndScatter, {x, source}, attributes);
  }
  std::vector<Value> positions;
  for (const Windows& w : *windows) {
    const Winners winners = FindWinners(x, w);
    positions.push_back(winners.position);
    x = winners.largest;
  }
  for (size_t i = windows->size(); i-- > 0;) {
    source = Scatter(source, positions[i], (*windows)[i]);
  }
  return source;
}

}  // namespace xla_byol::graph
