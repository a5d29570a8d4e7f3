// The folder that holds all of one run; base/run_files.h names what is in it.

#ifndef XLA_BYOL_CHECKPOINT_RUN_DIRECTORY_H_
#define XLA_BYOL_CHECKPOINT_RUN_DIRECTORY_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/config/config.h"

namespace xla_byol {

// Move-only; the lock goes when it does, or when the process dies.
class RunDirectory {
 public:
  // Makes the folder if need be, takes the lock and begins to write log.txt.
  // FailedPrecondition, with the other's process number, if someone else has
  // the lock.
  static absl::StatusOr<RunDirectory> Lock(const std::string& path);

  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&& other) noexcept;
  ~RunDirectory();

  const std::string& path() const { return path_; }
  std::string PathOf(absl::string_view name) const;

  // Saves the config of a new run. For one that has checkpoints: OK if the
  // weights do not depend on what changed, and the change is saved. Else
  // FailedPrecondition with the changes, unless `branch`: then the old config
  // is kept as config-1.textproto (or the next free number), and the new one
  // holds.
  absl::Status TakeConfig(const Config& config, bool branch);

 private:
  RunDirectory(std::string path, int lock)
      : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;  // a file descriptor; -1 when moved from
};

// The resolved config of someone's run. NotFound if the folder is no run.
absl::StatusOr<Config> ReadRunConfig(const std::string& run_dir);

// Fields that differ and on which the weights depend, as "path: old -> new".
std::vector<std::string> TrainingChanges(const Config& before,
                                         const Config& after);

}  // namespace xla_byol

#endif  // XLA_BYOL_CHECKPOINT_RUN_DIRECTORY_H_
