#include "xla_byol/base/status_macros.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"

namespace xla_byol {
namespace {

absl::StatusOr<std::unique_ptr<int>> Make(bool good) {
  if (!good) return absl::NotFoundError("no int");
  return std::make_unique<int>(7);
}

absl::StatusOr<int> Twice(bool first, bool second) {
  ASSIGN_OR_RETURN(std::unique_ptr<int> a, Make(first));
  ASSIGN_OR_RETURN(auto b, Make(second));
  return *a + *b;
}

absl::Status Check(bool good) {
  RETURN_IF_ERROR(Make(good).status());
  return absl::OkStatus();
}

TEST(StatusMacrosTest, PassesValuesOnAndErrorsUp) {
  EXPECT_EQ(Twice(true, true).value(), 14);
  EXPECT_EQ(Twice(true, false).status().message(), "no int");
  EXPECT_EQ(Twice(false, true).status().code(), absl::StatusCode::kNotFound);
}

TEST(StatusMacrosTest, ReturnIfErrorKeepsTheStatus) {
  EXPECT_TRUE(Check(true).ok());
  EXPECT_EQ(Check(false), absl::NotFoundError("no int"));
}

}  // namespace
}  // namespace xla_byol
