// inspect.html: what the compiler made of a step, as one page that needs
// nothing else.
//
// FLOPs, bytes and estimated time of each part of the model and each scope,
// memory by kind, the largest buffers, the collectives, and the program itself,
// searchable and linked to the scopes; of one export, or of two side by side.

#ifndef XLA_BYOL_INSPECT_INSPECT_PAGE_H_
#define XLA_BYOL_INSPECT_INSPECT_PAGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace xla_byol {

// What the page shows of one export.
struct InspectedExport {
  std::string folder;
  std::string numbers;  // inspect.json
  std::string program;  // optimized.hlo.txt
};

// Reads the files of an export. Errors name the file.
absl::StatusOr<InspectedExport> ReadInspectedExport(const std::string& folder);

// One or two.
std::string InspectPage(absl::Span<const InspectedExport> exports);

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_INSPECT_PAGE_H_
