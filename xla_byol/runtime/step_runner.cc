#include "xla_byol/runtime/step_runner.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/runtime/device_program.h"

namespace xla_byol {
namespace {

size_t InputsOf(const StepProgram& step, TensorRole role) {
  return static_cast<size_t>(std::count_if(
      step.inputs.begin(), step.inputs.end(),
      [role](const StepTensor& tensor) { return tensor.role == role; }));
}

// A program of one process takes all but the last two.
std::array<float, 7> InProgramOrder(const StepScalars& scalars) {
  return {scalars.learning_rate,
          scalars.target_decay,
          scalars.predictor_decay,
          scalars.batch_norm_rate1,
          scalars.batch_norm_rate2,
          scalars.stop,
          scalars.step};
}

}  // namespace

StepRunner::StepRunner(const pjrt::Client& client,
                       const pjrt::LoadedExecutable& executable,
                       const StepProgram& step)
    : client_(&client),
      step_(&step),
      state_tensors_(static_cast<size_t>(step.state_tensors)),
      batch_tensors_(InputsOf(step, TensorRole::kBatch)),
      scalar_tensors_(InputsOf(step, TensorRole::kScalar)),
      reports_per_device_(step.outputs.size() - state_tensors_),
      state_(client.devices().size() * state_tensors_),
      reports_(client.devices().size() * reports_per_device_),
      scalars_(client.devices().size() * scalar_tensors_),
      runner_(executable) {
  batch_.buffers.resize(client.devices().size() * batch_tensors_);
  const auto add = [](std::vector<pjrt::Buffer*>& list,
                      std::vector<pjrt::Buffer>& buffers, size_t device,
                      size_t count) {
    for (size_t i = 0; i < count; ++i) {
      list.push_back(&buffers[device * count + i]);
    }
  };
  for (size_t device = 0; device < client.devices().size(); ++device) {
    add(arguments_, state_, device, state_tensors_);
    add(arguments_, batch_.buffers, device, batch_tensors_);
    add(arguments_, scalars_, device, scalar_tensors_);
    add(results_, state_, device, state_tensors_);
    add(results_, reports_, device, reports_per_device_);
  }
}

absl::Status StepRunner::WriteState(
    absl::FunctionRef<void(size_t, absl::Span<float>)> fill) {
  std::vector<float> values;
  for (size_t tensor = 0; tensor < state_tensors_; ++tensor) {
    const pjrt::ArraySpec spec = ArraySpecOf(step_->inputs[tensor].shape);
    values.resize(static_cast<size_t>(spec.element_count()));
    fill(tensor, absl::MakeSpan(values));
    for (size_t device = 0; device < client_->devices().size(); ++device) {
      ASSIGN_OR_RETURN(
          State(device, tensor),
          client_->CopyFromHost(BytesOf(absl::MakeConstSpan(values)), spec,
                                client_->devices()[device]));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<float>> StepRunner::ReadState(size_t tensor) const {
  return state_[tensor].ToVector<float>();
}

absl::StatusOr<DeviceBatch> StepRunner::StartTransfer(
    absl::Span<const HostBatch> batches) const {
  DeviceBatch batch;
  for (size_t device = 0; device < batches.size(); ++device) {
    const HostBatch& host = batches[device];
    const absl::Span<const std::byte> parts[] = {
        BytesOf(host.view1), BytesOf(host.view2), BytesOf(host.labels),
        BytesOf(host.draws1), BytesOf(host.draws2)};
    for (size_t i = 0; i < batch_tensors_; ++i) {
      ASSIGN_OR_RETURN(
          pjrt::Transfer transfer,
          client_->StartTransfer(
              parts[i], ArraySpecOf(step_->inputs[state_tensors_ + i].shape),
              client_->devices()[device]));
      batch.buffers.push_back(std::move(transfer.buffer));
      batch.host_free.push_back(std::move(transfer.host_free));
    }
  }
  return batch;
}

absl::Status StepRunner::Run(DeviceBatch batch, const StepScalars& scalars) {
  MoveInto(batch_.buffers, batch.buffers);
  batch_.host_free = std::move(batch.host_free);
  const std::array<float, 7> values = InProgramOrder(scalars);
  const pjrt::ArraySpec scalar;  // f32[]
  for (size_t device = 0; device < client_->devices().size(); ++device) {
    for (size_t i = 0; i < scalar_tensors_; ++i) {
      ASSIGN_OR_RETURN(scalars_[device * scalar_tensors_ + i],
                       client_->CopyFromHost(absl::MakeConstSpan(&values[i], 1),
                                             {}, client_->devices()[device]));
    }
  }
  return runner_.Run(arguments_, results_);
}

absl::StatusOr<std::vector<std::vector<float>>> StepRunner::ReadWholeState()
    const {
  std::vector<std::vector<float>> values(state_tensors_);
  std::vector<pjrt::Event> copied;
  absl::Status status;
  for (size_t i = 0; i < state_tensors_ && status.ok(); ++i) {
    values[i].resize(static_cast<size_t>(step_->inputs[i].shape.elements()));
    absl::StatusOr<pjrt::Event> event = state_[i].CopyToHost(
        absl::MakeSpan(reinterpret_cast<std::byte*>(values[i].data()),
                       values[i].size() * sizeof(float)));
    if (event.ok()) copied.push_back(*std::move(event));
    status.Update(event.status());
  }
  // All of them, even after an error: they write into our memory.
  for (const pjrt::Event& event : copied) status.Update(event.Await());
  RETURN_IF_ERROR(status);
  return values;
}

StepReports StepRunner::TakeReports() {
  StepReports reports(step_);
  for (size_t i = 0; i < reports_per_device_; ++i) {
    reports.buffers_.push_back(std::move(reports_[i]));
  }
  return reports;
}

const std::string& StepReports::metric_name(size_t i) const {
  return step_->outputs[static_cast<size_t>(step_->state_tensors) + i].name;
}

absl::StatusOr<std::vector<float>> StepReports::ReadMetrics() const {
  std::vector<float> metrics;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const StepTensor& output =
        step_->outputs[static_cast<size_t>(step_->state_tensors) + i];
    if (output.role != TensorRole::kMetric) break;
    ASSIGN_OR_RETURN(const std::vector<float> value,
                     buffers_[i].ToVector<float>());
    metrics.push_back(value[0]);
  }
  return metrics;
}

absl::StatusOr<std::vector<float>> StepReports::ReadDiagnostic(
    absl::string_view name) const {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const StepTensor& output =
        step_->outputs[static_cast<size_t>(step_->state_tensors) + i];
    if (output.role == TensorRole::kDiagnostic && output.name == name) {
      return buffers_[i].ToVector<float>();
    }
  }
  return absl::NotFoundError(
      absl::StrCat("the step has no diagnostic '", name,
                   "'; build it with StepOptions::diagnostics"));
}

}  // namespace xla_byol
