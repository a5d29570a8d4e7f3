// Something the device will have finished later.

#ifndef XLA_BYOL_PJRT_EVENT_H_
#define XLA_BYOL_PJRT_EVENT_H_

#include "absl/status/status.h"
#include "xla_byol/pjrt/api.h"

namespace xla_byol::pjrt {

// Move-only. An event of an asynchronous transfer guards host memory that the
// device still reads or writes: that memory must stay alive until Await
// returned. Dropping the event does not wait and does not cancel anything.
class Event {
 public:
  // An event that has already happened.
  Event() = default;
  // Takes ownership of `event`; null means already happened.
  Event(const Api* api, PJRT_Event* event) : api_(api), handle_(event, {api}) {}

  // Waits, and returns the failure of what was awaited, if it failed. Any
  // number of times, from any thread.
  absl::Status Await() const;

 private:
  const Api* api_ = nullptr;
  Handle<PJRT_Event, PJRT_Event_Destroy_Args, &PJRT_Api::PJRT_Event_Destroy,
         &PJRT_Event_Destroy_Args::event>
      handle_;
};

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_EVENT_H_
