// step.json: what an exported step is, for scripts and people.

#ifndef XLA_BYOL_RUNTIME_STEP_JSON_H_
#define XLA_BYOL_RUNTIME_STEP_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_byol/config/config.pb.h"
#include "xla_byol/pjrt/executable.h"
#include "xla_byol/program/named_program.h"

namespace xla_byol {

// A compiled step as a file, and what must agree with a machine that loads it.
struct ExecutableRecord {
  std::string plugin;       // PluginIdentity of executable_file.h
  std::string device_kind;  // "TPU v3"
  int64_t bytes = 0;
  uint32_t crc32c = 0;
};

struct CompileReport {
  std::string platform;  // cpu, tpu, gpu or none
  std::string topology;  // empty where there is none
  int devices = 1;
  double build_seconds = 0;
  // Of step.mlir.
  uint32_t program_crc32c = 0;
  // Absent where nothing was compiled, or the plugin does not say.
  std::optional<double> compile_seconds;
  std::optional<pjrt::CompiledMemory> memory;
  std::optional<double> flops;
  std::optional<double> bytes_accessed;
  std::optional<double> optimal_seconds;
  std::optional<ExecutableRecord> executable;
};

// The file's content. Fields are those of the design: inputs, outputs (name,
// dtype, shape, role, donated_to), platform, topology, devices, build_seconds,
// compile_seconds, memory, cost, config; null for what is not known; and
// program_crc32c, executable {file, bytes, crc32c, plugin, device_kind}.
std::string StepJson(const Config& config, const NamedProgram& step,
                     const CompileReport& report);

// What a reader of an export wants back.
struct StepRecord {
  CompileReport report;
  std::string config;  // textproto
  // Bytes of the inputs by role ("online", "batch", ...), without padding.
  std::vector<std::pair<std::string, int64_t>> input_bytes;
};

// Reads step.json in `folder`. Errors name the file.
absl::StatusOr<StepRecord> ReadStepJson(const std::string& folder);

}  // namespace xla_byol

#endif  // XLA_BYOL_RUNTIME_STEP_JSON_H_
