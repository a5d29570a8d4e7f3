#include "xla_byol/eval/classifiers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/pjrt/testing.h"
#include "tests/step/noise.h"
#include "xla_byol/base/philox.h"

namespace xla_byol {
namespace {

using pjrt::Buffer;

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
    const auto judge =
        BuildNeighbourJudge({.bank = static_cast<int64_t>(kBank) / devices,
                             .queries = kQueries,
                             .features = kDimension,
                             .classes = kClasses,
                             .neighbours = k,
                             .temperature = 0.1},
                            {.replicas = devices});
    ASSERT_TRUE(judge.ok()) << judge.status();
    const auto executable =
        client.Compile(judge->program.text, {.num_replicas = devices});
    ASSERT_TRUE(executable.ok()) << executable.status();
    std::vector<Buffer> inputs;
    for (int device = 0; device < devices; ++device) {
      const size_t share = kBank / static_cast<size_t>(devices);
      const size_t first = share * static_cast<size_t>(device);
      const auto add = [&](auto values, pjrt::ArraySpec::Dims dims) {
        auto buffer = client.CopyFromHost(
            values, dims, client.devices()[static_cast<size_t>(device)]);
        ASSERT_TRUE(buffer.ok()) << buffer.status();
        inputs.push_back(*std::move(buffer));
      };
      add(absl::MakeConstSpan(bank).subspan(first * kDimension,
                                            share * kDimension),
          {static_cast<int64_t>(share), kDimension});
      add(absl::MakeConstSpan(bank_labels).subspan(first, share),
          {static_cast<int64_t>(share)});
      add(absl::MakeConstSpan(queries), {kQueries, kDimension});
      add(absl::MakeConstSpan(labels), {kQueries});
    }
    std::vector<Buffer*> arguments;
    for (Buffer& input : inputs) arguments.push_back(&input);
    const auto results = executable->Execute(arguments);
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ((*results)[0].ToVector<float>()->at(0),
              VotesRight(bank, bank_labels, queries, labels, kDimension,
                         static_cast<size_t>(k), kClasses, 0.1))
        << k << " neighbours";
    EXPECT_EQ((*results)[1].ToVector<float>()->at(0),
              std::count_if(labels.begin(), labels.end(),
                            [](int32_t label) { return label >= 0; }));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, NeighbourTest, testing::Values(1, 2));

TEST(ProbeJudgeTest, CountsTheFirstAndTheFirstFive) {
  constexpr size_t kBatch = 50, kFeatures = 5, kClasses = 9, kProbes = 3;
  const pjrt::Client client = pjrt::CpuClient(1);
  const std::vector<float> w = Noise(kProbes * kFeatures * kClasses, 1);
  const std::vector<float> b = Noise(kProbes * kClasses, 2);
  const std::vector<float> x = Noise(kBatch * kFeatures, 3);
  const std::vector<int32_t> labels = Labels(kBatch, kClasses, 4);
  const auto judge = BuildProbeJudge({.batch = kBatch,
                                      .features = kFeatures,
                                      .classes = kClasses,
                                      .candidates = kProbes},
                                     {});
  ASSERT_TRUE(judge.ok()) << judge.status();
  const auto executable = client.Compile(judge->program.text, {});
  ASSERT_TRUE(executable.ok()) << executable.status();
  std::vector<Buffer> inputs;
  const auto add = [&](auto values, pjrt::ArraySpec::Dims dims) {
    auto buffer = client.CopyFromHost(values, dims, client.devices()[0]);
    ASSERT_TRUE(buffer.ok()) << buffer.status();
    inputs.push_back(*std::move(buffer));
  };
  add(absl::MakeConstSpan(w), {kProbes, kFeatures, kClasses});
  add(absl::MakeConstSpan(b), {kProbes, kClasses});
  add(absl::MakeConstSpan(x), {kBatch, kFeatures});
  add(absl::MakeConstSpan(labels), {kBatch});
  std::vector<Buffer*> arguments;
  for (Buffer& input : inputs) arguments.push_back(&input);
  const auto results = executable->Execute(arguments);
  ASSERT_TRUE(results.ok()) << results.status();
  const std::vector<float> top1 = *(*results)[0].ToVector<float>();
  const std::vector<float> top5 = *(*results)[1].ToVector<float>();
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
    EXPECT_EQ(top1[k], first);
    EXPECT_EQ(top5[k], among_five);
  }
}

}  // namespace
}  // namespace xla_byol
