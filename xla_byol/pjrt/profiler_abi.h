// The binary interface of a plugin's profiler: layouts only. It has errors of
// its own, apart from PJRT's. Structs are versioned by struct_size, and newer
// plugins only add at the end.

#ifndef XLA_BYOL_PJRT_PROFILER_ABI_H_
#define XLA_BYOL_PJRT_PROFILER_ABI_H_

#include <cstddef>
#include <cstdint>

#include "pjrt_c_api.h"

namespace xla_byol::pjrt::profiler_abi {

struct Error;    // the plugin's
struct Session;  // likewise

struct ErrorArgs {
  size_t struct_size;
  void* priv;
  const Error* error;
};

struct ErrorMessageArgs {
  size_t struct_size;
  void* priv;
  const Error* error;
  const char* message;  // out; lives as long as the error
  size_t message_size;  // out
};

struct CreateArgs {
  size_t struct_size;
  const char* options;  // a serialized tensorflow.ProfileOptions
  size_t options_size;
  Session* session;  // out
};

struct SessionArgs {
  size_t struct_size;
  Session* session;
};

// The header says: call first with a null buffer, for the size, then with one's
// own. XLA's implementation gives a buffer of the session's in the first call
// already, and writes nothing in a second one.
struct CollectArgs {
  size_t struct_size;
  Session* session;
  uint8_t* buffer;  // in and out
  size_t size;      // out; XLA's may be one byte too large
};

struct Api {
  size_t struct_size;
  void* priv;
  void (*destroy_error)(ErrorArgs*);
  void (*error_message)(ErrorMessageArgs*);
  void* error_code;  // not called
  Error* (*create)(CreateArgs*);
  Error* (*destroy)(SessionArgs*);
  Error* (*start)(SessionArgs*);
  Error* (*stop)(SessionArgs*);
  Error* (*collect)(CollectArgs*);
};

// Among the extensions of PJRT_Api.
struct Extension {
  PJRT_Extension_Base base;
  const Api* api;  // null: this build of the plugin has none
};

}  // namespace xla_byol::pjrt::profiler_abi

#endif  // XLA_BYOL_PJRT_PROFILER_ABI_H_
