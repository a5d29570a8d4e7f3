// The table of platforms: every row is whole, and agrees with the others.

#include "xla_byol/pjrt/platform.h"

#include <set>
#include <string>

#include "tests/pjrt/testing.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/compile_options.h"

namespace xla_byol::pjrt {
namespace {

using ::testing::HasSubstr;

TEST(PlatformTest, EveryRowIsWhole) {
  std::set<std::string> names;
  int everywhere = 0;
  for (const Platform platform : kPlatforms) {
    const PlatformInfo& info = Info(platform);
    SCOPED_TRACE(info.name);
    EXPECT_EQ(info.platform, platform);
    EXPECT_TRUE(names.insert(info.name).second);
    EXPECT_EQ(Get(PlatformFromName(info.name)), platform);
    EXPECT_THAT(PlatformNames(), HasSubstr(info.name));
    for (const char* text : {info.client_name, info.path_variables[0],
                             info.runfile, info.label, info.topology_hint}) {
      ASSERT_NE(text, nullptr);
      EXPECT_STRNE(text, "");
    }
    EXPECT_EQ(info.path_variables[2], nullptr);
    ASSERT_NE(info.hardware_present, nullptr);
    ASSERT_NE(info.prepare_environment, nullptr);
    ASSERT_NE(info.client_options, nullptr);
    ASSERT_NE(info.has_topology, nullptr);
    ASSERT_NE(info.topology_options, nullptr);
    EXPECT_OK(info.client_options({}).status());
    everywhere += info.in_every_build;
  }
  // The default job's.
  EXPECT_EQ(everywhere, 1);
}

TEST(PlatformTest, TopologiesAreOnePlatformsEach) {
  for (const Platform platform : kPlatforms) {
    const PlatformInfo& info = Info(platform);
    SCOPED_TRACE(info.name);
    if (info.topology_example == nullptr) continue;
    EXPECT_OK(info.topology_options(info.topology_example).status());
    int owners = 0;
    for (const Platform other : kPlatforms) {
      owners += Info(other).has_topology(info.topology_example);
    }
    EXPECT_EQ(owners, 1);
    EXPECT_EQ(Get(PlatformOfTopology(info.topology_example)), platform);
  }
  EXPECT_EQ(Get(PlatformOfTopology("v6e:8x8")), Platform::kTpu);
  EXPECT_EQ(Get(PlatformOfTopology("h100:8")), Platform::kGpu);
  for (const char* name : {"", "v", "voodoo:2", "cray:8", "a100x:2"}) {
    EXPECT_ERROR(PlatformOfTopology(name).status(), kInvalidArgument,
                 "; tpu: use GENERATION:CHIPS such as v3:8x8");
  }
}

TEST(PlatformTest, UnknownName) {
  EXPECT_ERROR(PlatformFromName("cray").status(), kInvalidArgument,
               "unknown platform 'cray': use " + PlatformNames());
  EXPECT_THAT(PlatformNames(), ::testing::StartsWith("cpu, tpu"));
  EXPECT_THAT(PlatformNames(), HasSubstr(" or "));
}

// A flag without which programs would be wrong is there unless the user says
// otherwise.
TEST(PlatformTest, RequiredFlagsAreInTheOptions) {
  for (const Platform platform : kPlatforms) {
    SCOPED_TRACE(Info(platform).name);
    const std::string bytes = Get(CompileOptions{}.Serialize(platform));
    for (const RequiredFlag& flag : Info(platform).required_flags) {
      EXPECT_THAT(bytes, HasSubstr(flag.name));
      const CompileOptions other{.flags = {{flag.name, !flag.value}}};
      EXPECT_NE(Get(other.Serialize(platform)), bytes);
    }
  }
  EXPECT_THAT(Get(CompileOptions{}.Serialize(Platform::kCpu)),
              HasSubstr("xla_cpu_use_xnnpack"));
}

}  // namespace
}  // namespace xla_byol::pjrt
