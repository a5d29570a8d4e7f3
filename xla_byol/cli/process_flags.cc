#include "xla_byol/cli/process_flags.h"

#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/cli/device_flags.h"

ABSL_FLAG(int, processes, 0,
          "How many processes train together; mpirun and srun set it.");
ABSL_FLAG(int, process, -1, "The rank of this process, from 0.");
ABSL_FLAG(std::string, rendezvous, "",
          "A folder that all processes see, where they find each other; not "
          "needed with mpirun, with srun --mpi=pmix and on TPU slices.");
ABSL_FLAG(double, peer_timeout, 60,
          "Seconds to wait for processes that do not join or stop answering.");

namespace xla_byol {

absl::Status RunTogether(absl::FunctionRef<absl::Status(const Machine&)> run) {
  const double timeout = absl::GetFlag(FLAGS_peer_timeout);
  if (!(timeout > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--peer_timeout=", timeout, ": it must be more than 0"));
  }
  distributed::LaunchFlags flags{.processes = absl::GetFlag(FLAGS_processes),
                                 .process = absl::GetFlag(FLAGS_process),
                                 .rendezvous = absl::GetFlag(FLAGS_rendezvous)};
  if (!flags.rendezvous.empty()) {
    flags.rendezvous = ResolveUserPath(flags.rendezvous);
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<distributed::Processes> processes,
                   distributed::Processes::Join(flags, absl::Seconds(timeout)));
  const auto work = [&]() -> absl::Status {
    pjrt::ClientOptions options;
    processes->AddTo(options);
    ASSIGN_OR_RETURN(const pjrt::Client client, ClientFromFlags(options));
    RETURN_IF_ERROR(processes->Connect(client));
    return processes->Explain(run({&client, processes.get()}));
  };
  return processes->Leave(work());
}

}  // namespace xla_byol
