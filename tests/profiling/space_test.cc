#include "xla_byol/profiling/space.h"

#include <string>
#include <thread>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "xla_byol/base/files.h"
#include "xla_byol/profiling/host_trace.h"

namespace xla_byol::profiling {
namespace {

using ::testing::ElementsAre;

const absl::Time kOrigin = absl::FromUnixSeconds(1'800'000'000);

absl::Time At(int64_t microseconds) {
  return kOrigin + absl::Microseconds(microseconds);
}

std::string NameOf(const xspace::XPlane& plane, const xspace::XEvent& event) {
  return plane.event_metadata().at(event.metadata_id()).name();
}

TEST(HostTraceTest, LinesAreThreadsAndHoldTheirSpansInOrder) {
  HostTrace trace;
  trace.Start();
  // Spans are recorded when they end: the inner one first.
  trace.Add("enqueue", At(20), At(30));
  trace.Add("train", At(10), At(40), /*step=*/7);
  std::thread([&] { trace.Add("write", At(15), At(16)); }).join();
  const xspace::XPlane plane = trace.ToPlane(kOrigin);
  EXPECT_EQ(plane.name(), kHostPlane);
  ASSERT_EQ(plane.lines_size(), 2);
  // Which thread comes first is not said.
  const bool other = plane.lines(0).events_size() == 1;
  const xspace::XLine& line = plane.lines(other ? 1 : 0);
  ASSERT_EQ(line.events_size(), 2);
  EXPECT_EQ(line.timestamp_ns(), 10'000);
  EXPECT_EQ(NameOf(plane, line.events(0)), "train");
  EXPECT_EQ(line.events(0).offset_ps(), 0);
  EXPECT_EQ(line.events(0).duration_ps(), 30'000'000);
  EXPECT_EQ(NameOf(plane, line.events(1)), "enqueue");
  EXPECT_EQ(line.events(1).offset_ps(), 10'000'000);
  EXPECT_EQ(line.events(1).stats_size(), 0);
  ASSERT_EQ(line.events(0).stats_size(), 2);
  EXPECT_EQ(
      plane.stat_metadata().at(line.events(0).stats(0).metadata_id()).name(),
      "step_num");
  EXPECT_EQ(line.events(0).stats(0).int64_value(), 7);
}

TEST(HostTraceTest, SpansOutsideARecordingAreNone) {
  HostTrace trace;
  { const Span span(&trace, "before"); }
  { const Span span(nullptr, "no trace"); }
  {
    const Span half(&trace, "begins before");
    trace.Start();
    { const Span span(&trace, "inside"); }
  }
  const Span open(&trace, "ends after");
  trace.Stop();
  { const Span span(&trace, "after"); }
  const xspace::XPlane plane = trace.ToPlane(absl::UnixEpoch());
  ASSERT_EQ(plane.event_metadata_size(), 1);
  EXPECT_EQ(plane.event_metadata().begin()->second.name(), "inside");
}

// A plugin's plane with one event that has a stat and refers to another.
xspace::XPlane PluginPlane(const std::string& name, const std::string& event) {
  xspace::XPlane plane;
  plane.set_name(name);
  auto& metadata = (*plane.mutable_event_metadata())[1];
  metadata.set_id(1);
  metadata.set_name(event);
  metadata.add_child_id(1);
  (*plane.mutable_stat_metadata())[1].set_name("kind");
  (*plane.mutable_stat_metadata())[2].set_name("fusion");
  xspace::XLine& line = *plane.add_lines();
  line.set_id(99);
  line.set_timestamp_ns(absl::ToUnixNanos(At(25)));
  xspace::XEvent& one = *line.add_events();
  one.set_metadata_id(1);
  one.set_offset_ps(500);
  one.set_duration_ps(1000);
  xspace::XStat& stat = *one.add_stats();
  stat.set_metadata_id(1);
  stat.set_ref_value(2);
  return plane;
}

TEST(SpaceTest, PluginsHostLinesJoinOursAndDevicesStayApart) {
  HostTrace trace;
  trace.Start();
  trace.Add("train", At(10), At(40), /*step=*/7);
  xspace::XSpace space;
  *space.add_planes() = trace.ToPlane(kOrigin);
  xspace::XSpace plugin;
  *plugin.add_planes() = PluginPlane("/device:TPU:0", "dot.1");
  *plugin.add_planes() = PluginPlane("/host:CUPTI", "cuLaunchKernel");
  plugin.add_errors("a buffer was full");
  AddPluginPlanes(plugin, kOrigin, space);

  ASSERT_EQ(space.planes_size(), 2);
  EXPECT_THAT(space.errors(), ElementsAre("a buffer was full"));
  const xspace::XPlane& host = space.planes(0);
  ASSERT_EQ(host.lines_size(), 2);
  const xspace::XLine& joined = host.lines(1);
  EXPECT_NE(joined.id(), host.lines(0).id());
  EXPECT_EQ(joined.timestamp_ns(), 25'000);
  const xspace::XEvent& call = joined.events(0);
  EXPECT_EQ(NameOf(host, call), "cuLaunchKernel");
  EXPECT_EQ(NameOf(host, host.lines(0).events(0)), "train");
  EXPECT_EQ(host.event_metadata().at(call.metadata_id()).child_id(0),
            call.metadata_id());
  const xspace::XStat& stat = call.stats(0);
  EXPECT_EQ(host.stat_metadata().at(stat.metadata_id()).name(), "kind");
  EXPECT_EQ(
      host.stat_metadata().at(static_cast<int64_t>(stat.ref_value())).name(),
      "fusion");
  EXPECT_EQ(space.planes(1).name(), "/device:TPU:0");
  EXPECT_EQ(space.planes(1).lines(0).timestamp_ns(), 25'000);
}

TEST(SpaceTest, ParsesWhatPluginsGive) {
  xspace::XSpace space;
  *space.add_planes() = PluginPlane("/device:TPU:0", "dot.1");
  const std::string bytes = space.SerializeAsString();
  for (const std::string& given : {bytes, bytes + '\0'}) {
    const absl::StatusOr<xspace::XSpace> parsed = ParseSpace(given);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->ShortDebugString(), space.ShortDebugString());
  }
  EXPECT_TRUE(ParseSpace("").ok());
  // Cut anywhere it is an error or a part, never a crash.
  for (size_t size = 0; size < bytes.size(); ++size) {
    ParseSpace(bytes.substr(0, size)).status().IgnoreError();
  }
  EXPECT_EQ(ParseSpace("no profile").status().code(),
            absl::StatusCode::kDataLoss);
}

TEST(SpaceTest, IsWrittenWhereXProfLooks) {
  const std::string folder = TempFolder();
  xspace::XSpace space;
  space.add_hostnames("host");
  const absl::StatusOr<std::string> path =
      WriteSpace(space, folder, "steps-1", "host_3");
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_EQ(*path, folder + "/plugins/profile/steps-1/host_3.xplane.pb");
  EXPECT_EQ(*ReadFile(*path), space.SerializeAsString());
}

}  // namespace
}  // namespace xla_byol::profiling
