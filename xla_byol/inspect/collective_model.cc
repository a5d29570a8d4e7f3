#include "xla_byol/inspect/collective_model.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace xla_byol {
namespace {

// Of one hop between neighbours, and of one step through a GPU's switch.
constexpr double kLinkLatency = 1e-6;
constexpr double kSwitchLatency = 3e-6;

bool IsClosed(const Machine& machine, int length) {
  const int closed_at = machine.hardware.closed_at;
  // 3-D tori close in cubes of four chips a side; the others when complete.
  return machine.dims.size() == 3 ? length % closed_at == 0
                                  : length >= closed_at;
}

// The rings of a collective in devices: cores of a chip belong to the first.
std::vector<int> RingLengths(const Machine& machine) {
  std::vector<int> rings = machine.dims;
  if (!rings.empty()) rings[0] *= machine.hardware.devices_per_chip;
  return rings;
}

// Neighbouring devices of a machine: a line of chips.
Machine GroupOf(Machine machine, int devices) {
  const int per_chip = machine.hardware.devices_per_chip;
  machine.devices = std::max(devices, per_chip);
  machine.dims = {machine.chips()};
  return machine;
}

}  // namespace

double ChipBandwidth(const Machine& machine) {
  const Hardware& hardware = machine.hardware;
  if (hardware.closed_at == 0) return hardware.link_bandwidth;
  double bandwidth = 0;
  for (const int length : machine.dims) {
    if (length < 2) continue;
    bandwidth += hardware.link_bandwidth * (IsClosed(machine, length) ? 2 : 1);
  }
  return bandwidth;
}

CollectiveTime TimeOfCollective(const CollectiveUse& use,
                                const Machine& whole) {
  const Machine machine = use.replicas == 0 || use.replicas >= whole.devices
                              ? whole
                              : GroupOf(whole, static_cast<int>(use.replicas));
  const Hardware& hardware = machine.hardware;
  const bool reduces_all = use.kind == "all-reduce";
  const double bytes = static_cast<double>(use.bytes);
  const double passes = reduces_all ? 2 : 1;
  CollectiveTime time;
  const double chips = machine.chips();
  if (chips > 1) {
    time.transfer_seconds =
        passes * (chips - 1) / chips * bytes / ChipBandwidth(machine);
  }
  // Cores of a chip meet in its memory: one reads what the other wrote.
  if (hardware.devices_per_chip > 1) {
    time.transfer_seconds += 2 * bytes / hardware.memory_bandwidth;
  }
  for (const int ring : RingLengths(machine)) {
    time.latency_seconds +=
        passes * (ring - 1) *
        (hardware.closed_at == 0 ? kSwitchLatency : kLinkLatency);
  }
  return time;
}

StepEstimate EstimateStep(const Machine& machine, ProgramCost& cost) {
  const Hardware& hardware = machine.hardware;
  const auto seconds_of = [&hardware](const Cost& part) {
    return hardware.clock_hz > 0
               ? part.cycles / hardware.clock_hz
               : std::max(part.flops / hardware.peak_flops,
                          part.bytes / hardware.memory_bandwidth);
  };
  StepEstimate estimate;
  for (auto& [scope, part] : cost.scopes) {
    part.seconds = seconds_of(part);
    estimate.compute_seconds += part.seconds;
  }
  for (InstructionCost& one : cost.instructions) {
    one.cost.seconds = seconds_of(one.cost);
  }
  cost.total.seconds = estimate.compute_seconds;
  // The program may be that of a smaller machine: what spans all of that spans
  // all of this one.
  int64_t all = 0;
  for (const CollectiveUse& use : cost.collectives) {
    all = std::max(all, use.replicas);
  }
  for (CollectiveUse use : cost.collectives) {
    if (use.replicas == all) use.replicas = 0;
    const CollectiveTime time = TimeOfCollective(use, machine);
    estimate.collectives.transfer_seconds += use.times * time.transfer_seconds;
    estimate.collectives.latency_seconds += use.times * time.latency_seconds;
    estimate.collective_bytes += use.times * static_cast<double>(use.bytes);
  }
  return estimate;
}

}  // namespace xla_byol
