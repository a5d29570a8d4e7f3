#include "xla_byol/pjrt/plugin.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/pjrt/plugin_search.h"

namespace xla_byol::pjrt {
namespace {

// The oldest minor version with everything that we call (topologies from
// options, memory statistics, output shapes).
constexpr int kOldestMinor = 47;

std::string Fingerprint(const Plugin& plugin) {
  struct stat info {};
  stat(plugin.path().c_str(), &info);
  return absl::StrCat(
      Info(plugin.platform()).name, " api ", plugin.api_version(), " xla ",
      plugin.attribute("xla_version"), " size ", info.st_size, " changed ",
      info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec);
}

}  // namespace

Plugin::Plugin(Platform platform, std::string path, const PJRT_Api* table)
    : platform_(platform), path_(std::move(path)), api_(table) {}

absl::StatusOr<const Plugin*> Plugin::Load(Platform platform,
                                           const std::string& path) {
  static absl::Mutex mutex(absl::kConstInit);
  // Never destroyed: handles may outlive main's static objects.
  static auto& loaded = *new std::map<std::string, const Plugin*>;
  ASSIGN_OR_RETURN(std::string found, FindPlugin(platform, path));
  absl::MutexLock lock(&mutex);
  auto known = loaded.find(found);
  if (known != loaded.end()) {
    if (known->second->platform() == platform) return known->second;
    return absl::InvalidArgumentError(
        absl::StrCat("plugin ", found, " is in use for ",
                     Info(known->second->platform()).name, ", not for ",
                     Info(platform).name));
  }
  PrepareEnvironment(platform);
  ASSIGN_OR_RETURN(const Plugin* plugin, Open(platform, found));
  loaded.emplace(found, plugin);
  return plugin;
}

absl::StatusOr<const Plugin*> Plugin::Open(Platform platform,
                                           const std::string& path) {
  // LOCAL: plugins bring their own protobuf and Abseil, which must not meet
  // ours.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, " is not a PJRT plugin: it does not load (", dlerror(), ")"));
  }
  auto get_api =
      reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  if (get_api == nullptr) {
    dlclose(library);
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is not a PJRT plugin: it has no GetPjrtApi"));
  }
  const PJRT_Api* table = get_api();
  if (table == nullptr) {
    return absl::InternalError(absl::StrCat(path, ": GetPjrtApi gave nothing"));
  }
  auto* plugin = new Plugin(platform, path, table);
  absl::Status status = plugin->Initialize();
  if (status.ok()) return plugin;
  delete plugin;
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

absl::Status Plugin::Initialize() {
  if (api_.major_version() != PJRT_API_MAJOR ||
      api_.minor_version() < kOldestMinor) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the plugin speaks PJRT C API ", api_version(), ", we need ",
        PJRT_API_MAJOR, ".", kOldestMinor, " or newer"));
  }
  Padded<PJRT_Plugin_Initialize_Args> initialize;
  RETURN_IF_ERROR(api_.Call(&PJRT_Api::PJRT_Plugin_Initialize, initialize));
  Padded<PJRT_Plugin_Attributes_Args> attributes;
  RETURN_IF_ERROR(api_.Call(&PJRT_Api::PJRT_Plugin_Attributes, attributes));
  attributes_ = FromPjrt(attributes.attributes, attributes.num_attributes);
  fingerprint_ = Fingerprint(*this);
  return absl::OkStatus();
}

std::string Plugin::attribute(const std::string& name) const {
  auto found = attributes_.find(name);
  return found == attributes_.end() ? "unknown" : ToString(found->second);
}

std::string Plugin::api_version() const {
  return absl::StrCat(api_.major_version(), ".", api_.minor_version());
}

}  // namespace xla_byol::pjrt
