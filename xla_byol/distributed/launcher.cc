#include "xla_byol/distributed/launcher.h"

#include <cstdlib>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::distributed {
namespace {

// Launchers by the variables that they set; the first that started several
// counts, since mpirun may start its processes by srun. A job's shell has some
// of Slurm's too, but only a task that srun started has a step's.
struct Row {
  const char* launcher;
  const char* rank;
  const char* size;
  const char* also;  // must be set, if not null
};
constexpr Row kRows[] = {
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID"},
};

struct Found {
  const Row* row;
  int rank;
  int size;
};

absl::StatusOr<int> Number(const Environment& environment, const char* name) {
  int number = 0;
  const std::string text = environment(name);
  if (!absl::SimpleAtoi(text, &number) || number < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the launcher's ", name, "='", text, "' is no number"));
  }
  return number;
}

absl::StatusOr<std::optional<Found>> FindRow(const Environment& environment) {
  for (const Row& row : kRows) {
    if (environment(row.rank).empty() || environment(row.size).empty() ||
        (row.also != nullptr && environment(row.also).empty())) {
      continue;
    }
    ASSIGN_OR_RETURN(const int rank, Number(environment, row.rank));
    ASSIGN_OR_RETURN(const int size, Number(environment, row.size));
    if (rank >= size) {
      return absl::InvalidArgumentError(
          absl::StrCat("the launcher's ", row.rank, "=", rank,
                       " is out of range: ", row.size, "=", size));
    }
    if (size > 1) return Found{&row, rank, size};
  }
  return std::nullopt;
}

absl::Status CheckSame(const char* flag, int given, const Found& found,
                       int theirs) {
  if (given == theirs) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, "=", given, ", but ", found.row->launcher,
                   " says ", theirs, "; leave the flag out"));
}

absl::StatusOr<Launch> FromFlags(const LaunchFlags& flags) {
  if (flags.processes < 1 || flags.process < 0) {
    return absl::InvalidArgumentError(
        "--rendezvous needs --processes=N and --process=I, or a launcher that "
        "sets them");
  }
  if (flags.process >= flags.processes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--process=", flags.process, " is out of range: with --processes=",
        flags.processes, " it must be 0 to ", flags.processes - 1));
  }
  Launch launch{.process = flags.process,
                .processes = flags.processes,
                .launcher = "the command line",
                .rendezvous = flags.rendezvous};
  if (flags.processes > 1) launch.meeting = Meeting::kFolder;
  return launch;
}

}  // namespace

std::string ProcessEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

absl::StatusOr<Launch> FindLaunch(const LaunchFlags& flags,
                                  const Environment& environment) {
  ASSIGN_OR_RETURN(const std::optional<Found> found, FindRow(environment));
  if (found.has_value()) {
    if (flags.processes != 0) {
      RETURN_IF_ERROR(
          CheckSame("processes", flags.processes, *found, found->size));
    }
    if (flags.process >= 0) {
      RETURN_IF_ERROR(CheckSame("process", flags.process, *found, found->rank));
    }
    const bool pmix = !environment("PMIX_RANK").empty();
    if (!pmix && flags.rendezvous.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          found->row->launcher, " started ", found->size,
          " processes without PMIx; give all of them a folder that they see as "
          "--rendezvous=DIR (srun --mpi=pmix does without)"));
    }
    return Launch{
        .meeting = flags.rendezvous.empty() ? Meeting::kPmix : Meeting::kFolder,
        .process = found->rank,
        .processes = found->size,
        .launcher = found->row->launcher,
        .rendezvous = flags.rendezvous};
  }
  if (!flags.rendezvous.empty()) return FromFlags(flags);
  if (flags.processes > 1 || flags.process > 0) {
    return absl::InvalidArgumentError(
        "--processes and --process need --rendezvous=DIR, a folder that all "
        "processes see");
  }
  return Launch{};
}

}  // namespace xla_byol::distributed
