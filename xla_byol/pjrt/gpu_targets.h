// NVIDIA GPUs that programs can be compiled for without one.

#ifndef XLA_BYOL_PJRT_GPU_TARGETS_H_
#define XLA_BYOL_PJRT_GPU_TARGETS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/pjrt/named_value.h"

namespace xla_byol::pjrt {

// What differs between the data-centre GPUs, from NVIDIA's architecture
// whitepapers. What they share (warps of 32, blocks of 1024, ...) is in the
// source file.
struct GpuTarget {
  // As in "a100:8".
  const char* name;
  // As the driver would report it.
  const char* device_name;
  int compute_major;
  int compute_minor;
  // Whether code may use the features of just this architecture (sm_90a).
  bool accelerated_features;
  int core_count;
  int fpus_per_core;
  double clock_ghz;
  int64_t memory_bytes;
  // Bytes per second.
  int64_t memory_bandwidth;
  int64_t l2_cache_bytes;
  // Of one core (streaming multiprocessor); a block can have 1 KiB less.
  int shared_memory_per_core;
};

absl::Span<const GpuTarget> GpuTargets();

// The options of a GPU topology "NAME:DEVICES": the target's description in
// the text format that the plugin reads, and the arrangement of the devices in
// one machine.
absl::StatusOr<NamedValues> GpuTopologyOptions(const std::string& name);

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_GPU_TARGETS_H_
