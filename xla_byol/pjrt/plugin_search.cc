#include "xla_byol/pjrt/plugin_search.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_byol/base/files.h"

namespace xla_byol::pjrt {
namespace {

namespace fs = std::filesystem;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool IsFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

absl::StatusOr<std::string> Named(const PlatformInfo& info,
                                  const std::string& source,
                                  const std::string& path) {
  std::string full = ResolveUserPath(path);
  if (IsFile(full)) return full;
  return absl::NotFoundError(absl::StrCat(
      source, " names the ", info.name, " plugin '", path,
      "', but there is no such file; correct the path, or leave it out to use "
      "the plugin that Bazel fetches (",
      info.label, ")"));
}

}  // namespace

std::vector<std::string> RunfilesRoots() {
  std::error_code ignored;
  const fs::path binary = fs::read_symlink("/proc/self/exe", ignored);
  std::vector<std::string> roots;
  for (const std::string& root :
       {Environment("RUNFILES_DIR"), Environment("TEST_SRCDIR"),
        binary.string() + ".runfiles"}) {
    if (!root.empty() && fs::is_directory(root, ignored)) {
      roots.push_back(root);
    }
  }
  return roots;
}

std::string FindRunfile(const std::string& relative) {
  std::error_code ignored;
  for (const std::string& root : RunfilesRoots()) {
    for (const auto& repository : fs::directory_iterator(root, ignored)) {
      const fs::path path = repository.path() / relative;
      if (IsFile(path)) return path.string();
    }
  }
  return "";
}

absl::StatusOr<std::string> FindPlugin(Platform platform,
                                       const std::string& explicit_path) {
  const PlatformInfo& info = Info(platform);
  if (!explicit_path.empty()) return Named(info, "--plugin", explicit_path);
  std::vector<std::string> searched;
  for (const char* const* name = info.path_variables; *name; ++name) {
    const std::string path = Environment(*name);
    if (!path.empty()) return Named(info, *name, path);
    searched.push_back(absl::StrCat("$", *name, " (not set)"));
  }
  std::string path = FindRunfile(info.runfile);
  if (!path.empty()) return path;
  const std::vector<std::string> roots = RunfilesRoots();
  for (const std::string& root : roots) {
    searched.push_back(absl::StrCat(root, "/*/", info.runfile));
  }
  if (roots.empty()) searched.push_back("runfiles (this binary has none)");
  return absl::NotFoundError(absl::StrCat(
      "no ", info.name, " plugin found: looked in ",
      absl::StrJoin(searched, ", "), "; start the program with tools/bazel run",
      absl::string_view(info.name) == "cpu"
          ? ""
          : absl::StrCat(" --config=", info.name),
      ", or pass --plugin=PATH"));
}

void PrepareEnvironment(Platform platform) {
  setenv("TF_CPP_MIN_LOG_LEVEL", "1", 0);
  Info(platform).prepare_environment();
}

}  // namespace xla_byol::pjrt
