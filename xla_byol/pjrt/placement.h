// What a device array is and where it lives, as one comparable pointer.

#ifndef XLA_BYOL_PJRT_PLACEMENT_H_
#define XLA_BYOL_PJRT_PLACEMENT_H_

#include <utility>

#include "xla_byol/pjrt/api.h"
#include "xla_byol/pjrt/array_spec.h"

namespace xla_byol::pjrt {

// The process keeps one copy of each Placement until it ends, so equal ones
// have equal addresses. A step with hundreds of arrays on each device checks
// and hands on one pointer for each of them, and a Buffer stays so small that
// a step's worth of them fits the processor's first cache.
struct Placement {
  const Api* api;
  PJRT_Device* device;
  ArraySpec spec;

  // The one copy. Thread-safe; a training step never needs to call it.
  static const Placement* Of(const Api* api, PJRT_Device* device,
                             const ArraySpec& spec);

  friend bool operator==(const Placement& a, const Placement& b) {
    return a.api == b.api && a.device == b.device && a.spec == b.spec;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Placement& placement) {
    return H::combine(std::move(h), placement.api, placement.device,
                      placement.spec);
  }
};

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_PLACEMENT_H_
