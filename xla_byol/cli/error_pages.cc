// Which page explains which errors.

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "xla_byol/cli/help_text.h"

namespace xla_byol {
namespace {

struct ErrorPage {
  const char* words;  // a part of the message
  const char* page;
};

// The first that fits.
constexpr ErrorPage kPages[] = {
    {"data.train_images", "docs/data.md"},
    {"only `train` reads", "docs/export.md"},
    {"config: ", "docs/configuration.md"},
    {"--set=", "docs/configuration.md"},
    {"' is none of ", "docs/configuration.md"},
    {"data set", "docs/data.md"},
    {"has no split", "docs/data.md"},
    {"split \"", "docs/input.md"},
    {"prepare the data set again", "docs/data.md"},
    {"records of", "docs/data.md"},
    {"the config differs", "docs/runs.md"},
    {"checkpoint", "docs/runs.md"},
    {"run directory", "docs/runs.md"},
    {"training diverged", "docs/troubleshooting.md"},
    {"does not fit", "docs/export.md"},
    {"--executable", "docs/tpu.md"},
    {"topology", "docs/export.md"},
    {"plugin", "docs/troubleshooting.md"},
    {"--rendezvous", "docs/troubleshooting.md"},
    {"--config=cluster", "docs/troubleshooting.md"},
};

}  // namespace

absl::string_view PageFor(absl::string_view error) {
  for (const ErrorPage& row : kPages) {
    if (absl::StrContains(error, row.words)) return row.page;
  }
  return "";
}

}  // namespace xla_byol
