#include "xla_byol/kernels/kernels.h"

#include <cstdlib>
#include <map>
#include <memory>

#include "absl/base/const_init.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "xla_byol/graph/custom_call.h"
#include "xla_byol/kernels/convolution.h"
#include "xla_byol/kernels/moments.h"
#include "xla_byol/kernels/onednn.h"
#include "xla_byol/kernels/winograd_code.h"
#include "xla_byol/pjrt/custom_call.h"

namespace xla_byol::kernels {
namespace {

struct Row {
  const char* name;
  absl::Status (*register_with)(const pjrt::Plugin&, absl::string_view);
};

constexpr Row kRows[] = {
    {graph::kConvolutionCall, pjrt::RegisterCustomCall<Convolution>},
    {graph::kConvolutionInputGradientCall,
     pjrt::RegisterCustomCall<ConvolutionInputGradient>},
    {graph::kConvolutionKernelGradientCall,
     pjrt::RegisterCustomCall<ConvolutionKernelGradient>},
    {graph::kMomentsCall, pjrt::RegisterCustomCall<Moments>},
};

std::string WhyNot(const pjrt::Plugin& plugin) {
  const char* wish = std::getenv("XLA_BYOL_KERNELS");
  if (wish != nullptr && absl::string_view(wish) == "off") {
    return "XLA_BYOL_KERNELS=off";
  }
  if (!pjrt::HasCustomCalls(plugin)) return "the plugin has no custom calls";
  if (InstructionSet().empty()) {
    return absl::StrCat("oneDNN ", OnednnVersion(),
                        " would have to do without AVX2");
  }
  return "";
}

Kernels Register(const pjrt::Plugin& plugin) {
  const std::string why_not = WhyNot(plugin);
  if (!why_not.empty()) return {{}, absl::StrCat("XLA's own (", why_not, ")")};
  Kernels kernels{
      {},
      absl::StrCat(
          "oneDNN ", OnednnVersion(),
          winograd::FindCode() == nullptr ? "" : " and Winograd's algorithm",
          " with ", InstructionSet())};
  for (const Row& row : kRows) {
    const absl::Status status = row.register_with(plugin, row.name);
    if (!status.ok()) {
      return {{}, absl::StrCat("XLA's own (", status.message(), ")")};
    }
    kernels.custom_calls.push_back(row.name);
  }
  return kernels;
}

}  // namespace

const Kernels& RegisterKernels(const pjrt::Plugin& plugin) {
  static absl::Mutex mutex(absl::kConstInit);
  static auto& known =
      *new std::map<const pjrt::Plugin*, std::unique_ptr<const Kernels>>;
  absl::MutexLock lock(&mutex);
  std::unique_ptr<const Kernels>& kernels = known[&plugin];
  if (kernels == nullptr) {
    kernels = std::make_unique<const Kernels>(Register(plugin));
  }
  return *kernels;
}

}  // namespace xla_byol::kernels
