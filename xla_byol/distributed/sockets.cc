#include "xla_byol/distributed/sockets.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::distributed {
namespace {

constexpr size_t kLongestLine = 200;

// Waits until the socket can be read (POLLIN) or written.
absl::Status Await(const Socket& socket, short events, absl::Time deadline) {
  while (true) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) {
      return absl::DeadlineExceededError("nobody answers");
    }
    pollfd entry{socket.descriptor(), events, 0};
    const int64_t wait =
        std::min<int64_t>(absl::ToInt64Milliseconds(left), 100);
    const int ready = poll(&entry, 1, static_cast<int>(wait) + 1);
    if (ready > 0) return absl::OkStatus();
    if (ready < 0 && errno != EINTR) return ErrnoToStatus(errno, "poll");
  }
}

absl::StatusOr<Socket> ConnectOnce(const addrinfo& address,
                                   absl::Time deadline) {
  Socket socket(::socket(address.ai_family,
                         address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
                         0));
  if (connect(socket.descriptor(), address.ai_addr, address.ai_addrlen) != 0 &&
      errno != EINPROGRESS) {
    return ErrnoToStatus(errno, "connect");
  }
  RETURN_IF_ERROR(Await(socket, POLLOUT, deadline));
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return ErrnoToStatus(error, "connect");
  return socket;
}

}  // namespace

std::string HostName() {
  char name[256] = {};
  gethostname(name, sizeof(name) - 1);
  return name;
}

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::StatusOr<Listener> Listener::Open() {
  Listener listener;
  listener.socket =
      Socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const int descriptor = listener.socket.descriptor();
  if (bind(descriptor, generic, size) != 0 || listen(descriptor, 1024) != 0 ||
      getsockname(descriptor, generic, &size) != 0) {
    return ErrnoToStatus(errno, "listening for other processes");
  }
  listener.port = ntohs(address.sin_port);
  return listener;
}

absl::StatusOr<Socket> Listener::Accept(absl::Time deadline) const {
  RETURN_IF_ERROR(Await(socket, POLLIN, deadline));
  Socket accepted(accept4(socket.descriptor(), nullptr, nullptr,
                          SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (accepted.descriptor() < 0) return ErrnoToStatus(errno, "accept");
  return accepted;
}

absl::StatusOr<Socket> ConnectTo(const std::string& host, int port,
                                 absl::Time deadline) {
  const std::string name = host == HostName() ? "127.0.0.1" : host;
  addrinfo hints = {};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error =
          getaddrinfo(name.c_str(), absl::StrCat(port).c_str(), &hints, &found);
      error != 0) {
    return absl::UnavailableError(
        absl::StrCat("host ", host, ": ", gai_strerror(error)));
  }
  absl::StatusOr<Socket> socket = absl::UnavailableError("no address");
  for (const addrinfo* address = found; address != nullptr && !socket.ok();
       address = address->ai_next) {
    socket = ConnectOnce(*address, deadline);
  }
  freeaddrinfo(found);
  return socket;
}

absl::StatusOr<std::string> ReadLine(const Socket& socket,
                                     absl::Time deadline) {
  std::string line;
  while (line.size() < kLongestLine) {
    RETURN_IF_ERROR(Await(socket, POLLIN, deadline));
    char byte = 0;
    const ssize_t count = recv(socket.descriptor(), &byte, 1, 0);
    if (count == 0) return absl::UnavailableError("the connection was closed");
    if (count < 0) {
      if (errno == EAGAIN || errno == EINTR) continue;
      return ErrnoToStatus(errno, "recv");
    }
    if (byte == '\n') return line;
    line.push_back(byte);
  }
  return absl::InvalidArgumentError("a line without an end");
}

void SendAll(const Socket& socket, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        send(socket.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

}  // namespace xla_byol::distributed
