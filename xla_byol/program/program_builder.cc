#include "xla_byol/program/program_builder.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol {

ProgramBuilder::ProgramBuilder(absl::string_view name,
                               const ProgramOptions& options)
    : name_(name), options_(options), graph_(options.replicas) {}

void ProgramBuilder::Mistake(absl::string_view problem) {
  status_.Update(
      absl::InternalError(absl::StrCat("program ", name_, ": ", problem)));
}

graph::Value ProgramBuilder::Input(absl::string_view name, TensorRole role,
                                   const graph::Shape& shape) {
  const graph::Value value = graph_.Parameter(name, shape);
  AdoptInput(name, role, value);
  return value;
}

void ProgramBuilder::AdoptInput(absl::string_view name, TensorRole role,
                                graph::Value value) {
  if (!inputs_
           .try_emplace(std::string(name),
                        Declared{program_.inputs.size(), value})
           .second) {
    Mistake(absl::StrCat("there are two inputs '", name, "'"));
  }
  program_.inputs.push_back({std::string(name), role, value.shape()});
}

void ProgramBuilder::Update(absl::string_view name, graph::Value next) {
  const auto found = inputs_.find(name);
  if (found == inputs_.end()) {
    return Mistake(
        absl::StrCat("it updates '", name, "', which is none of its inputs"));
  }
  const auto& [index, value] = found->second;
  if (!next.valid()) {
    return Mistake(absl::StrCat("the next value of '", name, "' is missing"));
  }
  Output(name, program_.inputs[index].role, next);
  outputs_.back().donated = value;
}

void ProgramBuilder::Output(absl::string_view name, TensorRole role,
                            graph::Value value) {
  program_.outputs.push_back({std::string(name), role, value.shape()});
  outputs_.push_back({std::string(name), value});
}

absl::StatusOr<NamedProgram> ProgramBuilder::Finish() {
  // A graph's own error comes first: what follows from it is less telling.
  ASSIGN_OR_RETURN(program_.program,
                   graph::Finish(graph_, outputs_,
                                 {.name = name_, .backend = options_.backend}));
  RETURN_IF_ERROR(status_);
  if (program_.program.inputs.size() != program_.inputs.size()) {
    return absl::InternalError(absl::StrCat(
        "program ", name_, ": the graph has ", program_.program.inputs.size(),
        " parameters, of which ", program_.inputs.size(), " have names"));
  }
  return std::move(program_);
}

}  // namespace xla_byol
