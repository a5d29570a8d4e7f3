#include "xla_byol/graph/graph.h"

#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_byol/graph/infer.h"

namespace xla_byol::graph {

namespace {

// Attributes other than constants' data are left to the comparison.
size_t HashOf(OpCode op, const std::vector<int32_t>& operands,
              const Attributes& attributes, const Shapes& results) {
  const auto* constant = std::get_if<ConstantAttributes>(&attributes);
  const absl::string_view data =
      constant != nullptr ? absl::string_view(constant->data) : "";
  return absl::HashOf(static_cast<int>(op), operands, data,
                      results.empty() ? Dims{} : results[0].dims);
}

}  // namespace

const Shape& Value::shape() const {
  static const Shape* const kNone = new Shape();
  return valid() ? graph_->shape(id_) : *kNone;
}

int64_t Value::dim(int64_t axis) const {
  if (!valid()) return 1;
  const int64_t index = axis < 0 ? axis + rank() : axis;
  if (index < 0 || index >= rank()) {
    graph_->Fail("dim", absl::StrCat("there is no dimension ", axis), {*this});
    return 1;
  }
  return dims()[index];
}

Value Graph::Parameter(absl::string_view name, Shape shape) {
  for (int32_t id : parameters_) {
    const auto& other =
        std::get<ParameterAttributes>(nodes_[producer(id)].attributes);
    if (other.name == name) {
      return Fail("parameter",
                  absl::StrCat("the name '", name, "' is taken already by ",
                               other.shape.ToString()));
    }
  }
  const int64_t index = static_cast<int64_t>(parameters_.size());
  return Apply(
      OpCode::kParameter, {},
      ParameterAttributes{index, std::string(name), std::move(shape)})[0];
}

std::vector<Value> Graph::Apply(OpCode op, absl::Span<const Value> operands,
                                Attributes attributes, int results_on_error) {
  const OpInfo& info = InfoOf(op);
  const std::vector<Value> failed(results_on_error, Value(this, -1));
  std::vector<int32_t> ids;
  std::vector<const Shape*> shapes;
  for (const Value& operand : operands) {
    const absl::string_view problem =
        operand.graph() == nullptr ? "is not a value of any graph"
        : operand.graph() != this  ? "belongs to another graph"
                                   : "";
    if (!problem.empty()) {
      Fail(info.label(), absl::StrCat("operand ", ids.size(), " ", problem),
           operands);
      return failed;
    }
    if (!operand.valid()) return failed;  // its error is known already
    ids.push_back(operand.id());
    shapes.push_back(&operand.shape());
  }
  absl::StatusOr<Shapes> results = Infer({info, shapes, attributes, replicas_});
  if (!results.ok()) {
    Fail(info.label(), results.status().message(), operands);
    return failed;
  }
  const int32_t count = static_cast<int32_t>(results->size());
  const int32_t first = Append(op, std::move(ids), std::move(attributes),
                               *std::move(results), current_scope_);
  std::vector<Value> values;
  for (int32_t i = 0; i < count; ++i) values.emplace_back(this, first + i);
  return values;
}

int32_t Graph::Append(OpCode op, std::vector<int32_t> operands,
                      Attributes attributes, Shapes results, int32_t scope) {
  std::vector<int32_t>* alike = nullptr;
  if (sharing_) {
    alike = &nodes_by_hash_[HashOf(op, operands, attributes, results)];
    for (int32_t index : *alike) {
      const Node& other = nodes_[index];
      if (other.op == op && other.operands == operands &&
          other.attributes == attributes) {
        return other.first_result;
      }
    }
    alike->push_back(static_cast<int32_t>(nodes_.size()));
  }
  const int32_t first = value_count();
  if (op == OpCode::kParameter) parameters_.push_back(first);
  const int32_t node = static_cast<int32_t>(nodes_.size());
  nodes_.push_back({op, std::move(operands), std::move(attributes), first,
                    static_cast<int32_t>(results.size()), scope});
  for (Shape& shape : results) values_.push_back({std::move(shape), node});
  return first;
}

Value Graph::Fail(absl::string_view op, absl::string_view message,
                  absl::Span<const Value> operands) {
  if (status_.ok()) {
    std::string text = absl::StrCat(op, ": ", message);
    if (!operands.empty()) {
      absl::StrAppend(&text, " (",
                      absl::StrJoin(operands, ", ",
                                    [](std::string* out, const Value& value) {
                                      absl::StrAppend(
                                          out, value.valid()
                                                   ? value.shape().ToString()
                                                   : "invalid");
                                    }),
                      ")");
    }
    const std::string& path = scopes_[current_scope_].path;
    if (!path.empty()) absl::StrAppend(&text, " at ", path);
    status_ = absl::InvalidArgumentError(text);
  }
  return Value(this, -1);
}

void Graph::set_results(absl::Span<const Value> results) {
  results_.clear();
  for (const Value& result : results) {
    if (result.graph() != this) {
      Fail("while",
           "a region yields a value of another graph, pass it through "
           "the loop's state");
    }
    if (result.graph() != this || !result.valid()) return;
    results_.push_back(result.id());
  }
}

int32_t Graph::ScopeId(const std::string& path, int32_t region) {
  const auto [it, inserted] = scope_ids_.try_emplace(
      {path, region}, static_cast<int32_t>(scopes_.size()));
  if (inserted) scopes_.push_back({path, region});
  return it->second;
}

Value Apply(OpCode op, absl::Span<const Value> operands,
            Attributes attributes) {
  for (const Value& operand : operands) {
    if (operand.graph() != nullptr) {
      return operand.graph()->Apply(op, operands, std::move(attributes))[0];
    }
  }
  return Value();
}

Scope::Scope(Graph& graph, absl::string_view name)
    : graph_(graph), previous_(graph.current_scope()) {
  const ScopeInfo& outer = graph.scope(previous_);
  graph.set_current_scope(
      graph.ScopeId(outer.path.empty() ? std::string(name)
                                       : absl::StrCat(outer.path, "/", name),
                    outer.region));
}

Rematerialization::Rematerialization(Graph& graph)
    : graph_(graph), previous_(graph.current_scope()) {
  const ScopeInfo& outer = graph.scope(previous_);
  if (outer.region >= 0) return;
  graph.set_current_scope(graph.ScopeId(outer.path, graph.NewCheckpoint()));
}

}  // namespace xla_byol::graph
