#include "xla_byol/distributed/connect_exchange.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/collectives/memory_exchange.h"
#include "xla_byol/collectives/shared_memory.h"
#include "xla_byol/distributed/gloo_exchange.h"

namespace xla_byol::distributed {
namespace {

using collectives::Exchange;
using collectives::SharedMemory;

constexpr char kVariable[] = "XLA_BYOL_EXCHANGE";
constexpr char kNone[] = "none: ";  // instead of an address

// Process 0 makes the memory, the others open it, and all say whether they have
// it: all of them get an exchange, or none.
absl::StatusOr<std::unique_ptr<Exchange>> ConnectMemory(
    ProcessGroup& group, const Neighbours& neighbours, absl::Duration timeout) {
  const size_t bytes = collectives::MemoryExchangeBytes(group.size());
  absl::StatusOr<std::unique_ptr<SharedMemory>> memory;
  if (group.rank() == 0) {
    memory = SharedMemory::Create(bytes);
    RETURN_IF_ERROR(group.Put(
        "memory", memory.ok() ? (*memory)->address() : std::string(kNone)));
  } else {
    ASSIGN_OR_RETURN(const std::string address,
                     group.Get(0, "memory", timeout));
    memory = SharedMemory::Open(address, bytes);
  }
  RETURN_IF_ERROR(group.Put(
      "has memory", std::string(memory.ok() ? "" : memory.status().message())));
  for (int rank = 0; rank < group.size(); ++rank) {
    ASSIGN_OR_RETURN(const std::string trouble,
                     group.Get(rank, "has memory", timeout));
    if (trouble.empty()) continue;
    return absl::UnavailableError(
        absl::StrCat("process ", rank, ": ", trouble));
  }
  return collectives::MakeMemoryExchange(
      *std::move(memory), group.rank(), group.size(),
      /*spin=*/neighbours.cores >= neighbours.sharing);
}

}  // namespace

std::string WantedExchange() {
  const char* wanted = std::getenv(kVariable);
  return wanted == nullptr || *wanted == '\0' ? "auto" : wanted;
}

absl::StatusOr<std::unique_ptr<Exchange>> ConnectExchange(
    ProcessGroup& group, const Neighbours& neighbours, absl::string_view wanted,
    absl::Duration timeout) {
  if (wanted != "auto" && wanted != "memory" && wanted != "gloo") {
    return absl::InvalidArgumentError(absl::StrCat(
        kVariable, "=", wanted, ": it must be memory, gloo or auto"));
  }
  if (wanted == "memory" && !neighbours.one_machine) {
    return absl::InvalidArgumentError(absl::StrCat(
        kVariable, "=memory, but the processes are on several machines"));
  }
  if (wanted != "gloo" && neighbours.one_machine) {
    auto exchange = ConnectMemory(group, neighbours, timeout);
    // Containers of one machine may have none in common.
    if (wanted == "memory" || !absl::IsUnavailable(exchange.status())) {
      return exchange;
    }
  }
  return ConnectGloo(group, timeout, neighbours.one_machine);
}

}  // namespace xla_byol::distributed
