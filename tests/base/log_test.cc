#include "xla_byol/base/log.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "xla_byol/base/files.h"

namespace xla_byol {
namespace {

TEST(LogTest, WritesToStderrAndToTheFileWithTime) {
  const std::string path = JoinPath(TempFolder(), "log.txt");
  ASSERT_TRUE(SetLogFile(path).ok());
  ::testing::internal::CaptureStderr();
  LogInfo("compiling");
  LogWarning("slow");
  LogError("stopped");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "compiling\nwarning: slow\nerror: stopped\n");
  ASSERT_TRUE(SetLogFile("").ok());
  LogInfo("not in the file");
  EXPECT_THAT(
      ReadFile(path).value(),
      ::testing::MatchesRegex("[0-9-]+T[0-9:.]+Z compiling\n[^\n]+ warning: "
                              "slow\n[^\n]+ error: stopped\n"));
}

TEST(LogTest, AnUnwritableFileIsAnError) {
  EXPECT_EQ(SetLogFile("/no/such/folder/log.txt").message(),
            "cannot open log '/no/such/folder/log.txt': No such file or "
            "directory");
}

}  // namespace
}  // namespace xla_byol
