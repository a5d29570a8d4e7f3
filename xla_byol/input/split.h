// TFDS's split expressions: "train", "train[10000:]", "train[:10%]+test".

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
