// When a step does not fit a device: by how much, and what to do.

#ifndef XLA_BYOL_INSPECT_MEMORY_SHORTAGE_H_
#define XLA_BYOL_INSPECT_MEMORY_SHORTAGE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla_byol/pjrt/executable.h"

namespace xla_byol {

struct MemoryShortage {
  double needed_bytes = 0;
  double available_bytes = 0;
};

// Reads a compiler's message, such as libtpu's "... the total memory required
// for HLO temporaries (351.58G) exceeds available HBM (15.48G)" or "Used 20.5G
// of 15.48G hbm"; nothing if it is about something else.
std::optional<MemoryShortage> ParseMemoryShortage(absl::string_view message);

// A compiler's RESOURCE_EXHAUSTED as one sentence: "the step does not fit
// v3:2x2: it needs 351.6 GiB where a core has 15.5 GiB for it (16.0 GiB in
// all), 336.1 GiB too much; try ...". Other errors stay as they are.
absl::Status ExplainShortage(const absl::Status& status,
                             absl::string_view topology);

// The same for a compiler that does not look (GPU): RESOURCE_EXHAUSTED if the
// compiled step needs more than a device of the topology has.
absl::Status CheckFits(const pjrt::CompiledMemory& memory,
                       absl::string_view topology);

// All that a step occupies on a device.
double OccupiedBytes(const pjrt::CompiledMemory& memory);

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_MEMORY_SHORTAGE_H_
