#include "xla_byol/distributed/process_group.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::distributed {

absl::StatusOr<std::string> ProcessGroup::Get(int writer, absl::string_view key,
                                              absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  absl::Duration pause = absl::Milliseconds(1);
  while (true) {
    absl::StatusOr<std::string> value = TryGet(writer, key);
    if (value.ok() || !absl::IsNotFound(value.status())) return value;
    if (interrupt_) RETURN_IF_ERROR(interrupt_());
    const absl::Time now = absl::Now();
    if (now >= deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat("process ", writer, " has not told its '", key,
                       "' within ", absl::FormatDuration(timeout)));
    }
    absl::SleepFor(std::min(pause, deadline - now));
    pause = std::min(pause * 2, absl::Milliseconds(50));
  }
}

}  // namespace xla_byol::distributed
