#include "xla_byol/input/split.h"

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::input {
namespace {

absl::Status NotUnderstood(absl::string_view expression) {
  return absl::InvalidArgumentError(
      absl::StrCat("split \"", expression,
                   "\" is not understood; write it like train, "
                   "train[10000:], train[:10%], train[::10] or train+test"));
}

bool ParseBound(absl::string_view text, std::optional<SplitBound>& bound) {
  if (text.empty()) return true;
  SplitBound parsed;
  parsed.percent = absl::ConsumeSuffix(&text, "%");
  if (!absl::SimpleAtoi(text, &parsed.value)) return false;
  if (parsed.percent && std::abs(parsed.value) > 100) return false;
  bound = parsed;
  return true;
}

int64_t Resolve(const std::optional<SplitBound>& bound, int64_t size,
                int64_t absent) {
  if (!bound.has_value()) return absent;
  int64_t value = bound->value;
  if (bound->percent) {
    value = std::llround(static_cast<double>(value) *
                         static_cast<double>(size) / 100);
  }
  return value < 0 ? value + size : value;
}

}  // namespace

absl::StatusOr<std::vector<SplitPart>> ParseSplit(
    absl::string_view expression) {
  std::vector<SplitPart> parts;
  for (absl::string_view text : absl::StrSplit(expression, '+')) {
    SplitPart& part = parts.emplace_back();
    const size_t bracket = text.find('[');
    part.name = std::string(text.substr(0, bracket));
    if (part.name.empty()) return NotUnderstood(expression);
    if (bracket == absl::string_view::npos) continue;
    absl::string_view slice = text.substr(bracket + 1);
    if (!absl::ConsumeSuffix(&slice, "]")) return NotUnderstood(expression);
    part.others = absl::ConsumePrefix(&slice, "!");
    const std::vector<absl::string_view> bounds = absl::StrSplit(slice, ':');
    const bool has_step = bounds.size() == 3;
    if ((bounds.size() != 2 && !has_step) || (part.others && !has_step) ||
        !ParseBound(bounds[0], part.from) || !ParseBound(bounds[1], part.to)) {
      return NotUnderstood(expression);
    }
    // A step of 1 would leave nothing to the others.
    if (has_step &&
        (!absl::SimpleAtoi(bounds[2], &part.step) || part.step < 2)) {
      return NotUnderstood(expression);
    }
  }
  return parts;
}

absl::StatusOr<std::pair<int64_t, int64_t>> SplitRange(const SplitPart& part,
                                                       int64_t size) {
  const int64_t from = Resolve(part.from, size, 0);
  const int64_t to = Resolve(part.to, size, size);
  if (from < 0 || from >= to || to > size) {
    return absl::OutOfRangeError(
        absl::StrCat("records ", from, " to ", to, " of split \"", part.name,
                     "\" were asked for, which has ", size));
  }
  return std::make_pair(from, to);
}

}  // namespace xla_byol::input
