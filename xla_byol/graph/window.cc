#include "xla_byol/graph/window.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla_byol/graph/elementwise.h"
#include "xla_byol/graph/infer.h"
#include "xla_byol/graph/reduce.h"

namespace xla_byol::graph {

PaddingPairs Padding::Resolve(const Dims& input, const Dims& window,
                              const Dims& strides, const Dims& dilation) const {
  if (kind_ == Kind::kExplicit) return pairs_;
  PaddingPairs pairs(input.size(), {0, 0});
  if (kind_ == Kind::kValid) return pairs;
  for (size_t i = 0; i < input.size(); ++i) {
    const int64_t windows = (input[i] + strides[i] - 1) / strides[i];
    const int64_t extent = DilatedSize(window[i], dilation[i]);
    const int64_t total =
        std::max<int64_t>(0, (windows - 1) * strides[i] + extent - input[i]);
    pairs[i] = {total / 2, total - total / 2};
  }
  return pairs;
}

Value MaxPool2d(Value x, const Pool2dOptions& options) {
  if (!x.valid()) return x;
  if (x.rank() != 4) {
    return x.graph()->Fail("max_pool2d", "takes images [n,h,w,c]", {x});
  }
  const auto& [wh, ww] = options.window;
  const auto& [sh, sw] = options.strides;
  if (wh < 1 || ww < 1 || sh < 1 || sw < 1) {
    return x.graph()->Fail("max_pool2d",
                           absl::StrCat("cannot slide a window of ", wh, " x ",
                                        ww, " by ", sh, " x ", sw),
                           {x});
  }
  PaddingPairs padding =
      options.padding.Resolve({x.dim(1), x.dim(2)}, {wh, ww}, {sh, sw}, {1, 1});
  padding.insert(padding.begin(), {0, 0});
  padding.push_back({0, 0});
  return ReduceWindow(x, {Combiner::kMax,
                          {1, wh, ww, 1},
                          {1, sh, sw, 1},
                          Dims(4, 1),
                          Dims(4, 1),
                          std::move(padding)});
}

Value GlobalAvgPool2d(Value x) {
  if (x.valid() && x.rank() != 4) {
    return x.graph()->Fail("global_avg_pool2d", "takes images [n,h,w,c]", {x});
  }
  return ReduceMean(x, {1, 2});
}

Value ReduceWindow(Value x, WindowAttributes attributes) {
  return Apply(OpCode::kReduceWindow, {x}, std::move(attributes));
}

Value SelectAndScatter(Value x, Value source,
                       SelectAndScatterAttributes attributes) {
  return Apply(OpCode::kSelectAndScatter, {x, source}, std::move(attributes));
}

}  // namespace xla_byol::graph
