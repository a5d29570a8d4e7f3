#include "xla_byol/studies/results.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_reader.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/run_directory.h"
#include "xla_byol/config/config.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/metrics/metrics_record.h"

namespace xla_byol {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr char kProvenanceFile[] = "made_with.json";

// Every result has these, null if unknown, before all others.
constexpr const char* kMainMeasures[] = {"linear_top1", "linear_top5",
                                         "knn_top1", "feature_rank", "seconds"};

// What must be the same for a run to be the one that the plan means.
absl::Status CheckSameConfig(const std::string& run_dir, const StudyRun& run) {
  ASSIGN_OR_RETURN(const Config there, ReadRunConfig(run_dir));
  std::vector<std::string> changes = TrainingChanges(there, run.config);
  if (there.evaluation().SerializeAsString() !=
      run.config.evaluation().SerializeAsString()) {
    changes.push_back("evaluation");
  }
  if (changes.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("'", run_dir, "' holds a complete run of another config (",
                   absl::StrJoin(changes, ", "),
                   "); remove it, or give another --study_dir"));
}

// The last diagnostics, and how long it took; a run's other numbers are in its
// evaluation.
absl::Status AddMetrics(const std::string& run_dir, double end,
                        StudyResult& result) {
  std::vector<std::pair<std::string, double>> diagnostics;
  double start = end;
  RETURN_IF_ERROR(VisitMetrics(run_dir, [&](MetricsRecord record) {
    start = std::min(start, record.time);
    if (record.kind == "diagnostics") diagnostics = std::move(record.values);
  }));
  result.measures.emplace_back("seconds", std::round(end - start));
  result.measures.insert(result.measures.end(), diagnostics.begin(),
                         diagnostics.end());
  return absl::OkStatus();
}

absl::StatusOr<StudyResult> ParseResult(absl::string_view line) {
  ASSIGN_OR_RETURN(const JsonValue json, ParseJson(line));
  if (!json.is_object()) return absl::DataLossError("it is no object");
  StudyResult result;
  for (size_t i = 0; i < json.names.size(); ++i) {
    const std::string& name = json.names[i];
    const JsonValue& value = json.elements[i];
    if (name == "study") {
      result.study = value.string;
    } else if (name == "run") {
      result.run = value.string;
    } else if (name == "plugin") {
      result.provenance.plugin = value.string;
    } else if (name == "commit") {
      result.provenance.commit = value.string;
    } else if (name == "taken_from") {
      result.taken_from = value.string;
    } else if (name == "seed") {
      result.seed = static_cast<uint64_t>(value.Integer().value_or(0));
    } else if (name == "values") {
      for (size_t j = 0; j < value.names.size(); ++j) {
        const JsonValue& set = value.elements[j];
        result.values.emplace_back(
            value.names[j],
            set.is_number() ? absl::StrCat(set.number) : set.string);
      }
    } else if (value.is_number() || value.type == JsonValue::Type::kNull) {
      result.measures.emplace_back(name,
                                   value.is_number() ? value.number : kNan);
    }
  }
  if (result.run.empty()) return absl::DataLossError("it names no run");
  return result;
}

}  // namespace

double StudyResult::Measure(absl::string_view name) const {
  for (const auto& [have, value] : measures) {
    if (have == name) return value;
  }
  return kNan;
}

std::string RunDirectoryOf(absl::string_view study_dir, const StudyRun& run) {
  return JoinPath(JoinPath(study_dir, "runs"), run.name);
}

absl::Status WriteProvenance(const std::string& run_dir,
                             const Provenance& provenance) {
  JsonWriter json;
  json.BeginObject();
  json.Field("plugin", provenance.plugin).Field("commit", provenance.commit);
  if (!provenance.flags.empty()) json.Field("flags", provenance.flags);
  json.EndObject();
  RETURN_IF_ERROR(MakeDirectories(run_dir));
  return WriteFileAtomically(JoinPath(run_dir, kProvenanceFile),
                             absl::StrCat(json.text(), "\n"));
}

Provenance ReadProvenance(const std::string& run_dir) {
  Provenance provenance = {"unknown", "unknown", ""};
  const absl::StatusOr<std::string> text =
      ReadFile(JoinPath(run_dir, kProvenanceFile));
  if (!text.ok()) return provenance;
  const absl::StatusOr<JsonValue> json = ParseJson(*text);
  if (!json.ok()) return provenance;
  const auto read = [&json](const char* name, std::string& place) {
    const JsonValue* value = json->Find(name);
    if (value != nullptr && value->is_string()) place = value->string;
  };
  read("plugin", provenance.plugin);
  read("commit", provenance.commit);
  read("flags", provenance.flags);
  return provenance;
}

absl::StatusOr<std::optional<MetricsRecord>> FinalEvaluation(
    const std::string& run_dir, const Config& config) {
  const absl::StatusOr<std::string> text = ReadFile(EvaluationPath(run_dir));
  if (absl::IsNotFound(text.status())) return std::nullopt;
  RETURN_IF_ERROR(text.status());
  ASSIGN_OR_RETURN(MetricsRecord evaluation, ParseMetricsRecord(*text));
  // Of a run that goes on: `evaluate` may be called at any time.
  if (evaluation.step < TotalSteps(config)) return std::nullopt;
  return evaluation;
}

absl::StatusOr<std::optional<StudyResult>> ReadFinishedRun(
    absl::string_view study_dir, absl::string_view study, const StudyRun& run) {
  const std::string run_dir = RunDirectoryOf(study_dir, run);
  ASSIGN_OR_RETURN(const std::optional<MetricsRecord> evaluation,
                   FinalEvaluation(run_dir, run.config));
  if (!evaluation.has_value()) return std::nullopt;
  RETURN_IF_ERROR(CheckSameConfig(run_dir, run));
  StudyResult result;
  result.study = std::string(study);
  result.run = run.name;
  result.values = run.values;
  result.seed = run.seed;
  result.measures = evaluation->values;
  result.provenance = ReadProvenance(run_dir);
  if (std::filesystem::is_symlink(run_dir)) {
    ASSIGN_OR_RETURN(const Config config, ReadRunConfig(run_dir));
    result.taken_from = config.name();
  }
  RETURN_IF_ERROR(AddMetrics(run_dir, evaluation->time, result));
  return result;
}

absl::StatusOr<std::vector<StudyResult>> CollectResults(
    absl::string_view study_dir, const StudyPlan& plan) {
  std::vector<StudyResult> results;
  std::string lines;
  for (const StudyRun& run : plan.runs) {
    ASSIGN_OR_RETURN(std::optional<StudyResult> result,
                     ReadFinishedRun(study_dir, plan.study.name(), run));
    if (!result.has_value()) continue;
    absl::StrAppend(&lines, ToJson(*result), "\n");
    results.push_back(*std::move(result));
  }
  RETURN_IF_ERROR(MakeDirectories(std::string(study_dir)));
  RETURN_IF_ERROR(
      WriteFileAtomically(JoinPath(study_dir, kResultsFile), lines));
  return results;
}

std::string ToJson(const StudyResult& result) {
  JsonWriter json;
  json.BeginObject();
  json.Field("study", result.study);
  json.Key("values").BeginObject();
  for (const auto& [field, value] : result.values) {
    double number;
    if (absl::SimpleAtod(value, &number)) {
      json.Field(field, number);
    } else {
      json.Field(field, value);
    }
  }
  json.EndObject();
  json.Field("seed", result.seed);
  for (const char* name : kMainMeasures) {
    json.Field(name, result.Measure(name));
  }
  json.Field("plugin", result.provenance.plugin);
  json.Field("commit", result.provenance.commit);
  json.Field("run", result.run);
  if (!result.taken_from.empty()) json.Field("taken_from", result.taken_from);
  for (const auto& [name, value] : result.measures) {
    const bool written =
        std::find(std::begin(kMainMeasures), std::end(kMainMeasures), name) !=
        std::end(kMainMeasures);
    if (!written) json.Field(name, value);
  }
  json.EndObject();
  return json.text();
}

absl::StatusOr<std::vector<StudyResult>> ParseResults(
    absl::string_view text, absl::string_view source) {
  std::vector<StudyResult> results;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    absl::StatusOr<StudyResult> result = ParseResult(line);
    if (!result.ok()) {
      return absl::DataLossError(
          absl::StrCat(source, ":", number, ": ", result.status().message()));
    }
    results.push_back(*std::move(result));
  }
  return results;
}

}  // namespace xla_byol
