#include "xla_byol/pjrt/executable.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/pjrt/runner.h"

namespace xla_byol::pjrt {

absl::StatusOr<std::string> Executable::Name() const {
  Padded<PJRT_Executable_Name_Args> args;
  args.executable = handle_.get();
  RETURN_IF_ERROR(api_->Call(&PJRT_Api::PJRT_Executable_Name, args));
  return std::string(args.executable_name, args.executable_name_size);
}

absl::StatusOr<CompiledMemory> Executable::Memory() const {
  Padded<PJRT_Executable_GetCompiledMemoryStats_Args> args;
  args.executable = handle_.get();
  RETURN_IF_ERROR(
      api_->Call(&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats, args));
  return CompiledMemory{.argument_bytes = args.argument_size_in_bytes,
                        .output_bytes = args.output_size_in_bytes,
                        .alias_bytes = args.alias_size_in_bytes,
                        .temp_bytes = args.temp_size_in_bytes,
                        .code_bytes = args.generated_code_size_in_bytes,
                        .peak_bytes = args.peak_memory_in_bytes};
}

absl::StatusOr<NamedValues> Executable::Cost() const {
  Padded<PJRT_Executable_GetCostAnalysis_Args> args;
  args.executable = handle_.get();
  RETURN_IF_ERROR(api_->Call(&PJRT_Api::PJRT_Executable_GetCostAnalysis, args));
  return FromPjrt(args.properties, args.num_properties);
}

absl::StatusOr<OptimizedProgram> Executable::Optimized() const {
  Padded<PJRT_Program> program;
  Padded<PJRT_Executable_OptimizedProgram_Args> args;
  args.executable = handle_.get();
  args.program = &program;
  // The first call tells the size, the second writes.
  RETURN_IF_ERROR(
      api_->Call(&PJRT_Api::PJRT_Executable_OptimizedProgram, args));
  OptimizedProgram result;
  result.code.resize(program.code_size);
  program.code = result.code.data();
  RETURN_IF_ERROR(
      api_->Call(&PJRT_Api::PJRT_Executable_OptimizedProgram, args));
  result.format.assign(program.format, program.format_size);
  return result;
}

absl::StatusOr<Signature> Executable::ReadSignature() const {
  ASSIGN_OR_RETURN(OptimizedProgram program, Optimized());
  return Signature::FromOptimizedProgram(program.format, program.code);
}

absl::StatusOr<std::string> Executable::Serialize() const {
  Padded<PJRT_Executable_Serialize_Args> args;
  args.executable = handle_.get();
  RETURN_IF_ERROR(api_->Call(&PJRT_Api::PJRT_Executable_Serialize, args));
  std::string bytes(args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_executable_deleter(args.serialized_executable);
  return bytes;
}

absl::StatusOr<LoadedExecutable> LoadedExecutable::Make(
    const Api* api, PJRT_LoadedExecutable* executable) {
  LoadedHandle handle(executable, {api});
  Padded<PJRT_LoadedExecutable_GetExecutable_Args> inner;
  inner.loaded_executable = executable;
  RETURN_IF_ERROR(
      api->Call(&PJRT_Api::PJRT_LoadedExecutable_GetExecutable, inner));
  LoadedExecutable result(api, std::move(handle),
                          Executable(api, inner.executable));
  ASSIGN_OR_RETURN(result.signature_, result.executable_.ReadSignature());
  Padded<PJRT_LoadedExecutable_AddressableDevices_Args> devices;
  devices.executable = executable;
  RETURN_IF_ERROR(
      api->Call(&PJRT_Api::PJRT_LoadedExecutable_AddressableDevices, devices));
  result.devices_.assign(
      devices.addressable_devices,
      devices.addressable_devices + devices.num_addressable_devices);
  return result;
}

absl::StatusOr<std::vector<Buffer>> LoadedExecutable::Execute(
    absl::Span<Buffer* const> arguments) const {
  std::vector<Buffer> results(devices_.size() * signature_.results.size());
  std::vector<Buffer*> slots;
  for (Buffer& result : results) slots.push_back(&result);
  RETURN_IF_ERROR(Runner(*this).Run(arguments, slots));
  return results;
}

}  // namespace xla_byol::pjrt
