#include "xla_byol/profiling/step_profiler.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "xla_byol/base/files.h"
#include "xla_byol/pjrt/plugin.h"
#include "xla_byol/profiling/space.h"

namespace xla_byol::profiling {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const pjrt::Plugin& ProfilingPlugin() {
  return **pjrt::Plugin::Load(pjrt::Platform::kCpu,
                              "tests/profiling/libprofiler_plugin.so");
}

// What the plugin has recorded: an event of a device and one of its host.
void SetRecorded() {
  xspace::XSpace space;
  for (const char* name : {"/device:TEST:0", "/host:CUPTI"}) {
    xspace::XPlane& plane = *space.add_planes();
    plane.set_name(name);
    (*plane.mutable_event_metadata())[1].set_name("kernel");
    xspace::XLine& line = *plane.add_lines();
    line.set_timestamp_ns(absl::ToUnixNanos(absl::Now() + absl::Seconds(1)));
    xspace::XEvent& event = *line.add_events();
    event.set_metadata_id(1);
    event.set_duration_ps(1'000'000);
  }
  setenv("PROFILE", absl::BytesToHexString(space.SerializeAsString()).c_str(),
         1);
}

// Trains `steps` steps of nothing; the profile of some, or why there is none.
absl::StatusOr<xspace::XSpace> Profile(const StepRange& range, int64_t steps,
                                       int* settled = nullptr) {
  const std::string folder = TempFolder();
  StepProfiler profiler(ProfilingPlugin(), range, folder, "host");
  for (int64_t step = 0; step < steps; ++step) {
    const absl::Status status = profiler.BeforeStep(step, [&] {
      if (settled != nullptr) ++*settled;
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    const Span span(profiler.trace(), "train", step);
  }
  profiler.Finish();
  const absl::StatusOr<std::string> bytes =
      ReadFile(folder + absl::StrFormat("/plugins/profile/steps-%08d-%08d/"
                                        "host.xplane.pb",
                                        range.from, range.to));
  if (!bytes.ok()) return bytes.status();
  return ParseSpace(*bytes);
}

std::vector<int64_t> Steps(const xspace::XSpace& space) {
  std::vector<int64_t> steps;
  for (const xspace::XLine& line : space.planes(0).lines()) {
    for (const xspace::XEvent& event : line.events()) {
      if (event.stats_size() > 0) steps.push_back(event.stats(0).int64_value());
    }
  }
  return steps;
}

std::vector<std::string> Planes(const xspace::XSpace& space) {
  std::vector<std::string> names;
  for (const xspace::XPlane& plane : space.planes()) {
    names.push_back(absl::StrCat(plane.name(), " ", plane.lines_size()));
  }
  return names;
}

TEST(StepProfilerTest, RecordsTheStepsOfItsRange) {
  for (const char* mode : {"own", "asks"}) {
    setenv("PROFILER", mode, 1);
    SetRecorded();
    int settled = 0;
    const absl::StatusOr<xspace::XSpace> space = Profile({3, 6}, 10, &settled);
    ASSERT_TRUE(space.ok()) << space.status();
    EXPECT_THAT(Steps(*space), ElementsAre(3, 4, 5));
    EXPECT_THAT(Planes(*space), ElementsAre("/host:CPU 2", "/device:TEST:0 1"));
    EXPECT_EQ(settled, 2);  // before it begins and before it ends
    // The plugin's times are from 1970, the file's from the beginning.
    const int64_t begin = space->planes(1).lines(0).timestamp_ns();
    EXPECT_GT(begin, 0);
    EXPECT_LE(begin, 1'000'000'000);
  }
}

TEST(StepProfilerTest, EndsWithTheTraining) {
  setenv("PROFILER", "own", 1);
  SetRecorded();
  const absl::StatusOr<xspace::XSpace> space = Profile({8, 20}, 10);
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_THAT(Steps(*space), ElementsAre(8, 9));
  EXPECT_EQ(Profile({10, 20}, 10).status().code(), absl::StatusCode::kNotFound);
}

TEST(StepProfilerTest, APluginsTroubleLeavesTheHostsPlane) {
  for (const bool broken : {true, false}) {
    setenv("PROFILER", broken ? "broken" : "own", 1);
    SetRecorded();
    if (!broken) setenv("PROFILE", "ffff", 1);  // no profile
    const absl::StatusOr<xspace::XSpace> space = Profile({0, 2}, 4);
    ASSERT_TRUE(space.ok()) << space.status();
    EXPECT_THAT(Planes(*space), ElementsAre("/host:CPU 1"));
  }
}

TEST(StepProfilerTest, AStepsErrorIsPassedOn) {
  StepProfiler profiler(ProfilingPlugin(), {0, 2}, TempFolder(), "host");
  EXPECT_EQ(profiler.BeforeStep(0, [] { return absl::AbortedError("gone"); })
                .message(),
            "gone");
}

TEST(StepRangeTest, Parses) {
  const absl::StatusOr<StepRange> range = ParseStepRange("10:20");
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(range->from, 10);
  EXPECT_EQ(range->to, 20);
  for (const char* text : {"", "10", "10:", ":10", "20:10", "5:5", "-1:3",
                           "1:2:3", "a:b", "1:99999999999999999999"}) {
    const absl::Status status = ParseStepRange(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("must be FROM:TO"));
  }
}

}  // namespace
}  // namespace xla_byol::profiling
