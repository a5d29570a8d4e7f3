#include "xla_byol/input/bad_records.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "xla_byol/base/log.h"

namespace xla_byol::input {
namespace {

// A small data set may have as many whatever the share, but no more than a
// quarter of it: a folder of photos often has a file that does not open.
constexpr double kFew = 4;
constexpr double kMostOfAll = 0.25;

// Training and every evaluation read with loaders of their own, and a person
// wants to know of a file once. There are few: more end the run.
bool IsNews(const std::string& line) {
  struct Said {
    absl::Mutex mutex;
    std::set<std::string> lines ABSL_GUARDED_BY(mutex);
  };
  static Said* const said = new Said;
  absl::MutexLock lock(&said->mutex);
  return said->lines.insert(line).second;
}

}  // namespace

BadRecords::BadRecords(const Dataset& dataset, double budget)
    : dataset_(dataset) {
  const double size = static_cast<double>(dataset.size());
  allowed_ = static_cast<int64_t>(
      std::max(budget * size, std::min(kFew, kMostOfAll * size)));
}

absl::Status BadRecords::Add(int64_t index, const absl::Status& why) {
  std::string line = absl::StrCat(dataset_.Locate(index), ": ", why.message());
  absl::MutexLock lock(&mutex_);
  const auto [place, is_new] = records_.try_emplace(index, std::move(line));
  if (!is_new) return absl::OkStatus();
  if (IsNews(place->second)) {
    LogWarning(absl::StrCat("bad record, not used: ", place->second));
  }
  count_.store(static_cast<int64_t>(records_.size()),
               std::memory_order_release);
  return static_cast<int64_t>(records_.size()) > allowed_ ? TooMany()
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
      "%d of the %d records of %s are bad, where at most %d may be; remove or "
      "replace them, or prepare the data set again: %s%s",
      records_.size(), dataset_.size(), dataset_.info().path, allowed_,
      absl::StrJoin(shown, "; "), more));
}

}  // namespace xla_byol::input
