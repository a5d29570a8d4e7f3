// NVIDIA's GPUs, through JAX's CUDA plugin.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/gpu_targets.h"
#include "xla_byol/pjrt/platform_rows.h"
#include "xla_byol/pjrt/plugin_search.h"

namespace xla_byol::pjrt {
namespace {

constexpr char kPtxas[] = "nvidia/cuda_nvcc/bin/ptxas";

bool HasNvidiaDriver() {
  std::error_code ignored;
  return std::filesystem::exists("/dev/nvidiactl", ignored);
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void PutXlaFlag(const std::string& flag, const std::string& value) {
  const std::string flags = Environment("XLA_FLAGS");
  if (absl::StrContains(flags, flag)) return;
  setenv("XLA_FLAGS", absl::StrCat(flags, " ", flag, "=", value).c_str(), 1);
}

// NVIDIA's ptxas from the runfiles onto PATH, and its folder into XLA_FLAGS.
void PreparePtxas() {
  const std::filesystem::path ptxas = FindRunfile(kPtxas);
  if (ptxas.empty()) return;
  const std::string bin = ptxas.parent_path().string();
  const std::string old_path = Environment("PATH");
  if (!absl::StrContains(old_path, bin)) {
    setenv("PATH", absl::StrCat(bin, ":", old_path).c_str(), 1);
  }
  PutXlaFlag("--xla_gpu_cuda_data_dir",
             ptxas.parent_path().parent_path().string());
}

absl::StatusOr<NamedValues> GpuClientOptions(const ClientOptions& options) {
  NamedValues values{{"memory_fraction", options.gpu_memory_fraction},
                     {"preallocate", options.gpu_preallocate}};
  if (!options.gpu_visible_devices.empty()) {
    values.emplace("visible_devices", options.gpu_visible_devices);
  }
  if (options.processes > 1) {
    values.emplace("node_id", int64_t{options.process});
    values.emplace("num_nodes", int64_t{options.processes});
  }
  return values;
}

bool IsGpuTopology(absl::string_view name) {
  const absl::string_view target = name.substr(0, name.find(':'));
  for (const GpuTarget& known : GpuTargets()) {
    if (target == known.name) return true;
  }
  return false;
}

}  // namespace

constinit const PlatformInfo kGpuPlatform = {
    .platform = Platform::kGpu,
    .name = "gpu",
    .client_name = "cuda",
    .path_variables = {"PJRT_PLUGIN_PATH", nullptr, nullptr},
    .runfile = "jax_plugins/xla_cuda12/xla_cuda_plugin.so",
    .label = "@pjrt_gpu//:plugin",
    .in_every_build = false,
    .host_instructions = false,
    .hardware_present = HasNvidiaDriver,
    .prepare_environment = PreparePtxas,
    .client_options = GpuClientOptions,
    .has_topology = IsGpuTopology,
    .topology_options = GpuTopologyOptions,
    .topology_example = "a100:8",
    .topology_hint = "use TARGET:DEVICES such as a100:8",
    .required_flags = {},
};

}  // namespace xla_byol::pjrt
