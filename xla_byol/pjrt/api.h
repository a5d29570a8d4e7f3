// The one way into a plugin's C API.
//
//   Padded<PJRT_Buffer_IsDeleted_Args> args;
//   args.buffer = buffer;
//   RETURN_IF_ERROR(api.Call(&PJRT_Api::PJRT_Buffer_IsDeleted, args));
//   return args.is_deleted;
//
// One header (the CPU plugin's, API 0.81) talks to plugins of other ages:
//  - a plugin newer than the header refuses argument structs smaller than its
//    own, so each one carries a zeroed tail that new fields fall into;
//  - a plugin older than the header has a shorter function table, so each call
//    first checks that its slot is inside the table.

#ifndef XLA_BYOL_PJRT_API_H_
#define XLA_BYOL_PJRT_API_H_

#include <cstddef>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "pjrt_c_api.h"

namespace xla_byol::pjrt {

// An argument struct (or PJRT_Program, PJRT_ExecuteOptions) with everything
// zero but struct_size, which covers the tail.
template <typename Args, size_t kTail = 256>
struct Padded : Args {
  Padded() : Args{} { this->struct_size = sizeof(Padded); }

  std::byte tail[kTail] = {};
};

// "PJRT_Client_Create" for PJRT_Client_Create_Args: the name of an argument
// struct is the name of its function, so no caller has to repeat it.
template <typename Args>
constexpr absl::string_view FunctionName() {
  constexpr std::string_view kPretty = __PRETTY_FUNCTION__;
  constexpr size_t kBegin = kPretty.find("Args = ") + 7;
  constexpr size_t kEnd = kPretty.find("_Args", kBegin);
  return absl::string_view(kPretty.data() + kBegin, kEnd - kBegin);
}

// A plugin's function table. Plugins are never unloaded, so `const Api*` is
// valid until the process ends. Thread-safe, as the C API is.
class Api {
 public:
  template <typename Args>
  using Function = PJRT_Error* (*PJRT_Api::*)(Args*);

  explicit Api(const PJRT_Api* table) : table_(table) {}
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  int major_version() const { return table_->pjrt_api_version.major_version; }
  int minor_version() const { return table_->pjrt_api_version.minor_version; }

  // Calls `function`. A plugin's error becomes a Status with the same code and
  // the message "PJRT_Function: what the plugin said"; a function the plugin
  // does not have is UNIMPLEMENTED. `args` is only valid while it lives: the
  // plugin fills its out-fields in place.
  template <typename Args, size_t kTail>
  absl::Status Call(Function<Args> function, Padded<Args, kTail>& args) const {
    if (!Has(function)) return Missing(FunctionName<Args>());
    PJRT_Error* error = (table_->*function)(&args);
    if (error == nullptr) return absl::OkStatus();
    return TakeError(error, FunctionName<Args>());
  }

  // True when the plugin's table reaches as far as `function` and has it.
  template <typename Args>
  bool Has(Function<Args> function) const {
    const auto* slot = reinterpret_cast<const std::byte*>(&(table_->*function));
    const auto* begin = reinterpret_cast<const std::byte*>(table_);
    return static_cast<size_t>(slot - begin) + sizeof(slot) <=
               table_->struct_size &&
           table_->*function != nullptr;
  }

  // Turns `error` into a Status and destroys it. OK when it is null.
  absl::Status TakeError(PJRT_Error* error, absl::string_view where) const;

  // For what has no place in Call: the benchmark's bare calls.
  const PJRT_Api* table() const { return table_; }

 private:
  absl::Status Missing(absl::string_view function) const;

  const PJRT_Api* table_;
};

// Deletes a C object through the function and the field that are its own.
// Destroying cannot fail in a way a destructor could act on: errors are
// dropped.
template <typename Object, typename Args, Api::Function<Args> kDestroy,
          Object* Args::*kField>
struct Destroyer {
  const Api* api = nullptr;

  void operator()(Object* object) const {
    // A small tail: this runs for each result of each step, and a struct with
    // one field will not grow by eight.
    Padded<Args, 64> args;
    args.*kField = object;
    api->Call(kDestroy, args).IgnoreError();
  }
};

template <typename Object, typename Args, Api::Function<Args> kDestroy,
          Object* Args::*kField>
using Handle =
    std::unique_ptr<Object, Destroyer<Object, Args, kDestroy, kField>>;

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_API_H_
