// What the packages above pjrt know of each platform.

#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "xla_byol/cli/doctor.h"
#include "xla_byol/inspect/hardware.h"
#include "xla_byol/pjrt/platform.h"
#include "xla_byol/runtime/device_program.h"

namespace xla_byol {
namespace {

// Platforms may share a backend, but every backend is some platform's.
TEST(PlatformsTest, EachBackendIsUsed) {
  std::set<graph::Backend::Platform> backends;
  for (const pjrt::Platform platform : pjrt::kPlatforms) {
    backends.insert(BackendOf(platform).platform());
  }
  EXPECT_EQ(backends, (std::set<graph::Backend::Platform>{
                          graph::Backend::kCpu, graph::Backend::kTpu,
                          graph::Backend::kGpu}));
}

// A machine that can be compiled for has known memory and speed.
TEST(PlatformsTest, EachTopologysHardwareIsKnown) {
  int known = 0;
  for (const pjrt::Platform platform : pjrt::kPlatforms) {
    const pjrt::PlatformInfo& info = pjrt::Info(platform);
    if (info.topology_example == nullptr) continue;
    const absl::StatusOr<Machine> machine =
        FindMachine(info.topology_example, 8);
    ASSERT_TRUE(machine.ok()) << machine.status();
    EXPECT_GT(machine->hardware.memory_bytes, 0);
    EXPECT_GT(machine->hardware.peak_flops, 0);
    ++known;
  }
  EXPECT_GT(known, 0);
}

TEST(PlatformsTest, TheDoctorExaminesEach) {
  std::set<std::string> examined;
  for (const Finding& finding : Examine({})) {
    if (finding.section != "Plugins") continue;
    examined.insert(finding.name);
    // What is not there is not there by choice, or can be mended.
    EXPECT_TRUE(finding.state == Finding::State::kGood ||
                !finding.remedy.empty())
        << finding.name;
  }
  for (const pjrt::Platform platform : pjrt::kPlatforms) {
    EXPECT_EQ(examined.count(pjrt::Info(platform).name), 1u);
  }
}

}  // namespace
}  // namespace xla_byol
