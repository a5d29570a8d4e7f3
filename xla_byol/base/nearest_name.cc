#include "xla_byol/base/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace xla_byol {
namespace {

// Levenshtein's distance, one row of the table at a time.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substituted =
          diagonal + (absl::ascii_tolower(static_cast<unsigned char>(a[i])) !=
                      absl::ascii_tolower(static_cast<unsigned char>(b[j])));
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string NearestName(absl::string_view name,
                        const std::vector<std::string>& candidates) {
  std::string nearest;
  size_t fewest = std::numeric_limits<size_t>::max();
  bool completed = false;
  for (const std::string& candidate : candidates) {
    const bool completes = absl::StartsWithIgnoreCase(candidate, name);
    if (completed && !completes) continue;
    const size_t distance = EditDistance(name, candidate);
    if ((completes && !completed) || distance < fewest) {
      completed = completes;
      fewest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string SimilarName(absl::string_view name,
                        const std::vector<std::string>& candidates) {
  const std::string nearest = NearestName(name, candidates);
  const size_t letters = std::max(name.size(), nearest.size());
  return absl::StartsWithIgnoreCase(nearest, name) ||
                 2 * EditDistance(name, nearest) <= letters
             ? nearest
             : "";
}

}  // namespace xla_byol
