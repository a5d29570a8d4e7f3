// One random program while it grows: its values so far, and the steps that add
// to it. fuzz_generator.h has what comes out.

#ifndef XLA_BYOL_TESTS_GRAPH_FUZZ_BUILDER_H_
#define XLA_BYOL_TESTS_GRAPH_FUZZ_BUILDER_H_

#include <random>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/graph/fuzz_generator.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol::graph {

// A field of an instruction's JSON, with the comma before it.
std::string Field(absl::string_view name, const Dims& dims);
std::string Field(absl::string_view name, const PaddingPairs& pairs);
std::string Field(absl::string_view name, absl::string_view text);
std::string Field(absl::string_view name, double number);

// Values are known by their place in the program.
class FuzzBuilder {
 public:
  FuzzBuilder(Graph& graph, std::mt19937& rng, const std::string& name)
      : graph_(graph), rng_(rng), name_(name) {}

  FuzzProgram Run();

 private:
  // fuzz_generator.cc: choosing and recording.
  int Below(int n);
  Dims RandomDims(int most_rank, int most_size);
  int Input(DType dtype, Dims dims);
  int Last() const { return static_cast<int>(values_.size()) - 1; }
  Value V(int i) const { return values_[i]; }
  // Records value = op(operands) with the given fields.
  int Record(absl::string_view op, std::vector<int> operands, Value value,
             const std::string& fields = "");
  int Scale(int x, double factor, double offset);
  int Squash(int x);
  int Positive(int x);
  // A value of the program's float type; recent ones more often.
  int Pick();
  int PickRanked(int least_rank);
  // The elements of x as a tensor of the given rank.
  int ReshapeTo(int x, int rank);
  // Something of a's shape with some dimensions 1 or missing.
  int Broadcastable(int a);
  // Random numbers from a fixed formula, so that no more inputs are needed.
  int Numbers(const Dims& dims);
  void Step();

  // fuzz_steps_elementwise.cc
  void UnaryStep();
  void BinaryStep();
  void IntegerStep();
  void SelectStep();
  void ReduceStep();
  void ConvertStep();
  void MarkerStep();

  // fuzz_steps_shape.cc
  void TransposeStep();
  void SliceStep();
  void PadStep();
  void ConcatenateStep();
  void BroadcastStep();
  void DynamicStep();
  void TakeStep();

  // fuzz_steps_window.cc
  void WindowStep();
  void DotStep();
  void ConvStep();

  Graph& graph_;
  std::mt19937& rng_;
  std::string name_;
  DType dtype_;
  std::vector<Value> values_;
  std::vector<bool> constant_;  // of each value: it depends on no input
  FuzzProgram program_;
};

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_TESTS_GRAPH_FUZZ_BUILDER_H_
