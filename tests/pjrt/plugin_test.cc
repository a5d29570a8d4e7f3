#include "xla_byol/pjrt/plugin.h"

#include <dlfcn.h>

#include <cstdlib>

#include "tests/base/temp_folder.h"
#include "tests/pjrt/testing.h"
#include "xla_byol/base/files.h"
#include "xla_byol/pjrt/plugin_search.h"

namespace xla_byol::pjrt {
namespace {

using ::testing::HasSubstr;

// Sets a variable for the length of a test.
class ScopedEnvironment {
 public:
  ScopedEnvironment(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~ScopedEnvironment() { unsetenv(name_); }

 private:
  const char* name_;
};

// The path of a shared library that this process has loaded.
absl::StatusOr<std::string> FindLibc() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&std::getenv), &info) == 0) {
    return absl::NotFoundError("libc");
  }
  return std::string(info.dli_fname);
}

TEST(PluginTest, SaysWhatItIs) {
  const Plugin* plugin = Get(Plugin::Load(Platform::kCpu));
  EXPECT_EQ(plugin->api_version(), "0.81");
  EXPECT_EQ(plugin->attribute("stablehlo_current_version"), "1.13.3");
  EXPECT_EQ(plugin->attribute("no_such_attribute"), "unknown");
  EXPECT_THAT(plugin->fingerprint(), HasSubstr("cpu api 0.81 xla "));
}

TEST(PluginTest, IsLoadedOnce) {
  const Plugin* plugin = Get(Plugin::Load(Platform::kCpu));
  EXPECT_EQ(Get(Plugin::Load(Platform::kCpu)), plugin);
  EXPECT_EQ(Get(Plugin::Load(Platform::kCpu, plugin->path())), plugin);
  ScopedEnvironment variable("PJRT_PLUGIN_PATH", plugin->path());
  EXPECT_EQ(Get(Plugin::Load(Platform::kCpu)), plugin);
}

TEST(PluginTest, OneFileIsNotTwoPlatforms) {
  const Plugin* plugin = Get(Plugin::Load(Platform::kCpu));
  EXPECT_ERROR(Plugin::Load(Platform::kGpu, plugin->path()).status(),
               kInvalidArgument, "is in use for cpu, not for gpu");
}

TEST(PluginTest, MissingPlugin) {
  EXPECT_ERROR(Plugin::Load(Platform::kCpu, "/no/such/plugin.so").status(),
               kNotFound,
               "--plugin names the cpu plugin '/no/such/plugin.so', but there "
               "is no such file");
  {
    ScopedEnvironment variable("TPU_LIBRARY_PATH", "/no/libtpu.so");
    EXPECT_ERROR(Plugin::Load(Platform::kTpu).status(), kNotFound,
                 "TPU_LIBRARY_PATH names the tpu plugin '/no/libtpu.so'");
    // The variable is the TPU's alone.
    EXPECT_OK(Plugin::Load(Platform::kCpu).status());
  }
  // This test's runfiles have only the CPU's.
  const absl::Status status = Plugin::Load(Platform::kGpu).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  for (const char* part :
       {"no gpu plugin found: looked in $PJRT_PLUGIN_PATH (not set)",
        "/*/jax_plugins/xla_cuda12/xla_cuda_plugin.so",
        "start the program with tools/bazel run --config=gpu, or pass "
        "--plugin"}) {
    EXPECT_THAT(std::string(status.message()), HasSubstr(part));
  }
}

TEST(PluginTest, FileThatIsNoPlugin) {
  const std::string text = JoinPath(TempFolder(), "text.so");
  EXPECT_OK(WriteFileAtomically(text, "not a library"));
  EXPECT_ERROR(Plugin::Load(Platform::kCpu, text).status(), kInvalidArgument,
               absl::StrCat(text, " is not a PJRT plugin: it does not load"));
  // A library, but another one.
  const std::string library = Get(FindLibc());
  EXPECT_ERROR(
      Plugin::Load(Platform::kCpu, library).status(), kInvalidArgument,
      absl::StrCat(library, " is not a PJRT plugin: it has no GetPjrtApi"));
}

TEST(PluginTest, PathsAreTheUsers) {
  const std::string folder = TempFolder();
  EXPECT_OK(WriteFileAtomically(JoinPath(folder, "here.so"), ""));
  ScopedEnvironment variable("BUILD_WORKING_DIRECTORY", folder);
  EXPECT_EQ(Get(FindPlugin(Platform::kCpu, "here.so")),
            JoinPath(folder, "here.so"));
}

TEST(PluginTest, UserSettingsStay) {
  ScopedEnvironment skip("TPU_SKIP_MDS_QUERY", "0");
  PrepareEnvironment(Platform::kTpu);
  EXPECT_STREQ(std::getenv("TPU_SKIP_MDS_QUERY"), "0");
  unsetenv("TPU_SKIP_MDS_QUERY");
  PrepareEnvironment(Platform::kTpu);
  if (!HardwarePresent(Platform::kTpu)) {
    EXPECT_STREQ(std::getenv("TPU_SKIP_MDS_QUERY"), "1");
  }
}

TEST(PlatformTest, Names) {
  for (const Platform platform : kPlatforms) {
    EXPECT_EQ(Get(PlatformFromName(Info(platform).name)), platform);
  }
  EXPECT_ERROR(PlatformFromName("npu").status(), kInvalidArgument,
               "unknown platform 'npu': use cpu, tpu or gpu");
}

}  // namespace
}  // namespace xla_byol::pjrt
