// Notices that another process of the group is gone: killed, crashed, failed,
// or on a host that does not answer any more.
//
// Every two processes keep a TCP connection over which each says every second
// that it lives. A process that dies closes it at once, since the kernel does;
// a host that is gone stays silent. How busy a process is does not matter: a
// long compilation is no silence.

#ifndef XLA_BYOL_DISTRIBUTED_PEER_MONITOR_H_
#define XLA_BYOL_DISTRIBUTED_PEER_MONITOR_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "xla_byol/distributed/process_group.h"
#include "xla_byol/distributed/sockets.h"

namespace xla_byol::distributed {

// Thread-safe but for Leave.
class PeerMonitor {
 public:
  // Connects to all others within `timeout`, which is also the longest silence
  // that is taken for life. The group is not used later.
  static absl::StatusOr<std::unique_ptr<PeerMonitor>> Start(
      ProcessGroup& group, absl::Duration timeout);
  // As Leave(OkStatus()).
  ~PeerMonitor();

  // ABORTED with a sentence that names the rank, once a process is gone. A
  // process that left in peace is none.
  absl::Status failure() const;
  // The same, after waiting for it a while: for one who lost a connection, and
  // wants to know why.
  absl::Status AwaitFailure(absl::Duration patience) const;
  // Called once, from another thread, when one is gone. This process should end
  // then; after another `timeout` it is ended, with exit code 75.
  void set_on_failure(std::function<void()> call);
  // What this process is at, for the sentence; -1: before the first step.
  void set_step(int64_t step) { step_ = step; }

  // Tells the others that this process ends: in peace, or with an error, which
  // they end with, too.
  void Leave(const absl::Status& status);

 private:
  struct Peer {
    int rank;
    std::string name;  // "process 2 (4711 on host)"
    Socket socket;
    std::string unread;  // the beginning of a line
    absl::Time heard;
    bool left = false;
  };

  PeerMonitor(int rank, absl::Duration timeout)
      : rank_(rank), timeout_(timeout) {}

  absl::Status Connect(ProcessGroup& group);
  void Watch();
  // Reads what there is. False if the connection is closed.
  bool Listen(Peer& peer);
  void Hear(Peer& peer, absl::string_view line);
  void Fail(absl::string_view reason);
  void EndLatecomer() const;

  const int rank_;
  const absl::Duration timeout_;
  std::vector<Peer> peers_;  // the thread's own, after Connect
  std::atomic<int64_t> step_{-1};
  std::atomic<bool> leaving_{false};
  std::thread thread_;

  mutable absl::Mutex mutex_;
  std::string failure_ ABSL_GUARDED_BY(mutex_);
  absl::Time failed_at_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  std::string farewell_ ABSL_GUARDED_BY(mutex_);
  std::function<void()> on_failure_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace xla_byol::distributed

#endif  // XLA_BYOL_DISTRIBUTED_PEER_MONITOR_H_
