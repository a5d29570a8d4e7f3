#include "xla_byol/pjrt/custom_call.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/pjrt/shared_tasks.h"

namespace xla_byol::pjrt {
namespace {

using ffi_abi::Buffer;
using ffi_abi::CallFrame;

// Of the plugin's element types only bf16's number differs from ours.
constexpr int kWireBf16 = 16;

int WireType(ElementType type) {
  return type == ElementType::kBf16 ? kWireBf16 : static_cast<int>(type);
}

std::string Describe(const Buffer& buffer) {
  ArraySpec spec;
  const bool bf16 = buffer.element_type == kWireBf16;
  const int ours =
      bf16 ? static_cast<int>(ElementType::kBf16) : buffer.element_type;
  if (ours < static_cast<int>(ElementType::kPred) ||
      ours > static_cast<int>(ElementType::kBf16)) {
    return absl::StrCat("type ", buffer.element_type);
  }
  spec.type = static_cast<ElementType>(ours);
  spec.dims.assign(buffer.dims, buffer.dims + buffer.rank);
  return spec.ToString();
}

const ffi_abi::PjrtExtension* FindExtension(const Plugin& plugin) {
  if (plugin.platform() != Platform::kCpu ||
      plugin.api().minor_version() < ffi_abi::kOldestPjrtMinor) {
    return nullptr;
  }
  const PJRT_Extension_Base* extension = plugin.api().table()->extension_start;
  while (extension != nullptr && extension->type != PJRT_Extension_Type_FFI) {
    extension = extension->next;
  }
  if (extension == nullptr ||
      extension->struct_size < sizeof(ffi_abi::PjrtExtension)) {
    return nullptr;
  }
  return reinterpret_cast<const ffi_abi::PjrtExtension*>(extension);
}

ffi_abi::Error* ToError(const CallFrame& frame, const absl::Status& status) {
  const CustomCall call(frame);
  const absl::StatusOr<absl::string_view> scope = call.Text("scope");
  const absl::StatusOr<absl::string_view> name = call.Text("name");
  const std::string message = absl::StrCat(
      name.ok() ? *name : "custom_call", ": ", status.message(), " (",
      call.DescribeOperands(), ")", scope.ok() && !scope->empty() ? " at " : "",
      scope.ok() ? *scope : "");
  ffi_abi::CreateErrorArgs args = {};
  args.header.struct_size = sizeof(args);
  args.message = message.c_str();
  args.code = static_cast<int>(status.code());
  return frame.functions->create_error(&args);
}

// Drops what a function of the plugin complained about; true if it did not.
bool Succeeded(const CallFrame& frame, ffi_abi::Error* error) {
  if (error == nullptr) return true;
  ffi_abi::DestroyErrorArgs args = {};
  args.header.struct_size = sizeof(args);
  args.error = error;
  frame.functions->destroy_error(&args);
  return false;
}

}  // namespace

absl::Span<const int64_t> CustomCall::operand_dims(size_t index) const {
  const Buffer& buffer = *frame_.arguments.values[index];
  return {buffer.dims, static_cast<size_t>(buffer.rank)};
}

absl::Span<const int64_t> CustomCall::result_dims(size_t index) const {
  const Buffer& buffer = *frame_.results.values[index];
  return {buffer.dims, static_cast<size_t>(buffer.rank)};
}

absl::StatusOr<const Buffer*> CustomCall::Find(const ffi_abi::Buffers& buffers,
                                               size_t index, ElementType type,
                                               const char* what) const {
  if (index >= static_cast<size_t>(buffers.size)) {
    return absl::InvalidArgumentError(
        absl::StrCat("has no ", what, " ", index, ", only ", buffers.size));
  }
  const Buffer* buffer = buffers.values[index];
  if (buffer->element_type != WireType(type)) {
    return absl::InvalidArgumentError(absl::StrCat(what, " ", index, " is ",
                                                   Describe(*buffer), ", not ",
                                                   ElementTypeName(type)));
  }
  return buffer;
}

absl::StatusOr<const void*> CustomCall::Attribute(absl::string_view name,
                                                  int type) const {
  const ffi_abi::Attributes& attributes = frame_.attributes;
  for (int64_t i = 0; i < attributes.size; ++i) {
    const ffi_abi::Text& found = *attributes.names[i];
    if (absl::string_view(found.data, found.size) != name) continue;
    if (attributes.types[i] != type) break;
    return attributes.values[i];
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the attribute '", name, "' is absent or of another type"));
}

absl::StatusOr<int64_t> CustomCall::Integer(absl::string_view name) const {
  ASSIGN_OR_RETURN(const void* value,
                   Attribute(name, ffi_abi::kScalarAttribute));
  const auto& scalar = *static_cast<const ffi_abi::Scalar*>(value);
  if (scalar.element_type != WireType(ElementType::kS64)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the attribute '", name, "' is not i64"));
  }
  return *static_cast<const int64_t*>(scalar.value);
}

absl::StatusOr<absl::Span<const int64_t>> CustomCall::Integers(
    absl::string_view name) const {
  ASSIGN_OR_RETURN(const void* value,
                   Attribute(name, ffi_abi::kArrayAttribute));
  const auto& array = *static_cast<const ffi_abi::Array*>(value);
  if (array.element_type != WireType(ElementType::kS64)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the attribute '", name, "' is not an array of i64"));
  }
  return absl::MakeConstSpan(static_cast<const int64_t*>(array.data),
                             array.size);
}

absl::StatusOr<absl::string_view> CustomCall::Text(
    absl::string_view name) const {
  ASSIGN_OR_RETURN(const void* value, Attribute(name, ffi_abi::kTextAttribute));
  const auto& text = *static_cast<const ffi_abi::Text*>(value);
  return absl::string_view(text.data, text.size);
}

int CustomCall::threads() const {
  int64_t threads = 1;
  ffi_abi::ThreadCountArgs args = {};
  args.header.struct_size = sizeof(args);
  args.context = frame_.context;
  args.threads = &threads;
  // An execution without a pool is an error here, and one thread.
  if (!Succeeded(frame_, frame_.functions->thread_count(&args))) return 1;
  return static_cast<int>(std::max<int64_t>(threads, 1));
}

void CustomCall::ParallelFor(int count,
                             absl::FunctionRef<void(int)> task) const {
  const int helpers = std::min(count, threads()) - 1;
  if (helpers < 1) {
    for (int i = 0; i < count; ++i) task(i);
    return;
  }
  SharedTasks* tasks = SharedTasks::Take(count, helpers, task);
  for (int i = 0; i < helpers; ++i) {
    ffi_abi::ScheduleArgs args = {};
    args.header.struct_size = sizeof(args);
    args.context = frame_.context;
    args.task = SharedTasks::Help;
    args.data = tasks;
    if (!Succeeded(frame_, frame_.functions->schedule(&args))) {
      tasks->GiveUpHelper();
    }
  }
  tasks->RunAndWait();
}

std::string CustomCall::DescribeOperands() const {
  std::string text;
  for (size_t i = 0; i < operands(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ",
                    Describe(*frame_.arguments.values[i]));
  }
  return text;
}

bool HasCustomCalls(const Plugin& plugin) {
  return FindExtension(plugin) != nullptr;
}

ffi_abi::Error* RunHandler(CallFrame* frame, CustomCallHandler handler) {
  const ffi_abi::Extension* extension = frame->header.extensions;
  if (extension != nullptr && extension->type == ffi_abi::kMetadataExtension) {
    ffi_abi::Metadata* metadata =
        reinterpret_cast<const ffi_abi::MetadataExtension*>(extension)
            ->metadata;
    metadata->version.major = ffi_abi::kMajorVersion;
    metadata->version.minor = ffi_abi::kMinorVersion;
    metadata->traits = 0;
    return nullptr;
  }
  if (frame->stage != ffi_abi::kExecuteStage) return nullptr;
  const absl::Status status = handler(CustomCall(*frame));
  return status.ok() ? nullptr : ToError(*frame, status);
}

absl::Status RegisterHandler(const Plugin& plugin, absl::string_view name,
                             ffi_abi::Handler handler) {
  const ffi_abi::PjrtExtension* extension = FindExtension(plugin);
  if (extension == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("custom call '", name, "': ", plugin.path(),
                     " has no FFI extension that we know"));
  }
  constexpr absl::string_view kPlatform = "HOST";
  ffi_abi::RegisterArgs args = {};
  args.struct_size = sizeof(args);
  args.name = name.data();
  args.name_size = name.size();
  args.handler = reinterpret_cast<void*>(handler);
  args.platform = kPlatform.data();
  args.platform_size = kPlatform.size();
  return plugin.api().TakeError(extension->register_handler(&args),
                                absl::StrCat("custom call '", name, "'"));
}

}  // namespace xla_byol::pjrt
