#include "xla_byol/eval/evaluation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/pjrt/testing.h"
#include "tests/step/noise.h"
#include "tests/testing/small_config.h"
#include "xla_byol/base/philox.h"
#include "xla_byol/runtime/bound_program.h"
#include "xla_byol/settings/settings.h"
#include "xla_byol/step/state.h"

namespace xla_byol {
namespace {

// One candidate in plain C++ and double precision.
struct PlainProbe {
  std::vector<double> w, b, mw, mb;
  double loss = 0, accuracy = 0;

  void Step(const std::vector<float>& x, const std::vector<int32_t>& labels,
            size_t n, size_t c, double rate) {
    std::vector<double> gw(n * c), gb(c);
    loss = accuracy = 0;
    const double count = static_cast<double>(
        std::count_if(labels.begin(), labels.end(),
                      [](int32_t label) { return label >= 0; }));
    for (size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] < 0) continue;
      const size_t own = static_cast<size_t>(labels[i]);
      std::vector<double> logits = b;
      for (size_t f = 0; f < n; ++f) {
        for (size_t k = 0; k < c; ++k) logits[k] += x[i * n + f] * w[f * c + k];
      }
      double sum = 0;
      for (const double logit : logits) sum += std::exp(logit);
      loss += (std::log(sum) - logits[own]) / count;
      accuracy +=
          (logits[own] == *std::max_element(logits.begin(), logits.end())) /
          count;
      for (size_t k = 0; k < c; ++k) {
        const double g = (std::exp(logits[k]) / sum - (k == own)) / count;
        gb[k] += g;
        for (size_t f = 0; f < n; ++f) gw[f * c + k] += g * x[i * n + f];
      }
    }
    const auto update = [rate](std::vector<double>& p, std::vector<double>& m,
                               const std::vector<double>& g) {
      for (size_t i = 0; i < p.size(); ++i) {
        m[i] = 0.9 * m[i] + g[i];
        p[i] -= rate * (g[i] + 0.9 * m[i]);
      }
    };
    update(w, mw, gw);
    update(b, mb, gb);
  }
};

TEST(ProbeStepTest, EveryCandidateFollowsPlainCpp) {
  constexpr int64_t kBatch = 12, kFeatures = 5, kClasses = 3, kCandidates = 2;
  const ProbeOptions probe{.batch = kBatch,
                           .features = kFeatures,
                           .classes = kClasses,
                           .candidates = kCandidates};
  const NamedProgram step = BuildProbeStep(probe, {.replicas = 2}).value();
  const pjrt::Client client = pjrt::CpuClient(2);
  const pjrt::LoadedExecutable executable =
      client.Compile(step.program.text, {.num_replicas = 2}).value();

  const std::vector<float> x = Noise(kBatch * kFeatures, 1);
  const std::vector<int32_t> labels = {0, 1, 2, -1, 1, 1, 2, 0, -1, 0, 2, 1};
  const std::vector<float> rates = {0.1f, 1.5f};
  const size_t matrix = kFeatures * kClasses;
  std::vector<float> w = Noise(kCandidates * matrix, 2);
  std::vector<PlainProbe> plain(kCandidates);
  for (size_t k = 0; k < kCandidates; ++k) {
    plain[k] = {{w.begin() + static_cast<int64_t>(k * matrix),
                 w.begin() + static_cast<int64_t>((k + 1) * matrix)},
                std::vector<double>(kClasses),
                std::vector<double>(matrix),
                std::vector<double>(kClasses)};
  }

  BoundProgram bound(client, executable, step);
  const std::vector<float> zeros(kCandidates * matrix);
  const std::vector<float> zero_biases(kCandidates * kClasses);
  EXPECT_OK(bound.SetAll("w", absl::MakeConstSpan(w)));
  EXPECT_OK(bound.SetAll("b", absl::MakeConstSpan(zero_biases)));
  EXPECT_OK(bound.SetAll("momentum/w", absl::MakeConstSpan(zeros)));
  EXPECT_OK(bound.SetAll("momentum/b", absl::MakeConstSpan(zero_biases)));
  EXPECT_OK(bound.SetAll("learning_rates", absl::MakeConstSpan(rates)));
  const size_t half = kBatch / 2;
  for (size_t device = 0; device < 2; ++device) {
    EXPECT_OK(bound.Set("features", device,
                        absl::MakeConstSpan(x).subspan(
                            device * half * kFeatures, half * kFeatures)));
    EXPECT_OK(
        bound.Set("labels", device,
                  absl::MakeConstSpan(labels).subspan(device * half, half)));
  }
  for (int iteration = 0; iteration < 5; ++iteration) {
    EXPECT_OK(bound.Run());
    const std::vector<float> loss = pjrt::Get(bound.Read<float>("loss"));
    const std::vector<float> accuracy =
        pjrt::Get(bound.Read<float>("accuracy", /*device=*/1));
    for (size_t k = 0; k < kCandidates; ++k) {
      plain[k].Step(x, labels, kFeatures, kClasses, rates[k]);
      // f32 against double: a few roundings each step.
      EXPECT_NEAR(loss[k], plain[k].loss, 1e-5);
      EXPECT_NEAR(accuracy[k], plain[k].accuracy, 1e-6);
    }
  }
  const std::vector<float> trained = pjrt::Get(bound.Read<float>("w"));
  for (size_t k = 0; k < kCandidates; ++k) {
    for (size_t i = 0; i < matrix; ++i) {
      EXPECT_NEAR(trained[k * matrix + i], plain[k].w[i], 1e-5);
    }
  }
}

TEST(ProbeStepTest, ABatchThatDoesNotDivideIsRefused) {
  EXPECT_EQ(BuildProbeStep({.batch = 10}, {.replicas = 4}).status().message(),
            "the probe's batch of 10 does not divide by the 4 devices");
}

// With running statistics an image's features do not depend on its neighbours,
// and equal images get equal features.
TEST(EncodeTest, FeaturesOfAnImageAreItsOwn) {
  const Config config =
      SmallConfig({"data.image_size=12", "evaluation.image_size=16",
                   "model.base_channels=8"});
  const NamedProgram encode = BuildEncode(config, /*batch=*/3, {}).value();
  EXPECT_EQ(encode.FindOutput("features")->shape.dims, (graph::Dims{3, 64}));
  const pjrt::Client client = pjrt::CpuClient(1);
  const pjrt::LoadedExecutable executable =
      client.Compile(encode.program.text, {}).value();
  const std::vector<StateTensor> layout = StateLayout(config).value();

  const auto features_of = [&](const std::vector<uint8_t>& images) {
    BoundProgram bound(client, executable, encode);
    for (const StateTensor& tensor : layout) {
      if (encode.FindInput(tensor.path) == nullptr) continue;
      std::vector<float> values(static_cast<size_t>(tensor.shape.elements()));
      InitializeState(tensor, 1, absl::MakeSpan(values));
      EXPECT_OK(bound.SetAll(tensor.path, absl::MakeConstSpan(values)));
    }
    EXPECT_OK(bound.SetAll("images", absl::MakeConstSpan(images)));
    EXPECT_OK(bound.Run());
    return pjrt::Get(bound.Read<float>("features"));
  };
  std::vector<uint8_t> images(3 * 16 * 16 * 3);
  for (size_t i = 0; i < images.size(); ++i) {
    images[i] =
        static_cast<uint8_t>(Philox(9, {static_cast<uint32_t>(i), 0, 0, 0})[0]);
  }
  const std::vector<float> first = features_of(images);
  // The first image takes the place of the last.
  std::copy_n(images.begin(), 16 * 16 * 3, images.end() - 16 * 16 * 3);
  const std::vector<float> second = features_of(images);
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(first[i], second[i]);
    EXPECT_FLOAT_EQ(second[128 + i], second[i]);
  }
  EXPECT_NE(first[128], second[128]);
}

}  // namespace
}  // namespace xla_byol
