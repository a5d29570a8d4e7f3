// The process group as the key-value store that a plugin asks for.

#ifndef XLA_BYOL_DISTRIBUTED_PLUGIN_STORE_H_
#define XLA_BYOL_DISTRIBUTED_PLUGIN_STORE_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "xla_byol/distributed/process_group.h"
#include "xla_byol/pjrt/key_value_store.h"

namespace xla_byol::distributed {

// Which process puts a key of XLA's GPU client; -1 for a key of another form.
//   local_topology/cuda/3            process 3
//   global_topology/cuda             process 0
//   root_process: 2; clique: ...     process 2
int WriterOf(absl::string_view key);

// A key whose writer cannot be told is looked for among all processes'.
class PluginStore : public pjrt::KeyValueStore {
 public:
  explicit PluginStore(std::shared_ptr<ProcessGroup> group)
      : group_(std::move(group)) {}

  absl::Status Put(absl::string_view key, absl::string_view value) override;
  absl::StatusOr<std::string> Get(absl::string_view key,
                                  absl::Duration timeout) override;
  absl::StatusOr<std::string> TryGet(absl::string_view key) override;

 private:
  const std::shared_ptr<ProcessGroup> group_;
};

}  // namespace xla_byol::distributed

#endif  // XLA_BYOL_DISTRIBUTED_PLUGIN_STORE_H_
