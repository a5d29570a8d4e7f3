#include "xla_byol/distributed/peer_monitor.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <random>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::distributed {
namespace {

// Lines of the connection: a sign of life, an end in peace, the sender's own
// failure, and that of a third.
constexpr char kAlive[] = "alive\n";
constexpr char kBye[] = "bye";
constexpr char kFailed[] = "failed ";
constexpr char kHeard[] = "heard ";

constexpr int kExitResumable = 75;  // command_line.h's

// Where a process listens, as it tells the others.
struct Address {
  std::string host;
  int port = 0;
  std::string pid;
  std::string secret;  // what a caller must say, so that nobody else can call

  std::string ToText() const {
    return absl::StrCat(host, " ", port, " ", pid, " ", secret);
  }
  static absl::StatusOr<Address> Parse(absl::string_view text) {
    const std::vector<std::string> parts = absl::StrSplit(text, ' ');
    Address address;
    if (parts.size() != 4 || !absl::SimpleAtoi(parts[1], &address.port)) {
      return absl::DataLossError("a process tells no address");
    }
    address.host = parts[0];
    address.pid = parts[2];
    address.secret = parts[3];
    return address;
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<PeerMonitor>> PeerMonitor::Start(
    ProcessGroup& group, absl::Duration timeout) {
  // Not make_unique: the constructor is private.
  auto monitor =
      std::unique_ptr<PeerMonitor>(new PeerMonitor(group.rank(), timeout));
  RETURN_IF_ERROR(monitor->Connect(group));
  monitor->thread_ = std::thread([m = monitor.get()] { m->Watch(); });
  return monitor;
}

PeerMonitor::~PeerMonitor() { Leave(absl::OkStatus()); }

absl::Status PeerMonitor::Connect(ProcessGroup& group) {
  const absl::Time deadline = absl::Now() + timeout_;
  ASSIGN_OR_RETURN(const Listener listener, Listener::Open());
  std::random_device random;
  const Address own{HostName(), listener.port, absl::StrCat(getpid()),
                    absl::StrCat(absl::Hex(random()), absl::Hex(random()))};
  RETURN_IF_ERROR(group.Put("address", own.ToText()));
  std::map<int, std::string> names;
  for (int rank = 0; rank < group.size(); ++rank) {
    if (rank == rank_) continue;
    ASSIGN_OR_RETURN(const std::string text,
                     group.Get(rank, "address", deadline - absl::Now()));
    ASSIGN_OR_RETURN(const Address address, Address::Parse(text));
    names[rank] = absl::StrCat("process ", rank, " (", address.pid, " on ",
                               address.host, ")");
    if (rank > rank_) continue;  // it will call
    absl::StatusOr<Socket> socket =
        ConnectTo(address.host, address.port, deadline);
    if (!socket.ok()) {
      return absl::UnavailableError(absl::StrCat(
          names[rank], " cannot be reached: ", socket.status().message()));
    }
    SendAll(*socket, absl::StrCat(rank_, " ", address.secret, "\n"));
    peers_.push_back({rank, names[rank], *std::move(socket), "", absl::Now()});
  }
  while (static_cast<int>(peers_.size()) < group.size() - 1) {
    absl::StatusOr<Socket> socket = listener.Accept(deadline);
    if (!socket.ok()) {
      return absl::UnavailableError(
          absl::StrCat("only ", peers_.size(), " of ", group.size() - 1,
                       " other processes could be reached"));
    }
    const absl::StatusOr<std::string> hello = ReadLine(*socket, deadline);
    const std::pair<std::string, std::string> said =
        absl::StrSplit(hello.value_or(""), absl::MaxSplits(' ', 1));
    int rank = -1;
    if (!absl::SimpleAtoi(said.first, &rank) || said.second != own.secret ||
        !names.contains(rank)) {
      continue;  // a stranger
    }
    peers_.push_back({rank, names[rank], *std::move(socket), "", absl::Now()});
  }
  return absl::OkStatus();
}

void PeerMonitor::Watch() {
  const absl::Duration interval = std::min(absl::Seconds(1), timeout_ / 4);
  absl::Time next_sign = absl::Now();
  while (!leaving_) {
    const absl::Time now = absl::Now();
    if (now >= next_sign) {
      for (const Peer& peer : peers_) SendAll(peer.socket, kAlive);
      next_sign = now + interval;
    }
    std::vector<pollfd> entries;
    for (const Peer& peer : peers_) {
      entries.push_back({peer.left ? -1 : peer.socket.descriptor(), POLLIN, 0});
    }
    poll(entries.data(), entries.size(), 20);
    for (size_t i = 0; i < peers_.size(); ++i) {
      Peer& peer = peers_[i];
      if (peer.left) continue;
      const bool open = entries[i].revents == 0 || Listen(peer);
      if (!open && !peer.left) {
        peer.left = true;
        Fail(absl::StrCat(peer.name, " is gone"));
      } else if (absl::Now() - peer.heard > timeout_) {
        peer.left = true;
        Fail(absl::StrCat(peer.name, " has been silent for ",
                          absl::FormatDuration(timeout_)));
      }
    }
    EndLatecomer();
  }
  absl::MutexLock lock(&mutex_);
  for (const Peer& peer : peers_) SendAll(peer.socket, farewell_);
}

bool PeerMonitor::Listen(Peer& peer) {
  char bytes[4096];
  const ssize_t count = recv(peer.socket.descriptor(), bytes, sizeof(bytes), 0);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  peer.heard = absl::Now();
  peer.unread.append(bytes, static_cast<size_t>(count));
  size_t end;
  while ((end = peer.unread.find('\n')) != std::string::npos) {
    Hear(peer, absl::string_view(peer.unread).substr(0, end));
    peer.unread.erase(0, end + 1);
  }
  return true;
}

void PeerMonitor::Hear(Peer& peer, absl::string_view line) {
  if (line == kBye) peer.left = true;
  if (absl::ConsumePrefix(&line, kFailed)) {
    peer.left = true;
    Fail(absl::StrCat(peer.name, " failed: ", line));
  } else if (absl::ConsumePrefix(&line, kHeard)) {
    Fail(line);
  }
}

void PeerMonitor::Fail(absl::string_view reason) {
  std::function<void()> call;
  {
    absl::MutexLock lock(&mutex_);
    if (!failure_.empty()) return;
    failure_ = std::string(reason);
    failed_at_ = absl::Now();
    call = on_failure_;
  }
  // So that all name the same one, and not who ended next. Also to the one
  // itself: who was only stopped for a while would wait for the others.
  for (const Peer& peer : peers_) {
    SendAll(peer.socket, absl::StrCat(kHeard, reason, "\n"));
  }
  if (call) call();
}

void PeerMonitor::EndLatecomer() const {
  absl::Time failed_at;
  {
    absl::MutexLock lock(&mutex_);
    failed_at = failed_at_;
  }
  if (absl::Now() - failed_at < timeout_) return;
  LogError(failure().message());
  _exit(kExitResumable);
}

absl::Status PeerMonitor::failure() const {
  absl::MutexLock lock(&mutex_);
  if (failure_.empty()) return absl::OkStatus();
  const int64_t step = step_;
  return absl::AbortedError(absl::StrCat(
      failure_,
      step < 0 ? "; this one had not begun its first step"
               : absl::StrCat("; this one was in step ", step),
      "; run the same command on all hosts to resume from the last "
      "checkpoint"));
}

absl::Status PeerMonitor::AwaitFailure(absl::Duration patience) const {
  const absl::Time deadline = absl::Now() + patience;
  while (failure().ok() && absl::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  return failure();
}

void PeerMonitor::set_on_failure(std::function<void()> call) {
  bool now = false;
  {
    absl::MutexLock lock(&mutex_);
    on_failure_ = call;
    now = !failure_.empty();
  }
  if (now && call) call();
}

void PeerMonitor::Leave(const absl::Status& status) {
  if (!thread_.joinable()) return;
  {
    absl::MutexLock lock(&mutex_);
    on_failure_ = nullptr;
    farewell_ =
        status.ok() || absl::IsCancelled(status) || absl::IsAborted(status)
            ? absl::StrCat(kBye, "\n")
            : absl::StrCat(kFailed,
                           absl::StrReplaceAll(status.message(), {{"\n", " "}}),
                           "\n");
  }
  leaving_ = true;
  thread_.join();
}

}  // namespace xla_byol::distributed
