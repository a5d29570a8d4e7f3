// Augments images on the CPU plugin by random draws and by the edges of each
// range, and writes <case>/{pixels,draws,ours} for compare_augmented.py.
//
//   augment_cases FILE

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/graph/evaluate.h"
#include "xla_byol/augment/augment.h"
#include "xla_byol/augment/augmentation_draws.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/safetensors.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/graph/program.h"
#include "xla_byol/input/draws.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Shape;
using graph::Tensor;

constexpr int64_t kSize = 40;  // a blur of five taps
constexpr int64_t kImages = 24;

// Draws that change nothing.
std::vector<float> Neutral() {
  std::vector<float> row(kAugmentationDraws, 0.0f);
  for (int i = 0; i < kJitterOperations; ++i) {
    row[static_cast<size_t>(kJitterOrder + i)] = static_cast<float>(i);
  }
  row[kContrastFactor] = row[kSaturationFactor] = row[kBlurSigma] = 1;
  return row;
}

struct Edge {
  const char* name;
  AugmentationDraw switched_on;
  AugmentationDraw number;
  std::vector<float> values;
};

// Each number at the ends of its range, and some way beyond.
const std::vector<Edge>& Edges() {
  static const auto* edges = new std::vector<Edge>{
      {"brightness", kJitterApply, kBrightnessDelta, {-0.4f, 0.4f, -1, 1}},
      {"contrast", kJitterApply, kContrastFactor, {0.6f, 1.4f, 0, 3}},
      {"saturation", kJitterApply, kSaturationFactor, {0.8f, 1.2f, 0, 9}},
      {"hue", kJitterApply, kHueDelta, {-0.1f, 0.1f, -0.5f, 0.5f, 1}},
      {"grayscale", kGrayscaleApply, kGrayscaleApply, {1}},
      {"blur", kBlurApply, kBlurSigma, {0.1f, 2.0f, 1.0f}},
      {"solarize", kSolarizeApply, kSolarizeApply, {1}},
  };
  return *edges;
}

struct Case {
  std::string name;
  std::vector<std::vector<float>> rows;  // one per image
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const int view : {0, 1}) {
    Case& one = cases.emplace_back();
    one.name = absl::StrCat("random_view", view + 1);
    for (uint64_t i = 0; i < kImages; ++i) {
      one.rows.emplace_back(kAugmentationDraws);
      input::DrawAugmentation({.index = i, .view = view},
                              input::ReferenceView(view),
                              one.rows.back().data());
    }
  }
  for (const Edge& edge : Edges()) {
    Case& one = cases.emplace_back();
    one.name = edge.name;
    for (size_t i = 0; i < kImages; ++i) {
      std::vector<float>& row = one.rows.emplace_back(Neutral());
      row[edge.switched_on] = 1;
      row[edge.number] = edge.values[i % edge.values.size()];
    }
  }
  cases.push_back({"nothing", {kImages, Neutral()}});
  return cases;
}

// Noise, and among it images of one colour, of black, of white and of gray.
Tensor Pixels(int64_t channels) {
  std::mt19937 rng(5);
  Tensor pixels = graph::Random({DType::kU8, {kImages, kSize, kSize, channels}},
                                0, 256, rng);
  const double flat[][3] = {{200, 10, 90},
                            {0, 0, 0},
                            {255, 255, 255},
                            {128, 128, 128},
                            {127, 127, 126}};
  const size_t per_image = static_cast<size_t>(kSize * kSize * channels);
  for (size_t i = 0; i < std::size(flat); ++i) {
    for (size_t k = 0; k < per_image; ++k) {
      pixels.data[(5 + i) * per_image + k] =
          flat[i][k % static_cast<size_t>(channels)];
    }
  }
  return pixels;
}

absl::Status Run(const std::string& path) {
  std::vector<std::vector<float>> floats;
  std::vector<std::vector<uint8_t>> bytes;
  std::vector<TensorView> file;
  for (const int64_t channels : {3, 1}) {
    const Tensor pixels = Pixels(channels);
    bytes.emplace_back(pixels.data.begin(), pixels.data.end());
    graph::Graph graph;
    const graph::Value draws = graph.Parameter(
        "draws", Shape{DType::kF32, {kImages, kAugmentationDraws}});
    const graph::Value result =
        Augment(graph.Parameter("pixels", pixels.shape), draws);
    ASSIGN_OR_RETURN(const graph::Program program,
                     Finish(graph, {{"result", result}}));
    ASSIGN_OR_RETURN(const graph::Compiled compiled,
                     graph::Compiled::Make(program));
    for (const Case& one : Cases()) {
      std::vector<float> rows;
      for (const std::vector<float>& row : one.rows) {
        rows.insert(rows.end(), row.begin(), row.end());
      }
      const Tensor table{draws.shape(), {rows.begin(), rows.end()}};
      ASSIGN_OR_RETURN(const auto results, compiled.Run({{table, pixels}}));
      const Tensor& tensor = results[0][0];
      const std::string name =
          absl::StrCat(one.name, channels == 1 ? "_gray" : "");
      // A vector that moves when the outer one grows keeps its elements' place.
      floats.push_back(std::move(rows));
      file.push_back(
          ViewOf<float>(name + "/draws", draws.dims(), floats.back()));
      file.push_back(
          ViewOf<uint8_t>(name + "/pixels", pixels.shape.dims, bytes.back()));
      floats.emplace_back(tensor.data.begin(), tensor.data.end());
      file.push_back(
          ViewOf<float>(name + "/ours", tensor.shape.dims, floats.back()));
    }
  }
  return WriteFileAtomically(path, Safetensors(file));
}

}  // namespace
}  // namespace xla_byol

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const absl::Status status = xla_byol::Run(argv[1]);
  std::printf("%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
