#include "xla_byol/runtime/device_program.h"

#include <utility>

#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/runtime/compiled_step.h"

namespace xla_byol {

graph::Target TargetOf(pjrt::Platform platform) {
  switch (platform) {
    case pjrt::Platform::kCpu:
      return graph::Target::kCpu;
    case pjrt::Platform::kTpu:
      return graph::Target::kTpu;
    case pjrt::Platform::kGpu:
      return graph::Target::kGpu;
  }
  return graph::Target::kCpu;
}

StepOptions Runtime::step_options() const {
  return {.replicas = client->global_device_count(),
          .target = TargetOf(client->plugin().platform()),
          .processes = place().processes};
}

ProcessPlace Runtime::place() const { return PlaceOf(*client); }

pjrt::ArraySpec ArraySpecOf(const graph::Shape& shape) {
  pjrt::ArraySpec spec;
  switch (shape.dtype) {
    case graph::DType::kU8:
      spec.type = pjrt::ElementType::kU8;
      break;
    case graph::DType::kS32:
      spec.type = pjrt::ElementType::kS32;
      break;
    default:
      spec.type = pjrt::ElementType::kF32;
  }
  spec.dims.assign(shape.dims.begin(), shape.dims.end());
  return spec;
}

absl::StatusOr<DeviceProgram> DeviceProgram::Compile(const Runtime& runtime,
                                                     StepProgram program) {
  ASSIGN_OR_RETURN(
      pjrt::ExecutableCache::Result result,
      runtime.cache->Compile(
          *runtime.client, program.program.text,
          {.num_replicas = runtime.client->global_device_count()}));
  if (!result.note.empty()) LogWarning(result.note);
  return DeviceProgram(runtime.client, std::move(program),
                       std::move(result.executable), result.from_cache);
}

absl::StatusOr<DeviceProgram> DeviceProgram::Load(const Runtime& runtime,
                                                  StepProgram program,
                                                  const std::string& path) {
  ASSIGN_OR_RETURN(
      pjrt::LoadedExecutable executable,
      LoadCompiledStep(path, *runtime.client, program.program.text));
  return DeviceProgram(runtime.client, std::move(program),
                       std::move(executable), /*from_cache=*/true);
}

absl::StatusOr<pjrt::Buffer> DeviceProgram::CopyInput(
    size_t index, absl::Span<const std::byte> data, size_t device) const {
  return client_->CopyFromHost(data, ArraySpecOf(program_.inputs[index].shape),
                               client_->devices()[device]);
}

}  // namespace xla_byol
