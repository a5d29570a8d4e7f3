#include "xla_byol/nn/variables.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace xla_byol::nn {

using graph::Dims;
using graph::DType;
using graph::Shape;
using graph::Value;

Initializer Initializer::FanIn(int64_t fan_in) {
  return {Kind::kTruncatedNormal, 1.0 / std::sqrt(static_cast<double>(fan_in))};
}

Value Variables::Parameter(absl::string_view name, const Dims& dims,
                           Initializer initializer) {
  return Get(name, Role::kParameter, dims, initializer);
}

Value Variables::Statistic(absl::string_view name, const Dims& dims,
                           Initializer initializer) {
  return Get(name, Role::kStatistic, dims, initializer);
}

void Variables::SetStatistic(absl::string_view name, Value update) {
  const auto found = by_path_.find(PathOf(name, Role::kStatistic));
  if (found == by_path_.end()) {
    graph_.Fail("set_statistic", absl::StrCat("nobody asked for '", name, "'"));
    return;
  }
  variables_[found->second].update = update;
}

void Variables::Declare(const Variable& variable) {
  by_path_[variable.path] = variables_.size();
  variables_.push_back(variable);
  variables_.back().value = graph_.Parameter(variable.path, variable.shape);
  variables_.back().update = Value();
}

const Variable* Variables::Find(absl::string_view path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : &variables_[found->second];
}

std::string Variables::PathOf(absl::string_view name, Role role) const {
  return absl::StrCat(role == Role::kStatistic ? "batch_stats/" : "",
                      graph_.scope(graph_.current_scope()).path, "/", name);
}

Value Variables::Get(absl::string_view name, Role role, const Dims& dims,
                     Initializer initializer) {
  const std::string path = PathOf(name, role);
  const Shape shape{DType::kF32, dims};
  const Variable* known = Find(path);
  if (known == nullptr) {
    Declare({.path = path,
             .role = role,
             .shape = shape,
             .initializer = initializer});
    known = &variables_.back();
  }
  if (known->shape != shape) {
    return graph_.Fail(
        "variable", absl::StrCat("'", path, "' is ", known->shape.ToString(),
                                 ", and here ", shape.ToString(), " is asked"));
  }
  return known->update.valid() ? known->update : known->value;
}

}  // namespace xla_byol::nn
