#include "xla_byol/studies/figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/base/log.h"
#include "xla_byol/reporting/report_json.h"

namespace xla_byol {
namespace {

constexpr char kSpectrum[] = "spectrum";

using Runs = std::map<std::string, ReportRun>;  // by name

bool Matches(const StudyRun& run, const Figure& figure) {
  return std::all_of(
      figure.only().begin(), figure.only().end(),
      [&run](const std::string& only) {
        return std::any_of(
            run.labels.begin(), run.labels.end(), [&only](const auto& label) {
              return only == absl::StrCat(label.first, "=", label.second);
            });
      });
}

// Where a metric is, and its values; null if the run has none.
std::pair<const ReportTable*, const GroupedSeries*> FindMetric(
    const ReportRun& run, const std::string& metric) {
  for (const ReportTable& table : run.tables) {
    for (const auto& [name, series] : table.columns) {
      if (name == metric) return {&table, &series};
    }
  }
  return {nullptr, nullptr};
}

// The moments that a figure shows are the last ones of a run: the first of
// them.
size_t FirstShown(const ReportAxis& axis, const Figure& figure) {
  const auto shown = std::find_if(
      axis.epoch.begin(), axis.epoch.end(), [&figure](double epoch) {
        return static_cast<float>(epoch) >= figure.from_epoch();
      });
  return static_cast<size_t>(shown - axis.epoch.begin());
}

std::vector<double> From(const std::vector<double>& values, size_t first) {
  return {values.begin() + static_cast<ptrdiff_t>(first), values.end()};
}

void AddTo(FigureCurve& curve, const ReportRun& run, const Figure& figure) {
  const auto [table, series] = FindMetric(run, figure.metric());
  if (table == nullptr) return;
  const size_t first = FirstShown(table->axis, figure);
  const ReportAxis axis = {From(table->axis.step, first),
                           From(table->axis.epoch, first),
                           From(table->axis.seconds, first)};
  const double scale = figure.per_latent() && run.latent_size > 0
                           ? 1.0 / static_cast<double>(run.latent_size)
                           : 1.0;
  if (curve.runs == 0) curve.axis = axis;
  // Runs of one label have the same schedule; a run of another version may
  // have other moments.
  if (axis.step != curve.axis.step) return;
  const size_t points = axis.step.size();
  curve.mean.resize(points, 0);
  curve.low.resize(points, INFINITY);
  curve.high.resize(points, -INFINITY);
  for (size_t i = 0; i < points; ++i) {
    const double value = scale * series->mean[first + i];
    curve.mean[i] += (value - curve.mean[i]) / (curve.runs + 1);
    curve.low[i] = std::min(curve.low[i], value);
    curve.high[i] = std::max(curve.high[i], value);
  }
  ++curve.runs;
}

void AddTo(FigureMap& sum, const ReportRun& run) {
  for (const ReportHeatmap& map : run.heatmaps) {
    if (map.name != kSpectrum) continue;
    if (sum.runs == 0) {
      sum.map = map;
    } else if (map.axis.step != sum.map.axis.step ||
               map.edges != sum.map.edges) {
      return;
    } else {
      for (size_t i = 0; i < map.shares.size(); ++i) {
        for (size_t j = 0; j < map.shares[i].size(); ++j) {
          double& mean = sum.map.shares[i][j];
          mean += (map.shares[i][j] - mean) / (sum.runs + 1);
        }
      }
    }
    ++sum.runs;
    return;
  }
}

StudyFigure MakeFigure(const StudyPlan& plan, const Figure& layout,
                       const Runs& runs) {
  StudyFigure figure;
  figure.title = layout.title();
  figure.note = layout.note();
  for (const std::string& label : AxisLabels(plan.runs, layout.curves())) {
    FigureCurve curve;
    FigureMap map;
    curve.label = map.label = label;
    for (const StudyRun& run : plan.runs) {
      const auto found = runs.find(run.name);
      if (run.Label(layout.curves()) != label || !Matches(run, layout) ||
          found == runs.end()) {
        continue;
      }
      if (layout.metric() == kSpectrum) {
        AddTo(map, found->second);
      } else {
        AddTo(curve, found->second, layout);
      }
    }
    if (map.runs > 0) figure.maps.push_back(std::move(map));
    if (curve.runs > 0) figure.curves.push_back(std::move(curve));
  }
  return figure;
}

}  // namespace

std::vector<StudyFigure> MakeFigures(const StudyPlan& plan,
                                     absl::Span<const StudyResult> results,
                                     absl::string_view study_dir) {
  std::vector<StudyFigure> figures;
  if (plan.study.figure_size() == 0) return figures;
  std::set<std::string> complete;
  for (const StudyResult& result : results) complete.insert(result.run);
  Runs runs;
  for (const StudyRun& run : plan.runs) {
    if (complete.count(run.name) == 0) continue;
    absl::StatusOr<ReportRun> read =
        ReadReportRun(RunDirectoryOf(study_dir, run));
    if (!read.ok()) {
      LogWarning(read.status().message());
      continue;
    }
    runs.emplace(run.name, *std::move(read));
  }
  for (const Figure& layout : plan.study.figure()) {
    figures.push_back(MakeFigure(plan, layout, runs));
  }
  return figures;
}

std::string FiguresJson(absl::Span<const StudyFigure> figures) {
  JsonWriter json;
  json.BeginArray();
  for (const StudyFigure& figure : figures) {
    json.BeginObject();
    json.Field("title", figure.title).Field("note", figure.note);
    json.Key("curves").BeginArray();
    for (const FigureCurve& curve : figure.curves) {
      json.BeginObject().Field("label", curve.label).Field("runs", curve.runs);
      WriteAxis(curve.axis, json);
      WriteNumbers("mean", curve.mean, json);
      WriteNumbers("low", curve.low, json);
      WriteNumbers("high", curve.high, json);
      json.EndObject();
    }
    json.EndArray();
    json.Key("maps").BeginArray();
    for (const FigureMap& map : figure.maps) {
      json.BeginObject().Field("label", map.label).Field("runs", map.runs);
      WriteHistogram(map.map, json);
      json.EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray();
  return json.text();
}

}  // namespace xla_byol
