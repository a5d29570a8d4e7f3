// An exchange through shared memory, for processes of one machine.

#ifndef XLA_BYOL_COLLECTIVES_MEMORY_EXCHANGE_H_
#define XLA_BYOL_COLLECTIVES_MEMORY_EXCHANGE_H_

#include <cstddef>
#include <memory>

#include "xla_byol/collectives/exchange.h"
#include "xla_byol/collectives/shared_memory.h"

namespace xla_byol::collectives {

// What an exchange of so many processes needs.
size_t MemoryExchangeBytes(int processes);

// `memory` has MemoryExchangeBytes and nobody uses it otherwise. `spin`: there
// is a core for each process, so that looking again for a moment is cheaper
// than sleeping.
std::unique_ptr<Exchange> MakeMemoryExchange(
    std::unique_ptr<SharedMemory> memory, int rank, int processes, bool spin);

}  // namespace xla_byol::collectives

#endif  // XLA_BYOL_COLLECTIVES_MEMORY_EXCHANGE_H_
