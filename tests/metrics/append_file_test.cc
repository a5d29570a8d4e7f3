#include "xla_byol/metrics/append_file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "xla_byol/base/files.h"

namespace xla_byol {
namespace {

using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

// A disk with room for so many bytes in a file: writes beyond are cut short and
// then fail, as on a full disk.
class Room {
 public:
  explicit Room(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~Room() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_;
};

TEST(AppendFileTest, EveryChunkIsThereAtOnce) {
  const std::string path = JoinPath(TempFolder(), "file");
  AppendFile file(path, "begin\n");
  EXPECT_FALSE(FileExists(path));
  file.Append("one\n");
  EXPECT_EQ(ReadFile(path).value(), "begin\none\n");
  file.Append("two\n");
  EXPECT_EQ(ReadFile(path).value(), "begin\none\ntwo\n");
  AppendFile second(path, "begin\n");
  second.Append("three\n");
  EXPECT_EQ(ReadFile(path).value(), "begin\none\ntwo\nthree\n");
}

TEST(AppendFileTest, AFullDiskLeavesWholeChunksAndIsToldOnce) {
  const std::string path = JoinPath(TempFolder(), "file");
  AppendFile file(path);
  const std::string first = std::string(4090, '.') + "\n";
  file.Append(first);
  {
    Room room(4096);
    CaptureStderr();
    file.Append("abcdefgh\n");
    EXPECT_EQ(ReadFile(path).value(), first);
    EXPECT_THAT(GetCapturedStderr(),
                HasSubstr("warning: cannot write '" + path +
                          "': File too large; training continues"));
    CaptureStderr();
    file.Append("ij\n");
    file.Sync();
    EXPECT_EQ(GetCapturedStderr(), "");
    EXPECT_EQ(file.waiting_bytes(), 12u);
    EXPECT_EQ(ReadFile(path).value(), first);
  }
  CaptureStderr();
  file.Append("kl\n");
  EXPECT_EQ(ReadFile(path).value(), first + "abcdefgh\nij\nkl\n");
  EXPECT_EQ(GetCapturedStderr(),
            "'" + path + "' is written again; nothing was lost\n");
  EXPECT_EQ(file.waiting_bytes(), 0u);
}

TEST(AppendFileTest, TheOldestGoWhenTooManyWait) {
  const std::string folder = JoinPath(TempFolder(), "later");
  AppendFile file(JoinPath(folder, "file"));
  CaptureStderr();
  const size_t half = AppendFile::kMaxWaitingBytes / 2;
  file.Append(std::string(half, 'a'));
  file.Append(std::string(half, 'b'));
  EXPECT_EQ(file.lost_chunks(), 0);
  file.Append("c");
  EXPECT_EQ(file.lost_chunks(), 1);
  ASSERT_TRUE(MakeDirectories(folder).ok());
  file.Append("d");
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("1 records that waited are lost"));
  EXPECT_EQ(ReadFile(file.path()).value(), std::string(half, 'b') + "cd");
}

TEST(AppendFileTest, AFileThatVanishedIsMadeAnew) {
  const std::string path = JoinPath(TempFolder(), "file");
  AppendFile file(path, "begin\n");
  file.Append("one\n");
  unlink(path.c_str());
  CaptureStderr();
  file.Append("two\n");
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("was removed during the run"));
  EXPECT_EQ(ReadFile(path).value(), "begin\ntwo\n");
}

TEST(AppendFileTest, AFolderThatVanishedIsSurvived) {
  const std::string folder = JoinPath(TempFolder(), "run");
  ASSERT_TRUE(MakeDirectories(folder).ok());
  AppendFile file(JoinPath(folder, "file"));
  file.Append("one\n");
  std::filesystem::remove_all(folder);
  CaptureStderr();
  file.Append("two\n");
  file.Append("three\n");
  EXPECT_THAT(GetCapturedStderr(),
              HasSubstr("cannot open '" + file.path() + "': No such file"));
  ASSERT_TRUE(MakeDirectories(folder).ok());
  file.Sync();
  EXPECT_EQ(ReadFile(file.path()).value(), "two\nthree\n");
}

}  // namespace
}  // namespace xla_byol
