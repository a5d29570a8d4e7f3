// Where a program will run: the platform, and what it can call there.

#ifndef XLA_BYOL_GRAPH_BACKEND_H_
#define XLA_BYOL_GRAPH_BACKEND_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace xla_byol::graph {

// Decides how convolutions and a few other ops are computed. A platform alone
// is a backend without custom calls: such programs run wherever the platform
// is.
class Backend {
 public:
  enum Platform : uint8_t { kCpu, kTpu, kGpu };

  Backend(Platform platform) : platform_(platform) {}  // NOLINT: implicit
  // Programs may call the functions named, which whoever runs them provides.
  Backend(Platform platform, std::vector<std::string> custom_calls)
      : platform_(platform), custom_calls_(std::move(custom_calls)) {}

  // One of `processes` whose compilers do not know each other: collectives
  // become the calls of lower_collectives.h, and a graph's replicas are divided
  // evenly among the processes.
  Backend AcrossProcesses(int processes) const {
    Backend backend = *this;
    backend.processes_ = processes;
    return backend;
  }

  Platform platform() const { return platform_; }
  int processes() const { return processes_; }
  bool CanCall(absl::string_view name) const {
    return std::find(custom_calls_.begin(), custom_calls_.end(), name) !=
           custom_calls_.end();
  }

  friend bool operator==(const Backend& backend, Platform platform) {
    return backend.platform_ == platform;
  }

 private:
  Platform platform_;
  std::vector<std::string> custom_calls_;
  int processes_ = 1;
};

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_BACKEND_H_
