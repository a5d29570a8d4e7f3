// A folder of JPEG and PNG files.

#ifndef XLA_BYOL_INPUT_IMAGE_FOLDER_H_
#define XLA_BYOL_INPUT_IMAGE_FOLDER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_byol/input/dataset.h"

namespace xla_byol::input {

// The splits that the folder has: its subfolders named train, test, val or
// validation; or, without any, "train" alone, which means the whole folder.
std::vector<std::string> ImageFolderSplitNames(const std::string& directory);

// Opens root/[split/]class/files, whose labels are the classes' places in the
// alphabet (of all splits together), or root/[split/]files, unlabeled. Files
// are ordered by name. Files of other kinds, and names that begin with a dot,
// are passed over.
absl::StatusOr<Dataset> OpenImageFolder(const std::string& directory,
                                        const std::string& split);

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_IMAGE_FOLDER_H_
