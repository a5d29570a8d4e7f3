// Compiled steps as files: made on one machine by `export`, loaded on another
// by `train --executable=`.

#ifndef XLA_BYOL_RUNTIME_EXECUTABLE_FILE_H_
#define XLA_BYOL_RUNTIME_EXECUTABLE_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/executable.h"
#include "xla_byol/pjrt/plugin.h"

namespace xla_byol {

// Names a build of a plugin on any machine: platform, API and XLA versions, and
// the size of its file; for the CPU, whose code is for the machine it was made
// on, also that machine's instructions. Serialized executables load only into
// an equal one.
std::string PluginIdentity(const pjrt::Plugin& plugin);

// Loads the step.executable that `export` wrote into `folder` (the path of the
// file itself will do), for running on all of `client`'s devices.
//
// It is used only if it is the same thing that would have been compiled here:
// FAILED_PRECONDITION with both values if the plugin, the kind or number of
// devices, or the program (its StableHLO, `program`) differ; DATA_LOSS if the
// file is cut or damaged; NOT_FOUND if there is none. Every message ends with
// what to do.
absl::StatusOr<pjrt::LoadedExecutable> LoadExecutableFile(
    const std::string& path, const pjrt::Client& client,
    absl::string_view program);

}  // namespace xla_byol

#endif  // XLA_BYOL_RUNTIME_EXECUTABLE_FILE_H_
