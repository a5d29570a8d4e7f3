#include "xla_byol/inspect/compiled_cache.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"

namespace xla_byol {
namespace {

namespace fs = std::filesystem;

// An entry of a little more than 1,000 bytes.
CompiledStep Step(char code) {
  CompiledStep step;
  step.executable = std::string(1000, code);
  step.optimal_seconds = 0.5;
  step.compile_seconds = 2;
  return step;
}

// Makes all entries that are there older than those to come.
void LetTimePass(const std::string& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    fs::last_write_time(entry.path(),
                        entry.last_write_time() - std::chrono::hours(1));
  }
}

TEST(CompiledCacheTest, GivesBackWhatWasStored) {
  const CompiledCache cache(TempFolder());
  EXPECT_FALSE(cache.Find("a").has_value());
  ASSERT_TRUE(cache.Store("a", Step('x')).ok());
  const auto found = cache.Find("a");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->executable, Step('x').executable);
  EXPECT_EQ(found->optimal_seconds, 0.5);
  EXPECT_EQ(found->flops, std::nullopt);
  EXPECT_FALSE(cache.Find("b").has_value());
}

TEST(CompiledCacheTest, NoFolderNoCache) {
  const CompiledCache cache("");
  EXPECT_TRUE(cache.Store("a", Step('x')).ok());
  EXPECT_FALSE(cache.Find("a").has_value());
}

TEST(CompiledCacheTest, DamagedEntryIsNone) {
  const std::string folder = TempFolder();
  const CompiledCache cache(folder);
  ASSERT_TRUE(cache.Store("a", Step('x')).ok());
  const fs::path path = fs::directory_iterator(folder)->path();
  fs::resize_file(path, fs::file_size(path) - 1);
  EXPECT_FALSE(cache.Find("a").has_value());
}

TEST(CompiledCacheTest, RemovesWhatWasNotUsedForLongest) {
  const std::string folder = TempFolder();
  std::ofstream(folder + "/of_others") << std::string(5000, '-');
  const CompiledCache cache(folder, /*max_bytes=*/2500);
  for (const char* key : {"a", "b"}) {
    ASSERT_TRUE(cache.Store(key, Step('x')).ok());
    LetTimePass(folder);
  }
  EXPECT_TRUE(cache.Find("a").has_value());  // used after b
  LetTimePass(folder);
  ASSERT_TRUE(cache.Store("c", Step('x')).ok());
  EXPECT_TRUE(cache.Find("a").has_value());
  EXPECT_FALSE(cache.Find("b").has_value());
  EXPECT_TRUE(cache.Find("c").has_value());
  EXPECT_TRUE(fs::exists(folder + "/of_others"));
}

TEST(CompiledCacheTest, KeepsANewEntryThatIsTooLarge) {
  const std::string folder = TempFolder();
  const CompiledCache cache(folder, /*max_bytes=*/500);
  for (const char* key : {"a", "b"}) {
    ASSERT_TRUE(cache.Store(key, Step('x')).ok());
  }
  EXPECT_FALSE(cache.Find("a").has_value());
  EXPECT_TRUE(cache.Find("b").has_value());
}

}  // namespace
}  // namespace xla_byol
