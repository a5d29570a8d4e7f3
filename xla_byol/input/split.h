// TFDS's split expressions: "train", "train[10000:]", "train[:10%]+test"; and
// two of our own: "train[::10]" is every tenth record and "train[!::10]" all
// others, which holds out images of every class where records are sorted.

#ifndef XLA_BYOL_INPUT_SPLIT_H_
#define XLA_BYOL_INPUT_SPLIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla_byol::input {

// A bound of a slice: a number of records, or of percent; negative counts from
// the end.
struct SplitBound {
  int64_t value = 0;
  bool percent = false;
};

struct SplitPart {
  std::string name;
  std::optional<SplitBound> from;
  std::optional<SplitBound> to;
  int64_t step = 1;     // of the range: every so many records
  bool others = false;  // the rest of the range instead
};

// The parts of an expression, in order; at least one.
absl::StatusOr<std::vector<SplitPart>> ParseSplit(absl::string_view expression);

// Records [first, second) that the part means in a split of `size` records,
// as TFDS computes them: percentages rounded to the nearest record.
// OutOfRange if that is nothing, or more than there is.
absl::StatusOr<std::pair<int64_t, int64_t>> SplitRange(const SplitPart& part,
                                                       int64_t size);

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_SPLIT_H_
