// Whole files, read and written so that a crash never leaves half of one.

#ifndef XLA_BYOL_BASE_FILES_H_
#define XLA_BYOL_BASE_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla_byol {

// The status for a failed system call: "<what>: <strerror(error)>", with the
// code that fits (ENOENT gives NotFound, ENOSPC ResourceExhausted, ...).
absl::Status ErrnoToStatus(int error, absl::string_view what);

// The whole content of a regular file. Errors name the path.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Replaces `path` by `content` in one step: readers see the old file or the
// new one, after a power cut too (temporary file beside it, fsync, rename,
// fsync of the folder). On error the old file stands and nothing is left over.
absl::Status WriteFileAtomically(const std::string& path,
                                 absl::string_view content);

// Writes a new file from its parts, one after the other, durably but not
// atomically: for a file in a folder that is renamed as a whole.
absl::Status WriteFileDurably(const std::string& path,
                              absl::Span<const absl::string_view> parts);

// Makes the folder and those above it; fine if it exists.
absl::Status MakeDirectories(const std::string& path);

// Makes names already in the folder durable: a rename survives a power cut
// only after this.
absl::Status SyncDirectory(const std::string& path);

// Names in a folder, sorted, without "." and "..".
absl::StatusOr<std::vector<std::string>> ListDirectory(const std::string& path);

bool FileExists(const std::string& path);

// "a" and "b/c" give "a/b/c"; an absolute second part stands alone.
std::string JoinPath(absl::string_view folder, absl::string_view name);

// A path as the user meant it: `bazel run` starts programs elsewhere, and says
// in BUILD_WORKING_DIRECTORY where the user stands. Shells leave the ~ of
// --flag=~/folder as it is.
std::string ResolveUserPath(absl::string_view path);

// Where things that can be made again are kept: $XDG_CACHE_HOME/xla_byol, or
// ~/.cache/xla_byol, or a folder in the temporary directory if there is no
// home.
std::string CacheDirectory();

}  // namespace xla_byol

#endif  // XLA_BYOL_BASE_FILES_H_
