#include "xla_byol/pjrt/key_value_store.h"

#include <cstring>

namespace xla_byol::pjrt {
namespace {

// A plugin's error can only be made by the plugin.
PJRT_Error* ToError(const absl::Status& status,
                    const PJRT_CallbackError* callback_error) {
  const std::string message(status.message());
  return (*callback_error)(static_cast<PJRT_Error_Code>(status.code()),
                           message.data(), message.size());
}

// The plugin frees a value by the deleter that comes with it.
template <typename Args>
PJRT_Error* Answer(const absl::StatusOr<std::string>& value, Args* args) {
  if (!value.ok()) return ToError(value.status(), args->callback_error);
  args->value = new char[value->size() + 1];
  std::memcpy(args->value, value->data(), value->size());
  args->value[value->size()] = 0;
  args->value_size = value->size();
  args->value_deleter_callback = [](char* bytes) { delete[] bytes; };
  return nullptr;
}

}  // namespace

PJRT_Error* KvGet(PJRT_KeyValueGetCallback_Args* args) {
  auto& store = *static_cast<KeyValueStore*>(args->user_arg);
  return Answer(store.Get(absl::string_view(args->key, args->key_size),
                          absl::Milliseconds(args->timeout_in_ms)),
                args);
}

PJRT_Error* KvTryGet(PJRT_KeyValueTryGetCallback_Args* args) {
  auto& store = *static_cast<KeyValueStore*>(args->user_arg);
  return Answer(store.TryGet(absl::string_view(args->key, args->key_size)),
                args);
}

PJRT_Error* KvPut(PJRT_KeyValuePutCallback_Args* args) {
  auto& store = *static_cast<KeyValueStore*>(args->user_arg);
  const absl::Status status =
      store.Put(absl::string_view(args->key, args->key_size),
                absl::string_view(args->value, args->value_size));
  return status.ok() ? nullptr : ToError(status, args->callback_error);
}

}  // namespace xla_byol::pjrt
