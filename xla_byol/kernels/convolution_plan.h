// How oneDNN computes one convolution (or one of its gradients) of given sizes:
// chosen and compiled once, then run by any number of threads.

#ifndef XLA_BYOL_KERNELS_CONVOLUTION_PLAN_H_
#define XLA_BYOL_KERNELS_CONVOLUTION_PLAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_byol/kernels/onednn.h"

namespace xla_byol::kernels {

enum class ConvolutionKind : int64_t {
  kForward,         // images, kernel -> result
  kInputGradient,   // cotangent of the result, kernel -> of the images
  kKernelGradient,  // images, cotangent of the result -> of the kernel
};

// Of the forward convolution, whatever the kind. One thread's part: the images
// are those that it computes.
struct ConvolutionSizes {
  ConvolutionKind kind;
  std::array<int64_t, 4> images;  // [n,h,w,i]
  std::array<int64_t, 4> kernel;  // [h,w,i,o]
  std::array<int64_t, 4> result;  // [n,h,w,o]
  std::array<int64_t, 2> strides;
  std::array<int64_t, 2> dilation;  // of the kernel; 1 is none
  std::array<int64_t, 4> padding;   // above, below, left, right

  bool operator==(const ConvolutionSizes&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const ConvolutionSizes& s) {
    return H::combine(std::move(h), s.kind, s.images, s.kernel, s.result,
                      s.strides, s.dilation, s.padding);
  }
};

class ConvolutionPlan {
 public:
  // UNIMPLEMENTED or INTERNAL if oneDNN refuses the sizes.
  static absl::StatusOr<std::unique_ptr<ConvolutionPlan>> Make(
      const ConvolutionSizes& sizes);
  // The one plan of these sizes, made at the first call; it lives as long as
  // the process. Thread-safe.
  static absl::StatusOr<ConvolutionPlan*> Find(const ConvolutionSizes& sizes);

  // Computes on the calling thread alone. Arrays are dense, f32, in the order
  // of ConvolutionKind; `workspace` has workspace_bytes(), aligned to cache
  // lines. Thread-safe.
  absl::Status Run(const float* lhs, const float* rhs, float* out,
                   std::byte* workspace);
  size_t workspace_bytes() const { return scratch_offset_ + scratch_bytes_; }

  // oneDNN's name of the code that it chose.
  const std::string& implementation() const { return implementation_; }

 private:
  // oneDNN's view of the arrays of one running call. Kept, since making them
  // allocates.
  struct Bindings {
    Memory lhs, rhs, out, packed, scratch;
  };

  explicit ConvolutionPlan(ConvolutionKind kind) : kind_(kind) {}
  absl::Status Initialize(const ConvolutionSizes& sizes);
  absl::StatusOr<std::unique_ptr<Bindings>> TakeBindings();
  absl::Status Execute(const Bindings& bindings);

  const ConvolutionKind kind_;
  Primitive primitive_;
  // Between the kernel as it is and as the primitive has it; null if equal.
  Primitive reorder_;
  MemoryDescriptor lhs_, rhs_, out_, packed_, scratch_;
  size_t scratch_offset_ = 0;
  size_t scratch_bytes_ = 0;
  std::string implementation_;

  // The standard library's, here and in workspace.cc: ThreadSanitizer does not
  // see into Debian's Abseil.
  std::mutex mutex_;  // of free_
  std::vector<std::unique_ptr<Bindings>> free_;
};

}  // namespace xla_byol::kernels

#endif  // XLA_BYOL_KERNELS_CONVOLUTION_PLAN_H_
