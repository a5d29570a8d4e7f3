#include "xla_byol/distributed/gloo_exchange.h"

#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/types.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "xla_byol/base/status_macros.h"
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

// Gloo's keys name the rank that writes them: "3" its addresses, "rank_3" its
// host.
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
    if (!absl::SimpleAtoi(absl::StripPrefix(key, "rank_"), &writer)) {
      GLOO_THROW("Gloo asks for '", key, "', which is no rank");
    }
    const absl::StatusOr<std::string> value =
        group_.Get(writer, absl::StrCat("gloo/", key), deadline_ - absl::Now());
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

// Memory that is not set to 0 first.
using Scratch = std::unique_ptr<char[]>;
Scratch MakeScratch(size_t bytes) { return Scratch(new char[bytes]); }

// Gloo's own collectives go around a ring in small pieces: for the hundreds of
// small sums of a step (batch norm has several for each layer) that is many
// turns of waiting. Here everybody sends to everybody at once, and sums are
// taken in the order of ranks.
class GlooExchange : public collectives::Exchange {
 public:
  explicit GlooExchange(std::shared_ptr<gloo::rendezvous::Context> context)
      : context_(std::move(context)) {}

  std::string description() const override { return "Gloo"; }

  absl::Status AllReduce(void* data, size_t count, Combine combine,
                         uint32_t tag) override {
    const size_t bytes = count * kElementBytes;
    if (bytes <= kSmall || size() == 2) {
      const Scratch all = MakeScratch(bytes * size());
      RETURN_IF_ERROR(AllGather(data, bytes, all.get(), tag));
      CombineAll(all.get(), count, combine, data);
      return absl::OkStatus();
    }
    // Each process combines one part for all: less to send, in two turns.
    const size_t part = (count + size() - 1) / size();
    const size_t part_bytes = part * kElementBytes;
    const Scratch padded = MakeScratch(part_bytes * size());
    const Scratch received = MakeScratch(part_bytes * size());
    std::memcpy(padded.get(), data, bytes);
    std::memset(padded.get() + bytes, 0, part_bytes * size() - bytes);
    RETURN_IF_ERROR(AllToAll(padded.get(), received.get(), part_bytes, tag));
    const Scratch combined = MakeScratch(part_bytes);
    CombineAll(received.get(), part, combine, combined.get());
    RETURN_IF_ERROR(AllGather(combined.get(), part_bytes, padded.get(), tag));
    std::memcpy(data, padded.get(), bytes);
    return absl::OkStatus();
  }

  absl::Status AllGather(const void* data, size_t bytes, void* result,
                         uint32_t tag) override {
    std::memcpy(static_cast<char*>(result) + bytes * rank(), data, bytes);
    return ToAll(data, bytes, /*stride=*/0, result, bytes,
                 gloo::Slot::build(kGatherSlots, tag));
  }

  absl::Status AllToAll(const void* data, void* result, size_t bytes,
                        uint32_t tag) override {
    std::memcpy(static_cast<char*>(result) + bytes * rank(),
                static_cast<const char*>(data) + bytes * rank(), bytes);
    return ToAll(data, bytes * size(), /*stride=*/bytes, result, bytes,
                 gloo::Slot::build(kScatterSlots, tag));
  }

  void Close() override {
    Try([&] { context_->closeConnections(); }).IgnoreError();
  }

 private:
  static constexpr size_t kElementBytes = 4;
  // Below it a turn of waiting costs more than sending everything.
  static constexpr size_t kSmall = 64 << 10;
  // Apart from each other, so that one call can do both.
  static constexpr uint8_t kGatherSlots = 0x41;
  static constexpr uint8_t kScatterSlots = 0x42;

  size_t size() const { return static_cast<size_t>(context_->size); }
  size_t rank() const { return static_cast<size_t>(context_->rank); }

  // Combines `all`, `count` elements of each process, in the order of ranks.
  void CombineAll(const char* all, size_t count, Combine combine,
                  void* result) const {
    const size_t bytes = count * kElementBytes;
    combine(result, all, all + bytes, count);
    for (size_t i = 2; i < size(); ++i) {
      combine(result, result, all + i * bytes, count);
    }
  }

  // Sends `bytes` from data + stride * r to each other process r, and receives
  // as many from each in its place of `result`.
  absl::Status ToAll(const void* data, size_t data_bytes, size_t stride,
                     void* result, size_t bytes, uint64_t slot) {
    if (bytes == 0) return absl::OkStatus();
    return Try([&] {
      // Gloo only reads it, but does not say so.
      const auto from =
          context_->createUnboundBuffer(const_cast<void*>(data), data_bytes);
      const auto to = context_->createUnboundBuffer(result, bytes * size());
      for (size_t i = 1; i < size(); ++i) {
        const size_t peer = (rank() + i) % size();
        to->recv(static_cast<int>(peer), slot, peer * bytes, bytes);
      }
      for (size_t i = 1; i < size(); ++i) {
        const size_t peer = (rank() + i) % size();
        from->send(static_cast<int>(peer), slot, stride * peer, bytes);
      }
      for (size_t i = 1; i < size(); ++i) {
        from->waitSend(kForever);
        to->waitRecv(kForever);
      }
    });
  }

  const std::shared_ptr<gloo::rendezvous::Context> context_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<collectives::Exchange>> ConnectGloo(
    ProcessGroup& group, absl::Duration timeout, bool one_machine) {
  gloo::transport::tcp::attr attributes;
  // As PyTorch has it: which network, on hosts that have several.
  if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME")) {
    attributes.iface = interface;
  } else {
    attributes.hostname = one_machine ? "127.0.0.1" : HostName();
  }
  auto context =
      std::make_shared<gloo::rendezvous::Context>(group.rank(), group.size());
  const absl::Status connected = Try([&] {
    auto device = gloo::transport::tcp::CreateDevice(attributes);
    context->setTimeout(
        std::chrono::milliseconds(absl::ToInt64Milliseconds(timeout)));
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
