#include "xla_byol/eval/classifiers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/pjrt/testing.h"
#include "tests/step/noise.h"
#include "xla_byol/base/philox.h"
#include "xla_byol/runtime/bound_program.h"

namespace xla_byol {
namespace {

// Labels 0 ... classes - 1, and -1 now and then.
std::vector<int32_t> Labels(size_t size, uint32_t classes, uint64_t key) {
  std::vector<int32_t> labels(size);
  for (size_t i = 0; i < size; ++i) {
    labels[i] = static_cast<int32_t>(
                    Philox(key, {static_cast<uint32_t>(i), 0, 0, 0})[0] %
                    (classes + 1)) -
                1;
  }
  return labels;
}

void NormalizeRows(std::vector<float>& rows, size_t d) {
  for (size_t i = 0; i < rows.size(); i += d) {
    double squares = 0;
    for (size_t j = 0; j < d; ++j) squares += double{rows[i + j]} * rows[i + j];
    for (size_t j = 0; j < d; ++j) {
      rows[i + j] = static_cast<float>(rows[i + j] / std::sqrt(squares));
    }
  }
}

// How many queries the vote of the k nearest gets right, by sorting.
int VotesRight(const std::vector<float>& bank,
               const std::vector<int32_t>& bank_labels,
               const std::vector<float>& queries,
               const std::vector<int32_t>& labels, size_t d, size_t k,
               size_t classes, double temperature) {
  int right = 0;
  for (size_t q = 0; q < labels.size(); ++q) {
    std::vector<std::pair<double, int32_t>> similar;
    for (size_t n = 0; n < bank_labels.size(); ++n) {
      if (bank_labels[n] < 0) continue;
      double cosine = 0;
      for (size_t j = 0; j < d; ++j) {
        cosine += double{bank[n * d + j]} * queries[q * d + j];
      }
      similar.emplace_back(cosine, bank_labels[n]);
    }
    std::sort(similar.rbegin(), similar.rend());
    std::vector<double> votes(classes);
    for (size_t i = 0; i < std::min(k, similar.size()); ++i) {
      votes[static_cast<size_t>(similar[i].second)] +=
          std::exp(similar[i].first / temperature);
    }
    const auto best = std::max_element(votes.begin(), votes.end());
    right += labels[q] >= 0 && best - votes.begin() == labels[q];
  }
  return right;
}

class NeighbourTest : public testing::TestWithParam<int> {};

TEST_P(NeighbourTest, VotesAsASortDoes) {
  const int devices = GetParam();
  constexpr size_t kBank = 120, kQueries = 64, kDimension = 6;
  constexpr uint32_t kClasses = 4;
  const pjrt::Client client = pjrt::CpuClient(devices);
  std::vector<float> bank = Noise(kBank * kDimension, 1);
  std::vector<float> queries = Noise(kQueries * kDimension, 2);
  NormalizeRows(bank, kDimension);
  NormalizeRows(queries, kDimension);
  const std::vector<int32_t> bank_labels = Labels(kBank, kClasses, 3);
  const std::vector<int32_t> labels = Labels(kQueries, kClasses, 4);
  // The last is more than there are: all vote.
  for (const int64_t k : {1, 7, 40, 1000}) {
    const auto program =
        BuildNeighbourVote({.bank = static_cast<int64_t>(kBank) / devices,
                            .queries = static_cast<int64_t>(kQueries) / devices,
                            .features = kDimension,
                            .classes = kClasses,
                            .neighbours = k,
                            .temperature = 0.1},
                           {.replicas = devices});
    ASSERT_TRUE(program.ok()) << program.status();
    const auto executable =
        client.Compile(program->program.text, {.num_replicas = devices});
    ASSERT_TRUE(executable.ok()) << executable.status();
    BoundProgram bound(client, *executable, *program);
    const size_t share = kBank / static_cast<size_t>(devices);
    for (size_t device = 0; device < bound.devices(); ++device) {
      const size_t first = share * device;
      EXPECT_OK(bound.Set("bank", device,
                          absl::MakeConstSpan(bank).subspan(
                              first * kDimension, share * kDimension)));
      EXPECT_OK(
          bound.Set("bank_labels", device,
                    absl::MakeConstSpan(bank_labels).subspan(first, share)));
    }
    const size_t part = kQueries / static_cast<size_t>(devices);
    for (size_t device = 0; device < bound.devices(); ++device) {
      const size_t first = part * device;
      EXPECT_OK(bound.Set("queries", device,
                          absl::MakeConstSpan(queries).subspan(
                              first * kDimension, part * kDimension)));
      EXPECT_OK(bound.Set("labels", device,
                          absl::MakeConstSpan(labels).subspan(first, part)));
    }
    EXPECT_OK(bound.Run());
    EXPECT_EQ(pjrt::Get(bound.Read<float>("top1"))[0],
              VotesRight(bank, bank_labels, queries, labels, kDimension,
                         static_cast<size_t>(k), kClasses, 0.1))
        << k << " neighbours";
    EXPECT_EQ(pjrt::Get(bound.Read<float>("count"))[0],
              std::count_if(labels.begin(), labels.end(),
                            [](int32_t label) { return label >= 0; }));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, NeighbourTest, testing::Values(1, 2));

struct Scores {
  std::vector<float> top1, top5;
  float count;
};

// What the program says of these probes, on one device.
Scores ScoresOf(const ProbeOptions& options, const std::vector<float>& w,
                const std::vector<float>& b, const std::vector<float>& x,
                const std::vector<int32_t>& labels) {
  const pjrt::Client client = pjrt::CpuClient(1);
  const NamedProgram program = pjrt::Get(BuildProbeScoring(options, {}));
  const pjrt::LoadedExecutable executable =
      pjrt::Get(client.Compile(program.program.text, {}));
  BoundProgram bound(client, executable, program);
  EXPECT_OK(bound.SetAll("w", absl::MakeConstSpan(w)));
  EXPECT_OK(bound.SetAll("b", absl::MakeConstSpan(b)));
  EXPECT_OK(bound.SetAll("features", absl::MakeConstSpan(x)));
  EXPECT_OK(bound.SetAll("labels", absl::MakeConstSpan(labels)));
  EXPECT_OK(bound.Run());
  return {pjrt::Get(bound.Read<float>("top1")),
          pjrt::Get(bound.Read<float>("top5")),
          pjrt::Get(bound.Read<float>("count"))[0]};
}

// With weights of 0 every class ties with every other: then the smallest class
// is the answer, not each of them.
TEST(ProbeScoringTest, OfEqualLogitsTheSmallestClassComesFirst) {
  const Scores scores =
      ScoresOf({.batch = 8, .features = 2, .classes = 8, .candidates = 1},
               std::vector<float>(16), std::vector<float>(8),
               std::vector<float>(16, 1), {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(scores.top1[0], 1);
  EXPECT_EQ(scores.top5[0], 5);
  EXPECT_EQ(scores.count, 8);
}

// Also where there are so few classes that any label is among the first five.
TEST(ProbeScoringTest, ANanIsWrong) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const int64_t classes : {3, 9}) {
    const ProbeOptions options{
        .batch = 4, .features = 2, .classes = classes, .candidates = 1};
    const size_t c = static_cast<size_t>(classes);
    const std::vector<float> w = Noise(2 * c, 1);
    const Scores lost = ScoresOf(options, w, std::vector<float>(c),
                                 std::vector<float>(8, nan), {0, 1, 2, 0});
    EXPECT_EQ(lost.top1[0], 0);
    EXPECT_EQ(lost.top5[0], 0);
    EXPECT_EQ(lost.count, 4);
    // One NaN among the logits is enough.
    std::vector<float> b(c);
    b[1] = nan;
    const Scores one = ScoresOf(options, w, b, Noise(8, 2), {0, 1, 2, 0});
    EXPECT_EQ(one.top1[0], 0);
    EXPECT_EQ(one.top5[0], 0);
  }
}

TEST(ProbeScoringTest, CountsTheFirstAndTheFirstFive) {
  constexpr size_t kBatch = 50, kFeatures = 5, kClasses = 9, kProbes = 3;
  const std::vector<float> w = Noise(kProbes * kFeatures * kClasses, 1);
  const std::vector<float> b = Noise(kProbes * kClasses, 2);
  const std::vector<float> x = Noise(kBatch * kFeatures, 3);
  const std::vector<int32_t> labels = Labels(kBatch, kClasses, 4);
  const Scores scores = ScoresOf({.batch = kBatch,
                                  .features = kFeatures,
                                  .classes = kClasses,
                                  .candidates = kProbes},
                                 w, b, x, labels);
  for (size_t k = 0; k < kProbes; ++k) {
    int first = 0, among_five = 0;
    for (size_t i = 0; i < kBatch; ++i) {
      if (labels[i] < 0) continue;
      std::vector<double> logits(kClasses);
      for (size_t c = 0; c < kClasses; ++c) {
        logits[c] = b[k * kClasses + c];
        for (size_t f = 0; f < kFeatures; ++f) {
          logits[c] += double{x[i * kFeatures + f]} *
                       w[(k * kFeatures + f) * kClasses + c];
        }
      }
      const double own = logits[static_cast<size_t>(labels[i])];
      const auto better = std::count_if(logits.begin(), logits.end(),
                                        [own](double l) { return l > own; });
      first += better < 1;
      among_five += better < 5;
    }
    EXPECT_EQ(scores.top1[k], first);
    EXPECT_EQ(scores.top5[k], among_five);
  }
}

}  // namespace
}  // namespace xla_byol
