#include "xla_byol/runtime/process_place.h"

#include <map>
#include <set>

#include "absl/strings/str_cat.h"

namespace xla_byol {

absl::StatusOr<ProcessPlace> FindPlace(
    absl::Span<const pjrt::DeviceDescription> devices, int process) {
  std::map<int, int> shares;  // by process
  std::set<int> ids;
  for (const pjrt::DeviceDescription& device : devices) {
    ++shares[device.process_index];
    if (!ids.insert(device.id).second) {
      return absl::FailedPreconditionError(
          absl::StrCat("two devices have the id ", device.id));
    }
  }
  if (!shares.contains(process)) {
    return absl::FailedPreconditionError(
        absl::StrCat("process ", process, " has none of the ", devices.size(),
                     " devices; start one process on each host of the slice"));
  }
  int expected = 0;
  for (const auto& [index, share] : shares) {
    if (index != expected++) {
      return absl::FailedPreconditionError(absl::StrCat(
          "process ", expected - 1, " is missing: there are ", shares.size(),
          " processes up to number ", shares.rbegin()->first));
    }
    if (share != shares[process]) {
      return absl::FailedPreconditionError(absl::StrCat(
          "process ", index, " has ", share, " devices, process ", process,
          " has ", shares[process], "; they must have the same number"));
    }
  }
  return ProcessPlace{process, static_cast<int>(shares.size()),
                      shares[process]};
}

ProcessPlace PlaceOf(const pjrt::Client& client) {
  const int devices = static_cast<int>(client.devices().size());
  return {.process = client.process_index(),
          .processes = client.global_device_count() / devices,
          .devices = devices};
}

RowRange RowsOf(const ProcessPlace& place, int device, int64_t batch) {
  const int64_t rows = batch / place.global_devices();
  const int64_t begin =
      (int64_t{place.process} * place.devices + device) * rows;
  return {begin, begin + rows};
}

absl::Status CheckSameStep(float step_spread, int64_t step) {
  if (step_spread == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "processes run steps up to ", step_spread, " apart (this one: ", step,
      "): they read different checkpoints; --run_dir must be one folder that "
      "all hosts see"));
}

}  // namespace xla_byol
