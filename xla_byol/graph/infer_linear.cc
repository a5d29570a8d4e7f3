// dot_general and convolution.

#include <algorithm>

#include "xla_byol/base/status_macros.h"
#include "xla_byol/graph/infer.h"

namespace xla_byol::graph {
namespace {

Dims Joined(const Dims& a, const Dims& b) {
  Dims all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

absl::Status CheckPairs(const Shape& lhs, const Dims& lhs_axes,
                        const Shape& rhs, const Dims& rhs_axes,
                        absl::string_view what) {
  if (lhs_axes.size() != rhs_axes.size()) {
    return Invalid(what, " dimensions ", ToString(lhs_axes), " and ",
                   ToString(rhs_axes), " do not pair up");
  }
  for (size_t i = 0; i < lhs_axes.size(); ++i) {
    if (lhs.dims[lhs_axes[i]] != rhs.dims[rhs_axes[i]]) {
      return Invalid(what, " dimensions ", lhs_axes[i], " and ", rhs_axes[i],
                     " have sizes ", lhs.dims[lhs_axes[i]], " and ",
                     rhs.dims[rhs_axes[i]]);
    }
  }
  return absl::OkStatus();
}

void AppendFree(const Shape& shape, const Dims& used, Dims* dims) {
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (std::find(used.begin(), used.end(), i) == used.end()) {
      dims->push_back(shape.dims[i]);
    }
  }
}

absl::Status CheckLayout(const Shape& shape, int64_t first, int64_t second,
                         const Dims& spatial, absl::string_view what) {
  Dims axes = Joined({first, second}, spatial);
  if (static_cast<int64_t>(axes.size()) != shape.rank()) {
    return Invalid("the ", what, " has rank ", shape.rank(),
                   ", the dimension numbers name ", axes.size());
  }
  return CheckAxes(axes, shape.rank(), absl::StrCat(what, " dimension"));
}

// Channels, batch and groups of a convolution whose layouts are checked.
absl::Status CheckGroups(const Shape& lhs, const Shape& rhs,
                         const ConvAttributes& attributes) {
  const ConvDimensions& d = attributes.dimensions;
  const int64_t groups = attributes.feature_groups;
  const int64_t batch_groups = attributes.batch_groups;
  if (groups < 1 || batch_groups < 1 ||
      (groups > 1 && batch_groups > 1)) {  // (C21), (C22), (C23)
    return Invalid("cannot use ", groups, " feature groups and ", batch_groups,
                   " batch groups");
  }
  const int64_t batch = lhs.dims[d.input_batch];
  const int64_t channels = lhs.dims[d.input_feature];
  const int64_t kernel_in = rhs.dims[d.kernel_input_feature];
  const int64_t kernel_out = rhs.dims[d.kernel_output_feature];
  if (channels % groups != 0 || channels / groups != kernel_in) {
    return Invalid("input has ", channels, " channels",  // (C11), (C14)
                   groups > 1 ? absl::StrCat(" in ", groups, " groups") : "",
                   ", kernel expects ", kernel_in);
  }
  if (batch % batch_groups != 0) {  // (C10)
    return Invalid("a batch of ", batch, " has no ", batch_groups, " groups");
  }
  if (kernel_out % groups != 0 || kernel_out % batch_groups != 0) {
    return Invalid("kernel has ", kernel_out,
                   " output channels for ",  // (C15), (C16)
                   std::max(groups, batch_groups), " groups");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shapes> InferDotGeneral(const InferInput& input,
                                       const DotAttributes& attributes) {
  const Shape& lhs = input.operand(0);
  const Shape& rhs = input.operand(1);
  if (lhs.dtype != rhs.dtype) {  // (C13)
    return Invalid("operands have types ", Name(lhs.dtype), " and ",
                   Name(rhs.dtype), ", convert one");
  }
  const Dims lhs_used = Joined(attributes.lhs_batch, attributes.lhs_contract);
  const Dims rhs_used = Joined(attributes.rhs_batch, attributes.rhs_contract);
  RETURN_IF_ERROR(  // (C3), (C5), (C6)
      CheckAxes(lhs_used, lhs.rank(), "left dimension"));
  RETURN_IF_ERROR(  // (C4), (C7), (C8)
      CheckAxes(rhs_used, rhs.rank(), "right dimension"));
  RETURN_IF_ERROR(CheckPairs(lhs, attributes.lhs_batch, rhs,  // (C1), (C9)
                             attributes.rhs_batch, "batch"));
  RETURN_IF_ERROR(CheckPairs(lhs, attributes.lhs_contract, rhs,  // (C2), (C10)
                             attributes.rhs_contract, "contracting"));
  Shape result{lhs.dtype, {}};
  for (int64_t axis : attributes.lhs_batch) {
    result.dims.push_back(lhs.dims[axis]);
  }
  AppendFree(lhs, lhs_used, &result.dims);
  AppendFree(rhs, rhs_used, &result.dims);
  return Shapes{result};  // (C12)
}

absl::StatusOr<Shapes> InferConvolution(const InferInput& input,
                                        const ConvAttributes& attributes) {
  const Shape& lhs = input.operand(0);
  const Shape& rhs = input.operand(1);
  const ConvDimensions& d = attributes.dimensions;
  const size_t spatial = d.input_spatial.size();
  if (lhs.dtype != rhs.dtype) {  // (C27)
    return Invalid("operands have types ", Name(lhs.dtype), " and ",
                   Name(rhs.dtype), ", convert one");
  }
  if (lhs.rank() != rhs.rank()) {  // (C1)
    return Invalid("operands have ranks ", lhs.rank(), " and ", rhs.rank());
  }
  RETURN_IF_ERROR(CheckLayout(lhs, d.input_batch, d.input_feature,
                              d.input_spatial, "input"));  // (C12), (C13)
  RETURN_IF_ERROR(CheckLayout(rhs, d.kernel_input_feature,
                              d.kernel_output_feature, d.kernel_spatial,
                              "kernel"));  // (C17), (C18)
  RETURN_IF_ERROR(CheckLayout(lhs, d.output_batch, d.output_feature,
                              d.output_spatial, "output"));  // (C19), (C20)
  RETURN_IF_ERROR(                                           // (C2), (C3)
      CheckSizes(attributes.strides, spatial, 1, "strides"));
  RETURN_IF_ERROR(  // (C5), (C6)
      CheckSizes(attributes.lhs_dilation, spatial, 1, "lhs dilation"));
  RETURN_IF_ERROR(  // (C7), (C8)
      CheckSizes(attributes.rhs_dilation, spatial, 1, "rhs dilation"));
  if (attributes.padding.size() != spatial) {  // (C4)
    return Invalid("padding has ", attributes.padding.size(), " pairs for ",
                   spatial, " spatial dimensions");
  }
  RETURN_IF_ERROR(CheckGroups(lhs, rhs, attributes));
  Shape result{lhs.dtype, Dims(lhs.rank())};
  result.dims[d.output_batch] =
      lhs.dims[d.input_batch] / attributes.batch_groups;
  result.dims[d.output_feature] = rhs.dims[d.kernel_output_feature];
  for (size_t i = 0; i < spatial; ++i) {  // (C25)
    const auto& [low, high] = attributes.padding[i];
    const int64_t padded =
        DilatedSize(lhs.dims[d.input_spatial[i]], attributes.lhs_dilation[i]) +
        low + high;
    const int64_t window =
        DilatedSize(rhs.dims[d.kernel_spatial[i]], attributes.rhs_dilation[i]);
    const int64_t count = WindowCount(padded, window, attributes.strides[i]);
    if (count == 0) {
      return Invalid("a window of ", window, " does not fit spatial dimension ",
                     i, " of padded size ", padded);
    }
    result.dims[d.output_spatial[i]] = count;
  }
  return Shapes{result};
}

}  // namespace xla_byol::graph
