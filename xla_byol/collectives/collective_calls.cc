#include "xla_byol/collectives/collective_calls.h"

#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "absl/base/const_init.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/collectives/combine.h"
#include "xla_byol/graph/custom_call.h"
#include "xla_byol/pjrt/custom_call.h"

namespace xla_byol::collectives {
namespace {

constexpr size_t kElementBytes = 4;

// One device's part in a call, in words of 4 bytes.
struct Part {
  const uint32_t* operand = nullptr;
  uint32_t* result = nullptr;
  size_t operand_size = 0;
  size_t result_size = 0;
};

// Where the devices of a process meet.
struct Meeting {
  std::vector<Part> parts;  // by device
  int arrived = 0;
  bool done = false;
  absl::Status status;
};

struct Members {
  CollectiveMembers who;
  absl::Mutex mutex;
  std::map<int64_t, std::shared_ptr<Meeting>> meetings;  // by tag
};

absl::Mutex members_mutex(absl::kConstInit);
std::shared_ptr<Members>& TheMembers() {
  static auto& members = *new std::shared_ptr<Members>;
  return members;
}

absl::StatusOr<std::shared_ptr<Members>> FindMembers() {
  absl::MutexLock lock(&members_mutex);
  if (TheMembers() == nullptr) {
    return absl::FailedPreconditionError(
        "this process has not joined any others");
  }
  return TheMembers();
}

// Runs `work` once all devices have brought their part to the meeting of this
// tag, in the last one's thread.
template <typename Work>
absl::Status Meet(Members& members, int64_t tag, size_t device,
                  const Part& part, Work work) {
  const int devices = members.who.devices;
  std::shared_ptr<Meeting> meeting;
  bool last = false;
  {
    absl::MutexLock lock(&members.mutex);
    std::shared_ptr<Meeting>& place = members.meetings[tag];
    if (place == nullptr) {
      place = std::make_shared<Meeting>();
      place->parts.resize(static_cast<size_t>(devices));
    }
    meeting = place;
    meeting->parts[device] = part;
    last = ++meeting->arrived == devices;
  }
  if (last) {
    absl::Status status = work(meeting->parts);
    absl::MutexLock lock(&members.mutex);
    // The next run's meeting is another one: a device may be there before the
    // others have left this one.
    members.meetings.erase(tag);
    meeting->status = std::move(status);
    meeting->done = true;
    return meeting->status;
  }
  absl::MutexLock lock(&members.mutex);
  members.mutex.Await(absl::Condition(&meeting->done));
  return meeting->status;
}

absl::StatusOr<Element> ReadPart(const pjrt::CustomCall& call, Part& part) {
  const auto take = [&](auto operand, auto result) {
    part = {reinterpret_cast<const uint32_t*>(operand.data()),
            reinterpret_cast<uint32_t*>(result.data()), operand.size(),
            result.size()};
  };
  if (call.Operand<float>(0).ok()) {
    ASSIGN_OR_RETURN(const auto result, call.Result<float>(0));
    take(*call.Operand<float>(0), result);
    return Element::kF32;
  }
  if (call.Operand<int32_t>(0).ok()) {
    ASSIGN_OR_RETURN(const auto result, call.Result<int32_t>(0));
    take(*call.Operand<int32_t>(0), result);
    return Element::kS32;
  }
  ASSIGN_OR_RETURN(const auto operand, call.Operand<uint32_t>(0));
  ASSIGN_OR_RETURN(const auto result, call.Result<uint32_t>(0));
  take(operand, result);
  return Element::kU32;
}

// All that the three calls share: who, which part, and the next call's order.
template <typename Work>
absl::Status Collective(const pjrt::CustomCall& call, Work work) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Members> members, FindMembers());
  ASSIGN_OR_RETURN(const int64_t tag, call.Integer("tag"));
  ASSIGN_OR_RETURN(const auto replica, call.Operand<uint32_t>(1));
  ASSIGN_OR_RETURN(const auto order, call.Result<uint32_t>(1));
  if (replica[0] >= static_cast<uint32_t>(members->who.devices)) {
    return absl::InvalidArgumentError(
        absl::StrCat("replica ", replica[0], " of a process with ",
                     members->who.devices, " devices"));
  }
  Part part;
  ASSIGN_OR_RETURN(const Element element, ReadPart(call, part));
  order[0] = 0;
  return Meet(
      *members, tag, replica[0], part, [&](const std::vector<Part>& parts) {
        return work(members->who, element, parts, static_cast<uint32_t>(tag));
      });
}

// The combination of all devices' operands, in `total`.
void CombineParts(const std::vector<Part>& parts, Exchange::Combine combine,
                  uint32_t* total) {
  const size_t size = parts[0].operand_size;
  if (parts.size() == 1) {
    std::memcpy(total, parts[0].operand, size * kElementBytes);
    return;
  }
  combine(total, parts[0].operand, parts[1].operand, size);
  for (size_t i = 2; i < parts.size(); ++i) {
    combine(total, total, parts[i].operand, size);
  }
}

void CopyToOthers(const std::vector<Part>& parts) {
  for (size_t i = 1; i < parts.size(); ++i) {
    std::memcpy(parts[i].result, parts[0].result,
                parts[0].result_size * kElementBytes);
  }
}

absl::Status AllReduce(const pjrt::CustomCall& call) {
  ASSIGN_OR_RETURN(const int64_t combiner, call.Integer("combiner"));
  return Collective(
      call,
      [&](const CollectiveMembers& who, Element element,
          const std::vector<Part>& parts, uint32_t tag) -> absl::Status {
        ASSIGN_OR_RETURN(
            const Exchange::Combine combine,
            CombinerOf(static_cast<graph::Combiner>(combiner), element));
        uint32_t* const total = parts[0].result;
        CombineParts(parts, combine, total);
        RETURN_IF_ERROR(who.exchange->AllReduce(total, parts[0].operand_size,
                                                combine, tag));
        CopyToOthers(parts);
        return absl::OkStatus();
      });
}

absl::Status ReduceScatter(const pjrt::CustomCall& call) {
  return Collective(
      call,
      [](const CollectiveMembers& who, Element element,
         const std::vector<Part>& parts, uint32_t tag) -> absl::Status {
        ASSIGN_OR_RETURN(const Exchange::Combine combine,
                         CombinerOf(graph::Combiner::kSum, element));
        const size_t size = parts[0].operand_size;
        const size_t processes = static_cast<size_t>(who.processes);
        const size_t share = size / processes;  // of a process
        std::vector<uint32_t> total(size);
        CombineParts(parts, combine, total.data());
        std::vector<uint32_t> received(size);
        RETURN_IF_ERROR(who.exchange->AllToAll(total.data(), received.data(),
                                               share * kElementBytes, tag));
        // In the order of processes, whoever this one is.
        uint32_t* const sum = received.data();
        for (size_t i = 1; i < processes; ++i) {
          combine(sum, sum, sum + i * share, share);
        }
        for (size_t i = 0; i < parts.size(); ++i) {
          std::memcpy(parts[i].result, sum + i * parts[i].result_size,
                      parts[i].result_size * kElementBytes);
        }
        return absl::OkStatus();
      });
}

absl::Status AllGather(const pjrt::CustomCall& call) {
  return Collective(
      call,
      [](const CollectiveMembers& who, Element, const std::vector<Part>& parts,
         uint32_t tag) -> absl::Status {
        const size_t size = parts[0].operand_size;
        std::vector<uint32_t> own;
        own.reserve(size * parts.size());
        for (const Part& part : parts) {
          own.insert(own.end(), part.operand, part.operand + size);
        }
        RETURN_IF_ERROR(who.exchange->AllGather(
            own.data(), own.size() * kElementBytes, parts[0].result, tag));
        CopyToOthers(parts);
        return absl::OkStatus();
      });
}

absl::Status ReplicaId(const pjrt::CustomCall& call) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Members> members, FindMembers());
  ASSIGN_OR_RETURN(const auto replica, call.Operand<uint32_t>(0));
  ASSIGN_OR_RETURN(const auto result, call.Result<uint32_t>(0));
  result[0] = replica[0] + static_cast<uint32_t>(members->who.process *
                                                 members->who.devices);
  return absl::OkStatus();
}

}  // namespace

absl::Status InstallCollectiveCalls(const pjrt::Plugin& plugin,
                                    const CollectiveMembers& members) {
  absl::MutexLock lock(&members_mutex);
  TheMembers() = std::make_shared<Members>();
  TheMembers()->who = members;
  static auto& registered = *new std::set<const pjrt::Plugin*>;
  if (!registered.insert(&plugin).second) return absl::OkStatus();
  RETURN_IF_ERROR(
      pjrt::RegisterCustomCall<AllReduce>(plugin, graph::kAllReduceCall));
  RETURN_IF_ERROR(pjrt::RegisterCustomCall<ReduceScatter>(
      plugin, graph::kReduceScatterCall));
  RETURN_IF_ERROR(
      pjrt::RegisterCustomCall<AllGather>(plugin, graph::kAllGatherCall));
  return pjrt::RegisterCustomCall<ReplicaId>(plugin, graph::kReplicaIdCall);
}

void RemoveCollectiveCalls() {
  absl::MutexLock lock(&members_mutex);
  TheMembers() = nullptr;
}

}  // namespace xla_byol::collectives
