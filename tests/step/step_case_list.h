// The training steps that are compared with JAX: which config, on how many
// devices, for how many steps.

#ifndef XLA_BYOL_TESTS_STEP_STEP_CASE_LIST_H_
#define XLA_BYOL_TESTS_STEP_STEP_CASE_LIST_H_

#include <string>
#include <vector>

namespace xla_byol {

struct StepCase {
  std::string name;
  std::vector<std::string> set;
  // After how many steps the state is written; rising.
  std::vector<int> snapshots = {1};
  int devices = 1;
  float learning_rate = 0.02f;
  bool diagnostics = false;
  // Starts from norms that keep the inputs of ReLUs away from 0, where
  // rounding alone decides whether a gradient passes: see AvoidKinks.
  bool smooth = false;
};

// Every closed form, with augmentation, on one device and on eight.
std::vector<StepCase> ClosedFormCases();

// The methods besides BYOL, on one device and on eight, replicated and sharded;
// optimizers, projectors, batch norm over both views, a closed form that is
// trained between updates.
std::vector<StepCase> MethodCases();

// A small network with every rewrite, without any, and with all but each.
std::vector<StepCase> RewriteCases();

// Both paddings, the predictors that need no formula, options of the step,
// numbers of devices, and a ResNet-50.
std::vector<StepCase> NetworkCases();

}  // namespace xla_byol

#endif  // XLA_BYOL_TESTS_STEP_STEP_CASE_LIST_H_
