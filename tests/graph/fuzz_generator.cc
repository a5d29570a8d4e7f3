#include "tests/graph/fuzz_generator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/graph/fuzz_builder.h"

namespace xla_byol::graph {
namespace {

constexpr int kMostElements = 240;

}  // namespace

std::string Field(absl::string_view name, const Dims& dims) {
  return absl::StrCat(",\"", name, "\":[", absl::StrJoin(dims, ","), "]");
}

std::string Field(absl::string_view name, const PaddingPairs& pairs) {
  return absl::StrCat(",\"", name, "\":[",
                      absl::StrJoin(pairs, ",",
                                    [](std::string* out, const auto& pair) {
                                      absl::StrAppend(out, "[", pair.first, ",",
                                                      pair.second, "]");
                                    }),
                      "]");
}

std::string Field(absl::string_view name, absl::string_view text) {
  return absl::StrCat(",\"", name, "\":\"", text, "\"");
}

std::string Field(absl::string_view name, double number) {
  return absl::StrCat(",\"", name, "\":", number);
}

FuzzProgram FuzzBuilder::Run() {
  dtype_ = Below(4) == 0 ? DType::kF32 : DType::kF64;
  for (int i = 2 + Below(2); i > 0; --i) Input(dtype_, RandomDims(4, 5));
  Input(DType::kS32, RandomDims(2, 4));
  const int steps = 4 + Below(7);
  for (int i = 0; i < steps; ++i) Step();
  program_.value = values_.back();
  program_.value_index = static_cast<int>(values_.size()) - 1;
  for (int i = static_cast<int>(values_.size()); i-- > 0;) {
    if (values_[i].dtype() != dtype_ || Below(3) == 0) continue;
    Value term = Sum(Sine(values_[i]));
    program_.loss = program_.loss.valid() ? program_.loss + term : term;
    program_.loss_terms.push_back(i);
  }
  if (!program_.loss.valid()) {
    program_.loss = Sum(Sine(values_[0]));
    program_.loss_terms = {0};
  }
  return std::move(program_);
}

int FuzzBuilder::Below(int n) {
  return std::uniform_int_distribution<int>(0, n - 1)(rng_);
}

Dims FuzzBuilder::RandomDims(int most_rank, int most_size) {
  Dims dims(Below(most_rank + 1));
  do {
    for (int64_t& dim : dims) dim = 1 + Below(most_size);
  } while (Product(dims) > kMostElements);
  return dims;
}

int FuzzBuilder::Input(DType dtype, Dims dims) {
  const Shape shape{dtype, std::move(dims)};
  program_.inputs.push_back(Random(shape, -2, 2, rng_));
  values_.push_back(graph_.Parameter(
      absl::StrCat(name_, "/", program_.inputs.size()), shape));
  constant_.push_back(false);
  if (IsFloat(dtype)) program_.variables.push_back(values_.back());
  return Last();
}

int FuzzBuilder::Record(absl::string_view op, std::vector<int> operands,
                        Value value, const std::string& fields) {
  program_.instructions.push_back(absl::StrCat("{\"op\":\"", op, "\",\"in\":[",
                                               absl::StrJoin(operands, ","),
                                               "]", fields, "}"));
  values_.push_back(value);
  constant_.push_back(std::all_of(operands.begin(), operands.end(),
                                  [this](int i) { return constant_[i]; }));
  return Last();
}

int FuzzBuilder::Scale(int x, double factor, double offset) {
  return Record("affine", {x}, V(x) * factor + offset,
                Field("factor", factor) + Field("offset", offset));
}

int FuzzBuilder::Squash(int x) { return Record("sine", {x}, Sine(V(x))); }

int FuzzBuilder::Positive(int x) {
  return Scale(Record("abs", {x}, Abs(V(x))), 1, 0.5);
}

// Not one that depends on no input: the CPU plugin (PJRT 0.81) computes the sum
// of the sine of a scatter into a constant wrongly; newer XLA computes the same
// text as JAX does.
int FuzzBuilder::Pick() {
  for (int attempt = 0;; ++attempt) {
    const int i = attempt < 8 ? Last() - Below(std::min(6, Last() + 1))
                              : Below(Last() + 1);
    if (V(i).dtype() == dtype_ && !constant_[i] &&
        V(i).shape().elements() <= kMostElements) {
      return i;
    }
  }
}

int FuzzBuilder::PickRanked(int least_rank) {
  int x = Pick();
  if (V(x).rank() >= least_rank) return x;
  return ReshapeTo(x, least_rank);
}

int FuzzBuilder::ReshapeTo(int x, int rank) {
  Dims dims(rank, 1);
  int64_t rest = V(x).shape().elements();
  for (int i = 0; i + 1 < rank; ++i) {
    for (int64_t divisor : {3, 2}) {
      if (rest % divisor == 0 && Below(2) == 0) {
        dims[i] = divisor;
        rest /= divisor;
        break;
      }
    }
  }
  dims[rank - 1] = rest;
  return Record("reshape", {x}, Reshape(V(x), dims), Field("dims", dims));
}

int FuzzBuilder::Broadcastable(int a) {
  Dims dims = V(a).dims();
  for (int64_t& dim : dims) {
    if (Below(3) == 0) dim = 1;
  }
  if (!dims.empty() && Below(3) == 0) dims.erase(dims.begin());
  if (Product(dims) == V(a).shape().elements() && Below(2) == 0) {
    return Record("reshape", {a}, Reshape(V(a), dims), Field("dims", dims));
  }
  return Numbers(dims);
}

int FuzzBuilder::Numbers(const Dims& dims) {
  const Shape shape{dtype_, dims};
  const double step = 0.37 + 0.1 * Below(10);
  Value counted = shape.rank() == 0 ? Constant(graph_, 1, dtype_)
                                    : Iota(graph_, shape, shape.rank() - 1);
  int base = Record("iota", {}, counted,
                    Field("dims", dims) + Field("dtype", Name(dtype_)));
  return Squash(Scale(base, step, step));
}

void FuzzBuilder::Step() {
  static constexpr struct {
    int weight;
    void (FuzzBuilder::*add)();
  } kSteps[] = {
      {2, &FuzzBuilder::UnaryStep},       {2, &FuzzBuilder::BinaryStep},
      {1, &FuzzBuilder::IntegerStep},     {1, &FuzzBuilder::SelectStep},
      {1, &FuzzBuilder::ReduceStep},      {1, &FuzzBuilder::TransposeStep},
      {1, &FuzzBuilder::SliceStep},       {1, &FuzzBuilder::PadStep},
      {1, &FuzzBuilder::ConcatenateStep}, {1, &FuzzBuilder::BroadcastStep},
      {1, &FuzzBuilder::DynamicStep},     {1, &FuzzBuilder::TakeStep},
      {1, &FuzzBuilder::WindowStep},      {2, &FuzzBuilder::DotStep},
      {3, &FuzzBuilder::ConvStep},        {1, &FuzzBuilder::ConvertStep},
      {1, &FuzzBuilder::MarkerStep},
  };
  int total = 0;
  for (const auto& step : kSteps) total += step.weight;
  int left = Below(total);
  for (const auto& step : kSteps) {
    left -= step.weight;
    if (left < 0) return (this->*step.add)();
  }
}

FuzzProgram GenerateProgram(Graph& graph, std::mt19937& rng,
                            const std::string& name) {
  return FuzzBuilder(graph, rng, name).Run();
}

}  // namespace xla_byol::graph
