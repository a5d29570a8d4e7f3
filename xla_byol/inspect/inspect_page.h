// inspect.html: what the compiler made of a step, as one page that needs
// nothing else.
//
// FLOPs, bytes and estimated time of each part of the model and each scope,
// memory by kind, the largest buffers, the collectives, and the program itself,
// searchable and linked to the scopes; of one export, or of two side by side.

#ifndef XLA_BYOL_INSPECT_INSPECT_PAGE_H_
#define XLA_BYOL_INSPECT_INSPECT_PAGE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/inspect/collective_model.h"
#include "xla_byol/inspect/program_cost.h"
#include "xla_byol/runtime/step_json.h"

namespace xla_byol {

// What the page shows of one export.
struct Inspection {
  std::string folder;
  StepRecord record;
  Config config;
  ProgramCost cost;
  // Absent where nothing is known about the hardware (CPU).
  std::optional<Machine> machine;
  std::optional<StepEstimate> estimate;
  std::string program;  // optimized.hlo.txt
};

// Reads an export's step.json and optimized.hlo.txt.
absl::StatusOr<Inspection> Inspect(const std::string& folder);

// One or two.
std::string InspectPage(absl::Span<const Inspection> inspections);

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_INSPECT_PAGE_H_
