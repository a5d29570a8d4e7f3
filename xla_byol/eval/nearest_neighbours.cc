#include "xla_byol/eval/nearest_neighbours.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "xla_byol/base/status_macros.h"
#include "xla_byol/eval/classifiers.h"
#include "xla_byol/runtime/bound_program.h"

namespace xla_byol {
namespace {

constexpr int64_t kQueryBatch = 256;  // over all devices

}  // namespace

absl::StatusOr<double> NearestNeighbourTop1(const Runtime& runtime,
                                            const Config& config,
                                            const Features& bank,
                                            const Features& test,
                                            ImageProgress progress) {
  const int64_t devices = static_cast<int64_t>(runtime.devices());
  const int64_t share = (bank.LargestShare() + devices - 1) / devices;
  const int64_t all_devices = runtime.place().global_devices();
  const int64_t queries = (kQueryBatch + all_devices - 1) / all_devices;
  ASSIGN_OR_RETURN(
      NamedProgram program,
      BuildNeighbourVote({.bank = share,
                          .queries = queries,
                          .features = bank.dimension,
                          .classes = config.data().classes(),
                          .neighbours = config.evaluation().neighbours(),
                          .temperature = config.evaluation().temperature()},
                         runtime.program_options()));
  ASSIGN_OR_RETURN(const DeviceProgram compiled,
                   DeviceProgram::Compile(runtime, std::move(program)));
  BoundProgram vote = compiled.Bind();
  for (size_t device = 0; device < vote.devices(); ++device) {
    const Features part =
        bank.Part(share * static_cast<int64_t>(device), share);
    RETURN_IF_ERROR(vote.Set("bank", device, absl::MakeConstSpan(part.values)));
    RETURN_IF_ERROR(
        vote.Set("bank_labels", device, absl::MakeConstSpan(part.labels)));
  }
  double right = 0, count = 0;
  const int64_t turns = test.LargestShare();
  for (int64_t at = 0; at < turns; at += queries * devices) {
    RETURN_IF_ERROR(progress(at, turns));
    for (size_t device = 0; device < vote.devices(); ++device) {
      const Features part =
          test.Part(at + queries * static_cast<int64_t>(device), queries);
      RETURN_IF_ERROR(
          vote.Set("queries", device, absl::MakeConstSpan(part.values)));
      RETURN_IF_ERROR(
          vote.Set("labels", device, absl::MakeConstSpan(part.labels)));
    }
    RETURN_IF_ERROR(vote.Run());
    ASSIGN_OR_RETURN(const std::vector<float> some, vote.Read<float>("top1"));
    ASSIGN_OR_RETURN(const std::vector<float> counted,
                     vote.Read<float>("count"));
    right += some[0];
    count += counted[0];
  }
  return right / std::max(count, 1.0);
}

}  // namespace xla_byol
