#include "xla_byol/model/encoder.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace xla_byol {
namespace {

using graph::Scope;

// Our last parts of a name, and torchvision's.
constexpr std::pair<absl::string_view, absl::string_view> kLeaves[] = {
    {"w", "weight"},
    {"scale", "weight"},
    {"offset", "bias"},
    {"mean", "running_mean"},
    {"var", "running_var"}};

// "stage0" with the prefix "stage" gives 0; -1 for anything else.
int NumberAfter(absl::string_view text, absl::string_view prefix) {
  int number = -1;
  if (!absl::ConsumePrefix(&text, prefix) || !absl::SimpleAtoi(text, &number)) {
    return -1;
  }
  return number;
}

// "conv2" gives "conv2", "norm2" gives "bn2".
std::string LayerName(absl::string_view layer) {
  if (absl::ConsumePrefix(&layer, "norm")) return absl::StrCat("bn", layer);
  return std::string(layer);
}

}  // namespace

nn::ResNetOptions ResNetOptionsFor(const Config& config) {
  const Model& model = config.model();
  const Execution& execution = config.execution();
  return {
      // A validated config names an architecture and a stem that exist.
      .architecture = nn::FindArchitecture(model.architecture()).value(),
      .channels = int64_t{model.base_channels()} * model.width_multiplier(),
      .stem = nn::FindStem(Model::Stem_Name(model.stem())).value(),
      .padding = model.padding() == Model::TORCH ? nn::PaddingStyle::kTorch
                                                 : nn::PaddingStyle::kSame,
      .zero_init_residual = model.zero_init_residual(),
      .rematerialize = execution.rematerialize(),
      .layout = LayoutFor(config),
      .rewrites =
          {
              .pool_first = execution.pool_first(),
              .sliced_shortcuts_from = execution.sliced_shortcuts_from(),
              .packed_below = execution.packed_below(),
              .derived_statistics_to = execution.derived_statistics_to(),
          },
  };
}

nn::ViewLayout LayoutFor(const Config& config) {
  return config.execution().join_views() ? nn::ViewLayout::kJoined
                                         : nn::ViewLayout::kApart;
}

nn::Views Encode(const Config& config, nn::Variables& variables,
                 const nn::Views& images, const nn::BatchNormOptions& norm,
                 bool differentiated) {
  Scope scope(variables.graph(), kEncoderScope);
  nn::ResNetOptions options = ResNetOptionsFor(config);
  options.differentiated = differentiated;
  return nn::ResNet(variables, images, options, norm);
}

std::optional<absl::string_view> OnlineEncoderPath(absl::string_view path) {
  absl::ConsumePrefix(&path, "batch_stats/");
  if (absl::ConsumePrefix(&path, "online/") &&
      absl::ConsumePrefix(&path, kEncoderScope) &&
      absl::ConsumePrefix(&path, "/")) {
    return path;
  }
  return std::nullopt;
}

std::string TorchvisionName(absl::string_view path) {
  std::vector<absl::string_view> parts = absl::StrSplit(path, '/');
  std::string leaf;
  for (const auto& [ours, theirs] : kLeaves) {
    if (parts.back() == ours) leaf = std::string(theirs);
  }
  if (leaf.empty()) return "";
  const bool norm = absl::StrContains(path, "norm");
  if (parts.size() == 3 && parts[0] == "stem") {
    return absl::StrCat(norm ? "bn1." : "conv1.", leaf);
  }
  if (parts.size() < 4) return "";
  const int stage = NumberAfter(parts[0], "stage");
  const int block = NumberAfter(parts[1], "block");
  if (stage < 0 || block < 0) return "";
  const std::string layer = parts[2] == "shortcut"
                                ? absl::StrCat("downsample.", norm ? 1 : 0)
                                : LayerName(parts[2]);
  return absl::StrCat("layer", stage + 1, ".", block, ".", layer, ".", leaf);
}

}  // namespace xla_byol
