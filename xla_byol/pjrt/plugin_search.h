// Where a plugin may be, and what its surroundings must look like before it is
// loaded.

#ifndef XLA_BYOL_PJRT_PLUGIN_SEARCH_H_
#define XLA_BYOL_PJRT_PLUGIN_SEARCH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_byol/pjrt/platform.h"

namespace xla_byol::pjrt {

// The path of the platform's plugin: `explicit_path` (--plugin) if given, else
// the platform's environment variables, else the runfiles of this binary. A
// path that was named but is not there is an error, not a reason to look
// further. NOT_FOUND says everywhere it looked and what to do.
absl::StatusOr<std::string> FindPlugin(Platform platform,
                                       const std::string& explicit_path);

// The runfiles directories this process may have: RUNFILES_DIR, TEST_SRCDIR,
// <binary>.runfiles. Only those that exist.
std::vector<std::string> RunfilesRoots();

// The first file named `relative` in a directory directly below a runfiles
// root: repositories have one directory each there, and WORKSPACE and
// MODULE.bazel name it differently. Empty when there is none.
std::string FindRunfile(const std::string& relative);

// Sets what the plugin reads while it is loaded; call before dlopen. For all
// platforms TF_CPP_MIN_LOG_LEVEL=1 (warnings but no chatter on stderr), and
// what the platform's row says. Values the user has set stay. Changes the
// environment, so not while other threads read it.
void PrepareEnvironment(Platform platform);

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_PLUGIN_SEARCH_H_
