#include "xla_byol/graph/lower_windows.h"

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

struct Winners {
  Value largest;
  Value position;  // within the window, as a float: selects of one type are
                   // what the compiler vectorizes
};

// Of windows along one dimension; the first of equals wins.
Winners FindWinners(Value x, const Windows& w) {
  const int64_t extent = (w.count - 1) * w.stride + 1;
  const int64_t seen = extent + w.size - 1;
  const Value padded =
      PadAxis(x, w.axis, -std::numeric_limits<double>::infinity(), w.low,
              seen - w.low - w.inputs);
  Winners winners;
  for (int64_t i = 0; i < w.size; ++i) {
    const Value rival = SliceAxis(padded, w.axis, i, i + extent, w.stride);
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

}  // namespace

Value LowerSelectAndScatter(Value x, Value source,
                            const SelectAndScatterAttributes& attributes,
                            const Backend& backend) {
  bool small = backend == Backend::kCpu;
  std::vector<Windows> windows;
  for (int64_t axis = x.rank() - 1; axis >= 0; --axis) {
    const auto i = static_cast<size_t>(axis);
    const Windows w{axis,
                    attributes.window[i],
                    attributes.strides[i],
                    attributes.padding[i].first,
                    x.dim(axis),
                    source.dim(axis)};
    small = small && w.size <= kLargestWindow && w.low >= 0;
    if (w.size > 1 || w.stride > 1 || w.count != w.inputs) windows.push_back(w);
  }
  if (!small) return Apply(OpCode::kSelectAndScatter, {x, source}, attributes);
  std::vector<Value> positions;
  for (const Windows& w : windows) {
    const Winners winners = FindWinners(x, w);
    positions.push_back(winners.position);
    x = winners.largest;
  }
  for (size_t i = windows.size(); i-- > 0;) {
    source = Scatter(source, positions[i], windows[i]);
  }
  return source;
}

}  // namespace xla_byol::graph
