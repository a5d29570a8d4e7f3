#include "xla_byol/kernels/convolution.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/kernels/convolution_plan.h"
#include "xla_byol/kernels/winograd.h"
#include "xla_byol/kernels/workspace.h"

namespace xla_byol::kernels {
namespace {

using pjrt::CustomCall;

template <size_t kSize>
absl::Status Read(absl::Span<const int64_t> from, const char* what,
                  std::array<int64_t, kSize>& to) {
  if (from.size() != kSize) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, " has ", from.size(), " numbers instead of ", kSize));
  }
  std::copy(from.begin(), from.end(), to.begin());
  return absl::OkStatus();
}

absl::StatusOr<ConvolutionSizes> SizesOf(const CustomCall& call,
                                         ConvolutionKind kind) {
  if (call.operands() != 2 || call.results() != 1) {
    return absl::InvalidArgumentError("takes two operands and has one result");
  }
  ConvolutionSizes sizes{.kind = kind};
  std::array<int64_t, 4>* const parts[][3] = {
      {&sizes.images, &sizes.kernel, &sizes.result},
      {&sizes.result, &sizes.kernel, &sizes.images},
      {&sizes.images, &sizes.result, &sizes.kernel}};
  const auto& [lhs, rhs, out] = parts[static_cast<int>(kind)];
  RETURN_IF_ERROR(Read(call.operand_dims(0), "the first operand", *lhs));
  RETURN_IF_ERROR(Read(call.operand_dims(1), "the second operand", *rhs));
  RETURN_IF_ERROR(Read(call.result_dims(0), "the result", *out));
  ASSIGN_OR_RETURN(absl::Span<const int64_t> strides, call.Integers("strides"));
  RETURN_IF_ERROR(Read(strides, "strides", sizes.strides));
  ASSIGN_OR_RETURN(absl::Span<const int64_t> dilation,
                   call.Integers("dilation"));
  RETURN_IF_ERROR(Read(dilation, "dilation", sizes.dilation));
  ASSIGN_OR_RETURN(absl::Span<const int64_t> padding, call.Integers("padding"));
  RETURN_IF_ERROR(Read(padding, "padding", sizes.padding));
  if (sizes.images[0] != sizes.result[0]) {
    return absl::InvalidArgumentError(absl::StrCat(
        "images are ", sizes.images[0], ", results ", sizes.result[0]));
  }
  return sizes;
}

size_t Elements(const std::array<int64_t, 4>& dims) {
  return static_cast<size_t>(dims[0] * dims[1] * dims[2] * dims[3]);
}

// Keeps the error of the first part that failed, by the parts' order in time.
class FirstError {
 public:
  void Update(absl::Status status) {
    if (status.ok() || failed_.exchange(true)) return;
    status_ = std::move(status);
  }
  // After all parts are done.
  absl::Status Take() { return std::move(status_); }

 private:
  std::atomic<bool> failed_{false};
  absl::Status status_;
};

// Which images each of `count` parts has; sizes differ by one at most.
struct Parts {
  int64_t images;
  int64_t count;

  int64_t begin(int64_t part) const { return images * part / count; }
  int64_t size(int64_t part) const { return begin(part + 1) - begin(part); }
};

// sums[i] += terms[0][i] + terms[1][i] + ..., `count` arrays of a kernel's size
// behind each other.
void AddParts(const CustomCall& call, const float* terms, int64_t count,
              absl::Span<float> sums) {
  constexpr size_t kLeast = 16384;  // below that one thread is faster
  const int ranges = static_cast<int>(std::clamp<size_t>(
      sums.size() / kLeast, 1, static_cast<size_t>(call.threads())));
  const size_t stride = RoundUp(sums.size() * sizeof(float)) / sizeof(float);
  call.ParallelFor(ranges, [&](int range) {
    const size_t begin =
        sums.size() * static_cast<size_t>(range) / static_cast<size_t>(ranges);
    const size_t end = sums.size() * static_cast<size_t>(range + 1) /
                       static_cast<size_t>(ranges);
    for (int64_t part = 0; part < count; ++part) {
      const float* term = terms + static_cast<size_t>(part) * stride;
      for (size_t i = begin; i < end; ++i) sums[i] += term[i];
    }
  });
}

// By oneDNN, which computes each thread's images as a batch of their own.
absl::Status RunOnednn(const CustomCall& call, const ConvolutionSizes& sizes,
                       absl::Span<const float> lhs, absl::Span<const float> rhs,
                       absl::Span<float> out) {
  const bool gradient = sizes.kind == ConvolutionKind::kKernelGradient;
  const Parts parts{sizes.images[0],
                    std::min<int64_t>(sizes.images[0], call.threads())};
  const size_t images = static_cast<size_t>(sizes.images[0]);
  const size_t lhs_stride = lhs.size() / images;
  const size_t rhs_stride = gradient ? rhs.size() / images : 0;
  const size_t out_stride = gradient ? 0 : out.size() / images;

  // All parts but the first have a kernel's gradient of their own.
  const size_t kernel_bytes = RoundUp(Elements(sizes.kernel) * sizeof(float));
  const Workspace sums(
      gradient ? kernel_bytes * static_cast<size_t>(parts.count - 1) : 0);
  if (sums.data() == nullptr) return absl::ResourceExhaustedError("no memory");
  FirstError error;
  call.ParallelFor(static_cast<int>(parts.count), [&](int part) {
    ConvolutionSizes own = sizes;
    own.images[0] = own.result[0] = parts.size(part);
    const absl::StatusOr<ConvolutionPlan*> plan = ConvolutionPlan::Find(own);
    if (!plan.ok()) return error.Update(plan.status());
    const Workspace workspace((*plan)->workspace_bytes());
    if (workspace.data() == nullptr) {
      return error.Update(absl::ResourceExhaustedError("no memory"));
    }
    const size_t begin = static_cast<size_t>(parts.begin(part));
    float* to = out.data() + begin * out_stride;
    if (gradient && part > 0) {
      to = reinterpret_cast<float*>(
          sums.data() + kernel_bytes * static_cast<size_t>(part - 1));
    }
    error.Update((*plan)->Run(lhs.data() + begin * lhs_stride,
                              rhs.data() + begin * rhs_stride, to,
                              workspace.data()));
  });
  RETURN_IF_ERROR(error.Take());
  if (gradient && parts.count > 1) {
    AddParts(call, reinterpret_cast<const float*>(sums.data()), parts.count - 1,
             out);
  }
  return absl::OkStatus();
}

absl::Status Run(const CustomCall& call, ConvolutionKind kind) {
  ASSIGN_OR_RETURN(const ConvolutionSizes sizes, SizesOf(call, kind));
  ASSIGN_OR_RETURN(absl::Span<const float> lhs, call.Operand<float>(0));
  ASSIGN_OR_RETURN(absl::Span<const float> rhs, call.Operand<float>(1));
  ASSIGN_OR_RETURN(absl::Span<float> out, call.Result<float>(0));
  if (!WinogradSuits(sizes)) return RunOnednn(call, sizes, lhs, rhs, out);
  const auto run = [&](int count, absl::FunctionRef<void(int)> task) {
    call.ParallelFor(count, task);
  };
  return WinogradConvolution(sizes, lhs.data(), rhs.data(), out.data(),
                             {call.threads(), run});
}

}  // namespace

absl::Status Convolution(const CustomCall& call) {
  return Run(call, ConvolutionKind::kForward);
}

absl::Status ConvolutionInputGradient(const CustomCall& call) {
  return Run(call, ConvolutionKind::kInputGradient);
}

absl::Status ConvolutionKernelGradient(const CustomCall& call) {
  return Run(call, ConvolutionKind::kKernelGradient);
}

}  // namespace xla_byol::kernels
