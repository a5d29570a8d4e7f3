#include "xla_byol/distributed/plugin_store.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"

namespace xla_byol::distributed {
namespace {

// Apart from keys of our own.
std::string KeyOf(absl::string_view key) { return absl::StrCat("xla/", key); }

}  // namespace

int WriterOf(absl::string_view key) {
  int writer = -1;
  if (absl::StartsWith(key, "global_topology/")) return 0;
  if (absl::StartsWith(key, "local_topology/")) {
    const absl::string_view number = key.substr(key.rfind('/') + 1);
    return absl::SimpleAtoi(number, &writer) ? writer : -1;
  }
  if (absl::ConsumePrefix(&key, "root_process: ")) {
    const absl::string_view number = key.substr(0, key.find(';'));
    return absl::SimpleAtoi(number, &writer) ? writer : -1;
  }
  return -1;
}

absl::Status PluginStore::Put(absl::string_view key, absl::string_view value) {
  return group_->Put(KeyOf(key), value);
}

absl::StatusOr<std::string> PluginStore::TryGet(absl::string_view key) {
  const int writer = WriterOf(key);
  if (writer >= group_->size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("key '", key, "' is of process ", writer, ", but there ",
                     "are only ", group_->size()));
  }
  if (writer >= 0) return group_->TryGet(writer, KeyOf(key));
  for (int rank = 0; rank < group_->size(); ++rank) {
    absl::StatusOr<std::string> value = group_->TryGet(rank, KeyOf(key));
    if (value.ok() || !absl::IsNotFound(value.status())) return value;
  }
  return absl::NotFoundError(absl::StrCat("nobody has put '", key, "'"));
}

absl::StatusOr<std::string> PluginStore::Get(absl::string_view key,
                                             absl::Duration timeout) {
  const int writer = WriterOf(key);
  if (writer >= 0 && writer < group_->size()) {
    return group_->Get(writer, KeyOf(key), timeout);
  }
  const absl::Time deadline = absl::Now() + timeout;
  while (true) {
    absl::StatusOr<std::string> value = TryGet(key);
    if (value.ok() || !absl::IsNotFound(value.status())) return value;
    if (absl::Now() >= deadline) {
      return absl::DeadlineExceededError(absl::StrCat(
          "nobody has put '", key, "' within ", absl::FormatDuration(timeout)));
    }
    absl::SleepFor(absl::Milliseconds(10));
  }
}

}  // namespace xla_byol::distributed
