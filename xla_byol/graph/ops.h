// All functions that build graphs.

#ifndef XLA_BYOL_GRAPH_OPS_H_
#define XLA_BYOL_GRAPH_OPS_H_

#include "xla_byol/graph/collective.h"    // IWYU pragma: export
#include "xla_byol/graph/constants.h"     // IWYU pragma: export
#include "xla_byol/graph/control_flow.h"  // IWYU pragma: export
#include "xla_byol/graph/conv.h"          // IWYU pragma: export
#include "xla_byol/graph/custom_call.h"   // IWYU pragma: export
#include "xla_byol/graph/dot.h"           // IWYU pragma: export
#include "xla_byol/graph/elementwise.h"   // IWYU pragma: export
#include "xla_byol/graph/graph.h"         // IWYU pragma: export
#include "xla_byol/graph/reduce.h"        // IWYU pragma: export
#include "xla_byol/graph/shape_ops.h"     // IWYU pragma: export
#include "xla_byol/graph/window.h"        // IWYU pragma: export

#endif  // XLA_BYOL_GRAPH_OPS_H_
