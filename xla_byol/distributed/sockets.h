// TCP between processes of a group, as little of it as is needed.

#ifndef XLA_BYOL_DISTRIBUTED_SOCKETS_H_
#define XLA_BYOL_DISTRIBUTED_SOCKETS_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace xla_byol::distributed {

// This machine's name, under which others reach it.
std::string HostName();

// Owns a descriptor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket();

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// Listens on a port of the system's choice.
struct Listener {
  Socket socket;
  int port = 0;

  static absl::StatusOr<Listener> Open();
  // The next connection; DEADLINE_EXCEEDED if none comes.
  absl::StatusOr<Socket> Accept(absl::Time deadline) const;
};

// A host of this machine's name is reached without the network.
absl::StatusOr<Socket> ConnectTo(const std::string& host, int port,
                                 absl::Time deadline);

// A line without its end, at most 200 bytes.
absl::StatusOr<std::string> ReadLine(const Socket& socket, absl::Time deadline);
// Sends all or, if the other side does not read, drops the rest.
void SendAll(const Socket& socket, absl::string_view bytes);

}  // namespace xla_byol::distributed

#endif  // XLA_BYOL_DISTRIBUTED_SOCKETS_H_
