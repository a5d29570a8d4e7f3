// What a plugin asks of whoever starts several processes: small values that all
// of them see.

#ifndef XLA_BYOL_PJRT_KEY_VALUE_STORE_H_
#define XLA_BYOL_PJRT_KEY_VALUE_STORE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "pjrt_c_api.h"

namespace xla_byol::pjrt {

// Thread-safe: plugins call it from many threads, long after the client was
// made.
class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;

  // ALREADY_EXISTS if this process has put another value there.
  virtual absl::Status Put(absl::string_view key, absl::string_view value) = 0;
  // Waits for a process to put it; DEADLINE_EXCEEDED after `timeout`.
  virtual absl::StatusOr<std::string> Get(absl::string_view key,
                                          absl::Duration timeout) = 0;
  // NOT_FOUND if nobody has put it yet.
  virtual absl::StatusOr<std::string> TryGet(absl::string_view key) = 0;
};

// Internal: PJRT_Client_Create's callbacks; user_arg is a KeyValueStore.
PJRT_Error* KvGet(PJRT_KeyValueGetCallback_Args* args);
PJRT_Error* KvTryGet(PJRT_KeyValueTryGetCallback_Args* args);
PJRT_Error* KvPut(PJRT_KeyValuePutCallback_Args* args);

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_KEY_VALUE_STORE_H_
