#include "tests/step/step_case_list.h"

#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace xla_byol {
namespace {

// Small enough to run in seconds; every number differs from its neighbours, so
// that a mix-up shows.
const std::vector<std::string>& TinyModel() {
  static const auto* tiny =
      new std::vector<std::string>{"data.image_size=12",
                                   "data.classes=5",
                                   "data.augmentation=false",
                                   "data.train_images=1000",
                                   "model.architecture=tiny",
                                   "model.stem=small",
                                   "model.base_channels=4",
                                   "model.projector_hidden_size=24",
                                   "model.projector_output_size=8",
                                   "predictor.hidden_size=20",
                                   "schedule.batch_size=16",
                                   "schedule.warmup_epochs=0",
                                   "optimizer.weight_decay=1e-3",
                                   "optimizer.trust_coefficient=0.01"};
  return *tiny;
}

std::vector<std::string> Tiny(std::vector<std::string> more) {
  std::vector<std::string> all = TinyModel();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

struct Kind {
  const char* name;
  std::vector<std::string> set;
  bool whole_parts = false;
  float learning_rate = 0.02f;
};

}  // namespace

std::vector<StepCase> ClosedFormCases() {
  const Kind kinds[] = {
      {"closed_newton_schulz", {"predictor.kind=newton_schulz"}},
      {"closed_lrp", {"predictor.kind=lrp", "predictor.iterations=24"}},
      {"closed_ne", {"predictor.kind=ne"}},
      {"closed_visser",
       {"predictor.kind=visser", "predictor.iterations=30",
        "predictor.visser_step=0.01"}},
      {"closed_ns2", {"predictor.kind=ns2"}},
      {"closed_stiefel", {"predictor.kind=stiefel"}},
      {"closed_directpred", {"predictor.kind=directpred"}},
      {"closed_directcopy", {"predictor.kind=directcopy"}},
      {"closed_lrp2", {"predictor.kind=lrp2"}},
      // On eight devices a group is two devices' images, and half of one's.
      {"closed_groups_of_8",
       {"predictor.kind=newton_schulz", "predictor.covariance_images=8"}},
      {"closed_groups_of_2",
       {"predictor.kind=newton_schulz", "predictor.covariance_images=2",
        "predictor.both_views=true"}},
      {"closed_average_covariance",
       {"predictor.kind=newton_schulz", "predictor.average=covariance"}},
  };
  std::vector<StepCase> cases;
  for (const Kind& kind : kinds) {
    // The decay is small so that P is mostly this batch's.
    for (const int devices : {1, 8}) {
      std::vector<std::string> set =
          Tiny({"data.augmentation=true", "data.image_size=20",
                "schedule.batch_size=32", "predictor.decay=0.3"});
      set.insert(set.end(), kind.set.begin(), kind.set.end());
      cases.push_back({.name = kind.name, .set = set, .devices = devices});
    }
  }
  // As the demo has it: the stages see 7, 4, 2 pixels and 1.
  cases.push_back({.name = "closed_gray",
                   .set = Tiny({"data.augmentation=true", "data.image_size=28",
                                "data.channels=1", "model.architecture=small",
                                "model.stem=imagenet"})});
  // Channels as in real networks, for which CPUs have kernels of their own
  // (kernels/winograd.h). Away from kinks, since so many channels have many.
  cases.push_back(
      {.name = "closed_wide",
       .set = Tiny({"data.image_size=16", "model.base_channels=64"}),
       .smooth = true});
  cases.push_back({.name = "closed_diagnostics",
                   .set = Tiny({"predictor.iterations=5"}),
                   .diagnostics = true});
  return cases;
}

std::vector<StepCase> MethodCases() {
  // Few pixels, so that hardly ever a ReLU's input is rounded across 0.
  const Kind kinds[] = {
      {"method_barlow_twins", {"method.kind=barlow_twins"}},
      {"method_vicreg", {"method.kind=vicreg"}},
      {"method_liu", {"method.kind=liu"}},
      // A part in two, one or half a device of the eight.
      {"method_liu_4_parts", {"method.kind=liu", "method.partitions=4"}},
      {"method_liu_8_parts", {"method.kind=liu", "method.partitions=8"}, true},
      {"method_liu_16_parts",
       {"method.kind=liu", "method.partitions=16"},
       true},
      {"method_eigenmap",
       {"method.kind=eigenmap", "model.joint_statistics=true"}},
      {"method_eigenmap_ordered",
       {"method.kind=eigenmap", "method.ordered=true"}},
  };
  std::vector<StepCase> cases;
  for (const Kind& kind : kinds) {
    for (const int devices : {1, 8}) {
      for (const bool sharded : {false, true}) {
        // Nothing is sharded where a device has whole parts.
        if (sharded && (devices == 1 || kind.whole_parts)) continue;
        std::vector<std::string> set =
            Tiny({"data.image_size=8", "schedule.batch_size=32",
                  sharded ? "execution.sharded_products_from=1"
                          : "execution.sharded_products_from=100"});
        set.insert(set.end(), kind.set.begin(), kind.set.end());
        cases.push_back(
            {.name = absl::StrCat(kind.name, sharded ? "_sharded" : ""),
             .set = set,
             .devices = devices});
      }
    }
  }
  // Three steps at the rates that are usual for an optimizer. At 0.02 AdamW's
  // steps move inputs of ReLUs across 0, and JAX's own f32 is 2e-2 from its f64
  // after three; SimSiam's batch norms over 16 images do the same, by 0.3.
  const Kind pieces[] = {
      // The authors' 0.05 for 256 images.
      {.name = "piece_simsiam_as_published",
       .set = {"method.kind=simsiam", "method.loss_weight=0.25",
               "predictor.kind=mlp", "predictor.hidden_bias=false",
               "predictor.output_bias=true", "model.projector_sizes=[12,10,8]",
               "model.projector_norms=[BATCH,BATCH,PLAIN]",
               "optimizer.kind=sgd", "optimizer.constant_predictor_rate=true",
               "optimizer.base_learning_rate=0.03"},
       .learning_rate = 0.05f * 16 / 256},
      {"piece_sgd_nesterov",
       {"predictor.kind=linear", "optimizer.kind=sgd",
        "optimizer.nesterov=true", "optimizer.decayed=matrices",
        "optimizer.predictor_rate=0.5"}},
      // Not 1e-8: that would make steps of one size of gradients that are
      // nothing but rounding.
      {.name = "piece_adamw",
       .set = {"predictor.kind=mlp", "optimizer.kind=adamw",
               "optimizer.epsilon=0.001", "optimizer.decayed=all"},
       .learning_rate = 0.001f},
      {"piece_vector_rate",
       {"method.kind=barlow_twins", "optimizer.vector_rate=0.024",
        "optimizer.decayed=all", "model.projector_sizes=[24,8]",
        "model.projector_bias=[true,true]"}},
      {"piece_joint_statistics",
       {"predictor.kind=mlp", "model.joint_statistics=true"}},
      {"piece_directcopy_normalized", {"predictor.kind=directcopy_normalized"}},
      {"piece_train_between",
       {"predictor.kind=directpred", "predictor.update_interval=2",
        "predictor.train_between=true"}},
  };
  for (const Kind& piece : pieces) {
    std::vector<std::string> set = Tiny({"data.image_size=8"});
    set.insert(set.end(), piece.set.begin(), piece.set.end());
    cases.push_back({.name = piece.name,
                     .set = set,
                     .snapshots = {1, 3},
                     .learning_rate = piece.learning_rate});
  }
  return cases;
}

std::vector<StepCase> RewriteCases() {
  // Stages of 4, 8, 16 and 32 inner channels: packed, packed and derived,
  // derived, and neither.
  const std::pair<const char*, const char*> rewrites[] = {
      {"pool_first", "=true"},
      {"sliced_shortcuts_from", "=1"},
      {"packed_below", "=16"},
      {"derived_statistics_to", "=16"},
      {"sharded_norms", "=true"}};
  std::vector<Kind> kinds = {{"rewrites_none", {}}, {"rewrites_all", {}}};
  for (const auto& [name, value] : rewrites) {
    kinds[1].set.push_back(absl::StrCat("execution.", name, value));
  }
  std::vector<StepCase> cases;
  const auto add = [&cases](const std::string& name,
                            const std::vector<std::string>& more, int devices) {
    // Few pixels, so that hardly ever a ReLU's input is rounded across 0.
    std::vector<std::string> set =
        Tiny({"model.architecture=resnet14", "model.stem=imagenet",
              "data.image_size=18"});
    set.insert(set.end(), more.begin(), more.end());
    cases.push_back({.name = name, .set = set, .devices = devices});
  };
  for (const Kind& kind : kinds) {
    for (const int devices : {1, 8}) add(kind.name, kind.set, devices);
  }
  for (size_t i = 0; i < std::size(rewrites); ++i) {
    const std::string name = rewrites[i].first;
    std::vector<std::string> others = kinds[1].set;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    add(absl::StrCat("rewrites_without_", name), others, 1);
  }
  std::vector<std::string> torch = kinds[1].set;
  torch.push_back("model.padding=torch");
  torch.push_back("execution.rematerialize=true");
  add("rewrites_all_torch_rematerialized", torch, 1);
  return cases;
}

std::vector<StepCase> NetworkCases() {
  std::vector<StepCase> cases;
  const Kind kinds[] = {
      {"newton_schulz", {"predictor.iterations=5"}},
      {"newton_schulz_options",
       {"predictor.normalize_covariance=true", "predictor.both_views=true",
        "predictor.ridge=0.3", "predictor.decay=0.5"}},
      {"linear", {"predictor.kind=linear"}},
      // Few pixels, as for the devices below: ten steps of this one double
      // what a single ReLU's input on the other side of 0 does, and again.
      {"mlp",
       {"predictor.kind=mlp", "optimizer.clip_trust=true",
        "optimizer.trust_coefficient=0.0001", "data.image_size=8"}},
      {"identity", {"predictor.kind=identity"}},
      {"simsiam", {"predictor.kind=mlp", "target.kind=none"}},
  };
  for (const Kind& kind : kinds) {
    cases.push_back(
        {.name = kind.name, .set = Tiny(kind.set), .snapshots = {1, 10}});
    std::vector<std::string> torch = Tiny(kind.set);
    torch.push_back("model.padding=torch");
    cases.push_back(
        {.name = absl::StrCat(kind.name, "_torch"), .set = std::move(torch)});
  }
  cases.push_back(
      {.name = "views_apart", .set = Tiny({"execution.join_views=false"})});
  // One global batch over any number of devices: compared with each other too.
  // Few pixels, so that hardly ever a ReLU's input is rounded across 0.
  const auto devices = [&cases](const char* name, int count, const char* set) {
    cases.push_back({.name = name,
                     .set = Tiny({"data.image_size=8", set}),
                     .snapshots = {10},
                     .devices = count});
  };
  for (const int count : {1, 2, 4, 8}) {
    devices("devices", count, "execution.sharded_update=false");
  }
  devices("devices_sharded", 4, "execution.sharded_update=true");
  cases.push_back({.name = "rematerialized",
                   .set = Tiny({"execution.rematerialize=true"})});
  // Residual branches that start small keep fifty layers well conditioned:
  // otherwise rounding alone moves gradients by percents, in JAX as well.
  for (const bool smooth : {false, true}) {
    cases.push_back(
        {.name = smooth ? "resnet50_smooth" : "resnet50",
         .set = {"model.architecture=resnet50", "data.image_size=64",
                 "data.augmentation=false", "model.zero_init_residual=true",
                 "schedule.batch_size=8", "schedule.warmup_epochs=0"},
         .smooth = smooth});
  }
  return cases;
}

}  // namespace xla_byol
