#include "xla_byol/pjrt/runner.h"

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::pjrt {

Runner::Runner(const LoadedExecutable& executable) : executable_(&executable) {
  const Signature& signature = executable.signature();
  const size_t devices = executable.devices().size();
  const size_t parameters = signature.parameters.size();
  const size_t results = signature.results.size();
  for (size_t i = 0; i < parameters; ++i) {
    if (signature.donated[i]) donated_.push_back(i);
  }
  for (PJRT_Device* device : executable.devices()) {
    for (const ArraySpec& spec : signature.parameters) {
      parameters_.push_back(Placement::Of(executable.api_, device, spec));
    }
    for (const ArraySpec& spec : signature.results) {
      results_.push_back(Placement::Of(executable.api_, device, spec));
    }
  }
  inputs_.resize(devices * parameters);
  outputs_.resize(devices * results);
  events_.resize(devices);
  for (size_t d = 0; d < devices; ++d) {
    input_lists_.push_back(inputs_.data() + d * parameters);
    output_lists_.push_back(outputs_.data() + d * results);
  }
}

absl::Status Runner::Wrong(absl::string_view problem, size_t device,
                           size_t index) const {
  return absl::InvalidArgumentError(absl::StrCat(
      "argument ", index, " of ", executable_->signature().parameters.size(),
      " for device ", device, ": ", problem));
}

absl::Status Runner::Refuse(const Buffer& argument, size_t place) const {
  const size_t count = executable_->signature().parameters.size();
  const size_t device = place / count;
  const size_t index = place % count;
  const ArraySpec& wanted = parameters_[place]->spec;
  if (!argument.has_value()) {
    return argument.CheckUsable(absl::StrCat("argument ", index, " for device ",
                                             device, " (", wanted.ToString(),
                                             ")"));
  }
  if (!(argument.spec() == wanted)) {
    return Wrong(absl::StrCat("the program takes ", wanted.ToString(),
                              ", the buffer is ", argument.spec().ToString()),
                 device, index);
  }
  return Wrong(
      "the buffer is in another device's memory; copy it to this device",
      device, index);
}

absl::Status Runner::TakeArguments(absl::Span<Buffer* const> arguments) {
  if (arguments.size() != parameters_.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the program takes ", executable_->signature().parameters.size(),
        " arguments on each of ", executable_->devices().size(),
        " devices, together ", parameters_.size(), "; got ", arguments.size()));
  }
  for (size_t place = 0; place < arguments.size(); ++place) {
    const Buffer& argument = *arguments[place];
    if (!argument.has_value() || argument.placement() != parameters_[place]) {
      return Refuse(argument, place);
    }
    inputs_[place] = argument.handle_.get();
  }
  return absl::OkStatus();
}

absl::Status Runner::Run(absl::Span<Buffer* const> arguments,
                         absl::Span<Buffer* const> results,
                         std::vector<Event>* done) {
  RETURN_IF_ERROR(TakeArguments(arguments));
  if (results.size() != outputs_.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the program has ", executable_->signature().results.size(),
        " results on each of ", executable_->devices().size(),
        " devices, together ", outputs_.size(), "; got room for ",
        results.size()));
  }
  const Api* api = executable_->api_;
  const size_t devices = executable_->devices().size();
  Padded<PJRT_LoadedExecutable_Execute_Args> args;
  args.executable = executable_->handle_.get();
  args.options = &options_;
  args.argument_lists = input_lists_.data();
  args.num_devices = devices;
  args.num_args = executable_->signature().parameters.size();
  args.output_lists = output_lists_.data();
  args.device_complete_events = done == nullptr ? nullptr : events_.data();
  absl::Status status =
      api->Call(&PJRT_Api::PJRT_LoadedExecutable_Execute, args);
  if (!status.ok()) {
    DropConsumed(arguments);
    return status;
  }
  for (size_t place = 0; place < results.size(); ++place) {
    results[place]->Assign(outputs_[place], results_[place]);
  }
  // Where a result has moved into the donated argument's Buffer, the argument
  // is already gone.
  for (size_t d = 0; d < devices; ++d) {
    for (size_t i : donated_) {
      const size_t place = d * args.num_args + i;
      Buffer* argument = arguments[place];
      if (argument->handle_.get() == inputs_[place]) argument->Donate();
    }
  }
  if (done != nullptr) {
    done->clear();
    for (PJRT_Event* event : events_) done->emplace_back(api, event);
  }
  return absl::OkStatus();
}

void Runner::DropConsumed(absl::Span<Buffer* const> arguments) {
  for (Buffer* argument : arguments) {
    if (!argument->has_value()) continue;
    Padded<PJRT_Buffer_IsDeleted_Args> args;
    args.buffer = argument->handle_.get();
    const absl::Status asked =
        argument->api().Call(&PJRT_Api::PJRT_Buffer_IsDeleted, args);
    if (asked.ok() && args.is_deleted) argument->Donate();
  }
}

}  // namespace xla_byol::pjrt
