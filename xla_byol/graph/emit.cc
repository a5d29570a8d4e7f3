#include "xla_byol/graph/emit.h"

#include <map>
#include <optional>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla_byol::graph {
namespace {

// Locations are written once, as aliases at the end of the module.
class Locations {
 public:
  std::string Use(const std::string& path) {
    if (path.empty()) return "";
    const auto [it, inserted] =
        ids_.try_emplace(path, static_cast<int>(ids_.size()));
    if (inserted) {
      absl::StrAppend(&definitions_, "#loc", it->second, " = loc(\"",
                      absl::CEscape(path), "\")\n");
    }
    return absl::StrCat(" loc(#loc", it->second, ")");
  }
  const std::string& definitions() const { return definitions_; }

 private:
  std::map<std::string, int> ids_;
  std::string definitions_;
};

// Combiners inside an op: those ops whose region is fixed.
std::optional<Combiner> CombinerOf(const Node& node) {
  if (const auto* a = std::get_if<ReduceAttributes>(&node.attributes)) {
    return a->combiner;
  }
  if (const auto* a = std::get_if<WindowAttributes>(&node.attributes)) {
    return a->combiner;
  }
  if (const auto* a = std::get_if<AllReduceAttributes>(&node.attributes)) {
    return a->combiner;
  }
  if (node.op == OpCode::kSelectAndScatter || node.op == OpCode::kScatterAdd ||
      node.op == OpCode::kReduceScatter) {
    return Combiner::kSum;
  }
  return std::nullopt;
}

// Ops with an initial value as their last operand.
bool TakesIdentity(OpCode op) {
  return op == OpCode::kReduce || op == OpCode::kReduceWindow ||
         op == OpCode::kSelectAndScatter;
}

// ({^bb0(%a, %b): %c = op(%a, %b); return %c})
std::string BinaryRegion(absl::string_view op, absl::string_view attributes,
                         DType operand, DType result) {
  const std::string in = Shape{operand, {}}.ToMlir();
  const std::string out = Shape{result, {}}.ToMlir();
  return absl::StrCat("{^bb0(%a: ", in, ", %b: ", in, "): %c = \"stablehlo.",
                      op, "\"(%a, %b)", attributes, " : (", in, ", ", in,
                      ") -> ", out, " \"stablehlo.return\"(%c) : (", out,
                      ") -> ()}");
}

// Writes the nodes of one function or region.
class BodyEmitter {
 public:
  // `prefix` keeps the names of a region apart from those around it.
  BodyEmitter(const Graph& graph, std::string prefix, std::string indent,
              Locations& locations, std::string& text)
      : graph_(graph),
        prefix_(std::move(prefix)),
        indent_(std::move(indent)),
        locations_(locations),
        text_(text),
        names_(graph.value_count()) {
    int index = 0;
    for (int32_t id : graph.parameters()) {
      names_[id] = absl::StrCat("%", prefix_, "arg", index++);
    }
  }

  void EmitNodes() {
    for (const Node& node : graph_.nodes()) {
      if (node.op != OpCode::kParameter) EmitNode(node);
    }
  }

  // `"op"(%1, %2) : (types) -> ()`
  void EmitReturn(absl::string_view op, absl::Span<const int32_t> values) {
    absl::StrAppend(&text_, indent_, "\"", op, "\"(", Names(values), ") : (",
                    Types(values), ") -> ()\n");
  }

  // `%arg0: tensor<f32>`
  std::string ParameterList() const {
    return absl::StrJoin(
        graph_.parameters(), ", ", [this](std::string* out, int32_t id) {
          absl::StrAppend(out, names_[id], ": ", graph_.shape(id).ToMlir());
        });
  }

  std::string Types(absl::Span<const int32_t> values) const {
    return absl::StrJoin(values, ", ", [this](std::string* out, int32_t id) {
      absl::StrAppend(out, graph_.shape(id).ToMlir());
    });
  }

 private:
  std::string Names(absl::Span<const int32_t> values) const {
    return absl::StrJoin(values, ", ", [this](std::string* out, int32_t id) {
      absl::StrAppend(out, names_[id]);
    });
  }

  void EmitNode(const Node& node) {
    const std::string number = absl::StrCat(prefix_, next_++);
    const std::string name = absl::StrCat("%", number);
    std::vector<int32_t> results;
    for (int32_t r = 0; r < node.results; ++r) {
      const int32_t id = node.first_result + r;
      results.push_back(id);
      names_[id] = node.results == 1 ? name : absl::StrCat(name, "#", r);
    }
    const std::string location = locations_.Use(graph_.scope(node.scope).path);

    std::string operands = Names(node.operands);
    std::string types = Types(node.operands);
    if (TakesIdentity(node.op)) {
      const std::string identity = absl::StrCat("%identity", number);
      EmitIdentity(node, identity, location);
      absl::StrAppend(&operands, ", ", identity);
      absl::StrAppend(&types, ", ", Scalar(node).ToMlir());
    }

    absl::StrAppend(&text_, indent_, name,
                    node.results == 1 ? "" : absl::StrCat(":", node.results),
                    " = \"stablehlo.", InfoOf(node.op).mnemonic, "\"(",
                    operands, ")");
    EmitRegions(node, number);
    const std::string attributes = AttributesToMlir(graph_, node);
    if (!attributes.empty()) absl::StrAppend(&text_, " {", attributes, "}");
    const std::string result_types = Types(results);
    absl::StrAppend(
        &text_, " : (", types, ") -> ",
        node.results == 1 ? result_types : absl::StrCat("(", result_types, ")"),
        location, "\n");
  }

  Shape Scalar(const Node& node) const {
    return {graph_.shape(node.operands[0]).dtype, {}};
  }

  void EmitIdentity(const Node& node, const std::string& name,
                    const std::string& location) {
    const Shape scalar = Scalar(node);
    absl::StrAppend(
        &text_, indent_, name, " = \"stablehlo.constant\"() {value = dense<",
        CombinerIdentity(*CombinerOf(node), scalar.dtype),
        "> : ", scalar.ToMlir(), "} : () -> ", scalar.ToMlir(), location, "\n");
  }

  void EmitRegions(const Node& node, const std::string& number) {
    if (const auto* loop = std::get_if<WhileAttributes>(&node.attributes)) {
      absl::StrAppend(&text_, " ({\n");
      EmitRegion(*loop->condition, absl::StrCat("c", number, "_"));
      absl::StrAppend(&text_, indent_, "}, {\n");
      EmitRegion(*loop->body, absl::StrCat("b", number, "_"));
      absl::StrAppend(&text_, indent_, "})");
      return;
    }
    const std::optional<Combiner> combiner = CombinerOf(node);
    if (!combiner.has_value()) return;
    const DType dtype = Scalar(node).dtype;
    absl::StrAppend(&text_, " (");
    if (node.op == OpCode::kSelectAndScatter) {
      absl::StrAppend(&text_,
                      BinaryRegion("compare",
                                   " {comparison_direction = "
                                   "#stablehlo<comparison_direction GE>}",
                                   dtype, DType::kPred),
                      ", ");
    }
    absl::StrAppend(&text_,
                    BinaryRegion(CombinerMnemonic(*combiner), "", dtype, dtype),
                    ")");
  }

  void EmitRegion(const Graph& region, std::string prefix) {
    BodyEmitter inner(region, std::move(prefix), absl::StrCat(indent_, "  "),
                      locations_, text_);
    absl::StrAppend(&text_, indent_, "^bb0(", inner.ParameterList(), "):\n");
    inner.EmitNodes();
    inner.EmitReturn("stablehlo.return", region.results());
  }

  const Graph& graph_;
  const std::string prefix_;
  const std::string indent_;
  Locations& locations_;
  std::string& text_;
  std::vector<std::string> names_;  // by id of value
  int next_ = 0;
};

}  // namespace

std::string EmitModule(const Graph& graph, absl::Span<const int32_t> outputs,
                       absl::Span<const NamedTensor> inputs,
                       absl::string_view name) {
  Locations locations;
  std::string text = absl::StrCat(
      "module @", name, " attributes {mhlo.num_partitions = 1 : i32, ",
      "mhlo.num_replicas = ", graph.replicas(), " : i32} {\n",
      "  func.func public @main(");
  for (size_t i = 0; i < inputs.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", "%arg", i, ": ",
                    inputs[i].shape.ToMlir());
    if (inputs[i].donated_to.has_value()) {
      absl::StrAppend(&text, " {tf.aliasing_output = ", *inputs[i].donated_to,
                      " : i32}");
    }
    absl::StrAppend(&text, " loc(\"", absl::CEscape(inputs[i].name), "\")");
  }
  BodyEmitter body(graph, "", "    ", locations, text);
  absl::StrAppend(&text, ") -> (", body.Types(outputs), ") {\n");
  body.EmitNodes();
  body.EmitReturn("func.return", outputs);
  absl::StrAppend(&text, "  }\n}\n", locations.definitions());
  return text;
}

}  // namespace xla_byol::graph
