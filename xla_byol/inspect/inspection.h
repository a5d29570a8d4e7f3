// inspect.json: every number that inspect.html shows of an exported step, for
// the page, for tools and for later runs of the scaling sweep.

#ifndef XLA_BYOL_INSPECT_INSPECTION_H_
#define XLA_BYOL_INSPECT_INSPECTION_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/inspect/collective_model.h"
#include "xla_byol/inspect/hlo_program.h"
#include "xla_byol/inspect/program_cost.h"
#include "xla_byol/runtime/step_json.h"

namespace xla_byol {

// The name of the file in an export's folder.
inline constexpr char kInspectionFile[] = "inspect.json";

struct Inspection {
  StepRecord record;
  Config config;
  ProgramCost cost;
  // Absent where nothing is known about the hardware (CPU).
  std::optional<Machine> machine;
  std::optional<StepEstimate> estimate;
};

// Of the step that step.json describes and the program that was made of it.
absl::StatusOr<Inspection> Inspect(const StepRecord& record,
                                   const HloProgram& program);

// The file's content: an object with
//
//   name, platform, topology, devices, batch, config, compile_seconds
//   compiler_flops, compiler_bytes, optimal_seconds   the compiler's own
//   figures unit, capacity, peak_flops, clock                 of a device
//   compute_seconds, transfer_seconds, latency_seconds, collective_bytes
//   total          flops, bytes, cycles, seconds, count (of instructions)
//   scopes, parts  the same of each scope, and of each part of the model and
//                  pass (scope_place.h)
//   instructions   the costliest, with their scope and how often they run
//   collectives    name, kind, scope, bytes, replicas, rings, times, seconds
//   memory         bytes by kind
//   buffers        the largest, and whether they live at the peak: peak_bytes
//
// All per device and step. What is not known is not there.
std::string InspectionJson(const Inspection& inspection);

// Scopes, collectives and totals of an inspect.json, without times: those are
// EstimateStep's. Errors name the file.
absl::StatusOr<ProgramCost> ReadInspectedCost(const std::string& folder);

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_INSPECTION_H_
