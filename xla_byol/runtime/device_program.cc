#include "xla_byol/runtime/device_program.h"

#include <utility>

#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/kernels/kernels.h"
#include "xla_byol/runtime/executable_file.h"

namespace xla_byol {

graph::Backend BackendOf(pjrt::Platform platform) {
  switch (platform) {
    case pjrt::Platform::kCpu:
      return graph::Backend::kCpu;
    case pjrt::Platform::kTpu:
      return graph::Backend::kTpu;
    case pjrt::Platform::kGpu:
      return graph::Backend::kGpu;
  }
  return graph::Backend::kCpu;
}

graph::Backend BackendOf(const pjrt::Plugin& plugin) {
  return graph::Backend(BackendOf(plugin.platform()).platform(),
                        kernels::RegisterKernels(plugin).custom_calls);
}

graph::Backend BackendOf(const pjrt::Client& client) {
  return BackendOf(client.plugin())
      .AcrossProcesses(client.global_device_count() /
                       client.program_replicas());
}

ProgramOptions Runtime::program_options() const {
  return {.replicas = client->global_device_count(),
          .backend = BackendOf(*client)};
}

ProcessPlace Runtime::place() const { return PlaceOf(*client); }

std::string Runtime::convolutions() const {
  const pjrt::Plugin& plugin = client->plugin();
  if (plugin.platform() != pjrt::Platform::kCpu) return "";
  return kernels::RegisterKernels(plugin).description;
}

absl::StatusOr<DeviceProgram> DeviceProgram::Compile(const Runtime& runtime,
                                                     NamedProgram program) {
  ASSIGN_OR_RETURN(pjrt::ExecutableCache::Result result,
                   runtime.cache->Compile(
                       *runtime.client, program.program.text,
                       {.num_replicas = runtime.client->program_replicas()}));
  if (!result.note.empty()) LogWarning(result.note);
  return DeviceProgram(runtime.client, std::move(program),
                       std::move(result.executable), result.from_cache);
}

absl::StatusOr<DeviceProgram> DeviceProgram::Load(const Runtime& runtime,
                                                  NamedProgram program,
                                                  const std::string& path) {
  ASSIGN_OR_RETURN(
      pjrt::LoadedExecutable executable,
      LoadExecutableFile(path, *runtime.client, program.program.text));
  return DeviceProgram(runtime.client, std::move(program),
                       std::move(executable), /*from_cache=*/true);
}

}  // namespace xla_byol
