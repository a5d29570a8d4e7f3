// A PJRT plugin that can do nothing but profile: what it recorded is in the
// environment's PROFILE, in hexadecimal digits. PROFILER says how it gives it:
//   own     in its own buffer at once, one byte too large, as XLA does
//   asks    in the caller's, at a second call, as the header says
//   broken  not at all: it fails to start

#include <cstdlib>
#include <cstring>
#include <string>

#include "pjrt_c_api.h"
#include "xla_byol/pjrt/profiler_abi.h"

namespace abi = xla_byol::pjrt::profiler_abi;

struct abi::Error {
  std::string message;
};

struct abi::Session {
  bool started = false;
  bool stopped = false;
  std::string bytes;
};

namespace {

std::string Mode() {
  const char* mode = std::getenv("PROFILER");
  return mode == nullptr ? "own" : mode;
}

std::string Recorded() {
  const char* digits = std::getenv("PROFILE");
  std::string bytes;
  for (size_t i = 0; digits != nullptr && i < std::strlen(digits); i += 2) {
    const std::string byte(digits + i, 2);
    bytes.push_back(static_cast<char>(std::stoi(byte, nullptr, 16)));
  }
  return bytes;
}

abi::Error* Create(abi::CreateArgs* args) {
  if (args->options_size != 8) return new abi::Error{"no options"};
  args->session = new abi::Session;
  return nullptr;
}

abi::Error* Destroy(abi::SessionArgs* args) {
  delete args->session;
  return nullptr;
}

abi::Error* Start(abi::SessionArgs* args) {
  if (Mode() == "broken") return new abi::Error{"another profiler runs"};
  args->session->started = true;
  return nullptr;
}

abi::Error* Stop(abi::SessionArgs* args) {
  args->session->stopped = true;
  return nullptr;
}

abi::Error* Collect(abi::CollectArgs* args) {
  abi::Session& session = *args->session;
  if (!session.started || !session.stopped) {
    return new abi::Error{"it did not record, or still does"};
  }
  session.bytes = Recorded();
  if (Mode() == "asks") {
    if (args->buffer == nullptr) {
      args->size = session.bytes.size();
    } else {
      std::memcpy(args->buffer, session.bytes.data(), session.bytes.size());
    }
    return nullptr;
  }
  args->buffer = reinterpret_cast<uint8_t*>(session.bytes.data());
  args->size = session.bytes.size() + 1;
  return nullptr;
}

const abi::Api kProfiler = {
    .struct_size = sizeof(abi::Api),
    .destroy_error = [](abi::ErrorArgs* args) { delete args->error; },
    .error_message =
        [](abi::ErrorMessageArgs* args) {
          args->message = args->error->message.data();
          args->message_size = args->error->message.size();
        },
    .create = Create,
    .destroy = Destroy,
    .start = Start,
    .stop = Stop,
    .collect = Collect,
};

PJRT_Api MakeApi() {
  static abi::Extension extension = {
      {sizeof(abi::Extension), PJRT_Extension_Type_Profiler, nullptr},
      &kProfiler};
  PJRT_Api api = {};
  api.struct_size = sizeof(api);
  api.extension_start = &extension.base;
  api.pjrt_api_version.struct_size = sizeof(api.pjrt_api_version);
  api.pjrt_api_version.major_version = PJRT_API_MAJOR;
  api.pjrt_api_version.minor_version = PJRT_API_MINOR;
  api.PJRT_Plugin_Initialize = [](PJRT_Plugin_Initialize_Args*) -> PJRT_Error* {
    return nullptr;
  };
  api.PJRT_Plugin_Attributes =
      [](PJRT_Plugin_Attributes_Args* args) -> PJRT_Error* {
    args->num_attributes = 0;
    return nullptr;
  };
  return api;
}

}  // namespace

extern "C" const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api api = MakeApi();
  return &api;
}
