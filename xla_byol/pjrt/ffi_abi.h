// The binary interface between a CPU plugin and functions that its programs
// call back ("foreign functions"): layouts only, and of those only what we
// touch. Both sides of it are versioned by struct_size and by a version number
// that a handler reports; 0.1 is the oldest with these layouts, and newer
// plugins only add at the end.

#ifndef XLA_BYOL_PJRT_FFI_ABI_H_
#define XLA_BYOL_PJRT_FFI_ABI_H_

#include <cstddef>
#include <cstdint>

#include "pjrt_c_api.h"

namespace xla_byol::pjrt::ffi_abi {

inline constexpr int kMajorVersion = 0;
inline constexpr int kMinorVersion = 1;

struct Extension {
  size_t struct_size;
  int type;
  Extension* next;
};
// A call with this extension asks for the handler's version, not for work.
inline constexpr int kMetadataExtension = 1;

// How most structs begin.
struct Header {
  size_t struct_size;
  Extension* extensions;
};

struct Version {
  Header header;
  int major, minor;
};

struct Metadata {
  size_t struct_size;
  Version version;
  uint32_t traits;
};

struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

// Element types have the numbers of xla::PrimitiveType.
struct Buffer {
  Header header;
  int element_type;
  void* data;
  int64_t rank;
  int64_t* dims;
};
inline constexpr int kBufferArgument = 1;  // the one type of arguments, results

struct Buffers {
  Header header;
  int64_t size;
  int* types;
  Buffer** values;
};

struct Text {
  const char* data;
  size_t size;
};

struct Scalar {
  int element_type;
  void* value;
};

struct Array {
  int element_type;
  size_t size;
  void* data;
};

// What an attribute's value points to.
inline constexpr int kArrayAttribute = 1;
inline constexpr int kScalarAttribute = 3;
inline constexpr int kTextAttribute = 4;

struct Attributes {
  Header header;
  int64_t size;
  int* types;
  Text** names;
  void** values;
};

struct Error;    // the plugin's
struct Context;  // of one execution; the plugin's
struct Functions;

inline constexpr int kExecuteStage = 3;

struct CallFrame {
  Header header;
  const Functions* functions;
  Context* context;
  int stage;
  Buffers arguments;
  Buffers results;
  Attributes attributes;
};

struct CreateErrorArgs {
  Header header;
  const char* message;
  int code;  // Abseil's numbers
};

struct ScheduleArgs {
  Header header;
  Context* context;
  void (*task)(void* data);
  void* data;
};

struct ThreadCountArgs {
  Header header;
  Context* context;
  int64_t* threads;
};

struct DestroyErrorArgs {
  Header header;
  Error* error;
};

// The plugin's functions that a handler may call.
struct Functions {
  Header header;
  Version version;
  const void* internal;
  Error* (*create_error)(CreateErrorArgs*);
  void* get_error_message;
  void (*destroy_error)(DestroyErrorArgs*);
  void* others[8];  // registration, streams, state, device memory
  Error* (*schedule)(ScheduleArgs*);
  Error* (*thread_count)(ThreadCountArgs*);
};

using Handler = Error* (*)(CallFrame*);

// The extension of PJRT's function table that registers handlers, as of PJRT C
// API 0.81. (Older headers have another field in the middle of the arguments.)
inline constexpr int kOldestPjrtMinor = 81;

struct RegisterArgs {
  size_t struct_size;
  const char* name;
  size_t name_size;
  void* handler;
  const char* platform;
  size_t platform_size;
  int traits;
};

struct PjrtExtension {
  PJRT_Extension_Base base;
  void* register_type;
  void* add_user_data;
  PJRT_Error* (*register_handler)(RegisterArgs*);
};

}  // namespace xla_byol::pjrt::ffi_abi

#endif  // XLA_BYOL_PJRT_FFI_ABI_H_
