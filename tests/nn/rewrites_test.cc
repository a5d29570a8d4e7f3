// A small ResNet with bottlenecks computes the same with every rewrite as
// without: features, running statistics and all gradients, also where a rewrite
// could go wrong.

#include <cmath>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/graph/evaluate.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/nn/resnet.h"

namespace xla_byol::nn {
namespace {

using graph::Dims;
using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::Tensor;
using graph::Tensors;
using graph::Value;

struct Form {
  const char* name;
  Rewrites rewrites;
  ViewLayout layout = ViewLayout::kJoined;
  PaddingStyle padding = PaddingStyle::kSame;
};

// Stages have 4, 8, 16 and 32 inner channels.
const Form kForms[] = {
    {"apart", {}, ViewLayout::kApart},
    {"pool first", {.pool_first = true}},
    {"sliced shortcuts", {.sliced_shortcuts_from = 1}},
    {"one stage packed", {.packed_below = 8}},
    {"all packed", {.packed_below = 64}},
    {"derived statistics", {.derived_statistics_to = 16}},
    {"derived statistics everywhere", {.derived_statistics_to = 32}},
    {"packed with derived statistics",
     {.packed_below = 16, .derived_statistics_to = 16}},
    {"all", {true, 1, 8, 16}},
    {"all, apart", {true, 32, 8, 16}, ViewLayout::kApart},
    {"all, torch", {true, 1, 8, 16}, ViewLayout::kApart, PaddingStyle::kTorch},
};

// What a network is tried with.
struct Case {
  const char* name;
  // Changes an element of a parameter, by its path and index.
  std::function<double(const std::string&, const Dims&, double)> change;
  bool flat_images = false;  // every pixel of an image the same
};

const Case kCases[] = {
    {"ordinary", nullptr},
    {"negative scales",
     [](const std::string& path, const Dims& at, double value) {
       return absl::EndsWith(path, "/scale") && at[0] % 2 == 1 ? -value : value;
     }},
    // In the stem rounding must leave a window's largest element the largest.
    {"tiny scales",
     [](const std::string& path, const Dims& at, double value) {
       if (!absl::EndsWith(path, "/scale") || at[0] % 2 == 0) return value;
       return absl::StartsWith(path, "stem") ? -0.01 : -1e-6;
     }},
    // Where the stem's scale is 0 all elements of a window are equal, and which
    // of them gets the gradient of that scale is a matter of taste: its ReLU is
    // off there.
    {"zero scales",
     [](const std::string& path, const Dims& at, double value) {
       if (at[0] != 1) return value;
       if (absl::EndsWith(path, "/scale")) return 0.0;
       return absl::EndsWith(path, "stem/norm/offset") ? -1.0 : value;
     }},
    {"constant channels",
     [](const std::string& path, const Dims& at, double value) {
       return absl::EndsWith(path, "/w") && at.back() == 2 ? 0.0 : value;
     }},
    {"ties", nullptr, /*flat_images=*/true},
};

// The last stage still has 2x2 pixels: batch norm over the four values of four
// images of one pixel would make percents of rounding.
const Shape kImages{DType::kF32, {8, 33, 33, 3}};

Tensors Inputs(const std::vector<Variable>& variables, const Case& of) {
  std::mt19937 rng(3);
  Tensors inputs;
  for (int view = 0; view < 2; ++view) {
    Tensor images = graph::Random(kImages, -1, 2, rng);
    if (of.flat_images) {
      images = graph::Generate(kImages, [&](const Dims& at) {
        return images.at({at[0], 0, 0, at[3]});
      });
    }
    inputs.push_back(images);
  }
  for (const Variable& variable : variables) {
    const bool kernel = variable.shape.rank() > 1;
    const Tensor random = kernel ? graph::Random(variable.shape, -1, 1, rng)
                                 : graph::Random(variable.shape, 0.5, 1.5, rng);
    inputs.push_back(graph::Generate(variable.shape, [&](const Dims& at) {
      double value = random.at(at);
      if (absl::EndsWith(variable.path, "/offset")) value -= 1;
      return of.change == nullptr ? value : of.change(variable.path, at, value);
    }));
  }
  return inputs;
}

// A network's features, gradients and statistics as a program.
struct Network {
  std::vector<Variable> variables;  // inputs, after the two views
  std::vector<std::string> names;   // of what it computes
  graph::Compiled compiled;

  std::vector<Tensor> Run(const Case& of) const {
    return compiled.Run({Inputs(variables, of)}).value()[0];
  }
};

Network Build(const Form& form) {
  Graph graph;
  Variables variables(graph);
  const Views images = Views::Apart(
      {graph.Parameter("view1", kImages), graph.Parameter("view2", kImages)});
  const Views features =
      ResNet(variables, images,
             {.architecture = FindArchitecture("resnet14").value(),
              .channels = 4,
              .stem = FindStem("IMAGENET").value(),
              .padding = form.padding,
              .layout = form.layout,
              .rewrites = form.rewrites},
             {.rates = {Constant(graph, 0.5), Constant(graph, 0.25)}})
          .In(ViewLayout::kApart);
  std::vector<graph::Output> outputs = {{"view 1", features.parts()[0]},
                                        {"view 2", features.parts()[1]}};
  // Every feature of every image has a weight of its own.
  const Value f = graph::Concatenate(features.parts(), 0);
  const Shape flat{DType::kF32, f.dims()};
  const Value loss =
      Sum(f * Sine(Iota(graph, flat, 0) * 1.7 + Iota(graph, flat, 1) * 2.3));
  std::vector<Value> parameters;
  for (const Variable& variable : variables.all()) {
    if (variable.role == Role::kParameter) parameters.push_back(variable.value);
  }
  const std::vector<Value> gradients = Grad(loss, parameters);
  size_t next = 0;
  for (const Variable& variable : variables.all()) {
    outputs.push_back({variable.path, variable.role == Role::kParameter
                                          ? gradients[next++]
                                          : variable.update});
  }
  std::vector<std::string> names;
  for (const graph::Output& output : outputs) names.push_back(output.name);
  return {variables.all(), names,
          graph::Compiled::Make(Finish(graph, outputs).value()).value()};
}

double Norm(const Tensor& x) {
  double sum = 0;
  for (const double value : x.data) sum += value * value;
  return std::sqrt(sum);
}

class RewritesTest : public testing::TestWithParam<size_t> {};

TEST_P(RewritesTest, ComputeTheSame) {
  const Form& form = kForms[GetParam()];
  const Network plain = Build({"plain", {}, {}, form.padding});
  const Network rewritten = Build(form);
  ASSERT_EQ(rewritten.names, plain.names);
  for (const Case& of : kCases) {
    SCOPED_TRACE(of.name);
    const std::vector<Tensor> expected = plain.Run(of);
    const std::vector<Tensor> actual = rewritten.Run(of);
    for (size_t i = 0; i < expected.size(); ++i) {
      Tensor difference = expected[i];
      for (size_t k = 0; k < difference.data.size(); ++k) {
        difference.data[k] -= actual[i].data[k];
      }
      // A share of the norm. Sums of gradients that are 0 in truth leave what
      // rounding makes of their terms.
      EXPECT_LE(Norm(difference), 1e-4 * Norm(expected[i]) + 1e-5)
          << plain.names[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, RewritesTest,
                         testing::Range(size_t{0}, std::size(kForms)),
                         [](const auto& form) {
                           std::string name = kForms[form.param].name;
                           for (char& c : name) {
                             if (!absl::ascii_isalnum(c)) c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace xla_byol::nn
