#include "xla_byol/distributed/processes.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/collectives/collective_calls.h"
#include "xla_byol/distributed/connect_exchange.h"
#include "xla_byol/distributed/folder_group.h"
#include "xla_byol/distributed/plugin_store.h"
#include "xla_byol/distributed/pmix_group.h"

namespace xla_byol::distributed {
namespace {

// How long a lost connection may be known before its process's end is.
constexpr absl::Duration kPatience = absl::Seconds(3);

absl::StatusOr<std::unique_ptr<ProcessGroup>> Meet(const Launch& launch,
                                                   absl::Duration timeout) {
  if (launch.meeting == Meeting::kFolder) {
    return JoinFolder(launch.rendezvous, launch.process, launch.processes,
                      timeout);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<ProcessGroup> group, JoinPmix());
  if (group->rank() != launch.process || group->size() != launch.processes) {
    return absl::FailedPreconditionError(absl::StrCat(
        launch.launcher, " says process ", launch.process, " of ",
        launch.processes, ", its PMIx ", group->rank(), " of ", group->size()));
  }
  return group;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Processes>> Processes::Join(
    const LaunchFlags& flags, absl::Duration peer_timeout) {
  ASSIGN_OR_RETURN(const Launch launch, FindLaunch(flags, ProcessEnvironment));
  // Not make_unique: the constructor is private.
  auto processes = std::unique_ptr<Processes>(new Processes);
  if (launch.meeting == Meeting::kNone) return processes;
  processes->timeout_ = peer_timeout;
  ASSIGN_OR_RETURN(processes->group_, Meet(launch, peer_timeout));
  ASSIGN_OR_RETURN(processes->monitor_,
                   PeerMonitor::Start(*processes->group_, peer_timeout));
  processes->group_->set_interrupt(
      [monitor = processes->monitor_.get()] { return monitor->failure(); });
  ASSIGN_OR_RETURN(processes->neighbours_,
                   FindNeighbours(*processes->group_, peer_timeout));
  processes->description_ = absl::StrCat(
      "process ", launch.process, " of ", launch.processes, ", started by ",
      launch.launcher, "; they meet in ", processes->group_->description());
  return processes;
}

Processes::~Processes() { Leave(absl::OkStatus()).IgnoreError(); }

void Processes::AddTo(pjrt::ClientOptions& options) const {
  if (group_ == nullptr) return;
  options.process = rank();
  options.processes = size();
  // More would take the cores from each other.
  if (neighbours_.sharing > 1) options.cpu_threads = neighbours_.threads();
  options.key_value_store = std::make_shared<PluginStore>(group_);
}

absl::Status Processes::Connect(const pjrt::Client& client) {
  if (group_ == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(
      CheckSame("number of devices", absl::StrCat(client.devices().size())));
  if (client.program_replicas() == client.global_device_count()) {
    LogInfo(description_);
    return absl::OkStatus();
  }
  const std::string wanted = WantedExchange();
  RETURN_IF_ERROR(CheckSame("XLA_BYOL_EXCHANGE", wanted));
  ASSIGN_OR_RETURN(exchange_,
                   ConnectExchange(*group_, neighbours_, wanted, timeout_));
  LogInfo(absl::StrCat(description_, " and exchange sums through ",
                       exchange_->description()));
  monitor_->set_on_failure([this] { exchange_->Close(); });
  return collectives::InstallCollectiveCalls(
      client.plugin(), {.exchange = exchange_.get(),
                        .process = rank(),
                        .processes = size(),
                        .devices = static_cast<int>(client.devices().size())});
}

absl::Status Processes::CheckSame(absl::string_view what,
                                  const std::string& value,
                                  const Difference& difference) {
  if (group_ == nullptr) return absl::OkStatus();
  const std::string key = absl::StrCat("same/", what);
  RETURN_IF_ERROR(group_->Put(key, value));
  std::vector<std::string> others(static_cast<size_t>(size()));
  for (int other = 0; other < size(); ++other) {
    if (other == rank()) continue;
    // Somebody may have more to do before this; the monitor knows if he lives.
    ASSIGN_OR_RETURN(others[static_cast<size_t>(other)],
                     group_->Get(other, key, absl::InfiniteDuration()));
  }
  for (int other = 0; other < size(); ++other) {
    const std::string& theirs = others[static_cast<size_t>(other)];
    if (other == rank() || theirs == value) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("process ", other, " has another ", what, " than process ",
                     rank(), ": ",
                     difference ? difference(theirs)
                                : absl::StrCat(theirs, " instead of ", value)));
  }
  return absl::OkStatus();
}

void Processes::BeginStep(int64_t step) {
  if (monitor_ != nullptr) monitor_->set_step(step);
}

absl::Status Processes::Explain(const absl::Status& status) const {
  // What this process refuses, or was asked for, has no other cause.
  if (monitor_ == nullptr || status.ok() || absl::IsCancelled(status) ||
      absl::IsFailedPrecondition(status) || absl::IsInvalidArgument(status)) {
    return status;
  }
  const absl::Status failure = monitor_->AwaitFailure(kPatience);
  return failure.ok() ? status : failure;
}

absl::Status Processes::Leave(const absl::Status& status) {
  const absl::Status explained = Explain(status);
  if (monitor_ != nullptr) monitor_->Leave(explained);
  collectives::RemoveCollectiveCalls();
  return explained;
}

}  // namespace xla_byol::distributed
