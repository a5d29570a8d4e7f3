#include "xla_byol/inspect/hardware.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace xla_byol {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

constexpr Hardware kHardware[] = {
    {"v2", "core", 2, 8 * kGiB, 350e9, 22.5e12, 0.70e9, 62e9, 16},
    {"v3", "core", 2, 16 * kGiB, 450e9, 61.5e12, 0.94e9, 70e9, 32},
    {"v4", "chip", 1, 32 * kGiB, 1228e9, 275e12, 1.05e9, 50e9, 4},
    {"v5e", "chip", 1, 16 * kGiB, 819e9, 197e12, 1.50e9, 50e9, 16},
    {"v5p", "chip", 1, 95 * kGiB, 2765e9, 459e12, 1.75e9, 100e9, 4},
    {"v6e", "chip", 1, 32 * kGiB, 1640e9, 918e12, 1.75e9, 112e9, 16},
    {"a100", "GPU", 1, 40'000'000'000, 1555e9, 312e12, 0, 300e9, 0},
    {"a100-80gb", "GPU", 1, 80'000'000'000, 2039e9, 312e12, 0, 300e9, 0},
    {"h100", "GPU", 1, 80'000'000'000, 3350e9, 989e12, 0, 450e9, 0},
};

}  // namespace

absl::StatusOr<Machine> FindMachine(absl::string_view topology, int devices) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(topology, absl::MaxSplits(':', 1));
  for (const Hardware& hardware : kHardware) {
    if (parts.first != hardware.name) continue;
    Machine machine{hardware, std::string(topology), {}, devices};
    for (const absl::string_view part : absl::StrSplit(parts.second, 'x')) {
      int dim = 0;
      if (absl::SimpleAtoi(part, &dim) && dim > 0) machine.dims.push_back(dim);
    }
    return machine;
  }
  return absl::NotFoundError(absl::StrCat(
      "nothing is known about the speed and links of '", topology, "'"));
}

}  // namespace xla_byol
