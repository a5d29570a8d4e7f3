#include "xla_byol/pjrt/profiler.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::pjrt {
namespace {

// A serialized tensorflow.ProfileOptions: version 1, host events of level 2,
// device events, and the programs they belong to; what profilers ask for if
// nobody says otherwise.
constexpr char kOptions[] = {
    /*host_tracer_level=*/0x10,
    2,  //
    /*device_tracer_level=*/0x18,
    1,  //
    /*version=*/0x28,
    1,  //
    /*enable_hlo_proto=*/0x38,
    1,
};

const profiler_abi::Api* FindApi(const Plugin& plugin) {
  const PJRT_Extension_Base* extension = plugin.api().table()->extension_start;
  while (extension != nullptr &&
         extension->type != PJRT_Extension_Type_Profiler) {
    extension = extension->next;
  }
  if (extension == nullptr ||
      extension->struct_size < sizeof(profiler_abi::Extension)) {
    return nullptr;
  }
  const profiler_abi::Api* api =
      reinterpret_cast<const profiler_abi::Extension*>(extension)->api;
  return api == nullptr || api->struct_size < sizeof(profiler_abi::Api)
             ? nullptr
             : api;
}

absl::Status TakeError(const profiler_abi::Api& api,
                       const profiler_abi::Error* error,
                       absl::string_view what) {
  if (error == nullptr) return absl::OkStatus();
  profiler_abi::ErrorMessageArgs message = {};
  message.struct_size = sizeof(message);
  message.error = error;
  api.error_message(&message);
  const absl::Status status = absl::InternalError(
      absl::StrCat("the plugin's profiler: ", what, ": ",
                   absl::string_view(message.message, message.message_size)));
  profiler_abi::ErrorArgs args = {};
  args.struct_size = sizeof(args);
  args.error = error;
  api.destroy_error(&args);
  return status;
}

profiler_abi::SessionArgs ArgsOf(profiler_abi::Session* session) {
  return {sizeof(profiler_abi::SessionArgs), session};
}

}  // namespace

void Profiler::End::operator()(profiler_abi::Session* session) const {
  profiler_abi::SessionArgs args = ArgsOf(session);
  TakeError(*api, api->destroy(&args), "destroy").IgnoreError();
}

absl::StatusOr<Profiler> Profiler::Start(const Plugin& plugin) {
  const profiler_abi::Api* api = FindApi(plugin);
  if (api == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("the plugin '", plugin.path(), "' has no profiler"));
  }
  profiler_abi::CreateArgs create = {};
  create.struct_size = sizeof(create);
  create.options = kOptions;
  create.options_size = sizeof(kOptions);
  RETURN_IF_ERROR(TakeError(*api, api->create(&create), "create"));
  Profiler profiler(api, create.session);
  profiler_abi::SessionArgs args = ArgsOf(create.session);
  RETURN_IF_ERROR(TakeError(*api, api->start(&args), "start"));
  return profiler;
}

absl::StatusOr<std::string> Profiler::Stop() {
  profiler_abi::SessionArgs args = ArgsOf(session_.get());
  RETURN_IF_ERROR(TakeError(*api_, api_->stop(&args), "stop"));
  profiler_abi::CollectArgs collect = {};
  collect.struct_size = sizeof(collect);
  collect.session = session_.get();
  RETURN_IF_ERROR(TakeError(*api_, api_->collect(&collect), "collect"));
  if (collect.buffer != nullptr) {
    return std::string(reinterpret_cast<const char*>(collect.buffer),
                       collect.size);
  }
  std::string bytes(collect.size, '\0');
  collect.buffer = reinterpret_cast<uint8_t*>(bytes.data());
  if (!bytes.empty()) {
    RETURN_IF_ERROR(TakeError(*api_, api_->collect(&collect), "collect"));
  }
  return bytes;
}

}  // namespace xla_byol::pjrt
