// Steps of random programs: windows, dots and convolutions.

#include <algorithm>

#include "tests/graph/fuzz_builder.h"

namespace xla_byol::graph {

void FuzzBuilder::WindowStep() {
  const int x = PickRanked(2);
  const size_t rank = V(x).dims().size();
  WindowAttributes a{Below(2) == 0 ? Combiner::kSum : Combiner::kMax,
                     Dims(rank),
                     Dims(rank),
                     Dims(rank, 1),
                     Dims(rank, 1),
                     PaddingPairs(rank)};
  for (size_t i = 0; i < rank; ++i) {
    const int64_t dim = V(x).dims()[i];
    a.window[i] = 1 + Below(static_cast<int>(std::min<int64_t>(3, dim)));
    a.strides[i] = 1 + Below(3);
    a.padding[i] = {Below(static_cast<int>(a.window[i])),
                    Below(static_cast<int>(a.window[i]))};
  }
  Record(a.combiner == Combiner::kSum ? "window_sum" : "window_max", {x},
         ReduceWindow(V(x), a),
         Field("window", a.window) + Field("strides", a.strides) +
             Field("padding", a.padding));
}

void FuzzBuilder::DotStep() {
  const int x = PickRanked(2);
  const Dims& dims = V(x).dims();
  Dims axes = AllAxes(V(x).rank());
  std::shuffle(axes.begin(), axes.end(), rng_);
  DotAttributes a;
  a.lhs_contract = {axes[0]};
  if (axes.size() > 2 && Below(2) == 0) a.lhs_batch = {axes[1]};
  // The right side: [contracted, batch, new], in a random order.
  Dims sizes = {dims[axes[0]]};
  if (!a.lhs_batch.empty()) sizes.push_back(dims[axes[1]]);
  sizes.push_back(1 + Below(4));
  Dims order = AllAxes(static_cast<int64_t>(sizes.size()));
  std::shuffle(order.begin(), order.end(), rng_);
  Dims rhs(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) rhs[order[i]] = sizes[i];
  a.rhs_contract = {order[0]};
  if (!a.lhs_batch.empty()) a.rhs_batch = {order[1]};
  const int y = Numbers(rhs);
  const int product =
      Record("dot_general", {x, y}, DotGeneral(V(x), V(y), a),
             Field("lhs_batch", a.lhs_batch) + Field("rhs_batch", a.rhs_batch) +
                 Field("lhs_contract", a.lhs_contract) +
                 Field("rhs_contract", a.rhs_contract));
  Squash(product);
}

void FuzzBuilder::ConvStep() {
  int x = Squash(Pick());
  // Images whatever the shape was: elements as [n,h,w,c].
  x = ReshapeTo(x, 4);
  const Dims dims = {1 + Below(2), 2 + Below(5), 2 + Below(5), 1 + Below(4)};
  if (Below(3) > 0 || V(x).dim(1) < 2) x = Numbers(dims);
  const int64_t channels = V(x).dim(3);
  const int64_t groups = channels % 2 == 0 && Below(3) == 0 ? 2 : 1;
  const int64_t outputs = groups * (1 + Below(3));
  ConvAttributes a{.dimensions = Conv2dDimensions(),
                   .strides = {1, 1},
                   .padding = {{0, 0}, {0, 0}},
                   .lhs_dilation = {1, 1},
                   .rhs_dilation = {1, 1},
                   .feature_groups = groups};
  const bool pointwise = Below(3) == 0;
  Dims window(2, 1);
  for (int i : {0, 1}) {
    if (!pointwise) window[i] = 1 + Below(3);
    a.strides[i] = 1 + Below(2);
    a.lhs_dilation[i] = 1 + (Below(4) == 0 ? 1 : 0);
    a.rhs_dilation[i] = 1 + (Below(4) == 0 ? 1 : 0);
    const int64_t extent = (window[i] - 1) * a.rhs_dilation[i] + 1;
    a.padding[i] = {Below(static_cast<int>(extent)),
                    Below(static_cast<int>(extent))};
    const int64_t size =
        (V(x).dim(i + 1) - 1) * a.lhs_dilation[i] + 1 + a.padding[i].first;
    a.padding[i].second = std::max(a.padding[i].second, extent - size);
  }
  const int kernel =
      Numbers({window[0], window[1], channels / groups, outputs});
  const int product =
      Record("conv", {x, kernel}, Convolution(V(x), V(kernel), a),
             Field("strides", a.strides) + Field("padding", a.padding) +
                 Field("lhs_dilation", a.lhs_dilation) +
                 Field("rhs_dilation", a.rhs_dilation) +
                 Field("groups", static_cast<double>(groups)));
  Squash(product);
}

}  // namespace xla_byol::graph
