// Leaves and element-wise ops.

#include "xla_byol/base/status_macros.h"
#include "xla_byol/graph/infer.h"

namespace xla_byol::graph {
namespace {

// All operands have one shape and type. Functions in elementwise.h broadcast
// before they get here.
absl::Status CheckAlike(const InferInput& input) {
  for (const Shape* shape : input.operands) {
    if (shape->dtype != input.operand(0).dtype) {
      return Invalid("operands have types ", Name(input.operand(0).dtype),
                     " and ", Name(shape->dtype), ", convert one");
    }
    if (shape->dims != input.operand(0).dims) {
      return Invalid("operands have different dimensions");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckDims(const Dims& dims) {
  // XLA counts bytes in 63 bits; the product must not overflow either.
  constexpr int64_t kMostElements = int64_t{1} << 48;
  int64_t elements = 1;
  for (int64_t dim : dims) {
    if (dim < 0) return Invalid("has a negative dimension in ", ToString(dims));
    if (dim > kMostElements || (dim > 0 && elements > kMostElements / dim)) {
      return Invalid("has too many elements in ", ToString(dims));
    }
    elements *= dim > 0 ? dim : 1;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shapes> InferElementwise(const InferInput& input) {
  RETURN_IF_ERROR(CheckAlike(input));
  return Shapes{input.operand(0)};
}

absl::StatusOr<Shapes> InferPredicate(const InferInput& input) {
  return Shapes{{DType::kPred, input.operand(0).dims}};
}

absl::StatusOr<Shapes> InferParameter(const InferInput&,
                                      const ParameterAttributes& attributes) {
  if (attributes.name.empty()) return Invalid("a name is needed");
  RETURN_IF_ERROR(CheckDims(attributes.shape.dims));
  return Shapes{attributes.shape};
}

absl::StatusOr<Shapes> InferConstant(const InferInput&,
                                     const ConstantAttributes& attributes) {
  RETURN_IF_ERROR(CheckDims(attributes.shape.dims));
  const int64_t bytes = static_cast<int64_t>(attributes.data.size());
  if (!attributes.is_splat() && bytes != attributes.shape.bytes()) {  // (C1)
    return Invalid(attributes.shape.ToString(), " has ",
                   attributes.shape.bytes(), " bytes, the data has ", bytes);
  }
  return Shapes{attributes.shape};
}

absl::StatusOr<Shapes> InferIota(const InferInput&,
                                 const IotaAttributes& attributes) {
  const Shape& shape = attributes.shape;
  RETURN_IF_ERROR(CheckDims(shape.dims));
  if (shape.dtype == DType::kPred) return Invalid("cannot count in pred");
  RETURN_IF_ERROR(  // (C1)
      CheckAxes({attributes.dimension}, shape.rank(), "dimension"));
  return Shapes{shape};
}

absl::StatusOr<Shapes> InferCompare(const InferInput& input,
                                    const CompareAttributes&) {
  RETURN_IF_ERROR(CheckAlike(input));  // (C1), (C2)
  return Shapes{{DType::kPred, input.operand(0).dims}};
}

absl::StatusOr<Shapes> InferSelect(const InferInput& input) {
  const Shape& condition = input.operand(0);
  const Shape& on_true = input.operand(1);
  if (condition.dtype != DType::kPred) {
    return Invalid("the condition has type ", Name(condition.dtype),
                   ", not pred");
  }
  if (condition.rank() != 0 && condition.dims != on_true.dims) {  // (C1)
    return Invalid("the condition's dimensions differ from the choices'");
  }
  if (input.operand(2) != on_true)
    return Invalid("the choices differ");  // (C2)
  return Shapes{on_true};
}

absl::StatusOr<Shapes> InferClamp(const InferInput& input) {
  const Shape& operand = input.operand(1);
  for (int i : {0, 2}) {
    const Shape& bound = input.operand(i);
    if (bound.dtype != operand.dtype) {  // (C3)
      return Invalid("bound has type ", Name(bound.dtype), ", the operand ",
                     Name(operand.dtype));
    }
    if (bound.rank() != 0 && bound.dims != operand.dims) {  // (C1), (C2)
      return Invalid("bound is neither a scalar nor shaped like the operand");
    }
  }
  return Shapes{operand};
}

absl::StatusOr<Shapes> InferConvert(const InferInput& input,
                                    const ConvertAttributes& attributes) {
  return Shapes{{attributes.dtype, input.operand(0).dims}};
}

absl::StatusOr<Shapes> InferBitcastConvert(
    const InferInput& input, const ConvertAttributes& attributes) {
  const DType from = input.operand(0).dtype;
  // The spec allows different widths by an extra dimension (C1); we do not.
  if (ByteSize(from) != ByteSize(attributes.dtype) ||
      attributes.dtype == DType::kPred) {
    return Invalid(Name(from), " has not as many bits as ",
                   Name(attributes.dtype));
  }
  return Shapes{{attributes.dtype, input.operand(0).dims}};
}

absl::StatusOr<Shapes> InferStopGradient(const InferInput& input) {
  return Shapes{input.operand(0)};
}

absl::StatusOr<Shapes> InferWithGradientOf(const InferInput& input) {
  RETURN_IF_ERROR(CheckAlike(input));
  return Shapes{input.operand(0)};
}

}  // namespace xla_byol::graph
