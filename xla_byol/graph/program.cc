#include "xla_byol/graph/program.h"

#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/graph/emit.h"
#include "xla_byol/graph/infer.h"
#include "xla_byol/graph/simplify.h"

namespace xla_byol::graph {
namespace {

absl::Status CheckOutputs(const Graph& graph,
                          absl::Span<const Output> outputs) {
  if (outputs.empty()) return Invalid("finish: a program needs an output");
  std::set<std::string> names;
  for (const Output& output : outputs) {
    if (!names.insert(output.name).second) {
      return Invalid("finish: two outputs are named '", output.name, "'");
    }
    if (!output.value.valid() || output.value.graph() != &graph) {
      return Invalid("finish: output '", output.name,
                     "' is not a value of this graph");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckName(const std::string& name) {
  for (char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_') {
      return Invalid("finish: the module's name '", name,
                     "' must consist of letters, digits and _");
    }
  }
  if (name.empty() || absl::ascii_isdigit(name[0])) {
    return Invalid("finish: the module's name '", name,
                   "' must begin with a letter");
  }
  return absl::OkStatus();
}

std::vector<NamedTensor> Inputs(const Graph& graph) {
  std::vector<NamedTensor> inputs;
  for (int32_t id : graph.parameters()) {
    const Node& node = graph.nodes()[graph.producer(id)];
    inputs.push_back(
        {std::get<ParameterAttributes>(node.attributes).name, graph.shape(id)});
  }
  return inputs;
}

absl::Status Donate(const Graph& graph, const Output& output, int64_t index,
                    std::vector<NamedTensor>* inputs) {
  const Value parameter = output.donated;
  if (parameter == Value()) return absl::OkStatus();
  if (!parameter.valid() || parameter.graph() != &graph ||
      graph.nodes()[graph.producer(parameter.id())].op != OpCode::kParameter) {
    return Invalid("finish: output '", output.name,
                   "' can only take over a parameter's buffer");
  }
  const Node& node = graph.nodes()[graph.producer(parameter.id())];
  NamedTensor& input =
      (*inputs)[std::get<ParameterAttributes>(node.attributes).index];
  if (input.donated_to.has_value()) {
    return Invalid("finish: parameter '", input.name,
                   "' is donated to two outputs, the second is '", output.name,
                   "'");
  }
  if (input.shape != output.value.shape()) {
    return Invalid("finish: output '", output.name, "' is ",
                   output.value.shape().ToString(), ", the donated parameter '",
                   input.name, "' is ", input.shape.ToString());
  }
  input.donated_to = index;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Program> Finish(const Graph& graph,
                               absl::Span<const Output> outputs,
                               const FinishOptions& options) {
  RETURN_IF_ERROR(graph.status());
  if (graph.replicas() < 1) {
    return Invalid("finish: a program has at least one replica, not ",
                   graph.replicas());
  }
  if (graph.replicas() % options.backend.processes() != 0) {
    return Invalid("finish: ", graph.replicas(),
                   " replicas cannot be divided among ",
                   options.backend.processes(), " processes");
  }
  RETURN_IF_ERROR(CheckName(options.name));
  RETURN_IF_ERROR(CheckOutputs(graph, outputs));
  Program program{.inputs = Inputs(graph),
                  .replicas = graph.replicas() / options.backend.processes()};
  std::vector<int32_t> ids;
  for (const Output& output : outputs) {
    RETURN_IF_ERROR(Donate(graph, output, static_cast<int64_t>(ids.size()),
                           &program.inputs));
    program.outputs.push_back({output.name, output.value.shape()});
    ids.push_back(output.value.id());
  }
  const Simplified simplified = Simplify(graph, ids, options.backend);
  RETURN_IF_ERROR(simplified.graph->status());
  program.text = EmitModule(*simplified.graph, simplified.outputs,
                            program.inputs, options.name);
  return program;
}

}  // namespace xla_byol::graph
