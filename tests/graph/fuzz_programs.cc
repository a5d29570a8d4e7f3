// Writes random programs, with their inputs and what they compute here, for
// fuzz_check.py to compare with JAX:
//   fuzz_programs SEED PROGRAMS PROGRAMS_PER_BATCH DIRECTORY
// Programs of one batch share one module, because compiling is what takes time.
// batch_N.mlir is the module; batch_N.json describes each program as a list of
// instructions that fuzz_check.py performs with jax.lax.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tests/graph/evaluate.h"
#include "tests/graph/fuzz_generator.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/graph/program.h"

namespace xla_byol::graph {
namespace {

std::string Json(const Tensor& tensor) {
  return absl::StrCat(
      "{\"dtype\":\"", Name(tensor.shape.dtype), "\",\"dims\":[",
      absl::StrJoin(tensor.shape.dims, ","), "],\"data\":[",
      absl::StrJoin(tensor.data, ",",
                    [](std::string* out, double value) {
                      // Python reads NaN and Infinity as they are.
                      absl::StrAppend(
                          out, std::isnan(value) ? "NaN"
                               : std::isinf(value)
                                   ? (value > 0 ? "Infinity" : "-Infinity")
                                   : absl::StrFormat("%.17g", value));
                    }),
      "]}");
}

std::string Json(absl::Span<const Tensor> tensors) {
  return absl::StrCat("[",
                      absl::StrJoin(tensors, ",",
                                    [](std::string* out, const Tensor& t) {
                                      absl::StrAppend(out, Json(t));
                                    }),
                      "]");
}

absl::Status WriteBatch(std::mt19937& rng, int programs,
                        const std::string& stem) {
  Graph graph;
  std::vector<Output> outputs;
  std::vector<FuzzProgram> made;
  Tensors inputs;
  for (int i = 0; i < programs; ++i) {
    made.push_back(GenerateProgram(graph, rng, absl::StrCat("p", i)));
    const FuzzProgram& program = made.back();
    for (const Tensor& input : program.inputs) inputs.push_back(input);
    std::vector<Value> results = {program.value, program.loss};
    for (Value g : Grad(program.loss, program.variables)) results.push_back(g);
    for (Value result : results) {
      outputs.push_back({absl::StrCat("output", outputs.size()), result});
    }
  }
  ASSIGN_OR_RETURN(Program program, Finish(graph, outputs));
  std::ofstream(stem + ".mlir") << program.text;
  ASSIGN_OR_RETURN(Compiled compiled, Compiled::Make(program));
  ASSIGN_OR_RETURN(std::vector<Tensors> results, compiled.Run({inputs}));
  std::ofstream json(stem + ".json");
  json << "[";
  size_t next = 0;
  for (size_t i = 0; i < made.size(); ++i) {
    const size_t count = 2 + made[i].variables.size();
    json << (i == 0 ? "" : ",\n") << "{\"inputs\":" << Json(made[i].inputs)
         << ",\"instructions\":[" << absl::StrJoin(made[i].instructions, ",")
         << "],\"value\":" << made[i].value_index << ",\"losses\":["
         << absl::StrJoin(made[i].loss_terms, ",") << "],\"outputs\":"
         << Json(absl::MakeConstSpan(results[0]).subspan(next, count)) << "}";
    next += count;
  }
  json << "]\n";
  return json.good() ? absl::OkStatus()
                     : absl::InternalError("cannot write " + stem);
}

}  // namespace
}  // namespace xla_byol::graph

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: fuzz_programs SEED PROGRAMS PER_BATCH DIRECTORY\n";
    return 2;
  }
  std::mt19937 rng(static_cast<unsigned>(std::atoi(argv[1])));
  const int programs = std::atoi(argv[2]);
  const int per_batch = std::atoi(argv[3]);
  for (int batch = 0; batch * per_batch < programs; ++batch) {
    const absl::Status status = xla_byol::graph::WriteBatch(
        rng, std::min(per_batch, programs - batch * per_batch),
        absl::StrCat(argv[4], "/batch_", batch));
    if (!status.ok()) {
      std::cerr << "fuzz_programs: batch " << batch << ": " << status << "\n";
      return 1;
    }
  }
  return 0;
}
