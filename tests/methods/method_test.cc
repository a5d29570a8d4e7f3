// What must hold for each loss whatever the numbers: invariances, identities,
// the same on any number of devices, and no infinities from degenerate batches.

#include "xla_byol/methods/method.h"

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/methods/method_inputs.h"

namespace xla_byol {
namespace {

using graph::Dims;
using graph::DType;
using graph::Generate;
using graph::Shape;
using graph::Tensor;

constexpr int kImages = 8, kFeatures = 4;
const Shape kRows{DType::kF32, {kImages, kFeatures}};
const Shape kSquare{DType::kF32, {kFeatures, kFeatures}};

Tensor Noise(const Shape& shape, int seed) {
  std::mt19937 rng(static_cast<unsigned>(seed));
  std::normal_distribution<double> normal;
  return Generate(shape,
                  [&](const Dims&) { return static_cast<float>(normal(rng)); });
}

// Columns of a Hadamard matrix: mean 0, variance 1, no correlation.
Tensor White() {
  return Generate(kRows, [](const Dims& at) {
    const int64_t column = at[1] + 1;
    return __builtin_popcountll(static_cast<uint64_t>(at[0] & column)) % 2 == 0
               ? 1.0
               : -1.0;
  });
}

Tensor Identity() {
  return Generate(kSquare,
                  [](const Dims& at) { return at[0] == at[1] ? 1.0 : 0.0; });
}

Tensor Mapped(const Tensor& x,
              const std::function<double(double, const Dims&)>& f) {
  return Generate(x.shape, [&](const Dims& at) { return f(x.at(at), at); });
}

Tensor Scaled(const Tensor& x) {
  return Mapped(x, [](double value, const Dims& at) {
    return value * static_cast<double>(at[1] + 2);
  });
}

Tensor Shifted(const Tensor& x) {
  return Mapped(x, [](double value, const Dims& at) {
    return value + 0.5 * static_cast<double>(at[1] + 1);
  });
}

double Loss(const std::string& method, const std::vector<std::string>& set,
            const Tensor& z1, const Tensor& z2,
            const Tensor& matrix = Identity()) {
  const auto result = EvaluateMethod(
      MethodConfig(method, set, kFeatures, kImages), z1, z2, matrix);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? result->loss : NAN;
}

TEST(MethodTest, StandardizedLossesSeeNeitherScaleNorShift) {
  const Tensor z1 = Noise(kRows, 1), z2 = Noise(kRows, 2);
  const Tensor w = Noise(kSquare, 3);
  for (const char* method : {"barlow_twins", "liu"}) {
    const double loss = Loss(method, {}, z1, z2, w);
    EXPECT_NEAR(Loss(method, {}, Scaled(z1), Shifted(z2), w), loss, 1e-3 * loss)
        << method;
    EXPECT_GT(loss, 0.1) << method;
  }
}

TEST(MethodTest, EigenmapSeesShiftButNotScale) {
  const Tensor z1 = Noise(kRows, 1), z2 = Noise(kRows, 2);
  const double loss = Loss("eigenmap", {}, z1, z2);
  EXPECT_NEAR(Loss("eigenmap", {}, Scaled(z1), Scaled(z2)), loss, 1e-4);
  EXPECT_GT(std::abs(Loss("eigenmap", {}, Shifted(z1), Shifted(z2)) - loss),
            0.1);
}

TEST(MethodTest, VicRegsCovarianceGrowsWithTheFourthPowerOfScale) {
  const std::vector<std::string> covariance = {"method.invariance_weight=0",
                                               "method.variance_weight=0"};
  const Tensor z1 = Noise(kRows, 1), z2 = Noise(kRows, 2);
  const auto twice = [](const Tensor& z) {
    return Mapped(z, [](double value, const Dims&) { return 2 * value; });
  };
  const double loss = Loss("vicreg", covariance, z1, z2);
  EXPECT_NEAR(Loss("vicreg", covariance, twice(z1), twice(z2)), 16 * loss,
              1e-4 * loss);
  EXPECT_NEAR(Loss("vicreg", covariance, Shifted(z1), z2), loss, 1e-4 * loss);
}

TEST(MethodTest, WhiteEqualViewsAreTheMinimum) {
  const Tensor z = White();
  // 1e-5 in the standardization's denominator.
  EXPECT_NEAR(Loss("barlow_twins", {}, z, z), 0, 1e-8);
  // Unit variance with N - 1 needs sqrt(7 / 8) of it.
  const Tensor unit = Mapped(z, [](double value, const Dims&) {
    return value * std::sqrt(7.0 / 8.0) * std::sqrt(1 - 1e-4);
  });
  EXPECT_NEAR(Loss("vicreg", {}, unit, unit), 0, 1e-5);
  // R = t I.
  EXPECT_NEAR(Loss("eigenmap", {}, z, z), -2 * 10, 1e-4);
}

TEST(MethodTest, LiusSecondTermVanishesForNormalMatrices) {
  const std::vector<std::string> decorrelation = {"method.invariance_weight=0"};
  const Tensor z = White();
  const Tensor symmetric = Generate(kSquare, [](const Dims& at) {
    return 0.3 * static_cast<double>(at[0] * at[0] + at[1] * at[1]) -
           0.2 * static_cast<double>(at[0] * at[1]);
  });
  const Tensor permutation = Generate(kSquare, [](const Dims& at) {
    return (at[0] + 1) % kFeatures == at[1] ? 1.0 : 0.0;
  });
  const Tensor diagonal = Generate(kSquare, [](const Dims& at) {
    return at[0] == at[1] ? static_cast<double>(at[0]) - 1.0 : 0.0;
  });
  const Tensor zero{kSquare, std::vector<double>(16, 0)};
  const Tensor shear = Generate(
      kSquare, [](const Dims& at) { return at[0] <= at[1] ? 1.0 : 0.0; });
  for (const Tensor& w : {symmetric, permutation, diagonal, zero}) {
    EXPECT_NEAR(Loss("liu", decorrelation, z, z, w), 0, 1e-5);
  }
  EXPECT_GT(Loss("liu", decorrelation, z, z, shear), 1);
}

// Equal parts with equal covariances: a sum, not a mean.
TEST(MethodTest, LiusPartsAreSummed) {
  const std::vector<std::string> decorrelation = {"method.invariance_weight=0"};
  const Tensor z = Generate(kRows, [](const Dims& at) {
    return Noise(kRows, 4).at({at[0] % 4, at[1]});
  });
  const Tensor w = Noise(kSquare, 3);
  const double whole = Loss("liu", decorrelation, z, z, w);
  std::vector<std::string> two = decorrelation;
  two.push_back("method.partitions=2");
  EXPECT_NEAR(Loss("liu", two, z, z, w), 2 * whole, 1e-4 * whole);
}

TEST(MethodTest, OrderHoldsTheFirstFeaturesFixed) {
  const auto result = EvaluateMethod(
      MethodConfig("eigenmap",
                   {"method.ordered=true", "method.off_diagonal_weight=1"},
                   kFeatures, kImages),
      Noise(kRows, 1), Noise(kRows, 1), Identity());
  const auto alone = EvaluateMethod(
      MethodConfig("eigenmap",
                   {"method.ordered=true", "method.off_diagonal_weight=0"},
                   kFeatures, kImages),
      Noise(kRows, 1), Noise(kRows, 1), Identity());
  ASSERT_TRUE(result.ok() && alone.ok());
  for (int64_t image = 0; image < kImages; ++image) {
    EXPECT_NEAR(result->gradient1.at({image, 0}),
                alone->gradient1.at({image, 0}), 1e-6);
    EXPECT_GT(std::abs(result->gradient1.at({image, 3}) -
                       alone->gradient1.at({image, 3})),
              1e-4);
  }
}

struct Case {
  const char* method;
  std::vector<std::string> set;
};

const Case kCases[] = {
    {"byol", {"predictor.kind=linear"}},
    {"simsiam", {"predictor.kind=linear"}},
    {"barlow_twins", {}},
    {"vicreg", {}},
    {"liu", {}},
    {"liu", {"method.partitions=2"}},
    {"liu", {"method.partitions=4"}},
    {"eigenmap", {}},
    {"eigenmap", {"method.ordered=true"}},
};

// |a - b| / |b|.
double RelativeDistance(const Tensor& a, const Tensor& b) {
  double difference = 0, size = 1e-20;
  for (size_t i = 0; i < b.data.size(); ++i) {
    difference += std::pow(a.data[i] - b.data[i], 2);
    size += std::pow(b.data[i], 2);
  }
  return std::sqrt(difference / size);
}

// Replicated and sharded products.
TEST(MethodTest, OneAndTwoDevicesAgree) {
  const Tensor z1 = Noise(kRows, 1), z2 = Noise(kRows, 2);
  const Tensor w = Noise(kSquare, 3);
  for (const Case& one : kCases) {
    const auto alone = EvaluateMethod(
        MethodConfig(one.method, one.set, kFeatures, kImages), z1, z2, w);
    ASSERT_TRUE(alone.ok()) << alone.status();
    for (const char* from : {"1", "100"}) {
      SCOPED_TRACE(std::string(one.method) + " " + from);
      std::vector<std::string> set = one.set;
      set.push_back(std::string("execution.sharded_products_from=") + from);
      const auto two = EvaluateMethod(
          MethodConfig(one.method, set, kFeatures, kImages, 2), z1, z2, w, 2);
      ASSERT_TRUE(two.ok()) << two.status();
      EXPECT_NEAR(two->loss, alone->loss, 1e-5 * std::abs(alone->loss));
      EXPECT_LT(RelativeDistance(two->gradient1, alone->gradient1), 1e-5);
      EXPECT_LT(RelativeDistance(two->gradient2, alone->gradient2), 1e-5);
      EXPECT_LT(RelativeDistance(two->matrix_gradient, alone->matrix_gradient),
                1e-5);
    }
  }
}

TEST(MethodTest, DegenerateBatchesAreFinite) {
  const auto filled = [](double value) {
    return Tensor{kRows, std::vector<double>(kImages * kFeatures, value)};
  };
  const Tensor large = Mapped(
      Noise(kRows, 1), [](double value, const Dims&) { return 1e6 * value; });
  for (const Case& one : kCases) {
    const Config config = MethodConfig(one.method, one.set, kFeatures, kImages);
    for (const Tensor& z : {filled(0), filled(3), filled(1e6), large}) {
      SCOPED_TRACE(std::string(one.method) + " " + std::to_string(z.data[0]));
      const auto result = EvaluateMethod(config, z, z, Noise(kSquare, 3));
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_TRUE(std::isfinite(result->loss));
      for (const Tensor* gradient :
           {&result->gradient1, &result->gradient2, &result->matrix_gradient}) {
        for (const double value : gradient->data) {
          EXPECT_TRUE(std::isfinite(value));
        }
      }
    }
    // A NaN is seen in the loss, which the step's metric `finite` reports.
    Tensor broken = Noise(kRows, 1);
    broken.data[5] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(
        EvaluateMethod(config, broken, Noise(kRows, 2), Identity())->loss));
  }
}

}  // namespace
}  // namespace xla_byol
