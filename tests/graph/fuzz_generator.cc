#include "tests/graph/fuzz_generator.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol::graph {
namespace {

constexpr int kMostElements = 240;

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

class Generator {
 public:
  Generator(Graph& graph, std::mt19937& rng, const std::string& name)
      : graph_(graph), rng_(rng), name_(name) {}

  FuzzProgram Run() {
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

 private:
  using Unary = Value (*)(Value);
  using Binary = Value (*)(Value, Value);

  int Below(int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(rng_);
  }

  Dims RandomDims(int most_rank, int most_size) {
    Dims dims(Below(most_rank + 1));
    do {
      for (int64_t& dim : dims) dim = 1 + Below(most_size);
    } while (Product(dims) > kMostElements);
    return dims;
  }

  int Input(DType dtype, Dims dims) {
    const Shape shape{dtype, std::move(dims)};
    program_.inputs.push_back(Random(shape, -2, 2, rng_));
    values_.push_back(graph_.Parameter(
        absl::StrCat(name_, "/", program_.inputs.size()), shape));
    constant_.push_back(false);
    if (IsFloat(dtype)) program_.variables.push_back(values_.back());
    return Last();
  }

  int Last() const { return static_cast<int>(values_.size()) - 1; }

  // Records value = op(operands) with the given fields.
  int Record(absl::string_view op, std::vector<int> operands, Value value,
             const std::string& fields = "") {
    program_.instructions.push_back(
        absl::StrCat("{\"op\":\"", op, "\",\"in\":[",
                     absl::StrJoin(operands, ","), "]", fields, "}"));
    values_.push_back(value);
    constant_.push_back(std::all_of(operands.begin(), operands.end(),
                                    [this](int i) { return constant_[i]; }));
    return Last();
  }

  Value V(int i) const { return values_[i]; }

  int Scale(int x, double factor, double offset) {
    return Record("affine", {x}, V(x) * factor + offset,
                  Field("factor", factor) + Field("offset", offset));
  }
  int Squash(int x) { return Record("sine", {x}, Sine(V(x))); }
  int Positive(int x) { return Scale(Record("abs", {x}, Abs(V(x))), 1, 0.5); }

  // A value of the program's float type; recent ones more often. Not one that
  // depends on no input: the CPU plugin (PJRT 0.81) computes the sum of the
  // sine of a scatter into a constant wrongly; newer XLA computes the same text
  // as JAX does.
  int Pick() {
    for (int attempt = 0;; ++attempt) {
      const int i = attempt < 8 ? Last() - Below(std::min(6, Last() + 1))
                                : Below(Last() + 1);
      if (V(i).dtype() == dtype_ && !constant_[i] &&
          V(i).shape().elements() <= kMostElements) {
        return i;
      }
    }
  }
  int PickRanked(int least_rank) {
    int x = Pick();
    if (V(x).rank() >= least_rank) return x;
    return ReshapeTo(x, least_rank);
  }
  // The elements of x as a tensor of the given rank.
  int ReshapeTo(int x, int rank) {
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

  void Step() {
    switch (Below(22)) {
      case 0:
      case 1:
        return UnaryStep();
      case 2:
      case 3:
        return BinaryStep();
      case 4:
        return IntegerStep();
      case 5:
        return SelectStep();
      case 6:
        return ReduceStep();
      case 7:
        return TransposeStep();
      case 8:
        return SliceStep();
      case 9:
        return PadStep();
      case 10:
        return ConcatenateStep();
      case 11:
        return BroadcastStep();
      case 12:
        return DynamicStep();
      case 13:
        return TakeStep();
      case 14:
        return WindowStep();
      case 15:
      case 16:
        return DotStep();
      case 17:
      case 18:
      case 19:
        return ConvStep();
      case 20:
        return ConvertStep();
      default:
        return MarkerStep();
    }
  }

  void UnaryStep() {
    struct Row {
      const char* name;
      Unary build;
      bool positive, rounds;
    };
    static constexpr Row kRows[] = {
        {"abs", Abs, false, false},
        {"ceil", Ceil, false, true},
        {"cosine", Cosine, false, false},
        {"exp", Exp, false, false},
        {"expm1", Expm1, false, false},
        {"floor", Floor, false, true},
        {"log", Log, true, false},
        {"log1p", Log1p, true, false},
        {"logistic", Logistic, false, false},
        {"negate", Negate, false, false},
        {"round", RoundNearestEven, false, true},
        {"rsqrt", Rsqrt, true, false},
        {"sign", Sign, false, true},
        {"sqrt", Sqrt, true, false},
        {"tanh", Tanh, false, false},
    };
    const Row& row = kRows[Below(static_cast<int>(std::size(kRows)))];
    int x = Squash(Pick());
    if (row.positive) x = Positive(x);
    // Away from the edges where rounding decides.
    if (row.rounds) x = Scale(x, 1.7, 0.3);
    Record(row.name, {x}, row.build(V(x)));
  }

  void BinaryStep() {
    struct Row {
      const char* name;
      Binary build;
      bool positive;
    };
    static constexpr Row kRows[] = {
        {"add", Add, false},           {"subtract", Subtract, false},
        {"multiply", Multiply, false}, {"divide", Divide, true},
        {"maximum", Maximum, false},   {"minimum", Minimum, false},
        {"power", Power, true},        {"atan2", Atan2, true},
    };
    const Row& row = kRows[Below(static_cast<int>(std::size(kRows)))];
    int a = Squash(Pick());
    // The other operand: of a's shape with some dimensions 1 or missing.
    int b = Broadcastable(a);
    if (row.positive) {
      a = Positive(a);
      b = Positive(b);
    }
    Record(row.name, {a, b}, row.build(V(a), V(b)));
  }

  int Broadcastable(int a) {
    Dims dims = V(a).dims();
    for (int64_t& dim : dims) {
      if (Below(3) == 0) dim = 1;
    }
    if (!dims.empty() && Below(3) == 0) dims.erase(dims.begin());
    if (Product(dims) == V(a).shape().elements() && Below(2) == 0) {
      return Record("reshape", {a}, Reshape(V(a), dims), Field("dims", dims));
    }
    return Input2(dims);
  }

  // Random numbers from a fixed formula, so that no more inputs are needed.
  int Input2(const Dims& dims) {
    const Shape shape{dtype_, dims};
    const double step = 0.37 + 0.1 * Below(10);
    Value counted = shape.rank() == 0 ? Constant(graph_, 1, dtype_)
                                      : Iota(graph_, shape, shape.rank() - 1);
    int base = Record("iota", {}, counted,
                      Field("dims", dims) + Field("dtype", Name(dtype_)));
    return Squash(Scale(base, step, step));
  }

  void IntegerStep() {
    struct Row {
      const char* name;
      Binary build;
    };
    static constexpr Row kRows[] = {
        {"add", Add}, {"multiply", Multiply}, {"and", And},
        {"or", Or},   {"xor", Xor},           {"maximum", Maximum},
    };
    int x = -1;
    for (int i = 0; i <= Last(); ++i) {
      if (V(i).dtype() == DType::kS32) x = i;
    }
    const Row& row = kRows[Below(static_cast<int>(std::size(kRows)))];
    x = Record(row.name, {x, x}, row.build(V(x), V(x)));
    x = Record("not", {x}, Not(V(x)));
    x = Record("shift_right", {x}, ShiftRightArithmetic(V(x), 1));
    // Back to floats, small again.
    int f = Record("convert", {x}, Convert(V(x), dtype_),
                   Field("dtype", Name(dtype_)));
    Squash(f);
  }

  void SelectStep() {
    const int x = Squash(Pick());
    const int y = Broadcastable(x);
    if (Below(2) == 0) {
      Record("select_gt", {x, x, y},
             Select(Compare(V(x), 0.1234, Direction::kGt), V(x), V(y)),
             Field("threshold", 0.1234));
    } else {
      Record("clamp", {x}, Clamp(-0.4321, V(x), 0.5432));
    }
  }

  void ReduceStep() {
    const int x = PickRanked(1);
    Dims axes;
    for (int64_t axis = 0; axis < V(x).rank(); ++axis) {
      if (Below(2) == 0) axes.push_back(axis);
    }
    if (axes.empty()) axes.push_back(Below(static_cast<int>(V(x).rank())));
    static constexpr Combiner kCombiners[] = {Combiner::kSum, Combiner::kMax,
                                              Combiner::kMin};
    static constexpr const char* kNames[] = {"reduce_sum", "reduce_max",
                                             "reduce_min"};
    const int c = Below(3);
    Record(kNames[c], {x}, Reduce(V(x), kCombiners[c], axes),
           Field("axes", axes));
  }

  void TransposeStep() {
    const int x = PickRanked(2);
    Dims permutation = AllAxes(V(x).rank());
    std::shuffle(permutation.begin(), permutation.end(), rng_);
    if (Below(3) == 0) {
      permutation.resize(1 + Below(static_cast<int>(permutation.size())));
      Record("reverse", {x}, Reverse(V(x), permutation),
             Field("axes", permutation));
      return;
    }
    Record("transpose", {x}, Transpose(V(x), permutation),
           Field("permutation", permutation));
  }

  void SliceStep() {
    const int x = PickRanked(1);
    Dims start, limit, strides;
    for (int64_t dim : V(x).dims()) {
      start.push_back(Below(static_cast<int>(dim)));
      limit.push_back(start.back() + 1 +
                      Below(static_cast<int>(dim - start.back())));
      strides.push_back(1 + Below(3));
    }
    Record("slice", {x}, Slice(V(x), start, limit, strides),
           Field("start", start) + Field("limit", limit) +
               Field("strides", strides));
  }

  void PadStep() {
    const int x = PickRanked(1);
    Dims low, high, interior;
    for (int64_t dim : V(x).dims()) {
      low.push_back(Below(3) - (dim > 2 ? 1 : 0));
      high.push_back(Below(3) - (dim > 3 ? 1 : 0));
      interior.push_back(Below(2));
    }
    Value zero = Constant(graph_, 0.25, dtype_);
    Record(
        "pad", {x}, Pad(V(x), zero, low, high, interior),
        Field("low", low) + Field("high", high) + Field("interior", interior));
  }

  void ConcatenateStep() {
    const int x = PickRanked(1);
    const int axis = Below(static_cast<int>(V(x).rank()));
    Dims dims = V(x).dims();
    dims[axis] = 1 + Below(3);
    const int y = Input2(dims);
    Record("concatenate", {x, y, x}, Concatenate({V(x), V(y), V(x)}, axis),
           Field("axis", axis));
  }

  void BroadcastStep() {
    const int x = Pick();
    Dims dims, axes;
    for (int64_t dim : V(x).dims()) {
      if (Below(3) == 0) dims.push_back(1 + Below(2));
      axes.push_back(static_cast<int64_t>(dims.size()));
      dims.push_back(dim == 1 ? 1 + Below(3) : dim);
    }
    dims.push_back(1 + Below(2));
    Record("broadcast_in_dim", {x}, BroadcastInDim(V(x), dims, axes),
           Field("dims", dims) + Field("axes", axes));
  }

  void DynamicStep() {
    const int x = PickRanked(1);
    Dims sizes, starts;
    std::vector<Value> indices;
    for (int64_t dim : V(x).dims()) {
      sizes.push_back(1 + Below(static_cast<int>(dim)));
      starts.push_back(Below(6) - 1);
      indices.push_back(
          Constant(graph_, static_cast<double>(starts.back()), DType::kS32));
    }
    const std::string fields = Field("sizes", sizes) + Field("starts", starts);
    const int part = Record("dynamic_slice", {x},
                            DynamicSlice(V(x), indices, sizes), fields);
    const int update = Squash(part);
    Record("dynamic_update_slice", {x, update},
           DynamicUpdateSlice(V(x), V(update), indices), fields);
  }

  void TakeStep() {
    const int x = PickRanked(1);
    const int axis = Below(static_cast<int>(V(x).rank()));
    Dims indices(1 + Below(5));
    std::vector<int32_t> data;
    for (int64_t& index : indices) {
      index = Below(static_cast<int>(V(x).dim(axis)));
      data.push_back(static_cast<int32_t>(index));
    }
    Value rows = DenseConstant<int32_t>(
        graph_, {static_cast<int64_t>(data.size())}, data);
    const std::string fields = Field("indices", indices) + Field("axis", axis);
    const int taken = Record("take", {x}, Take(V(x), rows, axis), fields);
    const int update = Squash(taken);
    Record("scatter_add", {x, update}, ScatterAdd(V(x), rows, V(update), axis),
           fields);
  }

  void WindowStep() {
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

  void DotStep() {
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
    const int y = Input2(rhs);
    const int product = Record("dot_general", {x, y}, DotGeneral(V(x), V(y), a),
                               Field("lhs_batch", a.lhs_batch) +
                                   Field("rhs_batch", a.rhs_batch) +
                                   Field("lhs_contract", a.lhs_contract) +
                                   Field("rhs_contract", a.rhs_contract));
    Squash(product);
  }

  void ConvStep() {
    int x = Squash(Pick());
    // Images whatever the shape was: elements as [n,h,w,c].
    x = ReshapeTo(x, 4);
    const Dims dims = {1 + Below(2), 2 + Below(5), 2 + Below(5), 1 + Below(4)};
    if (Below(3) > 0 || V(x).dim(1) < 2) x = Input2(dims);
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
        Input2({window[0], window[1], channels / groups, outputs});
    const int product =
        Record("conv", {x, kernel}, Convolution(V(x), V(kernel), a),
               Field("strides", a.strides) + Field("padding", a.padding) +
                   Field("lhs_dilation", a.lhs_dilation) +
                   Field("rhs_dilation", a.rhs_dilation) +
                   Field("groups", static_cast<double>(groups)));
    Squash(product);
  }

  void ConvertStep() {
    int x = Scale(Squash(Pick()), 1.7, 0.3);
    const DType other = dtype_ == DType::kF32 ? DType::kF64 : DType::kF32;
    x = Record("convert", {x}, Convert(V(x), other),
               Field("dtype", Name(other)));
    Record("convert", {x}, Convert(V(x), dtype_), Field("dtype", Name(dtype_)));
  }

  void MarkerStep() {
    const int x = Pick();
    if (Below(2) == 0) {
      Record("stop_gradient", {x}, StopGradient(V(x)));
    } else {
      Record("barrier", {x}, OptimizationBarrier({V(x)})[0]);
    }
  }

  Graph& graph_;
  std::mt19937& rng_;
  std::string name_;
  DType dtype_;
  std::vector<Value> values_;
  std::vector<bool> constant_;  // of each value: it depends on no input
  FuzzProgram program_;
};

}  // namespace

FuzzProgram GenerateProgram(Graph& graph, std::mt19937& rng,
                            const std::string& name) {
  return Generator(graph, rng, name).Run();
}

}  // namespace xla_byol::graph
