// PJRT plugins: shared libraries that compile and run programs for a platform.

#ifndef XLA_BYOL_PJRT_PLUGIN_H_
#define XLA_BYOL_PJRT_PLUGIN_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/pjrt/api.h"
#include "xla_byol/pjrt/named_value.h"
#include "xla_byol/pjrt/platform.h"

namespace xla_byol::pjrt {

// A loaded plugin. It lives until the process ends: plugins start threads and
// register handlers, and do not survive dlclose. Thread-safe.
class Plugin {
 public:
  // Finds (see FindPlugin in plugin_search.h) and loads the plugin of
  // `platform`; `path` is the user's --plugin, empty for none.
  static absl::StatusOr<const Plugin*> Load(Platform platform,
                                            const std::string& path = "");

  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  Platform platform() const { return platform_; }
  const std::string& path() const { return path_; }
  const Api& api() const { return api_; }

  // What the plugin says about itself: `xla_version`,
  // `stablehlo_current_version`, `stablehlo_minimum_version`, ...; empty when
  // it is too old to say.
  const NamedValues& attributes() const { return attributes_; }
  // One attribute as text, "unknown" when absent.
  std::string attribute(const std::string& name) const;
  // "0.81"
  std::string api_version() const;

  // Identifies this build of the plugin on this machine, for caches: API and
  // XLA versions, and the file's size and time of change.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  Plugin(Platform platform, std::string path, const PJRT_Api* table);

  // dlopen, GetPjrtApi, version check, PJRT_Plugin_Initialize.
  static absl::StatusOr<const Plugin*> Open(Platform platform,
                                            const std::string& path);
  absl::Status Initialize();

  Platform platform_;
  std::string path_;
  Api api_;
  NamedValues attributes_;
  std::string fingerprint_;
};

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_PLUGIN_H_
