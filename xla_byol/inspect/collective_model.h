// How long a step should take: the compiler's expectation for each core, and a
// model of the collectives, which the compiler leaves out.
//
// It is a model, not a measurement; docs/scaling.md tells what it assumes.

#ifndef XLA_BYOL_INSPECT_COLLECTIVE_MODEL_H_
#define XLA_BYOL_INSPECT_COLLECTIVE_MODEL_H_

#include "xla_byol/inspect/hardware.h"
#include "xla_byol/inspect/program_cost.h"

namespace xla_byol {

struct CollectiveTime {
  double transfer_seconds = 0;  // grows with the bytes
  double latency_seconds = 0;   // grows with the number of hops

  double seconds() const { return transfer_seconds + latency_seconds; }
};

// One execution among all devices of the machine, or, where `use` names fewer
// replicas, in groups of so many neighbours that form a line of chips. Rings
// along each dimension of the torus, all links busy at once: an all-reduce
// moves 2 (n - 1) / n of its bytes past every chip and makes 2 (r - 1) hops for
// each ring of r devices; gathering and scattering take half of both.
CollectiveTime TimeOfCollective(const CollectiveUse& use,
                                const Machine& machine);

// Bytes per second in which a chip can send to its neighbours: both directions
// of a dimension that closes to a ring, one of a line, as the way back needs
// the other.
double ChipBandwidth(const Machine& machine);

struct StepEstimate {
  double compute_seconds = 0;
  CollectiveTime collectives;
  double collective_bytes = 0;

  double seconds() const { return compute_seconds + collectives.seconds(); }
};

// Fills in the seconds of every scope and instruction, and adds the scopes up.
// TPU: the cycles that the compiler expects of each instruction. GPU, where it
// expects nothing: the longer of arithmetic and memory traffic at the data
// sheet's rates, scope by scope. Nothing is assumed to overlap.
StepEstimate EstimateStep(const Machine& machine, ProgramCost& cost);

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_COLLECTIVE_MODEL_H_
