// Methods: what training minimizes, computed from the latents of two views.
//
// A method is one file with its loss and its row, and a line in method.cc. The
// step, the state and the checks of a config ask the row, not the kind.

#ifndef XLA_BYOL_METHODS_METHOD_H_
#define XLA_BYOL_METHODS_METHOD_H_

#include <optional>

#include "absl/types/span.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/model/networks.h"

namespace xla_byol {

// What a loss is computed from: this replica's rows, [b,f] each.
struct MethodInputs {
  // Of the online network, standardized if the row says so; gradients pass.
  ViewPair projections;
  // What predictions are compared with: the target network's projections, or
  // the online one's where the method has no target. Gradients do not pass.
  ViewPair targets;
  // The predictor's of the projections; the projections themselves without a
  // predictor.
  ViewPair predictions;
  // The predictor's matrix [f,f] if it is one.
  graph::Value predictor;
};

// A field of the config's Method that the method has a use for, and its default
// there; all others are refused.
struct MethodSetting {
  const char* field;
  double default_value;
  bool per_feature = false;  // the default is divided by the latent size
};

struct MethodRow {
  Method::Kind kind;
  // A moving average of the online network makes the targets.
  bool has_target;
  // predictor.kind says what makes the predictions.
  bool has_predictor;
  // The only predictor that the loss can do with, and its default.
  std::optional<Predictor::Kind> only_predictor = std::nullopt;
  // Projections are standardized (global_batch.h) before the predictor and the
  // loss see them.
  bool standardizes = false;
  absl::Span<const MethodSetting> settings = {};
  // This replica's part of the loss; summed over replicas it is that of the
  // global batch.
  graph::Value (*loss)(const Config&, const MethodInputs&);
};

// All rows.
absl::Span<const MethodRow* const> Methods();

// The row of a kind; nullptr if there is none.
const MethodRow* FindMethod(Method::Kind kind);

// The method of a valid config. BYOL without a target network
// (target.kind = NONE) has always meant SimSiam, and does.
const MethodRow& MethodFor(const Config& config);

// BYOL's loss, and SimSiam's: each view's prediction meets the other view's
// target.
graph::Value CrossViewLoss(const Config& config, const MethodInputs& in);

// The rows, each in the file of its name.
extern const MethodRow kByol;
extern const MethodRow kSimSiam;
extern const MethodRow kBarlowTwins;
extern const MethodRow kVicReg;
extern const MethodRow kLiu;
extern const MethodRow kEigenmap;

}  // namespace xla_byol

#endif  // XLA_BYOL_METHODS_METHOD_H_
