// Gloo, the engine that PyTorch and JAX use between CPU hosts.

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/distributed/exchange.h"
#include "xla_byol/distributed/sockets.h"

namespace xla_byol::distributed {
namespace {

// Who is slow is not gone: PeerMonitor tells, and closes the connections.
constexpr auto kForever = std::chrono::hours(24 * 365);

// Gloo knows errors as exceptions; here they end.
template <typename Function>
absl::Status Try(Function function) {
  try {
    function();
    return absl::OkStatus();
  } catch (const std::exception& error) {
    return absl::UnavailableError(error.what());
  }
}

// Gloo's keys are the ranks that write them.
class GroupStore : public gloo::rendezvous::Store {
 public:
  GroupStore(ProcessGroup& group, absl::Duration timeout)
      : group_(group), deadline_(absl::Now() + timeout) {}

  void set(const std::string& key, const std::vector<char>& data) override {
    Check(group_.Put(absl::StrCat("gloo/", key),
                     absl::string_view(data.data(), data.size())));
  }

  std::vector<char> get(const std::string& key) override {
    int writer = -1;
    if (!absl::SimpleAtoi(key, &writer)) {
      GLOO_THROW("Gloo asks for '", key, "', which is no rank");
    }
    const absl::StatusOr<std::string> value = group_.Get(
        writer, absl::StrCat("gloo/", key), deadline_ - absl::Now());
    Check(value.status());
    return {value->begin(), value->end()};
  }

  void wait(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) get(key);
  }

 private:
  static void Check(const absl::Status& status) {
    if (!status.ok()) GLOO_THROW(std::string(status.message()));
  }

  ProcessGroup& group_;
  const absl::Time deadline_;
};

class GlooExchange : public Exchange {
 public:
  explicit GlooExchange(std::shared_ptr<gloo::rendezvous::Context> context)
      : context_(std::move(context)) {}

  absl::Status AllReduce(void* data, size_t count, Combine combine,
                         uint32_t tag) override {
    return Try([&] {
      gloo::AllreduceOptions options(context_);
      options.setOutput(static_cast<float*>(data), count);
      options.setReduceFunction(combine);
      // A fixed order of additions, the same for all processes.
      options.setAlgorithm(gloo::AllreduceOptions::Algorithm::RING);
      options.setTag(tag);
      options.setTimeout(kForever);
      gloo::allreduce(options);
    });
  }

  absl::Status AllGather(const void* data, size_t bytes, void* result,
                         uint32_t tag) override {
    return Try([&] {
      gloo::AllgatherOptions options(context_);
      // Gloo only reads it, but does not say so.
      options.setInput(static_cast<char*>(const_cast<void*>(data)), bytes);
      options.setOutput(static_cast<char*>(result), bytes * Size());
      options.setTag(tag);
      options.setTimeout(kForever);
      gloo::allgather(options);
    });
  }

  absl::Status AllToAll(const void* data, void* result, size_t bytes,
                        uint32_t tag) override {
    return Try([&] {
      gloo::AlltoallOptions options(context_);
      options.setInput(static_cast<char*>(const_cast<void*>(data)),
                       bytes * Size());
      options.setOutput(static_cast<char*>(result), bytes * Size());
      options.setTag(tag);
      options.setTimeout(kForever);
      gloo::alltoall(options);
    });
  }

  void Close() override {
    Try([&] { context_->closeConnections(); }).IgnoreError();
  }

 private:
  size_t Size() const { return static_cast<size_t>(context_->size); }

  const std::shared_ptr<gloo::rendezvous::Context> context_;
};

// Whether all processes are on this machine.
absl::StatusOr<bool> OneMachine(ProcessGroup& group, absl::Duration timeout) {
  RETURN_IF_ERROR(group.Put("host", HostName()));
  bool one = true;
  for (int rank = 0; rank < group.size(); ++rank) {
    ASSIGN_OR_RETURN(const std::string host, group.Get(rank, "host", timeout));
    one = one && host == HostName();
  }
  return one;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Exchange>> ConnectExchange(
    ProcessGroup& group, absl::Duration timeout) {
  ASSIGN_OR_RETURN(const bool one_machine, OneMachine(group, timeout));
  gloo::transport::tcp::attr attributes;
  // As PyTorch has it: which network, on hosts that have several.
  if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME")) {
    attributes.iface = interface;
  } else {
    attributes.hostname = one_machine ? "127.0.0.1" : HostName();
  }
  auto context = std::make_shared<gloo::rendezvous::Context>(group.rank(),
                                                             group.size());
  const absl::Status connected = Try([&] {
    auto device = gloo::transport::tcp::CreateDevice(attributes);
    context->setTimeout(std::chrono::milliseconds(
        absl::ToInt64Milliseconds(timeout)));
    GroupStore store(group, timeout);
    context->connectFullMesh(store, device);
  });
  if (!connected.ok()) {
    return absl::UnavailableError(absl::StrCat(
        "Gloo cannot connect the processes: ", connected.message()));
  }
  return std::make_unique<GlooExchange>(std::move(context));
}

}  // namespace xla_byol::distributed
