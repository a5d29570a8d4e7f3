#include "xla_byol/nn/views.h"

#include <utility>

namespace xla_byol::nn {
namespace {

using graph::Value;

// Equal parts of x along `axis`.
std::vector<Value> Divide(Value x, int64_t axis, int64_t count) {
  const int64_t size = x.dim(axis) / count;
  std::vector<Value> parts;
  for (int64_t i = 0; i < count; ++i) {
    parts.push_back(SliceAxis(x, axis, i * size, (i + 1) * size));
  }
  return parts;
}

}  // namespace

Views Views::Apart(std::vector<Value> views) {
  Views result(views[0]);
  result.count_ = static_cast<int64_t>(views.size());
  result.layout_ = ViewLayout::kApart;
  result.parts_ = std::move(views);
  return result;
}

Views Views::In(ViewLayout layout) const {
  if (layout == layout_ || count_ == 1) return *this;
  Views result = *this;
  result.layout_ = layout;
  if (layout_ != ViewLayout::kApart) {
    result.parts_ = Divide(
        only(), layout_ == ViewLayout::kJoined ? 0 : only().rank() - 1, count_);
  }
  if (layout != ViewLayout::kApart) {
    result.parts_ = {Concatenate(
        result.parts_,
        layout == ViewLayout::kJoined ? 0 : result.parts_[0].rank() - 1)};
  }
  return result;
}

Views Views::Map(absl::FunctionRef<Value(Value)> function) const {
  std::vector<Value> parts;
  for (const Value part : parts_) parts.push_back(function(part));
  return With(std::move(parts));
}

Views Views::With(std::vector<Value> parts) const {
  Views result = *this;
  result.parts_ = std::move(parts);
  return result;
}

Views operator+(const Views& a, const Views& b) {
  std::vector<Value> sums;
  for (size_t i = 0; i < a.parts().size(); ++i) {
    sums.push_back(a.parts()[i] + b.parts()[i]);
  }
  return a.With(std::move(sums));
}

Views Relu(const Views& x) {
  return x.Map([](Value part) { return graph::Relu(part); });
}

}  // namespace xla_byol::nn
