#include "xla_byol/studies/study_plan.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/nearest_name.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/config/config.h"
#include "xla_byol/config/text_proto.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

// One point of an axis, whichever way it was written.
struct AxisPoint {
  std::string axis;
  std::string label;
  std::string base;  // empty: the study's
  std::vector<std::string> assignments;
};

std::string AxisName(const Axis& axis) {
  if (axis.has_name()) return axis.name();
  const std::vector<std::string> parts = absl::StrSplit(axis.field(), '.');
  return parts.back();
}

std::vector<AxisPoint> PointsOf(const Axis& axis) {
  std::vector<AxisPoint> points;
  const std::string name = AxisName(axis);
  for (const std::string& value : axis.value()) {
    points.push_back(
        {name, value, "", {absl::StrCat(axis.field(), "=", value)}});
  }
  for (const Point& point : axis.point()) {
    points.push_back({name,
                      point.label(),
                      point.base(),
                      {point.set().begin(), point.set().end()}});
  }
  return points;
}

// A label as a part of a file's name; a bare number says of what.
std::string FileName(const AxisPoint& point) {
  std::string text;
  for (const char c : point.label) {
    const bool plain = absl::ascii_isalnum(c) || c == '.';
    if (plain) {
      text += absl::ascii_tolower(c);
    } else if (!text.empty() && text.back() != '-') {
      text += '-';
    }
  }
  while (!text.empty() && text.back() == '-') text.pop_back();
  double number;
  if (!absl::SimpleAtod(point.label, &number)) return text;
  return absl::StrCat(absl::AsciiStrToLower(point.axis), "-", text);
}

// Everything that the runs of one study share.
struct Source {
  std::string path;  // of the study
  const Study* study;
  const std::vector<std::string>* assignments;
};

absl::StatusOr<Config> ReadBase(const Source& source, const std::string& base) {
  const std::string path =
      JoinPath(std::filesystem::path(source.path).parent_path().string(), base);
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(source.path, ": base: ", text.status().message()));
  }
  return ParseConfig(*text, path);
}

absl::StatusOr<StudyRun> MakeRun(const Source& source, const Grid& grid,
                                 absl::Span<const AxisPoint> points,
                                 uint64_t seed) {
  StudyRun run;
  run.seed = seed;
  std::string base = source.study->base();
  std::vector<std::string> assignments(source.study->set().begin(),
                                       source.study->set().end());
  assignments.insert(assignments.end(), grid.set().begin(), grid.set().end());
  for (const AxisPoint& point : points) {
    run.labels.emplace_back(point.axis, point.label);
    absl::StrAppend(&run.name, FileName(point), "-");
    if (!point.base.empty()) {
      base = point.base;
      run.values.emplace_back("config", point.base);
    }
    for (const std::string& assignment : point.assignments) {
      assignments.push_back(assignment);
      const std::pair<std::string, std::string> value =
          absl::StrSplit(assignment, absl::MaxSplits('=', 1));
      run.values.push_back(value);
    }
  }
  absl::StrAppend(&run.name, "seed-", seed);
  assignments.insert(assignments.end(), source.assignments->begin(),
                     source.assignments->end());
  ASSIGN_OR_RETURN(run.config, ReadBase(source, base));
  if (const absl::Status set = SetConfigFields(assignments, &run.config);
      !set.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(source.path, ": ", run.name, ": ", set.message()));
  }
  run.config.set_seed(seed);
  run.config.set_name(absl::StrCat(source.study->name(), "/", run.name));
  ResolveConfig(&run.config);
  return run;
}

absl::Status AddGrid(const Source& source, const Grid& grid,
                     std::vector<StudyRun>& runs) {
  std::vector<std::vector<AxisPoint>> axes;
  for (const Axis& axis : grid.axis()) {
    axes.push_back(PointsOf(axis));
    if (axes.back().empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(source.path, ": the axis '", AxisName(axis),
                       "' has neither values nor points"));
    }
  }
  std::vector<uint64_t> seeds(source.study->seed().begin(),
                              source.study->seed().end());
  if (seeds.empty()) seeds = {0};
  // Counts through all combinations, the last axis fastest.
  std::vector<size_t> at(axes.size(), 0);
  while (true) {
    std::vector<AxisPoint> points;
    for (size_t i = 0; i < axes.size(); ++i) points.push_back(axes[i][at[i]]);
    for (const uint64_t seed : seeds) {
      ASSIGN_OR_RETURN(StudyRun run, MakeRun(source, grid, points, seed));
      runs.push_back(std::move(run));
    }
    size_t i = axes.size();
    while (i > 0 && ++at[i - 1] == axes[i - 1].size()) at[--i] = 0;
    if (i == 0) return absl::OkStatus();
  }
}

absl::Status CheckAxis(const Source& source, absl::Span<const StudyRun> runs,
                       absl::string_view what, const std::string& axis) {
  std::vector<std::string> names;
  for (const StudyRun& run : runs) {
    for (const auto& [name, label] : run.labels) {
      if (name == axis) return absl::OkStatus();
      names.push_back(name);
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat(source.path, ": ", what, ": there is no axis '", axis,
                   "'; did you mean '", NearestName(axis, names), "'?"));
}

absl::Status CheckStudy(const Source& source, absl::Span<const StudyRun> runs) {
  std::set<std::string> names;
  for (const StudyRun& run : runs) {
    if (names.insert(run.name).second) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        source.path, ": two runs have the name '", run.name,
        "': give points of different runs different labels or axis names"));
  }
  for (const Table& table : source.study->table()) {
    RETURN_IF_ERROR(CheckAxis(source, runs, "table rows", table.rows()));
    if (!table.has_columns()) continue;
    RETURN_IF_ERROR(CheckAxis(source, runs, "table columns", table.columns()));
  }
  for (const Figure& figure : source.study->figure()) {
    RETURN_IF_ERROR(CheckAxis(source, runs, "figure curves", figure.curves()));
  }
  return absl::OkStatus();
}

// What a term of --only may be.
std::vector<std::string> TermsOf(const StudyRun& run) {
  std::vector<std::string> terms = {run.name, absl::StrCat("seed=", run.seed)};
  for (const auto& [axis, label] : run.labels) {
    terms.push_back(label);
    terms.push_back(absl::StrCat(axis, "=", label));
  }
  return terms;
}

}  // namespace

absl::string_view StudyRun::Label(absl::string_view axis) const {
  for (const auto& [have, label] : labels) {
    if (have == axis) return label;
  }
  return "";
}

absl::StatusOr<StudyPlan> ReadStudy(
    const std::string& path, const std::vector<std::string>& assignments) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return absl::InvalidArgumentError(text.status().message());
  StudyPlan plan;
  RETURN_IF_ERROR(MergeTextProto(*text, path, &plan.study));
  if (!plan.study.has_name()) {
    plan.study.set_name(std::filesystem::path(path).stem().string());
  }
  const Source source = {path, &plan.study, &assignments};
  if (plan.study.grid_size() == 0) plan.study.add_grid();
  for (const Grid& grid : plan.study.grid()) {
    RETURN_IF_ERROR(AddGrid(source, grid, plan.runs));
  }
  RETURN_IF_ERROR(CheckStudy(source, plan.runs));
  return plan;
}

absl::StatusOr<std::vector<StudyRun>> SelectRuns(absl::Span<const StudyRun> all,
                                                 absl::string_view only) {
  std::vector<StudyRun> chosen(all.begin(), all.end());
  for (const absl::string_view term :
       absl::StrSplit(only, ',', absl::SkipWhitespace())) {
    const absl::string_view wanted = absl::StripAsciiWhitespace(term);
    std::vector<std::string> known;
    const size_t before = chosen.size();
    std::erase_if(chosen, [&](const StudyRun& run) {
      const std::vector<std::string> terms = TermsOf(run);
      known.insert(known.end(), terms.begin(), terms.end());
      return std::none_of(terms.begin(), terms.end(), [&](const auto& have) {
        return absl::EqualsIgnoreCase(have, wanted);
      });
    });
    if (chosen.empty() && before > 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--only=", only, ": no run has '", wanted,
                       "'; did you mean '", NearestName(wanted, known), "'?"));
    }
  }
  return chosen;
}

std::vector<std::string> AxisLabels(absl::Span<const StudyRun> runs,
                                    absl::string_view axis) {
  std::vector<std::string> labels;
  for (const StudyRun& run : runs) {
    const absl::string_view label = run.Label(axis);
    if (label.empty()) continue;
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
      labels.emplace_back(label);
    }
  }
  return labels;
}

}  // namespace xla_byol
