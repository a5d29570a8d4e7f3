#include "xla_byol/graph/dtype.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "gtest/gtest.h"

namespace xla_byol::graph {
namespace {

std::string Mlir(DType dtype, double value) {
  return ElementToMlir(dtype, EncodeElement(dtype, value)->data());
}

TEST(DTypeTest, FloatsAreShortAndExact) {
  EXPECT_EQ(Mlir(DType::kF32, 1), "1.0e+00");
  EXPECT_EQ(Mlir(DType::kF32, 0.1), "1.0e-01");
  EXPECT_EQ(Mlir(DType::kF64, 0.1), "1.0e-01");
  EXPECT_EQ(Mlir(DType::kF32, -0.0), "-0.0e+00");
  EXPECT_EQ(Mlir(DType::kF32, INFINITY), "0x7F800000");
  EXPECT_EQ(Mlir(DType::kF64, -INFINITY), "0xFFF0000000000000");
  EXPECT_EQ(Mlir(DType::kBF16, NAN), "0x7FC0");
  EXPECT_EQ(Mlir(DType::kU64, 18446744073709549568.0), "18446744073709549568");
  EXPECT_EQ(Mlir(DType::kPred, 1), "true");
}

// MLIR reads a decimal as double and rounds it to the type.
TEST(DTypeTest, RandomFloatsSurviveMlirsReader) {
  std::mt19937 rng(1);
  for (int i = 0; i < 200000; ++i) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(rng()));
    if (!std::isfinite(value)) continue;
    const std::string text = Mlir(DType::kF32, double{value});
    ASSERT_NE(text.find('.'), std::string::npos);
    ASSERT_EQ(static_cast<float>(std::strtod(text.c_str(), nullptr)), value)
        << text;
  }
}

TEST(DTypeTest, BFloat16RoundsToNearestEven) {
  auto rounded = [](double value) {
    return DecodeElement(DType::kBF16,
                         EncodeElement(DType::kBF16, value)->data());
  };
  const double step = std::ldexp(1.0, -7);  // between 1 and 2
  EXPECT_EQ(rounded(1 + 0.5 * step), 1);
  EXPECT_EQ(rounded(1 + 1.5 * step), 1 + 2 * step);
  // A double just above the middle must not be rounded twice.
  EXPECT_EQ(rounded(1 + 0.5 * step + 1e-14), 1 + step);
  EXPECT_EQ(rounded(-1 - 0.5 * step - 1e-14), -1 - step);
  EXPECT_EQ(rounded(1e39), std::numeric_limits<double>::infinity());
}

TEST(DTypeTest, IntegersMustFit) {
  EXPECT_FALSE(EncodeElement(DType::kU8, 256).ok());
  EXPECT_FALSE(EncodeElement(DType::kS32, 2147483648.0).ok());
  EXPECT_TRUE(EncodeElement(DType::kS32, -2147483648.0).ok());
  EXPECT_FALSE(EncodeElement(DType::kS64, 9223372036854775808.0).ok());
  EXPECT_FALSE(EncodeElement(DType::kS32, 1.5).ok());
}

}  // namespace
}  // namespace xla_byol::graph
