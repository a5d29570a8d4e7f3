// A new, empty folder for a test: GoogleTest's TempDir() is plain /tmp in
// Debian's version, where runs meet each other's files.

#ifndef XLA_BYOL_TESTS_BASE_TEMP_FOLDER_H_
#define XLA_BYOL_TESTS_BASE_TEMP_FOLDER_H_

#include <stdlib.h>

#include <cstdlib>
#include <string>

namespace xla_byol {

// Bazel removes it with the rest of TEST_TMPDIR. Empty if it cannot be made.
inline std::string TempFolder() {
  const char* parent = std::getenv("TEST_TMPDIR");
  std::string folder =
      std::string(parent == nullptr ? "/tmp" : parent) + "/folder-XXXXXX";
  return mkdtemp(folder.data()) == nullptr ? "" : folder;
}

}  // namespace xla_byol

#endif  // XLA_BYOL_TESTS_BASE_TEMP_FOLDER_H_
