#include "xla_byol/pjrt/gpu_targets.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "xla_byol/base/nearest_name.h"

namespace xla_byol::pjrt {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kGB = 1'000'000'000;
constexpr int kKiB = 1 << 10;

// Columns in the order of GpuTarget's fields; bandwidth is in bytes a second.
// clang-format off
constexpr GpuTarget kTargets[] = {
    // name        device_name           compute  sm_*a   cores fpus  GHz   memory    bandwidth    L2         shared
    {"a100",      "NVIDIA A100-SXM4-40GB", 8, 0,  false,  108,   64,  1.41, 40 * kGB, 1555 * kGB,  40 * kMiB, 164 * kKiB},
    {"a100-80gb", "NVIDIA A100-SXM4-80GB", 8, 0,  false,  108,   64,  1.41, 80 * kGB, 2039 * kGB,  40 * kMiB, 164 * kKiB},
    {"h100",      "NVIDIA H100 80GB HBM3", 9, 0,  true,   132,  128,  1.98, 80 * kGB, 3350 * kGB,  50 * kMiB, 228 * kKiB},
};
// clang-format on

std::string Describe(const GpuTarget& target) {
  // Fields of the plugin's target description; those below without a target's
  // value hold for all of the table's architectures.
  const std::vector<std::pair<const char*, std::string>> device = {
      {"threads_per_block_limit", "1024"},
      {"threads_per_warp", "32"},
      {"threads_per_core_limit", "2048"},
      {"thread_dim_limit_x", "1024"},
      {"thread_dim_limit_y", "1024"},
      {"thread_dim_limit_z", "64"},
      {"block_dim_limit_x", "2147483647"},
      {"block_dim_limit_y", "65535"},
      {"block_dim_limit_z", "65535"},
      {"registers_per_core_limit", "65536"},
      {"registers_per_block_limit", "65536"},
      {"shared_memory_per_block", absl::StrCat(48 * kKiB)},
      {"shared_memory_per_block_optin",
       absl::StrCat(target.shared_memory_per_core - kKiB)},
      {"shared_memory_per_core", absl::StrCat(target.shared_memory_per_core)},
      {"core_count", absl::StrCat(target.core_count)},
      {"fpus_per_core", absl::StrCat(target.fpus_per_core)},
      {"clock_rate_ghz", absl::StrCat(target.clock_ghz)},
      {"device_memory_size", absl::StrCat(target.memory_bytes)},
      {"memory_bandwidth", absl::StrCat(target.memory_bandwidth)},
      {"l2_cache_size", absl::StrCat(target.l2_cache_bytes)},
  };
  return absl::StrCat(
      "platform_name: 'CUDA' device_description_str: '", target.device_name,
      "' dnn_version_info { major: 9 minor: 10 } gpu_device_info { ",
      absl::StrJoin(device, " ", absl::PairFormatter(": ")),
      " cuda_compute_capability { major: ", target.compute_major,
      " minor: ", target.compute_minor, " feature_extension: ",
      target.accelerated_features ? "ACCELERATED_FEATURES" : "NONE", " } }");
}

}  // namespace

absl::Span<const GpuTarget> GpuTargets() { return kTargets; }

absl::StatusOr<NamedValues> GpuTopologyOptions(const std::string& name) {
  const std::vector<std::string> parts = absl::StrSplit(name, ':');
  std::vector<std::string> known;
  for (const GpuTarget& target : kTargets) {
    known.push_back(target.name);
    if (parts[0] != target.name) continue;
    int devices = 0;
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &devices) ||
        devices < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("GPU topology '", name,
                       "' needs a number of devices: ", target.name, ":8"));
    }
    // Partitions x machines x devices.
    return NamedValues{{"target_config", Describe(target)},
                       {"topology", absl::StrCat("1x1x", devices)}};
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no GPU topology '", name, "': known GPUs are ",
                   absl::StrJoin(known, ", "), "; did you mean ",
                   NearestName(parts[0], known), ":",
                   parts.size() > 1 ? parts[1] : "1", "?"));
}

}  // namespace xla_byol::pjrt
