// The exchange through shared memory, between real processes.

#include "xla_byol/collectives/memory_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla_byol/collectives/shared_memory.h"
#include "xla_byol/distributed/connect_exchange.h"
#include "xla_byol/distributed/folder_group.h"
#include "xla_byol/distributed/neighbours.h"

namespace xla_byol::distributed {
namespace {

using collectives::Exchange;
using collectives::SharedMemory;

constexpr absl::Duration kTimeout = absl::Seconds(20);

// A process's part: its complaint, or nothing.
using Work = std::function<std::string(Exchange&, int rank)>;

std::string Join(const std::string& folder, int rank, int processes,
                 const Work& work) {
  const auto group = JoinFolder(folder, rank, processes, kTimeout);
  if (!group.ok()) return group.status().ToString();
  const auto neighbours = FindNeighbours(**group, kTimeout);
  if (!neighbours.ok()) return neighbours.status().ToString();
  if (!neighbours->one_machine) return "several machines";
  if (neighbours->sharing != processes) return "other cores";
  const auto exchange =
      ConnectExchange(**group, *neighbours, "memory", kTimeout);
  if (!exchange.ok()) return exchange.status().ToString();
  return work(**exchange, rank);
}

// Runs the work in so many processes; their exit statuses, as wait gives them.
std::vector<int> InProcesses(int processes, const Work& work) {
  static int meetings = 0;
  const std::string folder =
      absl::StrCat(testing::TempDir(), "/meet-", getpid(), "-", ++meetings);
  std::vector<pid_t> children;
  for (int rank = 0; rank < processes; ++rank) {
    children.push_back(fork());
    if (children.back() == 0) {
      const std::string complaint = Join(folder, rank, processes, work);
      if (complaint.empty()) _exit(0);
      std::fprintf(stderr, "process %d: %s\n", rank, complaint.c_str());
      _exit(1);
    }
  }
  std::vector<int> statuses;
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    statuses.push_back(status);
  }
  return statuses;
}

void AddFloats(void* result, const void* a, const void* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    static_cast<float*>(result)[i] =
        static_cast<const float*>(a)[i] + static_cast<const float*>(b)[i];
  }
}

// Of such different sizes that sums depend on the order of ranks.
float ValueOf(int rank, size_t i, uint32_t tag) {
  const uint32_t x =
      (static_cast<uint32_t>(i) * 2654435761u) ^ (tag * 40503u + 77u);
  return static_cast<float>(x % 1000003) * (rank % 3 == 0   ? 1.0f
                                            : rank % 3 == 1 ? -1e-4f
                                                            : 33.7f);
}

std::string CheckSum(Exchange& exchange, int rank, int processes, size_t count,
                     uint32_t tag) {
  std::vector<float> data(count), expected(count);
  for (size_t i = 0; i < count; ++i) {
    data[i] = ValueOf(rank, i, tag);
    expected[i] = ValueOf(0, i, tag);
    for (int r = 1; r < processes; ++r) expected[i] += ValueOf(r, i, tag);
  }
  const absl::Status status =
      exchange.AllReduce(data.data(), count, AddFloats, tag);
  if (!status.ok()) return status.ToString();
  return std::memcmp(data.data(), expected.data(), count * sizeof(float)) == 0
             ? ""
             : absl::StrCat("sum of ", count, " in call ", tag);
}

std::string CheckMoves(Exchange& exchange, int rank, int processes,
                       size_t bytes, uint32_t tag) {
  const auto byte = [](int from, int to, size_t i) {
    return static_cast<char>(from * 31 + to * 7 + static_cast<int>(i % 127));
  };
  const size_t size = static_cast<size_t>(processes);
  std::vector<char> own(bytes), all(bytes * size), parts(bytes * size),
      gathered(bytes * size), received(bytes * size), expected(bytes * size);
  for (size_t i = 0; i < bytes; ++i) {
    own[i] = byte(rank, 0, i);
    for (int r = 0; r < processes; ++r) {
      const size_t at = static_cast<size_t>(r) * bytes + i;
      all[at] = byte(r, 0, i);
      parts[at] = byte(rank, r, i);
      expected[at] = byte(r, rank, i);
    }
  }
  absl::Status status =
      exchange.AllGather(own.data(), bytes, gathered.data(), tag);
  if (!status.ok()) return status.ToString();
  status = exchange.AllToAll(parts.data(), received.data(), bytes, tag + 1);
  if (!status.ok()) return status.ToString();
  if (gathered != all) return absl::StrCat("gather of ", bytes);
  return received == expected ? "" : absl::StrCat("all to all of ", bytes);
}

class Sizes : public testing::TestWithParam<int> {};

TEST_P(Sizes, SumsInTheOrderOfRanksAndMoves) {
  const int processes = GetParam();
  EXPECT_THAT(
      InProcesses(processes,
                  [&](Exchange& exchange, int rank) -> std::string {
                    uint32_t tag = 0;
                    // Around a slot's size and that of sums that are divided,
                    // and in several pieces.
                    for (size_t count :
                         {0, 1, 7, 4095, 4096, 4097, 131072, 131073, 400001}) {
                      std::string complaint =
                          CheckSum(exchange, rank, processes, count, ++tag);
                      if (complaint.empty()) {
                        complaint = CheckMoves(exchange, rank, processes,
                                               count * 3, tag += 2);
                      }
                      if (!complaint.empty()) return complaint;
                    }
                    return "";
                  }),
      testing::Each(0));
}

// Slots are used again and again, by processes of different speeds.
TEST_P(Sizes, ManyCalls) {
  const int processes = GetParam();
  EXPECT_THAT(InProcesses(processes,
                          [&](Exchange& exchange, int rank) -> std::string {
                            for (uint32_t tag = 0; tag < 1000; ++tag) {
                              if (tag % 100 == static_cast<uint32_t>(rank)) {
                                absl::SleepFor(absl::Milliseconds(2));
                              }
                              const std::string complaint = CheckSum(
                                  exchange, rank, processes, 1 + tag % 50, tag);
                              if (!complaint.empty()) return complaint;
                            }
                            return "";
                          }),
              testing::Each(0));
}

INSTANTIATE_TEST_SUITE_P(Processes, Sizes, testing::Values(2, 3, 4, 7));

TEST(MemoryExchange, CloseEndsTheWaitForOneThatDied) {
  const std::vector<int> statuses =
      InProcesses(3, [](Exchange& exchange, int rank) -> std::string {
        std::string complaint = CheckSum(exchange, rank, 3, 10, 0);
        if (!complaint.empty()) return complaint;
        if (rank == 1) raise(SIGKILL);
        // As PeerMonitor does, which does not notice at once everywhere: the
        // later calls of the first one must not count for those still waiting.
        std::thread closer([&] {
          absl::SleepFor(absl::Milliseconds(rank == 0 ? 50 : 300));
          exchange.Close();
        });
        const absl::Time begin = absl::Now();
        std::vector<float> data(1 << 20);
        const absl::Status status =
            exchange.AllReduce(data.data(), data.size(), AddFloats, 1);
        const absl::Duration waited = absl::Now() - begin;
        closer.join();
        if (!absl::IsUnavailable(status)) return status.ToString();
        if (waited > absl::Seconds(5)) return "too late";
        // And all later ones.
        return absl::IsUnavailable(
                   exchange.AllGather(data.data(), 4, data.data() + 8, 2))
                   ? ""
                   : "a call after the end";
      });
  ASSERT_EQ(statuses.size(), 3u);
  EXPECT_EQ(statuses[0], 0);
  EXPECT_TRUE(WIFSIGNALED(statuses[1]));
  EXPECT_EQ(statuses[2], 0);
}

TEST(MemoryExchange, NoticesDifferentCalls) {
  EXPECT_THAT(InProcesses(2,
                          [](Exchange& exchange, int rank) -> std::string {
                            float values[8] = {};
                            const size_t count = rank == 0 ? 3 : 4;
                            const absl::Status status =
                                exchange.AllReduce(values, count, AddFloats, 5);
                            return absl::IsInternal(status) ? ""
                                                            : status.ToString();
                          }),
              testing::Each(0));
}

TEST(SharedMemory, IsOneMemory) {
  const auto one = SharedMemory::Create(100);
  ASSERT_TRUE(one.ok()) << one.status();
  const auto other = SharedMemory::Open((*one)->address(), 100);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ((*other)->data()[99], 0);
  (*one)->data()[99] = 'x';
  EXPECT_EQ((*other)->data()[99], 'x');
}

TEST(SharedMemory, RefusesWhatIsNone) {
  const auto memory = SharedMemory::Create(100);
  ASSERT_TRUE(memory.ok()) << memory.status();
  const std::string address = (*memory)->address();
  const std::string place = address.substr(0, address.rfind(' '));
  for (const std::string& wrong :
       {std::string("none: "), absl::StrCat(place, " 1"),
        absl::StrCat(getpid(), " 0 1"), std::string("1 9999 1")}) {
    EXPECT_TRUE(absl::IsUnavailable(SharedMemory::Open(wrong, 100).status()))
        << wrong;
  }
  EXPECT_TRUE(absl::IsUnavailable(SharedMemory::Open(address, 99).status()));
}

TEST(ConnectExchange, RefusesWishesThatCannotBe) {
  const auto group =
      JoinFolder(absl::StrCat(testing::TempDir(), "/alone"), 0, 1, kTimeout);
  ASSERT_TRUE(group.ok()) << group.status();
  const auto refusal = [&](const Neighbours& neighbours, const char* wanted) {
    return std::string(ConnectExchange(**group, neighbours, wanted, kTimeout)
                           .status()
                           .message());
  };
  EXPECT_EQ(refusal({}, "tcp"),
            "XLA_BYOL_EXCHANGE=tcp: it must be memory, gloo or auto");
  EXPECT_EQ(
      refusal({.one_machine = false}, "memory"),
      "XLA_BYOL_EXCHANGE=memory, but the processes are on several machines");
}

TEST(Neighbours, DivideTheirCores) {
  EXPECT_EQ((Neighbours{.cores = 8, .sharing = 2}.threads()), 4);
  EXPECT_EQ((Neighbours{.cores = 8, .sharing = 3}.threads()), 2);
  EXPECT_EQ((Neighbours{.cores = 2, .sharing = 4}.threads()), 1);
}

}  // namespace
}  // namespace xla_byol::distributed
