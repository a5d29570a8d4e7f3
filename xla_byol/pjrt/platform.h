// The platforms we know. All that differs between them in this folder is in one
// row each: cpu_platform.cc, tpu_platform.cc, gpu_platform.cc.

#ifndef XLA_BYOL_PJRT_PLATFORM_H_
#define XLA_BYOL_PJRT_PLATFORM_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/pjrt/named_value.h"

namespace xla_byol::pjrt {

struct ClientOptions;

enum class Platform { kCpu, kTpu, kGpu };

inline constexpr Platform kPlatforms[] = {Platform::kCpu, Platform::kTpu,
                                          Platform::kGpu};

// A compiler flag without which programs would be wrong.
struct RequiredFlag {
  const char* name;
  bool value;
};

struct PlatformInfo {
  Platform platform;
  // The value of --platform.
  const char* name;
  // What the plugin's client calls itself.
  const char* client_name;

  // Environment variables with a plugin's path, in order; null ends the list.
  const char* path_variables[3];
  // The plugin's path inside its repository, and so below one of the
  // directories of a binary's runfiles.
  const char* runfile;
  // Its Bazel label, for the sentence that says what to do.
  const char* label;
  // Whether every program has the plugin; otherwise with --config=NAME.
  bool in_every_build;
  // Whether compiled programs hold instructions of this very machine's CPU.
  bool host_instructions;

  // Whether this machine has a device. Costs a directory listing at most.
  bool (*hardware_present)();
  // Sets the environment that the plugin reads while it is loaded. Values the
  // user has set stay.
  void (*prepare_environment)();
  // What the plugin's client is made with, without ClientOptions::extra.
  absl::StatusOr<NamedValues> (*client_options)(const ClientOptions& options);

  // Machines that need not be here. Whether a topology's name is one of this
  // platform's (it may still stand for nothing), the plugin's options for it,
  // one that exists (null: it compiles for its own machine only), and what to
  // try instead of a name that stands for nothing.
  bool (*has_topology)(absl::string_view name);
  absl::StatusOr<NamedValues> (*topology_options)(const std::string& name);
  const char* topology_example;
  const char* topology_hint;

  absl::Span<const RequiredFlag> required_flags;
};

const PlatformInfo& Info(Platform platform);
absl::StatusOr<Platform> PlatformFromName(absl::string_view name);
// "cpu, tpu or gpu"
std::string PlatformNames();

// The platform that has topologies of such a name: "v3:8x8" is a TPU's.
absl::StatusOr<Platform> PlatformOfTopology(absl::string_view name);

bool HardwarePresent(Platform platform);

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_PLATFORM_H_
