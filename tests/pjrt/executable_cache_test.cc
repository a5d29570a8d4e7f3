#include "xla_byol/pjrt/executable_cache.h"

#include "tests/base/temp_folder.h"
#include "tests/pjrt/testing.h"
#include "xla_byol/base/files.h"

namespace xla_byol::pjrt {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr int kDevices = 4;

class ExecutableCacheTest : public ::testing::Test {
 protected:
  ExecutableCache::Result Compile(const std::string& program = "") {
    return Get(
        ExecutableCache(directory_)
            .Compile(client_, program.empty() ? program_ : program, options_));
  }

  // Four devices' x = d + 1, y = 2: the all-reduce gives 20 everywhere.
  void ExpectWorks(const LoadedExecutable& executable) {
    std::vector<Buffer> arguments;
    for (int d = 0; d < kDevices; ++d) {
      for (const float value : {d + 1.f, 2.f}) {
        arguments.push_back(Get(client_.CopyFromHost<float>(
            std::vector<float>(8, value), {8}, client_.devices()[d])));
      }
    }
    std::vector<Buffer> results = Get(executable.Execute(Pointers(arguments)));
    EXPECT_TRUE(arguments[0].donated());
    for (int d = 0; d < kDevices; ++d) {
      EXPECT_THAT(Get(results[2 * d].ToVector<float>()), Each(20));
    }
  }

  std::string EntryPath() {
    return Get(ExecutableCache(directory_).PathOf(client_, program_, options_));
  }

  // Fills the cache, changes the entry's bytes, and expects it to be noticed,
  // dropped and made again.
  void ExpectRebuilt(const std::function<void(std::string&)>& damage,
                     const std::string& sentence) {
    Compile();
    std::string entry = Get(ReadFile(EntryPath()));
    damage(entry);
    EXPECT_OK(WriteFileAtomically(EntryPath(), entry));
    ExecutableCache::Result rebuilt = Compile();
    EXPECT_FALSE(rebuilt.from_cache);
    EXPECT_THAT(rebuilt.note, HasSubstr(sentence));
    EXPECT_THAT(rebuilt.note, HasSubstr(EntryPath()));
    ExpectWorks(rebuilt.executable);
    ExecutableCache::Result again = Compile();
    EXPECT_TRUE(again.from_cache);
    ExpectWorks(again.executable);
  }

  Client client_ = CpuClient(kDevices);
  std::string program_ = AllReduceProgram(kDevices, 8);
  CompileOptions options_ = {.num_replicas = kDevices};
  std::string directory_ = JoinPath(TempFolder(), "cache");
};

TEST_F(ExecutableCacheTest, TheSecondTimeSkipsCompilation) {
  ExecutableCache::Result first = Compile();
  EXPECT_FALSE(first.from_cache);
  EXPECT_EQ(first.note, "");
  ExecutableCache::Result second = Compile();
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.executable.signature().ToString(),
            first.executable.signature().ToString());
  ExpectWorks(first.executable);
  ExpectWorks(second.executable);
}

TEST_F(ExecutableCacheTest, ProgramOptionsAndDevicesAreThePartsOfTheKey) {
  Compile();
  EXPECT_FALSE(Compile(program_ + "\n// other text").from_cache);
  options_.flags["xla_cpu_enable_fast_math"] = false;
  EXPECT_FALSE(Compile().from_cache);
  EXPECT_TRUE(Compile().from_cache);
  Client more = CpuClient(kDevices + 1);
  ExecutableCache cache(directory_);
  EXPECT_FALSE(Get(cache.Compile(more, program_, options_)).from_cache);
}

TEST_F(ExecutableCacheTest, OneFlippedBit) {
  ExpectRebuilt([](std::string& entry) { entry[entry.size() / 2] ^= 1; },
                "is damaged (its CRC-32C does not fit)");
}

TEST_F(ExecutableCacheTest, CutShort) {
  ExpectRebuilt([](std::string& entry) { entry.resize(entry.size() - 1000); },
                "is damaged");
  ExpectRebuilt([](std::string& entry) { entry.clear(); },
                "is not a cache entry of this version");
}

TEST_F(ExecutableCacheTest, AnotherProgramsEntry) {
  const std::string other = AllReduceProgram(kDevices, 16);
  Compile(other);
  const std::string foreign = Get(ReadFile(
      Get(ExecutableCache(directory_).PathOf(client_, other, options_))));
  ExpectRebuilt([&](std::string& entry) { entry = foreign; },
                "was written for another program, plugin or machine");
}

TEST_F(ExecutableCacheTest, AFolderThatCannotBeWrittenStopsNothing) {
  EXPECT_OK(WriteFileAtomically(directory_ + ".file", ""));
  directory_ += ".file/below";
  ExecutableCache::Result result = Compile();
  EXPECT_FALSE(result.from_cache);
  EXPECT_THAT(result.note, HasSubstr("not kept for the next start"));
  ExpectWorks(result.executable);
}

TEST_F(ExecutableCacheTest, NoFolderMeansNoCache) {
  directory_ = "";
  EXPECT_FALSE(Compile().from_cache);
  EXPECT_FALSE(Compile().from_cache);
}

}  // namespace
}  // namespace xla_byol::pjrt
