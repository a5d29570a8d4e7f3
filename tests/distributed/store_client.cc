// One of several processes that make a client of store_plugin.so:
//   store_client PLUGIN PROCESS PROCESSES FOLDER     (0 0 "": as mpirun says)

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/distributed/processes.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/plugin.h"

namespace xla_byol {
namespace {

absl::Status Run(char** argv) {
  distributed::LaunchFlags flags;
  flags.rendezvous = argv[4];
  if (!flags.rendezvous.empty()) {
    flags.process = std::atoi(argv[2]);
    flags.processes = std::atoi(argv[3]);
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<distributed::Processes> processes,
                   distributed::Processes::Join(flags, absl::Seconds(30)));
  ASSIGN_OR_RETURN(const pjrt::Plugin* plugin,
                   pjrt::Plugin::Load(pjrt::Platform::kCpu, argv[1]));
  pjrt::ClientOptions options;
  processes->AddTo(options);
  // The GPU's row gives them; the plugin stands in for it under the name of one
  // that needs no hardware.
  ASSIGN_OR_RETURN(options.extra,
                   pjrt::Info(pjrt::Platform::kGpu).client_options(options));
  absl::Status status =
      pjrt::Client::Create(*plugin, options).status();  // and its end
  return processes->Leave(status);
}

}  // namespace
}  // namespace xla_byol

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const absl::Status status = xla_byol::Run(argv);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
