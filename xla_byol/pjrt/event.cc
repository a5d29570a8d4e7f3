#include "xla_byol/pjrt/event.h"

#include "xla_byol/base/status_macros.h"

namespace xla_byol::pjrt {

absl::Status Event::Await() const {
  if (handle_ == nullptr) return absl::OkStatus();
  Padded<PJRT_Event_Await_Args> args;
  args.event = handle_.get();
  return api_->Call(&PJRT_Api::PJRT_Event_Await, args);
}

absl::StatusOr<bool> Event::IsReady() const {
  if (handle_ == nullptr) return true;
  Padded<PJRT_Event_IsReady_Args> args;
  args.event = handle_.get();
  RETURN_IF_ERROR(api_->Call(&PJRT_Api::PJRT_Event_IsReady, args));
  return args.is_ready;
}

}  // namespace xla_byol::pjrt
