#include "xla_byol/distributed/launcher.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla_byol::distributed {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<Launch> Find(const LaunchFlags& flags,
                            std::map<std::string, std::string> variables) {
  return FindLaunch(flags, [&](const char* name) { return variables[name]; });
}

const std::map<std::string, std::string> kMpirun = {
    {"OMPI_COMM_WORLD_RANK", "2"},
    {"OMPI_COMM_WORLD_SIZE", "4"},
    {"PMIX_RANK", "2"}};
const std::map<std::string, std::string> kSrun = {{"SLURM_PROCID", "1"},
                                                  {"SLURM_STEP_NUM_TASKS", "2"},
                                                  {"SLURM_STEP_ID", "0"}};

TEST(LauncherTest, NobodyAndOneProcessAreAlone) {
  EXPECT_EQ(Find({}, {})->meeting, Meeting::kNone);
  EXPECT_EQ(
      Find({}, {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}})
          ->meeting,
      Meeting::kNone);
  // A batch script's shell.
  EXPECT_EQ(Find({}, {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}})->meeting,
            Meeting::kNone);
}

TEST(LauncherTest, KnowsLaunchers) {
  const absl::StatusOr<Launch> mpirun = Find({}, kMpirun);
  ASSERT_TRUE(mpirun.ok());
  EXPECT_EQ(mpirun->meeting, Meeting::kPmix);
  EXPECT_EQ(mpirun->launcher, "mpirun");
  EXPECT_EQ(mpirun->process, 2);
  EXPECT_EQ(mpirun->processes, 4);

  const absl::StatusOr<Launch> srun = Find({.rendezvous = "/d"}, kSrun);
  ASSERT_TRUE(srun.ok());
  EXPECT_EQ(srun->meeting, Meeting::kFolder);
  EXPECT_EQ(srun->process, 1);
  auto with_pmix = kSrun;
  with_pmix["PMIX_RANK"] = "1";
  EXPECT_EQ(Find({}, with_pmix)->meeting, Meeting::kPmix);
}

TEST(LauncherTest, KnowsFlags) {
  const absl::StatusOr<Launch> launch =
      Find({.processes = 4, .process = 3, .rendezvous = "/d"}, {});
  ASSERT_TRUE(launch.ok());
  EXPECT_EQ(launch->meeting, Meeting::kFolder);
  EXPECT_EQ(launch->process, 3);
}

TEST(LauncherTest, RefusesMixtures) {
  const struct {
    LaunchFlags flags;
    std::map<std::string, std::string> variables;
    const char* message;
  } cases[] = {
      {{.processes = 3}, kMpirun, "--processes=3, but mpirun says 4"},
      {{.process = 1}, kMpirun, "--process=1, but mpirun says 2"},
      {{}, kSrun, "srun started 2 processes without PMIx"},
      {{.processes = 4}, {}, "need --rendezvous=DIR"},
      {{.processes = 4, .process = 1}, {}, "need --rendezvous=DIR"},
      {{.rendezvous = "/d"}, {}, "--rendezvous needs --processes=N"},
      {{.processes = 4, .process = 4, .rendezvous = "/d"},
       {},
       "--process=4 is out of range: with --processes=4 it must be 0 to 3"},
      {{},
       {{"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_SIZE", "4"}},
       "OMPI_COMM_WORLD_RANK=5 is out of range"},
      {{},
       {{"OMPI_COMM_WORLD_RANK", "x"}, {"OMPI_COMM_WORLD_SIZE", "4"}},
       "OMPI_COMM_WORLD_RANK='x' is no number"},
  };
  for (const auto& c : cases) {
    const absl::StatusOr<Launch> launch = Find(c.flags, c.variables);
    ASSERT_FALSE(launch.ok()) << c.message;
    EXPECT_EQ(launch.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(launch.status().message()), HasSubstr(c.message));
  }
}

}  // namespace
}  // namespace xla_byol::distributed
