#include "xla_byol/inspect/scope_place.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace xla_byol {

ScopePlace PlaceOf(absl::string_view scope) {
  ScopePlace place{.part = "loss and rest", .pass = "forward"};
  const bool gradient = absl::ConsumePrefix(&scope, "gradient/");
  const bool recomputed = absl::ConsumePrefix(&scope, "recompute/");
  if (absl::ConsumePrefix(&scope, "momentum/")) {
    return {"optimizer", "update"};
  }
  // Running averages are computed by their layers.
  absl::ConsumePrefix(&scope, "batch_stats/");
  const std::vector<absl::string_view> path = absl::StrSplit(scope, '/');
  size_t at = 0;
  if (path[0] == "online" || path[0] == "target") {
    if (path[0] == "target") place.pass = "target";
    ++at;
  }
  if (at < path.size() && path[at] == "resnet") ++at;
  if (gradient) place.pass = "gradient";
  if (recomputed) place.pass = "recomputed";
  if (at == path.size()) {
    place.part = "pooling";
  } else if (path[at] == "augment" || absl::StartsWith(path[at], "draws") ||
             absl::StartsWith(path[at], "view")) {
    place.part = "augmentation";
  } else if (path[at] == "optimizer" || path[at] == "target_ema") {
    place = {std::string(path[at]), "update"};
  } else if (const auto& parts = PartOrder();
             std::find(parts.begin(), parts.end(), path[at]) != parts.end()) {
    place.part = std::string(path[at]);
  }
  return place;
}

const std::vector<std::string>& PartOrder() {
  static const auto& order = *new std::vector<std::string>{
      "augmentation", "stem",          "stage0",      "stage1",
      "stage2",       "stage3",        "pooling",     "projector",
      "predictor",    "probe",         "diagnostics", "optimizer",
      "target_ema",   "loss and rest", "collectives"};
  return order;
}

}  // namespace xla_byol
