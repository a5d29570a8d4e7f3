// Collectives between processes, of plain memory. Only builds with
// --config=cluster have an engine for it: Gloo.

#ifndef XLA_BYOL_DISTRIBUTED_EXCHANGE_H_
#define XLA_BYOL_DISTRIBUTED_EXCHANGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla_byol/distributed/process_group.h"

namespace xla_byol::distributed {

// Thread-safe. Every process makes the same calls with the same sizes; calls
// with different tags may overlap and come in any order. A call waits for the
// others as long as they live, and is UNAVAILABLE once the connections are
// closed. The same values give the same bits, on all processes and every time.
class Exchange {
 public:
  virtual ~Exchange() = default;

  // Writes a combination of `count` elements of a and b to `result`, which may
  // be one of them.
  using Combine = void (*)(void* result, const void* a, const void* b,
                           size_t count);

  // Combines `data` of all processes in place; elements have 4 bytes.
  virtual absl::Status AllReduce(void* data, size_t count, Combine combine,
                                 uint32_t tag) = 0;
  // `result` has room for `bytes` of each process, in the order of ranks.
  virtual absl::Status AllGather(const void* data, size_t bytes, void* result,
                                 uint32_t tag) = 0;
  // Sends part r of `data` to process r; `result` gets one part from each, in
  // the order of ranks. A part has `bytes`.
  virtual absl::Status AllToAll(const void* data, void* result, size_t bytes,
                                uint32_t tag) = 0;

  // Ends all calls, in this process.
  virtual void Close() = 0;
};

// Connects all processes of the group within `timeout`; UNIMPLEMENTED in builds
// without an engine.
absl::StatusOr<std::unique_ptr<Exchange>> ConnectExchange(
    ProcessGroup& group, absl::Duration timeout);

}  // namespace xla_byol::distributed

#endif  // XLA_BYOL_DISTRIBUTED_EXCHANGE_H_
