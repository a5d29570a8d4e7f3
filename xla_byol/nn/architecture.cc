#include "xla_byol/nn/architecture.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/nearest_name.h"

namespace xla_byol::nn {
namespace {

constexpr Architecture kArchitectures[] = {
    {"resnet18", {2, 2, 2, 2}, false},  {"resnet34", {3, 4, 6, 3}, false},
    {"resnet50", {3, 4, 6, 3}, true},   {"resnet101", {3, 4, 23, 3}, true},
    {"resnet152", {3, 8, 36, 3}, true}, {"resnet200", {3, 24, 36, 3}, true},
    {"resnet14", {1, 1, 1, 1}, true},   {"resnet26", {2, 2, 2, 2}, true},
    {"small", {2, 2, 1, 1}, false},     {"tiny", {1, 1, 1, 1}, false},
};

constexpr Stem kStems[] = {
    {"IMAGENET", 7, 2, true, 17},
    {"SMALL", 3, 1, false, 8},
};

}  // namespace

absl::StatusOr<Stem> FindStem(absl::string_view name) {
  std::vector<std::string> names;
  for (const Stem& stem : kStems) {
    if (name == stem.name) return stem;
    names.emplace_back(stem.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no stem '", name, "'; did you mean '",
                   NearestName(name, names), "'?"));
}

absl::StatusOr<Architecture> FindArchitecture(absl::string_view name) {
  for (const Architecture& architecture : kArchitectures) {
    if (name == architecture.name) return architecture;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no architecture '", name, "'; did you mean '",
                   NearestName(name, ArchitectureNames()), "'?"));
}

std::vector<std::string> ArchitectureNames() {
  std::vector<std::string> names;
  for (const Architecture& architecture : kArchitectures) {
    names.emplace_back(architecture.name);
  }
  return names;
}

}  // namespace xla_byol::nn
