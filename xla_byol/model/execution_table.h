// How each platform computes the networks: one row of settings for each, from
// the figures in docs/performance.md.

#ifndef XLA_BYOL_MODEL_EXECUTION_TABLE_H_
#define XLA_BYOL_MODEL_EXECUTION_TABLE_H_

#include "xla_byol/config/config.pb.h"
#include "xla_byol/graph/backend.h"

namespace xla_byol {

// `config` with the platform's row in those fields of `execution` that it
// leaves open. Fields that it sets stay: `--set=execution.packed_below=0`.
Config WithPlatformsExecution(Config config, const graph::Backend& backend);

}  // namespace xla_byol

#endif  // XLA_BYOL_MODEL_EXECUTION_TABLE_H_
