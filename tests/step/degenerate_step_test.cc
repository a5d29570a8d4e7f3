// Whole steps of every predictor and method on batches that have nothing to
// learn from, or are broken: the state stays finite, or the metric `finite`
// says that it is lost.

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/pjrt/testing.h"
#include "tests/step/quick_compilation.h"
#include "tests/testing/small_config.h"
#include "xla_byol/augment/augmentation_draws.h"
#include "xla_byol/base/philox.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/settings/settings.h"
#include "xla_byol/step/state.h"
#include "xla_byol/step/train_step.h"
#include "xla_byol/training/bound_step.h"

namespace xla_byol {
namespace {

constexpr int64_t kImages = 16, kSize = 8;
constexpr size_t kPixels = kSize * kSize * 3;

uint8_t Noise(size_t image, size_t i) {
  return static_cast<uint8_t>(Philox(
      1, {static_cast<uint32_t>(image), static_cast<uint32_t>(i), 0, 0})[0]);
}

struct Batch {
  const char* name;
  std::function<uint8_t(size_t image, size_t i)> pixel = Noise;
  // Latents are the projector's hidden layer times this matrix.
  std::function<void(absl::Span<float>)> change_last_layer = nullptr;
  bool nan = false;  // in one image's colours
};

void MakeRankOne(absl::Span<float> w) {
  for (size_t i = 0; i < w.size(); ++i) w[i] = w[i / 8 * 8];
}

void MakeLarge(absl::Span<float> w) {
  for (float& value : w) value *= 1e6f;
}

const Batch kBatches[] = {
    {.name = "ordinary"},
    {.name = "all equal",
     .pixel = [](size_t, size_t i) { return Noise(0, i); }},
    {.name = "zeros", .pixel = [](size_t, size_t) { return uint8_t{0}; }},
    {.name = "rank one", .change_last_layer = MakeRankOne},
    {.name = "scale 1e6", .change_last_layer = MakeLarge},
    {.name = "a NaN image", .nan = true},
};

// The parameter is the name of a predictor, or of a method.
bool IsMethod(const std::string& name) {
  Method::Kind kind;
  return Method::Kind_Parse(absl::AsciiStrToUpper(name), &kind);
}

class DegenerateStepTest : public testing::TestWithParam<std::string> {};

TEST_P(DegenerateStepTest, StaysFiniteOrSaysSo) {
  const Config config = SmallConfig(
      {absl::StrCat("data.image_size=", kSize), "predictor.hidden_size=20",
       absl::StrCat("schedule.batch_size=", kImages),
       absl::StrCat(IsMethod(GetParam()) ? "method" : "predictor",
                    ".kind=", GetParam())});
  const std::vector<StateTensor> layout = pjrt::Get(StateLayout(config));
  const NamedProgram step = pjrt::Get(BuildTrainStep(config, {}));
  const pjrt::Client client = pjrt::CpuClient(1);
  const pjrt::LoadedExecutable executable =
      pjrt::Get(client.Compile(step.program.text, QuickCompilation(1)));
  BoundStep bound =
      pjrt::Get(BoundStep::Create(BoundProgram(client, executable, step)));

  for (const Batch& batch : kBatches) {
    SCOPED_TRACE(batch.name);
    EXPECT_OK(bound.WriteState(layout, [&](size_t i, absl::Span<float> values) {
      InitializeState(layout[i], /*seed=*/3, values);
      if (batch.change_last_layer != nullptr &&
          absl::EndsWith(layout[i].path, "/projector/dense2/w")) {
        batch.change_last_layer(values);
      }
    }));
    std::vector<uint8_t> pixels;
    std::vector<float> draws(kImages * kAugmentationDraws, 0.0f);  // no change
    for (size_t image = 0; image < kImages; ++image) {
      for (size_t i = 0; i < kPixels; ++i) {
        pixels.push_back(batch.pixel(image, i));
      }
    }
    if (batch.nan) {
      draws[kJitterApply] = 1.0f;  // brightness, four times
      draws[kBrightnessDelta] = std::numeric_limits<float>::quiet_NaN();
    }
    const std::vector<int32_t> labels(kImages, 1);
    const std::vector<HostBatch> batches = {
        {pixels, pixels, labels, draws, draws}};
    EXPECT_OK(bound.Run(pjrt::Get(bound.StartTransfer(batches)),
                        ScalarsForStep(config, 0)));
    const float finite = pjrt::Get(bound.program().Read<float>("finite"))[0];
    // Visser's iteration is defined while its step times |P| is below 1.
    const bool lost =
        batch.nan || (GetParam() == "visser" &&
                      absl::string_view(batch.name) == "scale 1e6");
    EXPECT_EQ(finite, lost ? 0.0f : 1.0f);
    if (lost) continue;
    for (const StateTensor& tensor : layout) {
      for (const float value :
           pjrt::Get(bound.program().Read<float>(tensor.path))) {
        ASSERT_TRUE(std::isfinite(value)) << tensor.path;
      }
    }
  }
}

std::vector<std::string> PredictorsAndMethods() {
  std::vector<std::string> names;
  const auto* kinds = Predictor::Kind_descriptor();
  for (int i = 0; i < kinds->value_count(); ++i) {
    names.push_back(absl::AsciiStrToLower(kinds->value(i)->name()));
  }
  // BYOL is each of the predictors.
  const auto* methods = Method::Kind_descriptor();
  for (int i = 0; i < methods->value_count(); ++i) {
    if (methods->value(i)->number() == Method::BYOL) continue;
    names.push_back(absl::AsciiStrToLower(methods->value(i)->name()));
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, DegenerateStepTest,
                         testing::ValuesIn(PredictorsAndMethods()),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace xla_byol
