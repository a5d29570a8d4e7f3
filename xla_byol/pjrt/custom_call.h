// Functions of this process that a compiled CPU program calls, in place of an
// op: StableHLO's custom_call.
//
//   absl::Status Scale(const CustomCall& call) {
//     ASSIGN_OR_RETURN(const int64_t factor, call.Integer("factor"));
//     ASSIGN_OR_RETURN(absl::Span<float> x, call.Operand<float>(0));
//     ASSIGN_OR_RETURN(absl::Span<float> y, call.Result<float>(0));
//     ...
//   }
//   RETURN_IF_ERROR(RegisterCustomCall<Scale>(plugin, "scale"));
//
// Handlers run on the plugin's threads, several at a time, and must not block
// on each other. An error ends the execution: Runner's events and buffers carry
// it as `name: message (operands) at scope`, where the scope is the call's
// attribute "scope", if it has one.

#ifndef XLA_BYOL_PJRT_CUSTOM_CALL_H_
#define XLA_BYOL_PJRT_CUSTOM_CALL_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/pjrt/array_spec.h"
#include "xla_byol/pjrt/ffi_abi.h"
#include "xla_byol/pjrt/plugin.h"

namespace xla_byol::pjrt {

// What a handler sees of one call. Everything is the plugin's, and valid until
// the handler returns. Nothing here allocates unless it fails.
class CustomCall {
 public:
  explicit CustomCall(const ffi_abi::CallFrame& frame) : frame_(frame) {}

  size_t operands() const { return frame_.arguments.size; }
  size_t results() const { return frame_.results.size; }
  // Of an operand or result that exists; row-major.
  absl::Span<const int64_t> operand_dims(size_t index) const;
  absl::Span<const int64_t> result_dims(size_t index) const;
  // All elements; INVALID_ARGUMENT if there is no such operand, or it has
  // another type.
  template <typename T>
  absl::StatusOr<absl::Span<const T>> Operand(size_t index) const;
  template <typename T>
  absl::StatusOr<absl::Span<T>> Result(size_t index) const;

  // Attributes of the call's backend_config; INVALID_ARGUMENT if absent.
  absl::StatusOr<int64_t> Integer(absl::string_view name) const;
  absl::StatusOr<absl::Span<const int64_t>> Integers(
      absl::string_view name) const;
  absl::StatusOr<absl::string_view> Text(absl::string_view name) const;

  // The plugin's pool, which all running calls and ops share; at least 1.
  int threads() const;
  // Calls task(0), ..., task(count - 1), some of them on other threads of the
  // pool if those are free, and returns when all are done. Any thread may run
  // any of them, in any order. Tasks must not throw.
  void ParallelFor(int count, absl::FunctionRef<void(int)> task) const;

  // "f32[8,3], f32[3]"
  std::string DescribeOperands() const;

 private:
  absl::StatusOr<const ffi_abi::Buffer*> Find(const ffi_abi::Buffers& buffers,
                                              size_t index, ElementType type,
                                              const char* what) const;
  absl::StatusOr<const void*> Attribute(absl::string_view name, int type) const;

  const ffi_abi::CallFrame& frame_;
};

using CustomCallHandler = absl::Status (*)(const CustomCall& call);

// Whether programs of this plugin can call handlers: CPU plugins with PJRT's
// FFI extension.
bool HasCustomCalls(const Plugin& plugin);

// Internal: runs `handler`, and turns its status into the plugin's error.
ffi_abi::Error* RunHandler(ffi_abi::CallFrame* frame,
                           CustomCallHandler handler);
absl::Status RegisterHandler(const Plugin& plugin, absl::string_view name,
                             ffi_abi::Handler handler);

// From now on, until the process ends, programs of `plugin` may call kHandler
// by `name`. UNIMPLEMENTED if the plugin has no custom calls; a name that is
// taken is ALREADY_EXISTS, or whatever the plugin makes of it.
template <CustomCallHandler kHandler>
absl::Status RegisterCustomCall(const Plugin& plugin, absl::string_view name) {
  return RegisterHandler(plugin, name, [](ffi_abi::CallFrame* frame) {
    return RunHandler(frame, kHandler);
  });
}

template <typename T>
absl::StatusOr<absl::Span<const T>> CustomCall::Operand(size_t index) const {
  auto buffer = Find(frame_.arguments, index, ElementTypeOf<T>(), "operand");
  if (!buffer.ok()) return buffer.status();
  size_t size = 1;
  for (int64_t i = 0; i < (*buffer)->rank; ++i) size *= (*buffer)->dims[i];
  return absl::MakeConstSpan(static_cast<const T*>((*buffer)->data), size);
}

template <typename T>
absl::StatusOr<absl::Span<T>> CustomCall::Result(size_t index) const {
  auto buffer = Find(frame_.results, index, ElementTypeOf<T>(), "result");
  if (!buffer.ok()) return buffer.status();
  size_t size = 1;
  for (int64_t i = 0; i < (*buffer)->rank; ++i) size *= (*buffer)->dims[i];
  return absl::MakeSpan(static_cast<T*>((*buffer)->data), size);
}

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_CUSTOM_CALL_H_
