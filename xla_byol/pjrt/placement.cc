#include "xla_byol/pjrt/placement.h"

#include "absl/base/const_init.h"
#include "absl/container/node_hash_set.h"
#include "absl/synchronization/mutex.h"

namespace xla_byol::pjrt {

const Placement* Placement::Of(const Api* api, PJRT_Device* device,
                               const ArraySpec& spec) {
  static absl::Mutex mutex(absl::kConstInit);
  // Never destroyed: a Buffer in static storage may go later. Nodes keep their
  // addresses.
  static auto& placements = *new absl::node_hash_set<Placement>();
  absl::MutexLock lock(&mutex);
  return &*placements.insert(Placement{api, device, spec}).first;
}

}  // namespace xla_byol::pjrt
