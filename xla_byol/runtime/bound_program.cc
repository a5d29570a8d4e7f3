#include "xla_byol/runtime/bound_program.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol {
namespace {

bool IsF32Scalar(const graph::Shape& shape) {
  return shape.dtype == graph::DType::kF32 && shape.rank() == 0;
}

absl::Status NoSuchTensor(absl::string_view what, absl::string_view name,
                          const std::vector<ProgramTensor>& tensors) {
  return absl::NotFoundError(absl::StrCat(
      "the program has no ", what, " '", name, "'; it has ",
      absl::StrJoin(tensors, ", ",
                    [](std::string* out, const ProgramTensor& tensor) {
                      absl::StrAppend(out, tensor.name);
                    })));
}

// Starts to copy a scalar or matrix of floats.
absl::StatusOr<pjrt::Event> StartRead(const pjrt::Buffer& buffer,
                                      absl::Span<float> values) {
  return buffer.CopyToHost(
      absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()),
                     values.size() * sizeof(float)));
}

// All of them, even after an error: they write into the caller's memory.
absl::Status AwaitAll(const std::vector<pjrt::Event>& events,
                      absl::Status status) {
  for (const pjrt::Event& event : events) status.Update(event.Await());
  return status;
}

}  // namespace

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

absl::StatusOr<std::vector<StepOutputs::Scalar>> StepOutputs::ReadScalars(
    TensorRole role) const {
  std::vector<Scalar> scalars;
  for (const Part& part : parts_) {
    if (part.tensor->role == role && IsF32Scalar(part.tensor->shape)) {
      scalars.push_back({part.tensor->name, 0});
    }
  }
  std::vector<pjrt::Event> copied;
  copied.reserve(scalars.size());
  absl::Status status;
  auto scalar = scalars.begin();
  for (const Part& part : parts_) {
    if (part.tensor->role != role || !IsF32Scalar(part.tensor->shape)) continue;
    absl::StatusOr<pjrt::Event> event =
        StartRead(part.buffer, absl::MakeSpan(&scalar->value, 1));
    ++scalar;
    status.Update(event.status());
    if (!event.ok()) break;
    copied.push_back(*std::move(event));
  }
  RETURN_IF_ERROR(AwaitAll(copied, std::move(status)));
  return scalars;
}

absl::StatusOr<std::vector<float>> StepOutputs::Read(
    absl::string_view name) const {
  for (const Part& part : parts_) {
    if (part.tensor->name == name) return part.buffer.ToVector<float>();
  }
  return absl::NotFoundError(
      absl::StrCat("the program has no output '", name, "'"));
}

BoundProgram::BoundProgram(const pjrt::Client& client,
                           const pjrt::LoadedExecutable& executable,
                           const NamedProgram& program)
    : client_(&client),
      program_(&program),
      inputs_(client.devices().size() * program.inputs.size()),
      outputs_(client.devices().size() * program.outputs.size()),
      runner_(executable) {
  for (const ProgramTensor& input : program.inputs) {
    input_specs_.push_back(ArraySpecOf(input.shape));
  }
  for (pjrt::Buffer& buffer : inputs_) arguments_.push_back(&buffer);
  for (pjrt::Buffer& buffer : outputs_) results_.push_back(&buffer);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const std::optional<int64_t>& output = program.program.inputs[i].donated_to;
    if (!output.has_value()) continue;
    for (size_t device = 0; device < devices(); ++device) {
      results_[ResultPlace(device, static_cast<size_t>(*output))] =
          arguments_[ArgumentPlace(device, i)];
    }
  }
}

absl::Status BoundProgram::ShareInputs(BoundProgram& owner) {
  for (size_t i = 0; i < program_->inputs.size(); ++i) {
    const ProgramTensor& input = program_->inputs[i];
    const absl::StatusOr<InputHandle> theirs = owner.FindInput(input.name);
    if (!theirs.ok()) continue;
    const graph::Shape& shape = owner.program_->inputs[theirs->index_].shape;
    if (!(shape == input.shape)) {
      return absl::FailedPreconditionError(
          absl::StrCat("two programs cannot share '", input.name, "': it is ",
                       ArraySpecOf(input.shape).ToString(), " in one and ",
                       ArraySpecOf(shape).ToString(), " in the other"));
    }
    const std::optional<int64_t>& output =
        program_->program.inputs[i].donated_to;
    for (size_t device = 0; device < devices(); ++device) {
      pjrt::Buffer* const buffer =
          owner.arguments_[owner.ArgumentPlace(device, theirs->index_)];
      arguments_[ArgumentPlace(device, i)] = buffer;
      if (!output.has_value()) continue;
      results_[ResultPlace(device, static_cast<size_t>(*output))] = buffer;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<InputHandle> BoundProgram::FindInput(
    absl::string_view name) const {
  for (size_t i = 0; i < program_->inputs.size(); ++i) {
    if (program_->inputs[i].name == name) return InputHandle(i);
  }
  return NoSuchTensor("input", name, program_->inputs);
}

absl::Status BoundProgram::SetBytes(InputHandle input, size_t device,
                                    absl::Span<const std::byte> bytes,
                                    pjrt::ElementType type) {
  const pjrt::ArraySpec& spec = input_specs_[input.index_];
  if (type != spec.type) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input '", program_->inputs[input.index_].name, "' is ",
        spec.ToString(), ", the values are ", pjrt::ElementTypeName(type)));
  }
  ASSIGN_OR_RETURN(
      *arguments_[ArgumentPlace(device, input.index_)],
      client_->CopyFromHost(bytes, spec, client_->devices()[device]));
  return absl::OkStatus();
}

absl::Status BoundProgram::Stage(InputHandle input, size_t device,
                                 absl::Span<const std::byte> values,
                                 StagedInputs& staged) const {
  ASSIGN_OR_RETURN(pjrt::Transfer transfer,
                   client_->StartTransfer(values, input_specs_[input.index_],
                                          client_->devices()[device]));
  staged.parts_.push_back(
      {ArgumentPlace(device, input.index_), std::move(transfer.buffer)});
  return absl::OkStatus();
}

void BoundProgram::Take(StagedInputs staged) {
  for (StagedInputs::Part& part : staged.parts_) {
    *arguments_[part.place] = std::move(part.buffer);
  }
}

absl::Status BoundProgram::Run() { return runner_.Run(arguments_, results_); }

StepOutputs BoundProgram::TakeOutputs() {
  StepOutputs outputs;
  for (size_t i = 0; i < program_->outputs.size(); ++i) {
    if (IsState(program_->outputs[i].role)) continue;
    outputs.parts_.push_back(
        {&program_->outputs[i], std::move(outputs_[ResultPlace(0, i)])});
  }
  return outputs;
}

absl::StatusOr<const pjrt::Buffer*> BoundProgram::FindBuffer(
    absl::string_view name, size_t device) const {
  for (size_t i = 0; i < program_->outputs.size(); ++i) {
    if (program_->outputs[i].name == name) {
      return results_[ResultPlace(device, i)];
    }
  }
  const absl::StatusOr<InputHandle> input = FindInput(name);
  if (!input.ok()) return NoSuchTensor("output", name, program_->outputs);
  return arguments_[ArgumentPlace(device, input->index_)];
}

absl::StatusOr<std::vector<std::vector<float>>> BoundProgram::ReadState()
    const {
  std::vector<std::vector<float>> values;
  std::vector<pjrt::Event> copied;
  absl::Status status;
  for (size_t i = 0; i < program_->inputs.size() && status.ok(); ++i) {
    if (!program_->program.inputs[i].donated_to.has_value()) continue;
    values.emplace_back(
        static_cast<size_t>(program_->inputs[i].shape.elements()));
    absl::StatusOr<pjrt::Event> event = StartRead(
        *arguments_[ArgumentPlace(0, i)], absl::MakeSpan(values.back()));
    status.Update(event.status());
    if (event.ok()) copied.push_back(*std::move(event));
  }
  RETURN_IF_ERROR(AwaitAll(copied, std::move(status)));
  return values;
}

}  // namespace xla_byol
