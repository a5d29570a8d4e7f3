#include "xla_byol/reporting/report_run.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/config/config.h"
#include "xla_byol/metrics/metrics_record.h"
#include "xla_byol/metrics/run_clock.h"
#include "xla_byol/reporting/feature_details_file.h"
#include "xla_byol/reporting/report_columns.h"

namespace xla_byol {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Reader {
 public:
  void Add(const MetricsRecord& record) {
    start_ = std::min(start_, record.time);
    end_ = std::max(end_, record.time);
    if (record.step >= steps_) {
      steps_ = record.step;
      epochs_ = std::max(epochs_, record.epoch);
    }
    if (!record.values.empty()) columns_[record.kind].Add(record);
    for (const Histogram& histogram : record.histograms) {
      histograms_[histogram.name].Add(record, histogram);
    }
    for (const MetricImage& image : record.images) {
      auto& [first, last] = pictures_[image.name];
      last = {image, record.step};
      if (first.first.file.empty()) first = last;
    }
    ++records_;
  }

  int64_t records() const { return records_; }

  void Fill(ReportRun& run) const {
    for (const auto& [kind, columns] : columns_) {
      run.tables.push_back(columns.ToTable(kind, start_));
    }
    for (const auto& [name, rows] : histograms_) {
      run.heatmaps.push_back(rows.ToHeatmap(name, start_));
    }
    for (const auto& [name, pair] : pictures_) {
      ReadPicture(pair.first, run);
      if (pair.second.second != pair.first.second) {
        ReadPicture(pair.second, run);
      }
    }
    run.headline = Headline(run.latent_size);
  }

 private:
  using Picture = std::pair<MetricImage, int64_t>;  // and its step

  static void ReadPicture(const Picture& picture, ReportRun& run) {
    const auto& [image, step] = picture;
    const auto png = ReadFile(JoinPath(run.directory, image.file));
    if (!png.ok()) {
      LogWarning(absl::StrCat(png.status().message(),
                              "; the report goes without this picture"));
      return;
    }
    run.pictures.push_back({image.name, step, image.width, image.height, *png});
  }

  // The finite values of a column, in order.
  std::vector<double> Finite(const char* kind, absl::string_view name) const {
    const auto columns = columns_.find(kind);
    const std::vector<double>* values =
        columns == columns_.end() ? nullptr : columns->second.Find(name);
    std::vector<double> finite;
    if (values != nullptr) {
      std::copy_if(values->begin(), values->end(), std::back_inserter(finite),
                   [](double value) { return std::isfinite(value); });
    }
    return finite;
  }

  double Last(const char* kind, absl::string_view name) const {
    const std::vector<double> values = Finite(kind, name);
    return values.empty() ? kNan : values.back();
  }

  // Of the last `share` of a column, at least of one value.
  double TailMean(absl::string_view name, double share) const {
    const std::vector<double> values = Finite("train", name);
    if (values.empty()) return kNan;
    const auto count = static_cast<size_t>(
        std::ceil(share * static_cast<double>(values.size())));
    double sum = 0;
    for (size_t i = values.size() - count; i < values.size(); ++i) {
      sum += values[i];
    }
    return sum / static_cast<double>(count);
  }

  double Median(absl::string_view name) const {
    std::vector<double> values = Finite("train", name);
    if (values.empty()) return kNan;
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  ReportHeadline Headline(int64_t latent_size) const {
    ReportHeadline headline;
    headline.linear_top1 = Last(kEvaluation, "linear_top1");
    headline.linear_top5 = Last(kEvaluation, "linear_top5");
    headline.knn_top1 = Last(kEvaluation, "knn_top1");
    headline.probe_accuracy = TailMean("probe_accuracy", 0.01);
    headline.loss = TailMean("loss", 0.01);
    headline.images_per_s = Median("images_per_s");
    headline.data_wait = TailMean("data_wait_share", 1);
    const double rank = Last("diagnostics", "predictor_stable_rank");
    headline.stable_rank =
        latent_size > 0 ? rank / static_cast<double>(latent_size) : kNan;
    headline.steps = steps_;
    headline.epochs = epochs_;
    headline.seconds = end_ - start_;
    return headline;
  }

  double start_ = std::numeric_limits<double>::infinity();
  double end_ = -std::numeric_limits<double>::infinity();
  int64_t steps_ = 0;
  double epochs_ = 0;
  int64_t records_ = 0;
  std::map<std::string, Columns> columns_;  // by kind
  std::map<std::string, HistogramRows> histograms_;
  std::map<std::string, std::pair<Picture, Picture>> pictures_;
};

// The config as it was saved; a run need not have one.
void ReadConfig(ReportRun& run) {
  const std::string path = JoinPath(run.directory, kConfigFile);
  auto text = ReadFile(path);
  if (!text.ok()) return;
  run.config = *std::move(text);
  // A run of another version may have fields that this one does not know.
  Config config;
  const bool whole = ParseKnownFields(run.config, path, &config).ok();
  run.name = config.name();
  if (whole || config.model().has_projector_output_size()) {
    run.latent_size = config.model().projector_output_size();
  }
}

// What evaluation.json says; a run need not have one.
std::optional<MetricsRecord> ReadEvaluation(const std::string& run_dir) {
  const absl::StatusOr<std::string> text = ReadFile(EvaluationPath(run_dir));
  if (!text.ok()) return std::nullopt;
  absl::StatusOr<MetricsRecord> record = ParseMetricsRecord(*text);
  if (record.ok() && record->kind == kEvaluation) return *std::move(record);
  LogWarning(absl::StrCat(
      "'", EvaluationPath(run_dir), "' is left out: ",
      record.ok() ? "it is no evaluation" : record.status().message()));
  return std::nullopt;
}

std::string LastParts(const std::string& path, size_t count) {
  std::vector<absl::string_view> parts =
      absl::StrSplit(path, '/', absl::SkipEmpty());
  if (parts.size() > count)
    parts.erase(parts.begin(), parts.end() - static_cast<ptrdiff_t>(count));
  return absl::StrJoin(parts, "/");
}

}  // namespace

absl::StatusOr<ReportRun> ReadReportRun(const std::string& run_dir) {
  if (!FileExists(run_dir)) {
    return absl::NotFoundError(absl::StrCat(
        "'", run_dir, "' does not exist: give a directory that train wrote"));
  }
  Reader reader;
  // What `evaluate` found takes its place among training's own evaluations, at
  // the time when that state was reached.
  std::optional<MetricsRecord> found = ReadEvaluation(run_dir);
  double reached = 0;
  int64_t last_step = 0;
  const auto add_found = [&] {
    found->time = reached;
    reader.Add(*found);
    found.reset();
  };
  RunClock clock;
  const absl::Status read = VisitMetrics(run_dir, [&](MetricsRecord record) {
    record.time = clock.Time(record);
    if (record.kind == kResume) return;
    last_step = std::max(last_step, record.step);
    if (found.has_value() && (reached == 0 || record.step <= found->step)) {
      reached = record.time;
    }
    if (found.has_value() && record.kind == kEvaluation &&
        record.step >= found->step) {
      const bool same = record.step == found->step;
      // `evaluate` may have left out the linear probe, which training made.
      for (const auto& [name, value] : record.values) {
        if (same && std::isnan(found->Value(name))) {
          found->values.emplace_back(name, value);
        }
      }
      add_found();
      if (same) return;
    }
    reader.Add(record);
  });
  if (absl::IsNotFound(read)) {
    return absl::NotFoundError(
        absl::StrCat("'", run_dir,
                     "' has no metrics.jsonl: it is not a run directory, or "
                     "its training has not begun"));
  }
  RETURN_IF_ERROR(read);
  if (reader.records() == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("'", MetricsPath(run_dir),
                     "' holds no record yet: there is nothing "
                     "to report before the first step"));
  }
  // A later step was of a run that has been rewound since.
  if (found.has_value() && found->step <= last_step) add_found();
  ReportRun run;
  run.directory = run_dir;
  ReadConfig(run);
  run.features = ReadFeatureDetails(run_dir);
  reader.Fill(run);
  return run;
}

void LabelRuns(std::vector<ReportRun>& runs) {
  for (size_t count = 1;; ++count) {
    std::set<std::string> labels;
    bool longer = false;
    for (ReportRun& run : runs) {
      run.label = LastParts(run.directory, count);
      labels.insert(run.label);
      longer = longer || run.label != LastParts(run.directory, count + 1);
    }
    if (labels.size() == runs.size() || !longer) return;
  }
}

}  // namespace xla_byol
