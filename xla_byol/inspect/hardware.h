// What is known about the machines that programs are compiled for: memory,
// speed and links of one device. The figures and their sources are in
// docs/scaling.md.

#ifndef XLA_BYOL_INSPECT_HARDWARE_H_
#define XLA_BYOL_INSPECT_HARDWARE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla_byol {

struct Hardware {
  const char* name;  // as in a topology: v3, a100
  // What a device is called in a sentence: "core", "chip", "GPU".
  const char* unit;
  int devices_per_chip;
  int64_t memory_bytes;     // of a device
  double memory_bandwidth;  // of a device, bytes/s
  double peak_flops;        // of a device, bf16
  double clock_hz;          // in which a TPU's compiler counts; 0 for GPUs
  double link_bandwidth;    // of one link in one direction, bytes/s
  // TPU: a dimension of the torus closes from this many chips on. 0: all
  // devices hang on one switch.
  int closed_at;
};

// A topology's name taken apart: "v3:8x8" is 64 chips of two cores.
struct Machine {
  Hardware hardware;
  std::string topology;
  std::vector<int> dims;  // in chips; of GPUs, {devices}
  int devices = 1;

  int chips() const { return devices / hardware.devices_per_chip; }
};

// NOT_FOUND for hardware that is not in the table (a CPU, a new TPU): then
// nothing can be said about times and links.
absl::StatusOr<Machine> FindMachine(absl::string_view topology, int devices);

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_HARDWARE_H_
