// Collectives between processes, of plain memory.

#ifndef XLA_BYOL_COLLECTIVES_EXCHANGE_H_
#define XLA_BYOL_COLLECTIVES_EXCHANGE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace xla_byol::collectives {

// Every process makes the same calls in the same order, with the same sizes and
// tags, one after another from any thread (graph/lower_collectives.h): an
// engine may notice that it is not so (INTERNAL), or use the tags to tell calls
// apart. A call waits for the others as long as they live, and is UNAVAILABLE
// once the connections are closed. The same values give the same bits, on all
// processes and every time.
class Exchange {
 public:
  virtual ~Exchange() = default;

  // What engine it is: "Gloo".
  virtual std::string description() const = 0;

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

  // Ends all calls, in this process. From any thread.
  virtual void Close() = 0;
};

}  // namespace xla_byol::collectives

#endif  // XLA_BYOL_COLLECTIVES_EXCHANGE_H_
