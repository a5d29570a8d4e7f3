// "Did you mean ...?"

#ifndef XLA_BYOL_BASE_NEAREST_NAME_H_
#define XLA_BYOL_BASE_NEAREST_NAME_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace xla_byol {

// The shortest candidate that begins with `name`, else the one with the fewest
// single-letter edits to it, ignoring case; the first of equals. Empty if there
// are no candidates.
std::string NearestName(absl::string_view name,
                        const std::vector<std::string>& candidates);

// The same, or empty if it needs more edits than half of the letters.
std::string SimilarName(absl::string_view name,
                        const std::vector<std::string>& candidates);

}  // namespace xla_byol

#endif  // XLA_BYOL_BASE_NEAREST_NAME_H_
