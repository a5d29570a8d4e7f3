// 64 processes in one: the hosts of a TPU v3 slice of 512 cores, as libtpu
// describes them.

#include "xla_byol/runtime/process_place.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <vector>

#include "tests/pjrt/testing.h"
#include "tests/testing/small_config.h"
#include "xla_byol/input/permutation.h"
#include "xla_byol/pjrt/topology.h"
#include "xla_byol/runtime/bound_program.h"
#include "xla_byol/settings/settings.h"
#include "xla_byol/step/train_step.h"

namespace xla_byol {
namespace {

using pjrt::Get;

std::vector<pjrt::DeviceDescription> Slice() {
  const pjrt::Plugin* plugin = Get(pjrt::Plugin::Load(pjrt::Platform::kTpu));
  return Get(pjrt::Topology::Create(*plugin, "v3:16x16")).devices();
}

std::vector<ProcessPlace> Places() {
  const std::vector<pjrt::DeviceDescription> devices = Slice();
  std::vector<ProcessPlace> places;
  for (int process = 0; process < 64; ++process) {
    places.push_back(Get(FindPlace(devices, process)));
  }
  return places;
}

TEST(ProcessPlaceTest, SixtyFourHostsOfEightCores) {
  int writers = 0;
  for (const ProcessPlace& place : Places()) {
    EXPECT_EQ(place.processes, 64);
    EXPECT_EQ(place.devices, 8);
    EXPECT_EQ(place.global_devices(), 512);
    writers += place.writes_files();
  }
  EXPECT_EQ(writers, 1);
}

TEST(ProcessPlaceTest, EveryExampleOnceInAnEpoch) {
  constexpr int64_t kBatch = 4096;
  constexpr int64_t kSteps = 5;
  constexpr int64_t kImages = kSteps * kBatch;
  const input::Permutation order(/*seed=*/1, /*epoch=*/0, kImages);
  std::vector<int> seen(kImages);
  const std::vector<ProcessPlace> places = Places();
  for (int64_t step = 0; step < kSteps; ++step) {
    for (const ProcessPlace& place : places) {
      for (int device = 0; device < place.devices; ++device) {
        const RowRange rows = RowsOf(place, device, kBatch);
        EXPECT_EQ(rows.end - rows.begin, 8);
        for (int64_t row = rows.begin; row < rows.end; ++row) {
          // As docs/input.md deals rows out.
          EXPECT_EQ(row / (kBatch / 64), place.process);
          const auto position = static_cast<uint64_t>(step * kBatch + row);
          ++seen[order.At(position)];
        }
      }
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), kImages);
}

// One host's loop, as TrainingLoop's: it knows its own wish, and what finished
// steps give back.
struct Host {
  ProcessPlace place;
  std::optional<int64_t> asks_before;  // the step that a signal comes before
  StopVote vote;
  int64_t read = 0;  // steps whose metrics it has read
  bool stopped = false;
  std::vector<int64_t> checkpoints;

  void ReadUpTo(int64_t steps, const std::vector<float>& metrics) {
    for (; read < steps; ++read) {
      vote.Hear(read, metrics[static_cast<size_t>(read)]);
    }
  }
};

// The steps that were run until all had stopped; 0 if some waited for others
// that had stopped before.
int64_t StepsUntilAllStop(std::vector<Host>& hosts,
                          const std::vector<int64_t>& saves) {
  std::vector<float> metrics;
  for (int64_t step = 0; step < 100; ++step) {
    for (Host& host : hosts) host.stopped = host.vote.EndsBefore(step);
    const auto stopped = static_cast<size_t>(std::count_if(
        hosts.begin(), hosts.end(), [](const Host& h) { return h.stopped; }));
    if (stopped == hosts.size()) {
      for (Host& host : hosts) {
        if (host.place.writes_files()) host.checkpoints.push_back(step);
      }
      return step;
    }
    if (stopped > 0) return 0;
    float metric = 0;
    for (Host& host : hosts) {
      if (host.asks_before == step) host.vote.Ask();
      metric = std::max(metric, host.vote.ballot());
    }
    metrics.push_back(metric);
    for (Host& host : hosts) {
      // The step just put in line is waited for only before a checkpoint.
      const bool saves_now = host.place.writes_files() &&
                             std::count(saves.begin(), saves.end(), step + 1);
      host.ReadUpTo(step + (saves_now ? 1 : 0), metrics);
    }
  }
  return 0;
}

TEST(ProcessPlaceTest, AllStopAfterTheSameStepAndOneWrites) {
  const struct {
    std::vector<std::pair<int, int64_t>> signals;  // process, before step
    std::vector<int64_t> saves;                    // process 0, after n steps
    int64_t steps;
  } kCases[] = {
      {{{17, 23}}, {}, 25},           // one host is preempted
      {{{17, 23}, {3, 24}}, {}, 25},  // another a little later
      {{{0, 0}}, {}, 2},
      {{{17, 23}}, {23}, 25},  // while process 0 saves: just before,
      {{{17, 23}}, {24}, 25},  // with the step that carries the vote,
      {{{17, 23}}, {25}, 25},  // and after the last step
      {{{0, 23}}, {22, 23, 24, 25}, 25},
  };
  for (const auto& scenario : kCases) {
    std::vector<Host> hosts;
    for (const ProcessPlace& place : Places()) hosts.push_back({place});
    for (const auto& [process, step] : scenario.signals) {
      hosts[static_cast<size_t>(process)].asks_before = step;
    }
    EXPECT_EQ(StepsUntilAllStop(hosts, scenario.saves), scenario.steps);
    for (const Host& host : hosts) {
      EXPECT_EQ(host.checkpoints.size(), host.place.process == 0 ? 1u : 0u);
    }
  }
}

TEST(ProcessPlaceTest, WhatCannotBeASliceIsRefused) {
  std::vector<pjrt::DeviceDescription> devices(8);
  for (int i = 0; i < 8; ++i) {
    devices[static_cast<size_t>(i)].id = i;
    devices[static_cast<size_t>(i)].process_index = i / 4;
  }
  EXPECT_OK(FindPlace(devices, 1).status());
  EXPECT_ERROR(FindPlace(devices, 2).status(), kFailedPrecondition,
               "process 2 has none of the 8 devices");
  devices[7].process_index = 2;
  EXPECT_ERROR(FindPlace(devices, 0).status(), kFailedPrecondition,
               "process 1 has 3 devices, process 0 has 4");
  devices[7].process_index = 1;
  devices[7].id = 0;
  EXPECT_ERROR(FindPlace(devices, 0).status(), kFailedPrecondition,
               "two devices have the id 0");
  for (pjrt::DeviceDescription& device : devices) device.process_index *= 2;
  devices[7].id = 7;
  EXPECT_ERROR(FindPlace(devices, 0).status(), kFailedPrecondition,
               "process 1 is missing");
  EXPECT_OK(CheckSameStep(0, 1000));
  EXPECT_ERROR(CheckSameStep(500, 1000), kFailedPrecondition,
               "processes run steps up to 500 apart (this one: 1000)");
}

// The step itself on four devices, as two processes with two each would feed
// it.
TEST(ProcessPlaceTest, TheStepCarriesTheAgreement) {
  const Config config =
      SmallConfig({"data.image_size=8", "data.classes=0",
                   "data.augmentation=false", "predictor.kind=IDENTITY"},
                  4);
  const NamedProgram step = Get(BuildTrainStep(
      config,
      {.replicas = 4, .backend = graph::Backend::kCpu, .processes = 2}));
  const pjrt::Client client = pjrt::CpuClient(4);
  pjrt::CompileOptions options{.num_replicas = 4};
  // The code's speed does not matter here.
  options.flags["xla_backend_optimization_level"] = int64_t{0};
  const pjrt::LoadedExecutable executable =
      Get(client.Compile(step.program.text, options));
  const auto run = [&](float stop0, float stop1, float step0, float step1) {
    BoundProgram bound(client, executable, step);
    const auto set = [&bound](const char* name, float first, float second) {
      for (size_t device = 0; device < 4; ++device) {
        const float* value = device < 2 ? &first : &second;
        EXPECT_OK(bound.Set(name, device, absl::MakeConstSpan(value, 1)));
      }
    };
    for (const ProgramTensor& tensor : step.inputs) {
      const size_t size = static_cast<size_t>(tensor.shape.elements());
      switch (tensor.shape.dtype) {
        case graph::DType::kU8:
          EXPECT_OK(
              bound.SetAll<uint8_t>(tensor.name, std::vector<uint8_t>(size)));
          break;
        case graph::DType::kS32:
          EXPECT_OK(
              bound.SetAll<int32_t>(tensor.name, std::vector<int32_t>(size)));
          break;
        default:
          EXPECT_OK(bound.SetAll<float>(tensor.name, std::vector<float>(size)));
      }
    }
    set("stop", stop0, stop1);
    set("step", step0, step1);
    EXPECT_OK(bound.Run());
    std::vector<std::pair<float, float>> agreed;  // stop, step_spread
    for (size_t device = 0; device < 4; ++device) {
      agreed.emplace_back(Get(bound.Read<float>("stop", device))[0],
                          Get(bound.Read<float>("step_spread", device))[0]);
    }
    return agreed;
  };
  using ::testing::Each;
  using ::testing::Pair;
  EXPECT_THAT(run(0, 0, 7, 7), Each(Pair(0, 0)));
  EXPECT_THAT(run(0, 1, 7, 7), Each(Pair(1, 0)));
  EXPECT_THAT(run(1, 1, 7, 7), Each(Pair(1, 0)));
  EXPECT_THAT(run(0, 0, 500, 1000), Each(Pair(0, 500)));
}

}  // namespace
}  // namespace xla_byol
