// A study on a cluster: what to hand to Slurm or Kubernetes instead of running
// it here. Each run is a `train` of its own there; `study` collects the results
// when they are done.

#ifndef XLA_BYOL_STUDIES_STUDY_LAUNCH_H_
#define XLA_BYOL_STUDIES_STUDY_LAUNCH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/studies/study_plan.h"
#include "xla_byol/studies/study_runner.h"

namespace xla_byol {

// An array job, one task for each run, `options.jobs` at a time. A task that is
// told to stop ends with exit code 75 and queues itself again. Nodes, time and
// partition are sbatch's own flags. The configs are written now, so the study's
// folder must be one that the nodes see.
absl::StatusOr<std::string> SlurmScript(const Study& study,
                                        absl::Span<const StudyRun> runs,
                                        const StudyOptions& options);

struct JobSetOptions {
  std::string tool;  // tools/tpu/jobset
  std::string topology;
  std::string image;
  std::string bucket;
};

// A Kubernetes List with the JobSet of each run, by tools/tpu/jobset. Configs
// are written into the study's folder now; that folder must be copied to
// studies/<name> of the bucket.
absl::StatusOr<std::string> JobSetManifests(const Study& study,
                                            absl::Span<const StudyRun> runs,
                                            const StudyOptions& options,
                                            const JobSetOptions& jobset);

}  // namespace xla_byol

#endif  // XLA_BYOL_STUDIES_STUDY_LAUNCH_H_
