#include "xla_byol/pjrt/event.h"

namespace xla_byol::pjrt {

absl::Status Event::Await() const {
  if (handle_ == nullptr) return absl::OkStatus();
  Padded<PJRT_Event_Await_Args> args;
  args.event = handle_.get();
  return api_->Call(&PJRT_Api::PJRT_Event_Await, args);
}

}  // namespace xla_byol::pjrt
