#include "xla_byol/cli/doctor.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "xla_byol/base/files.h"
#include "xla_byol/kernels/kernels.h"
#include "xla_byol/pjrt/plugin.h"

namespace xla_byol {
namespace {

using ::testing::HasSubstr;
using State = Finding::State;

const Finding& Named(const std::vector<Finding>& findings, const char* name) {
  auto found = std::find_if(findings.begin(), findings.end(),
                            [&](const Finding& f) { return f.name == name; });
  EXPECT_NE(found, findings.end()) << name;
  return *found;
}

std::string Folder(const std::string& name) {
  static const std::string* root = new std::string(TempFolder());
  const std::string path = JoinPath(*root, name);
  EXPECT_TRUE(MakeDirectories(path).ok());
  return path;
}

void Touch(const std::string& path) {
  EXPECT_TRUE(WriteFileAtomically(path, "x").ok());
}

std::string FashionMnist() {
  const std::string folder = Folder("fashion");
  for (const char* file :
       {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
        "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"}) {
    Touch(JoinPath(folder, file));
  }
  return folder;
}

TEST(DoctorTest, AGoodMachine) {
  const std::vector<Finding> findings =
      Examine({.fashion_mnist_dir = FashionMnist()});
  EXPECT_TRUE(DemoCanRun(findings));
  const Finding& cpu = Named(findings, "cpu");
  EXPECT_EQ(cpu.state, State::kGood);
  const auto plugin = pjrt::Plugin::Load(pjrt::Platform::kCpu);
  ASSERT_TRUE(plugin.ok()) << plugin.status();
  EXPECT_EQ(cpu.detail,
            "PJRT API 0.81, StableHLO 1.13.3 (reads 0.9.0 and newer), "
            "devices: 1 x cpu, convolutions: " +
                kernels::RegisterKernels(**plugin).description);
  // Not in this test's runfiles, and not needed.
  const Finding& tpu = Named(findings, "tpu");
  EXPECT_EQ(tpu.state, State::kOptional);
  EXPECT_EQ(tpu.remedy, "tools/bazel run --config=tpu //xla_byol:doctor");
  EXPECT_THAT(
      ToText(findings),
      HasSubstr("The demo (tools/bazel run //xla_byol:train) can run."));
}

TEST(DoctorTest, NoPlugin) {
  const std::vector<Finding> findings =
      Examine({.plugin = "/no/such.so", .fashion_mnist_dir = FashionMnist()});
  EXPECT_FALSE(DemoCanRun(findings));
  EXPECT_EQ(Named(findings, "cpu").state, State::kBad);
  EXPECT_THAT(Named(findings, "cpu").detail, HasSubstr("/no/such.so"));
  EXPECT_THAT(ToText(findings), HasSubstr("  MISSING  cpu"));
}

TEST(DoctorTest, NoData) {
  const std::string folder = FashionMnist();
  const std::string gone = JoinPath(folder, "t10k-labels-idx1-ubyte.gz");
  std::remove(gone.c_str());
  const std::vector<Finding> findings = Examine({.fashion_mnist_dir = folder});
  EXPECT_FALSE(DemoCanRun(findings));
  const Finding& data = Named(findings, "fashion_mnist");
  EXPECT_EQ(data.detail,
            "missing in " + folder + ": t10k-labels-idx1-ubyte.gz");
  EXPECT_EQ(data.remedy, "apt-get install dataset-fashion-mnist");
  EXPECT_THAT(ToText(findings),
              HasSubstr("to fix it: apt-get install dataset-fashion-mnist\n"));
}

TEST(DoctorTest, TfdsFolders) {
  const std::string root = Folder("tfds");
  const std::string cifar = Folder("tfds/cifar10/3.0.2");
  Touch(JoinPath(cifar, "dataset_info.json"));
  Touch(JoinPath(cifar, "cifar10-train.tfrecord-00000-of-00001"));
  Touch(JoinPath(cifar, "cifar10-test.tfrecord-00000-of-00001"));
  Touch(JoinPath(Folder("tfds/imagenet2012/64x64/5.1.0"), "dataset_info.json"));
  const std::vector<Finding> findings =
      Examine({.data_dir = root, .fashion_mnist_dir = FashionMnist()});
  EXPECT_EQ(Named(findings, "cifar10/3.0.2").state, State::kGood);
  EXPECT_THAT(Named(findings, "cifar10/3.0.2").detail,
              HasSubstr("2 record files"));
  const Finding& empty = Named(findings, "imagenet2012/64x64/5.1.0");
  EXPECT_EQ(empty.state, State::kOptional);
  EXPECT_EQ(empty.remedy, "tools/bazel run //data:prepare -- --help");
  EXPECT_THAT(ToText(findings),
              HasSubstr("if you need it: tools/bazel run //data:prepare"));
  EXPECT_TRUE(DemoCanRun(findings));
}

TEST(DoctorTest, DataFolderThatIsNotThere) {
  const std::vector<Finding> findings = Examine(
      {.data_dir = "/no/such/folder", .fashion_mnist_dir = FashionMnist()});
  EXPECT_THAT(Named(findings, "TFDS").detail,
              HasSubstr("/no/such/folder: No such file or directory"));
  EXPECT_TRUE(DemoCanRun(findings));
}

}  // namespace
}  // namespace xla_byol
