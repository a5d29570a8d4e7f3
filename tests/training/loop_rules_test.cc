#include "xla_byol/training/loop_rules.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The numbers below `end` for which `due` holds.
template <typename Rule>
std::vector<int64_t> When(int64_t end, Rule due) {
  std::vector<int64_t> steps;
  for (int64_t i = 0; i < end; ++i) {
    if (due(i)) steps.push_back(i);
  }
  return steps;
}

Recording Every(int checkpoint_steps, float minutes, int keep_every) {
  Recording recording;
  recording.set_checkpoint_steps(checkpoint_steps);
  recording.set_checkpoint_minutes(minutes);
  recording.set_keep_every(keep_every);
  return recording;
}

TEST(CheckpointDueTest, EverySoManySteps) {
  const Recording recording = Every(4, 0, 0);
  int64_t saved = 0;
  EXPECT_THAT(When(14,
                   [&](int64_t step) {
                     const bool due = CheckpointDue(
                         recording, {.finished = step, .last_saved = saved});
                     if (due) saved = step;
                     return due;
                   }),
              ElementsAre(4, 8, 12));
  // A writer that is busy at 4 and 5 gets its checkpoint at 6, and the next one
  // where it would have been.
  saved = 0;
  EXPECT_THAT(When(10,
                   [&](int64_t step) {
                     const bool due =
                         CheckpointDue(recording, {.finished = step,
                                                   .last_saved = saved,
                                                   .writer_busy = step < 6});
                     if (due) saved = step;
                     return due;
                   }),
              ElementsAre(6, 8));
}

TEST(CheckpointDueTest, AfterSoManyMinutes) {
  const Recording recording = Every(0, 2, 0);
  CheckpointMoment moment{.finished = 5, .last_saved = 4};
  moment.since_save = absl::Seconds(119);
  EXPECT_FALSE(CheckpointDue(recording, moment));
  moment.since_save = absl::Seconds(121);
  EXPECT_TRUE(CheckpointDue(recording, moment));
  moment.writer_busy = true;
  EXPECT_FALSE(CheckpointDue(recording, moment));
  // Nothing new to save.
  moment = {.finished = 4, .last_saved = 4, .since_save = absl::Hours(1)};
  EXPECT_FALSE(CheckpointDue(recording, moment));
  EXPECT_FALSE(CheckpointDue(
      Every(0, 0, 0),
      {.finished = 9, .last_saved = 0, .since_save = absl::Hours(99)}));
}

TEST(CheckpointDueTest, OneThatStaysDoesNotWaitForTheWriter) {
  EXPECT_THAT(When(10,
                   [](int64_t step) {
                     return CheckpointDue(Every(2, 1, 3),
                                          {.finished = step,
                                           .last_saved = 0,
                                           .since_save = absl::Hours(1),
                                           .writer_busy = true});
                   }),
              ElementsAre(3, 6, 9));
}

TEST(EvaluationDueTest, EachIntervalOnce) {
  const auto config = [](const char* interval) {
    return LoadConfig("", "",
                      {"data.train_images=100", "schedule.batch_size=10",
                       interval},  // ten steps an epoch
                      1)
        .value();
  };
  const auto steps = [&config](const char* interval, int64_t evaluated) {
    return When(31, [&, made = config(interval)](int64_t step) {
      return EvaluationDue(made, step, evaluated);
    });
  };
  EXPECT_THAT(steps("evaluation.interval_epochs=1", -1),
              ElementsAre(10, 20, 30));
  EXPECT_THAT(steps("evaluation.interval_epochs=0.75", -1),
              ElementsAre(8, 15, 23, 30));
  EXPECT_THAT(steps("evaluation.interval_epochs=0", -1), IsEmpty());
  // On record already.
  EXPECT_THAT(steps("evaluation.interval_epochs=1", 20), ElementsAre(10, 30));
}

TEST(DiagnosticsDueTest, FromTheFirstStepOn) {
  Recording recording;
  recording.set_diagnostics_interval(4);
  const auto due = [&](int64_t step) {
    return DiagnosticsDue(recording, step);
  };
  EXPECT_THAT(When(10, due), ElementsAre(0, 4, 8));
  recording.set_diagnostics_interval(0);
  EXPECT_THAT(When(10, due), IsEmpty());
}

TEST(MetricsDueTest, EveryIntervalAndAtTheEnd) {
  Recording recording;
  recording.set_metrics_interval(3);
  EXPECT_THAT(When(9,
                   [&](int64_t step) {
                     return step > 0 && MetricsDue(recording, step, 8);
                   }),
              ElementsAre(3, 6, 8));
}

TEST(StopsBeforeTest, OneProcessStopsAtOnceSeveralWhenTheyAgreed) {
  StopVote vote;
  EXPECT_FALSE(StopsBefore(5, 1, /*requested=*/false, vote));
  EXPECT_TRUE(StopsBefore(5, 1, /*requested=*/true, vote));
  // Asked alone, it goes on until all have heard.
  EXPECT_FALSE(StopsBefore(5, 2, /*requested=*/true, vote));
  vote.Hear(5, 1);
  EXPECT_FALSE(StopsBefore(6, 2, /*requested=*/false, vote));
  EXPECT_TRUE(StopsBefore(7, 2, /*requested=*/false, vote));
}

}  // namespace
}  // namespace xla_byol
