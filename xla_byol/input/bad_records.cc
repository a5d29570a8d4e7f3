#include "xla_byol/input/bad_records.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "xla_byol/base/log.h"

namespace xla_byol::input {

absl::Status BadRecords::Add(int64_t index, const absl::Status& why) {
  std::string line = absl::StrCat(dataset_.Locate(index), ": ", why.message());
  absl::MutexLock lock(&mutex_);
  const auto [place, is_new] = records_.try_emplace(index, std::move(line));
  if (!is_new) return absl::OkStatus();
  LogWarning(absl::StrCat("bad record, not used: ", place->second));
  count_.store(static_cast<int64_t>(records_.size()),
               std::memory_order_release);
  const double allowed = budget_ * static_cast<double>(dataset_.size());
  return static_cast<double>(records_.size()) > allowed ? TooMany()
                                                        : absl::OkStatus();
}

bool BadRecords::Contains(int64_t index) const {
  if (count() == 0) return false;
  absl::MutexLock lock(&mutex_);
  return records_.contains(index);
}

std::vector<std::string> BadRecords::List() const {
  absl::MutexLock lock(&mutex_);
  std::vector<std::string> lines;
  for (const auto& [index, line] : records_) lines.push_back(line);
  return lines;
}

absl::Status BadRecords::TooMany() const {
  constexpr size_t kShown = 50;
  std::vector<absl::string_view> shown;
  for (const auto& [index, line] : records_) {
    if (shown.size() == kShown) break;
    shown.push_back(line);
  }
  std::string more;
  if (records_.size() > kShown) {
    more = absl::StrCat("; and ", records_.size() - kShown, " more");
  }
  return absl::FailedPreconditionError(absl::StrFormat(
      "%d of the %d records of %s are bad, and a share of %g is allowed "
      "(prepare the data set again, or allow more): %s%s",
      records_.size(), dataset_.size(), dataset_.info().path, budget_,
      absl::StrJoin(shown, "; "), more));
}

}  // namespace xla_byol::input
