// The name of every file in a run directory, once. docs/runs.md says what each
// one holds. In base, because metrics and checkpoint both write runs, and
// neither knows the other; a name here means that readers of old runs, scripts
// and people count on it.
//
//   <run_dir>/
//     config.textproto               the resolved config; config-<n>.textproto
//                                    those before a --branch
//     metrics.jsonl                  records (metrics/metrics_record.h)
//     events.out.tfevents.*          the same for TensorBoard
//     samples/<name>-step-<n>.png    pictures of the records
//     checkpoints/step-<n>/          (checkpoint/checkpoint.h)
//       state.safetensors, manifest.json
//     evaluation.json                the last evaluation, as a record
//     features.json                  its neighbours, map and confusions
//                                    (reporting/feature_details_file.h)
//     report.html                    the page of the run
//     log.txt                        what was said on the console
//     lock                           held by the process that writes

#ifndef XLA_BYOL_BASE_RUN_FILES_H_
#define XLA_BYOL_BASE_RUN_FILES_H_

#include "absl/strings/string_view.h"

namespace xla_byol {

inline constexpr absl::string_view kConfigFile = "config.textproto";
// Then a number and ".textproto".
inline constexpr absl::string_view kOldConfigPrefix = "config-";
inline constexpr absl::string_view kMetricsFile = "metrics.jsonl";
// Then the time and the host.
inline constexpr absl::string_view kEventFilePrefix = "events.out.tfevents.";
inline constexpr absl::string_view kSamplesFolder = "samples";
inline constexpr absl::string_view kEvaluationFile = "evaluation.json";
inline constexpr absl::string_view kFeaturesFile = "features.json";
inline constexpr absl::string_view kReportFile = "report.html";
inline constexpr absl::string_view kLogFile = "log.txt";
inline constexpr absl::string_view kLockFile = "lock";

inline constexpr absl::string_view kCheckpointsFolder = "checkpoints";
// Folders in it: whole ones, by the finished steps in eight digits; damaged
// ones that were set aside; and those that are not complete or about to go.
inline constexpr absl::string_view kCheckpointPrefix = "step-";
inline constexpr absl::string_view kDamagedPrefix = "bad-";
inline constexpr absl::string_view kUnfinishedPrefix = ".tmp-";
// Files in each.
inline constexpr absl::string_view kStateFile = "state.safetensors";
inline constexpr absl::string_view kManifestFile = "manifest.json";

}  // namespace xla_byol

#endif  // XLA_BYOL_BASE_RUN_FILES_H_
