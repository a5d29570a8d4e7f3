#include "xla_byol/model/execution_table.h"

#include "xla_byol/nn/resnet.h"

namespace xla_byol {
namespace {

using graph::Backend;

struct Row {
  Backend::Platform platform;
  nn::Rewrites rewrites;
  bool sharded_norms = false;
};

constexpr Row kTable[] = {
    // Activations have their channels in 128 lanes, so that 64 take the place
    // of 128; above that, packing would only double the kernels. With 512 inner
    // channels the products of a convolution's input cost more than the pass
    // that they save. Shortcuts below 512 input channels see packed views:
    // slicing would make a copy of their division.
    {.platform = Backend::kTpu,
     .rewrites = {.pool_first = true,
                  .sliced_shortcuts_from = 512,
                  .packed_below = 128,
                  .derived_statistics_to = 256},
     .sharded_norms = true},
    {.platform = Backend::kGpu},
    {.platform = Backend::kCpu},
};

}  // namespace

Config WithPlatformsExecution(Config config, const Backend& backend) {
  Execution& execution = *config.mutable_execution();
  for (const Row& row : kTable) {
    if (backend != row.platform) continue;
    const nn::Rewrites& rewrites = row.rewrites;
    if (!execution.has_pool_first()) {
      execution.set_pool_first(rewrites.pool_first);
    }
    if (!execution.has_sliced_shortcuts_from()) {
      execution.set_sliced_shortcuts_from(
          static_cast<int>(rewrites.sliced_shortcuts_from));
    }
    if (!execution.has_packed_below()) {
      execution.set_packed_below(static_cast<int>(rewrites.packed_below));
    }
    if (!execution.has_derived_statistics_to()) {
      execution.set_derived_statistics_to(
          static_cast<int>(rewrites.derived_statistics_to));
    }
    if (!execution.has_sharded_norms()) {
      execution.set_sharded_norms(row.sharded_norms);
    }
  }
  return config;
}

}  // namespace xla_byol
