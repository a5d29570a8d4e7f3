#include "xla_byol/base/files.h"

#include <sys/stat.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"

namespace xla_byol {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string TestFolder(const char* name) {
  const std::string folder = JoinPath(TempFolder(), name);
  EXPECT_TRUE(MakeDirectories(folder).ok());
  return folder;
}

TEST(FilesTest, WritesAndReadsBack) {
  const std::string path = JoinPath(TestFolder("roundtrip"), "file");
  for (const std::string& content :
       {std::string(), std::string("a\0b", 3), std::string(1 << 20, 'x')}) {
    ASSERT_TRUE(WriteFileAtomically(path, content).ok());
    EXPECT_EQ(ReadFile(path).value(), content);
  }
}

TEST(FilesTest, LeavesNoTemporaryFileBehind) {
  const std::string folder = TestFolder("clean");
  ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, "kept"), "x").ok());
  // A folder of that name cannot be replaced by a file.
  ASSERT_TRUE(MakeDirectories(JoinPath(folder, "taken/inner")).ok());
  EXPECT_FALSE(WriteFileAtomically(JoinPath(folder, "taken"), "x").ok());
  EXPECT_THAT(ListDirectory(folder).value(), ElementsAre("kept", "taken"));
}

TEST(FilesTest, ErrorsNameThePathAndTheReason) {
  const std::string missing = JoinPath(TestFolder("errors"), "no/such");
  EXPECT_EQ(ReadFile(missing).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadFile(missing).status().message(),
            "cannot read '" + missing + "': No such file or directory");
  EXPECT_THAT(std::string(WriteFileAtomically(missing, "").message()),
              HasSubstr("cannot create '" + missing + "'"));
  EXPECT_THAT(std::string(ReadFile("/").status().message()),
              HasSubstr("not a regular file"));
  EXPECT_EQ(ListDirectory(missing).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(FilesTest, MakeDirectoriesAcceptsWhatIsThereAndRefusesFiles) {
  const std::string folder = TestFolder("made");
  EXPECT_TRUE(MakeDirectories(folder).ok());
  ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, "file"), "").ok());
  EXPECT_THAT(std::string(MakeDirectories(JoinPath(folder, "file")).message()),
              HasSubstr("a file has that name"));
  EXPECT_FALSE(MakeDirectories(JoinPath(folder, "file/below")).ok());
}

TEST(FilesTest, NewFilesFollowTheUmask) {
  const std::string path = JoinPath(TestFolder("mode"), "file");
  const mode_t before = umask(027);
  ASSERT_TRUE(WriteFileAtomically(path, "x").ok());
  umask(before);
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST(FilesTest, JoinsPaths) {
  EXPECT_EQ(JoinPath("a", "b/c"), "a/b/c");
  EXPECT_EQ(JoinPath("a/", "b"), "a/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath("a", "/b"), "/b");
}

TEST(FilesTest, UserPathsStartWhereTheUserStands) {
  setenv("BUILD_WORKING_DIRECTORY", "/somewhere", 1);
  EXPECT_EQ(ResolveUserPath("runs/1"), "/somewhere/runs/1");
  EXPECT_EQ(ResolveUserPath("/absolute"), "/absolute");
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(ResolveUserPath("~/tfds"), "/home/me/tfds");
  EXPECT_EQ(ResolveUserPath("~"), "/home/me");
  EXPECT_EQ(ResolveUserPath("~tfds"), "/somewhere/~tfds");
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_EQ(ResolveUserPath("runs/1"), "runs/1");
}

TEST(FilesTest, CacheDirectoryFollowsTheEnvironment) {
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(CacheDirectory(), "/cache/xla_byol");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(CacheDirectory(), "/home/me/.cache/xla_byol");
  unsetenv("HOME");
  EXPECT_THAT(CacheDirectory(), HasSubstr("/xla_byol-"));
}

TEST(FilesTest, ListsSortedNames) {
  const std::string folder = TestFolder("list");
  EXPECT_THAT(ListDirectory(folder).value(), IsEmpty());
  for (const char* name : {"c", "a", "b"}) {
    ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, name), "").ok());
  }
  EXPECT_THAT(ListDirectory(folder).value(), ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace xla_byol
