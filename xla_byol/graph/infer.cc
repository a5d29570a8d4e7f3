#include "xla_byol/graph/infer.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "xla_byol/base/status_macros.h"

namespace xla_byol::graph {
namespace {

using InferFunction = absl::StatusOr<Shapes> (*)(const InferInput&);

// The second parameter of an inference function says which attributes the op
// has; Typed checks that it got them.
template <typename A>
constexpr const A* AttributesOf(absl::StatusOr<Shapes> (*)(const InferInput&,
                                                           const A&)) {
  return nullptr;
}
constexpr const NoAttributes* AttributesOf(InferFunction) { return nullptr; }

template <auto F>
absl::StatusOr<Shapes> Typed(const InferInput& input) {
  using A = std::remove_pointer_t<decltype(AttributesOf(F))>;
  const auto* attributes =
      std::get_if<std::remove_const_t<A>>(&input.attributes);
  if (attributes == nullptr) return Invalid("has another op's attributes");
  if constexpr (std::is_same_v<std::remove_const_t<A>, NoAttributes>) {
    return F(input);
  } else {
    return F(input, *attributes);
  }
}

constexpr InferFunction kInferFunctions[] = {
#define XLA_BYOL_ROW(Name, mnemonic, operands, types, inference, derivative) \
  Typed<Infer##inference>,
    XLA_BYOL_ALL_OPS(XLA_BYOL_ROW)
#undef XLA_BYOL_ROW
};

bool Accepts(OperandTypes types, DType dtype) {
  switch (types) {
    case OperandTypes::kAll:
      return true;
    case OperandTypes::kNumber:
      return dtype != DType::kPred;
    case OperandTypes::kSigned:
      return IsSigned(dtype);
    case OperandTypes::kFloat:
      return IsFloat(dtype);
    case OperandTypes::kInteger:
      return IsInteger(dtype);
    case OperandTypes::kLogical:
      return !IsFloat(dtype);
  }
  return false;
}

const char* Describe(OperandTypes types) {
  switch (types) {
    case OperandTypes::kAll:
      return "any type";
    case OperandTypes::kNumber:
      return "integers or floats";
    case OperandTypes::kSigned:
      return "signed integers or floats";
    case OperandTypes::kFloat:
      return "floats";
    case OperandTypes::kInteger:
      return "integers";
    case OperandTypes::kLogical:
      return "integers or pred";
  }
  return "";
}

}  // namespace

absl::StatusOr<Shapes> Infer(const InferInput& input) {
  const OpInfo& op = input.op;
  const int count = static_cast<int>(input.operands.size());
  if (op.operands != kAny && op.operands != count) {
    return Invalid("takes ", op.operands, " operands, got ", count);
  }
  for (const Shape* shape : input.operands) {
    if (!Accepts(op.types, shape->dtype)) {
      return Invalid("takes ", Describe(op.types), ", got ",
                     Name(shape->dtype));
    }
  }
  return kInferFunctions[static_cast<int>(op.code)](input);
}

absl::Status CheckAxes(const Dims& axes, int64_t rank, absl::string_view what) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || axes[i] >= rank) {
      return Invalid(what, " ", axes[i], " is not in [0,", rank, ")");
    }
    if (std::find(axes.begin(), axes.begin() + i, axes[i]) !=
        axes.begin() + i) {
      return Invalid(what, " ", axes[i], " is named twice");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSizes(const Dims& sizes, size_t rank, int64_t lowest,
                        absl::string_view what) {
  if (sizes.size() != rank) {
    return Invalid(what, " has ", sizes.size(), " values for ", rank,
                   " dimensions");
  }
  for (int64_t size : sizes) {
    if (size < lowest) {
      return Invalid(what, " ", ToString(sizes), " has a value below ", lowest);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckCombiner(Combiner combiner, DType dtype) {
  const bool logical = combiner == Combiner::kAnd || combiner == Combiner::kOr;
  if (logical && IsFloat(dtype)) {
    return Invalid("and/or combine integers or pred, got ", Name(dtype));
  }
  if (!logical && dtype == DType::kPred) {
    return Invalid("sum, max and min combine numbers, got pred");
  }
  return absl::OkStatus();
}

int64_t DilatedSize(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

int64_t WindowCount(int64_t padded, int64_t window, int64_t stride) {
  return padded < window ? 0 : (padded - window) / stride + 1;
}

}  // namespace xla_byol::graph
