// A compiled program with the buffers that it is called with, by name.
//
//   BoundProgram program = compiled.Bind();
//   RETURN_IF_ERROR(program.SetAll<float>("w", weights));
//   RETURN_IF_ERROR(program.Set<float>("features", device, rows));
//   RETURN_IF_ERROR(program.Run());
//   ASSIGN_OR_RETURN(std::vector<float> top1, program.Read<float>("top1"));
//
// Inputs keep their values from run to run. A donated one is the program's
// state: each run leaves its next value in its place, on the device.
//
// Nothing here waits for a device but what is called Read...: transfers and
// executions are put in line, and the next ones can follow at once.

#ifndef XLA_BYOL_RUNTIME_BOUND_PROGRAM_H_
#define XLA_BYOL_RUNTIME_BOUND_PROGRAM_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/runner.h"
#include "xla_byol/program/named_program.h"

namespace xla_byol {

// The runtime's words for a shape.
pjrt::ArraySpec ArraySpecOf(const graph::Shape& shape);

template <typename T>
absl::Span<const std::byte> BytesOf(absl::Span<const T> values) {
  return {reinterpret_cast<const std::byte*>(values.data()),
          values.size() * sizeof(T)};
}

// An input of a program, found by its name once, for callers that set it again
// and again.
class InputHandle {
 private:
  friend class BoundProgram;
  explicit InputHandle(size_t index) : index_(index) {}
  size_t index_;
};

// Inputs on their way to the devices, or there, for a later run.
class StagedInputs {
 private:
  friend class BoundProgram;
  struct Part {
    size_t place;
    pjrt::Buffer buffer;
  };
  std::vector<Part> parts_;
};

// What one run gave besides its state, perhaps not computed yet: the first
// device's. Move-only; the program must outlive it.
class StepOutputs {
 public:
  struct Scalar {
    absl::string_view name;
    float value;
  };

  // Waits for the run, and gives all f32 scalars of a role.
  absl::StatusOr<std::vector<Scalar>> ReadScalars(TensorRole role) const;
  // One output's values. NOT_FOUND if the program has none of this name.
  absl::StatusOr<std::vector<float>> Read(absl::string_view name) const;

 private:
  friend class BoundProgram;
  struct Part {
    const ProgramTensor* tensor;
    pjrt::Buffer buffer;
  };
  std::vector<Part> parts_;
};

// Move-only. The client, the executable and the program must outlive it. One
// thread at a time.
class BoundProgram {
 public:
  // `executable` must be `program`, compiled for all of the client's devices.
  BoundProgram(const pjrt::Client& client,
               const pjrt::LoadedExecutable& executable,
               const NamedProgram& program);
  BoundProgram(BoundProgram&&) = default;
  BoundProgram(const BoundProgram&) = delete;

  const NamedProgram& program() const { return *program_; }
  size_t devices() const { return client_->devices().size(); }

  // Lets both programs work on the same buffers: those of every input of this
  // program that `owner`, which must outlive it, has under the same name. So a
  // run may take one program or the other for its next step.
  // FAILED_PRECONDITION if the shapes differ.
  absl::Status ShareInputs(BoundProgram& owner);

  // NOT_FOUND with the names there are.
  absl::StatusOr<InputHandle> FindInput(absl::string_view name) const;

  // An input's values on one device; `values` is free again on return.
  // INVALID_ARGUMENT if their type or number is wrong.
  template <typename T>
  absl::Status Set(InputHandle input, size_t device,
                   absl::Span<const T> values) {
    return SetBytes(input, device, BytesOf(values), pjrt::ElementTypeOf<T>());
  }
  template <typename T>
  absl::Status Set(absl::string_view name, size_t device,
                   absl::Span<const T> values);
  // The same values on all of this process's devices.
  template <typename T>
  absl::Status SetAll(InputHandle input, absl::Span<const T> values);
  template <typename T>
  absl::Status SetAll(absl::string_view name, absl::Span<const T> values);

  // Starts to copy values for a run that comes later. They must stay as they
  // are until that run is done.
  absl::Status Stage(InputHandle input, size_t device,
                     absl::Span<const std::byte> values,
                     StagedInputs& staged) const;
  // Puts what was staged in its place, for the next run.
  void Take(StagedInputs staged);

  // Puts one run in line.
  absl::Status Run();

  // What the last run gave; once for each run.
  StepOutputs TakeOutputs();
  // An output of the last run, or an input as it is now, on one device.
  template <typename T>
  absl::StatusOr<std::vector<T>> Read(absl::string_view name,
                                      size_t device = 0) const;
  // All state, which must be f32, from the first device, in the program's
  // order: copied side by side.
  absl::StatusOr<std::vector<std::vector<float>>> ReadState() const;

 private:
  absl::Status SetBytes(InputHandle input, size_t device,
                        absl::Span<const std::byte> bytes,
                        pjrt::ElementType type);
  absl::StatusOr<const pjrt::Buffer*> FindBuffer(absl::string_view name,
                                                 size_t device) const;
  // Place of input or output `index` of a device in the lists below.
  size_t ArgumentPlace(size_t device, size_t index) const {
    return device * program_->inputs.size() + index;
  }
  size_t ResultPlace(size_t device, size_t index) const {
    return device * program_->outputs.size() + index;
  }

  const pjrt::Client* client_;
  const NamedProgram* program_;
  std::vector<pjrt::ArraySpec> input_specs_;
  // All of the first device, then the next. Some stay empty: inputs that are
  // shared, outputs that are state.
  std::vector<pjrt::Buffer> inputs_;
  std::vector<pjrt::Buffer> outputs_;
  pjrt::Runner runner_;
  // For the runner: where arguments are and results go. A donated argument is
  // its result's place.
  std::vector<pjrt::Buffer*> arguments_;
  std::vector<pjrt::Buffer*> results_;
};

template <typename T>
absl::Status BoundProgram::Set(absl::string_view name, size_t device,
                               absl::Span<const T> values) {
  const absl::StatusOr<InputHandle> input = FindInput(name);
  return input.ok() ? Set(*input, device, values) : input.status();
}

template <typename T>
absl::Status BoundProgram::SetAll(InputHandle input,
                                  absl::Span<const T> values) {
  absl::Status status;
  for (size_t device = 0; device < devices() && status.ok(); ++device) {
    status = Set(input, device, values);
  }
  return status;
}

template <typename T>
absl::Status BoundProgram::SetAll(absl::string_view name,
                                  absl::Span<const T> values) {
  const absl::StatusOr<InputHandle> input = FindInput(name);
  return input.ok() ? SetAll(*input, values) : input.status();
}

template <typename T>
absl::StatusOr<std::vector<T>> BoundProgram::Read(absl::string_view name,
                                                  size_t device) const {
  const absl::StatusOr<const pjrt::Buffer*> buffer = FindBuffer(name, device);
  if (!buffer.ok()) return buffer.status();
  return (*buffer)->ToVector<T>();
}

}  // namespace xla_byol

#endif  // XLA_BYOL_RUNTIME_BOUND_PROGRAM_H_
