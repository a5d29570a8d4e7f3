#include "xla_byol/eval/process_sums.h"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/eval/synthetic_features.h"
#include "tests/pjrt/testing.h"

namespace xla_byol {
namespace {

using pjrt::Get;

// One process: what it gives is what it gets, to the last bit, however many
// devices take part.
TEST(ProcessSumsTest, OneProcessGetsItsOwnNumbers) {
  for (const int devices : {1, 4}) {
    const TestRuntime here(devices);
    ProcessSums sums(here.runtime);
    const std::vector<double> numbers = {0, -1, 1.0 / 3, 1e-12 / 7, 123456789};
    EXPECT_EQ(Get(sums.Sum(numbers)), numbers);
    EXPECT_EQ(Get(sums.Sum({-2})), std::vector<double>{-2});
    EXPECT_EQ(Get(sums.Sum(numbers)), numbers);
    EXPECT_EQ(Get(sums.Gather(16777217)), std::vector<double>{16777217});
    EXPECT_TRUE(std::isnan(
        Get(sums.Sum({std::numeric_limits<double>::quiet_NaN()}))[0]));
  }
}

}  // namespace
}  // namespace xla_byol
