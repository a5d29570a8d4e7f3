#include "xla_byol/studies/study_cost.h"

#include <algorithm>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "xla_byol/base/progress.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/studies/study_status.h"

namespace xla_byol {
namespace {

size_t ColumnOf(const std::vector<std::string>& names, const char* name) {
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) -
                             names.begin());
}

// The time of one topology for the runs, and how many it has no row for.
struct TopologyHours {
  double hours = 0;
  int unknown = 0;
};

TopologyHours HoursOn(absl::string_view topology,
                      absl::Span<const StudyRun* const> runs,
                      absl::Span<const Cost> costs) {
  TopologyHours sum;
  for (const StudyRun* run : runs) {
    const auto cost =
        std::find_if(costs.begin(), costs.end(), [&](const Cost& have) {
          return have.topology() == topology &&
                 have.batch_size() == run->config.schedule().batch_size();
        });
    if (cost == costs.end()) {
      ++sum.unknown;
      continue;
    }
    sum.hours +=
        static_cast<double>(TotalSteps(run->config)) * cost->step_ms() / 3.6e6;
  }
  return sum;
}

}  // namespace

absl::StatusOr<std::vector<Cost>> ReadScalingCosts(absl::string_view csv,
                                                   absl::string_view source) {
  std::vector<Cost> costs;
  std::vector<std::string> names;
  for (const absl::string_view line : absl::StrSplit(csv, '\n')) {
    const std::vector<std::string> cells = absl::StrSplit(line, ',');
    if (names.empty()) {
      names = cells;
      continue;
    }
    const size_t topology = ColumnOf(names, "topology");
    const size_t batch = ColumnOf(names, "global_batch");
    const size_t seconds = ColumnOf(names, "step_seconds");
    if (std::max({topology, batch, seconds}) >= names.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(source,
                       " is no scaling.csv: its first line has no topology, "
                       "global_batch and step_seconds"));
    }
    int images;
    double step;
    if (cells.size() <= std::max({topology, batch, seconds}) ||
        !absl::SimpleAtoi(cells[batch], &images) ||
        !absl::SimpleAtod(cells[seconds], &step)) {
      continue;
    }
    Cost& cost = costs.emplace_back();
    cost.set_topology(cells[topology]);
    cost.set_batch_size(images);
    cost.set_step_ms(static_cast<float>(1e3 * step));
  }
  return costs;
}

std::string DescribeCost(const StudyPlan& plan,
                         absl::Span<const StudyRun> chosen,
                         absl::Span<const StudyResult> results,
                         absl::Span<const Cost> costs, int jobs) {
  std::set<std::string> complete;
  for (const StudyResult& result : results) complete.insert(result.run);
  std::vector<const StudyRun*> left;
  int64_t steps = 0;
  double images = 0;
  for (const StudyRun& run : chosen) {
    if (complete.count(run.name) > 0) continue;
    left.push_back(&run);
    steps += TotalSteps(run.config);
    images += static_cast<double>(TotalSteps(run.config)) *
              run.config.schedule().batch_size();
  }
  std::string text = absl::StrFormat(
      "%s: %d runs, %d of them complete; %d steps and %.3g images are left\n",
      plan.study.name(), chosen.size(), chosen.size() - left.size(), steps,
      images);
  const double seconds =
      SecondsPerRun(plan.study, results) * static_cast<double>(left.size());
  if (seconds > 0 && !left.empty()) {
    absl::StrAppendFormat(
        &text, "  about %s%s\n", DurationText(absl::Seconds(seconds)),
        results.empty() ? " on two cores, by the study's own estimate"
                        : " if runs take as long as those before");
    if (jobs > 1) {
      absl::StrAppendFormat(
          &text, "  %s with %d at a time, if the machine has room for them\n",
          DurationText(absl::Seconds(seconds / jobs)), jobs);
    }
  }
  std::vector<std::string> topologies;
  for (const Cost& cost : costs) {
    if (std::find(topologies.begin(), topologies.end(), cost.topology()) ==
        topologies.end()) {
      topologies.push_back(cost.topology());
    }
  }
  for (const std::string& topology : topologies) {
    const TopologyHours sum = HoursOn(topology, left, costs);
    if (sum.unknown == static_cast<int>(left.size())) continue;
    absl::StrAppendFormat(
        &text, "  %s: %.1f slice-hours of training by the scaling table\n",
        topology, sum.hours);
    if (sum.unknown > 0) {
      absl::StrAppendFormat(&text, "    without %d runs of other batches\n",
                            sum.unknown);
    }
  }
  return text;
}

}  // namespace xla_byol
