// This process among those that train together: how it finds them, what they
// must have in common, and how all end.
//
//   ASSIGN_OR_RETURN(auto processes, Processes::Join(flags));
//   pjrt::ClientOptions options;
//   processes->AddTo(options);
//   ASSIGN_OR_RETURN(pjrt::Client client, pjrt::Client::Create(plugin,
//   options)); RETURN_IF_ERROR(processes->Connect(client));
//   ... everything else asks the client ...
//   return processes->Leave(status);
//
// TPU slices need none of it: libtpu forms them.

#ifndef XLA_BYOL_DISTRIBUTED_PROCESSES_H_
#define XLA_BYOL_DISTRIBUTED_PROCESSES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "xla_byol/collectives/exchange.h"
#include "xla_byol/distributed/launcher.h"
#include "xla_byol/distributed/neighbours.h"
#include "xla_byol/distributed/peer_monitor.h"
#include "xla_byol/distributed/process_group.h"
#include "xla_byol/pjrt/client.h"

namespace xla_byol::distributed {

class Processes {
 public:
  // Finds the others, waiting for them up to `peer_timeout`. Alone, that is
  // nobody: everything below does nothing.
  static absl::StatusOr<std::unique_ptr<Processes>> Join(
      const LaunchFlags& flags, absl::Duration peer_timeout);
  ~Processes();

  int rank() const { return group_ == nullptr ? 0 : group_->rank(); }
  int size() const { return group_ == nullptr ? 1 : group_->size(); }

  // What a client of these processes is made with.
  void AddTo(pjrt::ClientOptions& options) const;
  // Makes collectives between processes work where the plugin has none, and
  // says in one line who this is and how they are connected. The client must
  // have been made with AddTo's options.
  absl::Status Connect(const pjrt::Client& client);

  // FAILED_PRECONDITION, in all processes, unless all have the same `value` for
  // `what` ("config"). All must ask for the same things. `difference` says in
  // what way another process's value differs from this one's; null: in no other
  // way than that it does.
  using Difference = std::function<std::string(const std::string& theirs)>;
  absl::Status CheckSame(absl::string_view what, const std::string& value,
                         const Difference& difference = nullptr);

  // For messages about a process that is gone.
  void BeginStep(int64_t step);
  // `status`, or, if it is an error that came of another process's end, that
  // process's: ABORTED with its rank and the step.
  absl::Status Explain(const absl::Status& status) const;

  // Tells the others how this process ends. Explain(status).
  absl::Status Leave(const absl::Status& status);

 private:
  Processes() = default;

  absl::Duration timeout_;
  std::string description_;  // of this process
  Neighbours neighbours_;
  std::shared_ptr<ProcessGroup> group_;
  std::unique_ptr<collectives::Exchange> exchange_;
  std::unique_ptr<PeerMonitor> monitor_;
};

}  // namespace xla_byol::distributed

#endif  // XLA_BYOL_DISTRIBUTED_PROCESSES_H_
