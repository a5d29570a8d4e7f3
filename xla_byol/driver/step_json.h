// step.json: what an exported step is, for scripts and people.

#ifndef XLA_BYOL_DRIVER_STEP_JSON_H_
#define XLA_BYOL_DRIVER_STEP_JSON_H_

#include <optional>
#include <string>

#include "xla_byol/byol/config.pb.h"
#include "xla_byol/byol/train_step.h"
#include "xla_byol/pjrt/executable.h"

namespace xla_byol {

struct StepReport {
  std::string platform;  // cpu, tpu, gpu or none
  std::string topology;  // empty where there is none
  int devices = 1;
  double build_seconds = 0;
  // Absent where nothing was compiled, or the plugin does not say.
  std::optional<double> compile_seconds;
  std::optional<pjrt::CompiledMemory> memory;
  std::optional<double> flops;
  std::optional<double> bytes_accessed;
  std::optional<double> optimal_seconds;
};

// The file's content. Fields are those of the design: inputs, outputs (name,
// dtype, shape, role, donated_to), platform, topology, devices, build_seconds,
// compile_seconds, memory, cost, config; null for what is not known.
std::string StepJson(const Config& config, const StepProgram& step,
                     const StepReport& report);

}  // namespace xla_byol

#endif  // XLA_BYOL_DRIVER_STEP_JSON_H_
