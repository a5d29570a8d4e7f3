#include "xla_byol/kernels/convolution_plan.h"

#include <shared_mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/kernels/workspace.h"

namespace xla_byol::kernels {
namespace {

constexpr auto kDirect = dnnl_convolution_direct;

// oneDNN names dimensions in the order n, c, h, w and o, i, h, w, whatever
// their order in memory.
absl::StatusOr<MemoryDescriptor> Images(const std::array<int64_t, 4>& d) {
  const dnnl_dims_t dims = {d[0], d[3], d[1], d[2]};
  dnnl_memory_desc_t made = nullptr;
  RETURN_IF_ERROR(Check(
      dnnl_memory_desc_create_with_tag(&made, 4, dims, dnnl_f32, dnnl_nhwc),
      "describe images"));
  return MemoryDescriptor(made);
}

absl::StatusOr<MemoryDescriptor> Kernel(const std::array<int64_t, 4>& d,
                                        dnnl_format_tag_t tag) {
  const dnnl_dims_t dims = {d[3], d[2], d[0], d[1]};
  dnnl_memory_desc_t made = nullptr;
  RETURN_IF_ERROR(
      Check(dnnl_memory_desc_create_with_tag(&made, 4, dims, dnnl_f32, tag),
            "describe a kernel"));
  return MemoryDescriptor(made);
}

absl::StatusOr<MemoryDescriptor> Copy(const_dnnl_memory_desc_t other) {
  dnnl_memory_desc_t made = nullptr;
  RETURN_IF_ERROR(
      Check(dnnl_memory_desc_clone(&made, other), "copy a description"));
  return MemoryDescriptor(made);
}

absl::StatusOr<Memory> MakeMemory(const MemoryDescriptor& descriptor) {
  dnnl_memory_t made = nullptr;
  RETURN_IF_ERROR(Check(dnnl_memory_create(&made, descriptor.get(), CpuEngine(),
                                           DNNL_MEMORY_NONE),
                        "bind memory"));
  return Memory(made);
}

void Bind(const Memory& memory, const void* data) {
  // Inputs are not written; the C interface has one type for all.
  dnnl_memory_set_data_handle(memory.get(), const_cast<void*>(data));
}

absl::StatusOr<PrimitiveAttributes> ScratchpadOfCaller() {
  dnnl_primitive_attr_t made = nullptr;
  RETURN_IF_ERROR(Check(dnnl_primitive_attr_create(&made), "make attributes"));
  PrimitiveAttributes attributes(made);
  RETURN_IF_ERROR(Check(
      dnnl_primitive_attr_set_scratchpad_mode(made, dnnl_scratchpad_mode_user),
      "set the scratchpad's mode"));
  return attributes;
}

absl::StatusOr<Primitive> MakePrimitive(const PrimitiveDescriptor& descriptor,
                                        const char* what) {
  dnnl_primitive_t made = nullptr;
  RETURN_IF_ERROR(Check(dnnl_primitive_create(&made, descriptor.get()), what));
  return Primitive(made);
}

// The descriptor of the kind's primitive, which chooses the kernel's layout.
absl::StatusOr<PrimitiveDescriptor> Choose(const ConvolutionSizes& s,
                                           const MemoryDescriptor& images,
                                           const MemoryDescriptor& result) {
  ASSIGN_OR_RETURN(const MemoryDescriptor kernel,
                   Kernel(s.kernel, dnnl_format_tag_any));
  ASSIGN_OR_RETURN(const PrimitiveAttributes attributes, ScratchpadOfCaller());
  const dnnl_dims_t strides = {s.strides[0], s.strides[1]};
  const dnnl_dims_t dilation = {s.dilation[0] - 1, s.dilation[1] - 1};
  const dnnl_dims_t low = {s.padding[0], s.padding[2]};
  const dnnl_dims_t high = {s.padding[1], s.padding[3]};
  dnnl_primitive_desc_t made = nullptr;
  RETURN_IF_ERROR(Check(dnnl_convolution_forward_primitive_desc_create(
                            &made, CpuEngine(), dnnl_forward_training, kDirect,
                            images.get(), kernel.get(), nullptr, result.get(),
                            strides, dilation, low, high, attributes.get()),
                        "plan a convolution"));
  PrimitiveDescriptor forward(made);
  if (s.kind == ConvolutionKind::kForward) return forward;
  if (s.kind == ConvolutionKind::kInputGradient) {
    RETURN_IF_ERROR(Check(dnnl_convolution_backward_data_primitive_desc_create(
                              &made, CpuEngine(), kDirect, images.get(),
                              kernel.get(), result.get(), strides, dilation,
                              low, high, forward.get(), attributes.get()),
                          "plan a convolution's input gradient"));
  } else {
    RETURN_IF_ERROR(
        Check(dnnl_convolution_backward_weights_primitive_desc_create(
                  &made, CpuEngine(), kDirect, images.get(), kernel.get(),
                  nullptr, result.get(), strides, dilation, low, high,
                  forward.get(), attributes.get()),
              "plan a convolution's kernel gradient"));
  }
  return PrimitiveDescriptor(made);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ConvolutionPlan>> ConvolutionPlan::Make(
    const ConvolutionSizes& sizes) {
  // Primitives remember how many threads their maker had.
  if (CpuEngine() == nullptr || ThreadStream() == nullptr) {
    return absl::InternalError("oneDNN does not start on this machine");
  }
  auto plan = std::unique_ptr<ConvolutionPlan>(new ConvolutionPlan(sizes.kind));
  RETURN_IF_ERROR(plan->Initialize(sizes));
  return plan;
}

absl::StatusOr<ConvolutionPlan*> ConvolutionPlan::Find(
    const ConvolutionSizes& sizes) {
  static std::shared_mutex mutex;
  // Never destroyed: the plugin's threads outlive main.
  static auto& plans =
      *new absl::flat_hash_map<ConvolutionSizes,
                               std::unique_ptr<ConvolutionPlan>>;
  {
    const std::shared_lock lock(mutex);
    const auto found = plans.find(sizes);
    if (found != plans.end()) return found->second.get();
  }
  const std::unique_lock lock(mutex);
  const auto found = plans.find(sizes);
  if (found != plans.end()) return found->second.get();
  ASSIGN_OR_RETURN(std::unique_ptr<ConvolutionPlan> plan, Make(sizes));
  return plans.emplace(sizes, std::move(plan)).first->second.get();
}

absl::Status ConvolutionPlan::Initialize(const ConvolutionSizes& sizes) {
  ASSIGN_OR_RETURN(MemoryDescriptor images, Images(sizes.images));
  ASSIGN_OR_RETURN(MemoryDescriptor kernel, Kernel(sizes.kernel, dnnl_hwio));
  ASSIGN_OR_RETURN(MemoryDescriptor result, Images(sizes.result));
  ASSIGN_OR_RETURN(const PrimitiveDescriptor descriptor,
                   Choose(sizes, images, result));
  ASSIGN_OR_RETURN(primitive_, MakePrimitive(descriptor, "compile a kernel"));
  const bool gradient = kind_ == ConvolutionKind::kKernelGradient;
  const_dnnl_memory_desc_t packed = dnnl_primitive_desc_query_md(
      descriptor.get(),
      gradient ? dnnl_query_diff_weights_md : dnnl_query_weights_md, 0);
  ASSIGN_OR_RETURN(packed_, Copy(packed));
  ASSIGN_OR_RETURN(scratch_,
                   Copy(dnnl_primitive_desc_query_md(
                       descriptor.get(), dnnl_query_scratchpad_md, 0)));
  scratch_bytes_ = dnnl_memory_desc_get_size(scratch_.get());
  const char* name = nullptr;
  dnnl_primitive_desc_query(descriptor.get(), dnnl_query_impl_info_str, 0,
                            &name);
  implementation_ = name == nullptr ? "unknown" : name;
  if (!dnnl_memory_desc_equal(packed_.get(), kernel.get())) {
    scratch_offset_ = RoundUp(dnnl_memory_desc_get_size(packed_.get()));
    dnnl_primitive_desc_t reorder = nullptr;
    RETURN_IF_ERROR(Check(
        dnnl_reorder_primitive_desc_create(
            &reorder, gradient ? packed_.get() : kernel.get(), CpuEngine(),
            gradient ? kernel.get() : packed_.get(), CpuEngine(), nullptr),
        "plan a kernel's layout"));
    ASSIGN_OR_RETURN(reorder_, MakePrimitive(PrimitiveDescriptor(reorder),
                                             "compile a kernel's layout"));
  }
  switch (kind_) {
    case ConvolutionKind::kForward:
      lhs_ = std::move(images), rhs_ = std::move(kernel);
      out_ = std::move(result);
      break;
    case ConvolutionKind::kInputGradient:
      lhs_ = std::move(result), rhs_ = std::move(kernel);
      out_ = std::move(images);
      break;
    case ConvolutionKind::kKernelGradient:
      lhs_ = std::move(images), rhs_ = std::move(result);
      out_ = std::move(kernel);
      break;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ConvolutionPlan::Bindings>>
ConvolutionPlan::TakeBindings() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Bindings> bindings = std::move(free_.back());
      free_.pop_back();
      return bindings;
    }
  }
  auto bindings = std::make_unique<Bindings>();
  ASSIGN_OR_RETURN(bindings->lhs, MakeMemory(lhs_));
  ASSIGN_OR_RETURN(bindings->rhs, MakeMemory(rhs_));
  ASSIGN_OR_RETURN(bindings->out, MakeMemory(out_));
  ASSIGN_OR_RETURN(bindings->packed, MakeMemory(packed_));
  ASSIGN_OR_RETURN(bindings->scratch, MakeMemory(scratch_));
  return bindings;
}

absl::Status ConvolutionPlan::Execute(const Bindings& b) {
  const bool gradient = kind_ == ConvolutionKind::kKernelGradient;
  const Memory& kernel = gradient ? b.out : b.rhs;
  const auto reorder = [&](const Memory& from, const Memory& to) {
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from.get()},
                                    {DNNL_ARG_TO, to.get()}};
    return Check(
        dnnl_primitive_execute(reorder_.get(), ThreadStream(), 2, args),
        "change a kernel's layout");
  };
  const bool reorders = reorder_ != nullptr;
  if (reorders && !gradient) RETURN_IF_ERROR(reorder(kernel, b.packed));
  dnnl_memory_t packed = reorders ? b.packed.get() : kernel.get();
  dnnl_exec_arg_t args[4];
  args[0] = {DNNL_ARG_SCRATCHPAD, b.scratch.get()};
  switch (kind_) {
    case ConvolutionKind::kForward:
      args[1] = {DNNL_ARG_SRC, b.lhs.get()};
      args[2] = {DNNL_ARG_WEIGHTS, packed};
      args[3] = {DNNL_ARG_DST, b.out.get()};
      break;
    case ConvolutionKind::kInputGradient:
      args[1] = {DNNL_ARG_DIFF_DST, b.lhs.get()};
      args[2] = {DNNL_ARG_WEIGHTS, packed};
      args[3] = {DNNL_ARG_DIFF_SRC, b.out.get()};
      break;
    case ConvolutionKind::kKernelGradient:
      args[1] = {DNNL_ARG_SRC, b.lhs.get()};
      args[2] = {DNNL_ARG_DIFF_DST, b.rhs.get()};
      args[3] = {DNNL_ARG_DIFF_WEIGHTS, packed};
      break;
  }
  RETURN_IF_ERROR(
      Check(dnnl_primitive_execute(primitive_.get(), ThreadStream(), 4, args),
            "run a kernel"));
  if (reorders && gradient) RETURN_IF_ERROR(reorder(b.packed, kernel));
  return Check(dnnl_stream_wait(ThreadStream()), "finish a kernel");
}

absl::Status ConvolutionPlan::Run(const float* lhs, const float* rhs,
                                  float* out, std::byte* workspace) {
  ASSIGN_OR_RETURN(std::unique_ptr<Bindings> bindings, TakeBindings());
  Bind(bindings->lhs, lhs);
  Bind(bindings->rhs, rhs);
  Bind(bindings->out, out);
  Bind(bindings->packed, workspace);
  Bind(bindings->scratch, workspace + scratch_offset_);
  absl::Status status = Execute(*bindings);
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(bindings));
  return status;
}

}  // namespace xla_byol::kernels
