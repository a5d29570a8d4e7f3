#include "xla_byol/kernels/kernels.h"

#include <cstdlib>

#include "tests/pjrt/testing.h"
#include "xla_byol/kernels/onednn.h"
#include "xla_byol/kernels/workspace.h"

namespace xla_byol::kernels {
namespace {

using ::testing::HasSubstr;

// What oneDNN and the environment allow is settled once per process, so each
// variant of this test (see BUILD) has its own.
TEST(KernelsTest, SaysWhichPathItTook) {
  const pjrt::Plugin* plugin =
      pjrt::Get(pjrt::Plugin::Load(pjrt::Platform::kCpu));
  const Kernels& kernels = RegisterKernels(*plugin);
  const char* expected = std::getenv("EXPECTED_KERNELS");
  if (expected != nullptr) {
    EXPECT_THAT(kernels.description, HasSubstr(expected));
    EXPECT_EQ(kernels.custom_calls.empty(),
              kernels.description.find("XLA's own") == 0);
  } else if (InstructionSet().empty()) {
    EXPECT_THAT(kernels.custom_calls, testing::IsEmpty());
  } else {
    EXPECT_EQ(kernels.description,
              "oneDNN 3.2.0 and Winograd's algorithm with " + InstructionSet());
    EXPECT_THAT(kernels.custom_calls, testing::SizeIs(testing::Ge(3)));
  }
  EXPECT_EQ(&RegisterKernels(*plugin), &kernels);
}

TEST(WorkspaceTest, BlocksAreKeptAndNotShared) {
  std::byte* first = nullptr;
  {
    const Workspace a(1000);
    first = a.data();
    const Workspace b(1000);
    EXPECT_NE(a.data(), b.data());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(b.data()) % 64, 0u);
  }
  const Workspace a(4000), b(4000);
  EXPECT_TRUE(a.data() == first || b.data() == first);
  const Workspace none(0);
  EXPECT_NE(none.data(), nullptr);
}

TEST(WorkspaceTest, LargeUsesTakeLargeBlocks) {
  std::byte* large = nullptr;
  {
    const Workspace small(100);
    const Workspace big(1 << 20);
    large = big.data();
  }
  const Workspace small(100);
  const Workspace big(1 << 20);
  EXPECT_EQ(big.data(), large);
}

}  // namespace
}  // namespace xla_byol::kernels
