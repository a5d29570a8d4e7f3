#include "xla_byol/metrics/metrics_log.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/metrics/event_file.h"

namespace xla_byol {

absl::StatusOr<MetricsLog::Kept> MetricsLog::CutBack(const std::string& path,
                                                     int64_t finished_steps) {
  Kept found;
  absl::StatusOr<std::string> content = ReadFile(path);
  if (absl::IsNotFound(content.status())) return found;
  RETURN_IF_ERROR(content.status());
  std::string kept;
  bool is_prefix = true;  // as always, unless someone changed the file
  int64_t number = 0;
  VisitRecords(*content, [&](absl::string_view line,
                             absl::StatusOr<MetricsRecord> record) {
    ++number;
    if (!record.ok()) {
      LogWarning(absl::StrCat("'", path, "': line ", number,
                              " is cut out: ", record.status().message()));
    }
    if (!record.ok() || record->step > finished_steps) return;
    const size_t begin = static_cast<size_t>(line.data() - content->data());
    is_prefix = is_prefix && begin == kept.size();
    absl::StrAppend(&kept, line, "\n");
    found.any = true;
    if (record->kind == kEvaluation) found.evaluated_step = record->step;
  });
  if (kept.size() == content->size()) return found;
  if (!is_prefix) {
    RETURN_IF_ERROR(WriteFileAtomically(path, kept));
  } else if (truncate(path.c_str(), static_cast<off_t>(kept.size())) != 0) {
    return ErrnoToStatus(errno, absl::StrCat("cannot cut '", path, "'"));
  }
  return found;
}

absl::StatusOr<std::unique_ptr<MetricsLog>> MetricsLog::Open(
    const std::string& run_dir, int64_t finished_steps) {
  ASSIGN_OR_RETURN(const Kept kept,
                   CutBack(MetricsPath(run_dir), finished_steps));
  // Not make_unique: the constructor is private.
  return std::unique_ptr<MetricsLog>(
      new MetricsLog(run_dir, absl::Now(), finished_steps, kept));
}

MetricsLog::MetricsLog(std::string run_dir, absl::Time now,
                       int64_t finished_steps, const Kept& kept)
    : run_dir_(std::move(run_dir)),
      resumes_(kept.any),
      evaluated_step_(kept.evaluated_step),
      lines_(MetricsPath(run_dir_)),
      events_(NewEventFilePath(run_dir_, now),
              EventFilePreamble(now, finished_steps)) {
  // The start of the session is told even if no record follows.
  absl::MutexLock lock(&mutex_);
  events_.Sync();
}

void MetricsLog::Write(MetricsRecord record) {
  absl::MutexLock lock(&mutex_);
  if (record.time == 0) {
    record.time = absl::ToUnixMillis(absl::Now()) / 1e3;
  }
  if (record.kind == kEvaluation) evaluated_step_ = record.step;
  WriteImages(record);
  lines_.Append(absl::StrCat(ToJson(record), "\n"));
  if (record.kind != kResume) events_.Append(EventOf(record));
}

int64_t MetricsLog::evaluated_step() const {
  absl::MutexLock lock(&mutex_);
  return evaluated_step_;
}

void MetricsLog::Sync() {
  absl::MutexLock lock(&mutex_);
  lines_.Sync();
  events_.Sync();
}

void MetricsLog::WriteImages(MetricsRecord& record) {
  for (MetricImage& image : record.images) {
    image.file =
        JoinPath(kSamplesFolder,
                 absl::StrFormat("%s-step-%08d.png", image.name, record.step));
    absl::Status status = MakeDirectories(JoinPath(run_dir_, kSamplesFolder));
    if (status.ok()) {
      status = WriteFileAtomically(JoinPath(run_dir_, image.file), image.png);
    }
    if (!status.ok() && status.code() != image_trouble_) {
      LogWarning(absl::StrCat(status.message(), "; training continues"));
    }
    image_trouble_ = status.code();
  }
}

}  // namespace xla_byol
