#include "xla_byol/eval/process_sums.h"

#include <cstdint>
#include <utility>

#include "xla_byol/base/status_macros.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/program/program_builder.h"
#include "xla_byol/runtime/bound_program.h"

namespace xla_byol {
namespace {

// f32 parts whose sum is an f64: 24 bits each.
constexpr size_t kParts = 3;

absl::StatusOr<NamedProgram> BuildSum(size_t length,
                                      const ProgramOptions& options) {
  ProgramBuilder builder("process_sum", options);
  const graph::Value parts = builder.Input(
      "parts", TensorRole::kBatch,
      {graph::DType::kF32, {static_cast<int64_t>(kParts * length)}});
  builder.Output("sums", TensorRole::kMetric, AllReduce(parts));
  return builder.Finish();
}

}  // namespace

absl::StatusOr<std::vector<double>> ProcessSums::Sum(
    const std::vector<double>& mine) {
  std::unique_ptr<const DeviceProgram>& program = programs_[mine.size()];
  if (program == nullptr) {
    ASSIGN_OR_RETURN(NamedProgram built,
                     BuildSum(mine.size(), runtime_.program_options()));
    ASSIGN_OR_RETURN(DeviceProgram compiled,
                     DeviceProgram::Compile(runtime_, std::move(built)));
    program = std::make_unique<const DeviceProgram>(std::move(compiled));
  }
  BoundProgram sum = program->Bind();
  std::vector<float> parts(kParts * mine.size());
  // One device speaks for the process.
  for (size_t device = 1; device < sum.devices(); ++device) {
    RETURN_IF_ERROR(sum.Set("parts", device, absl::MakeConstSpan(parts)));
  }
  for (size_t i = 0; i < mine.size(); ++i) {
    double rest = mine[i];
    for (size_t part = 0; part < kParts; ++part) {
      float& place = parts[part * mine.size() + i];
      place = static_cast<float>(rest);
      rest -= double{place};
    }
  }
  RETURN_IF_ERROR(sum.Set("parts", 0, absl::MakeConstSpan(parts)));
  RETURN_IF_ERROR(sum.Run());
  ASSIGN_OR_RETURN(parts, sum.Read<float>("sums"));
  std::vector<double> total(mine.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    total[i % mine.size()] += double{parts[i]};
  }
  return total;
}

absl::StatusOr<std::vector<double>> ProcessSums::Gather(double mine) {
  const ProcessPlace place = runtime_.place();
  std::vector<double> all(static_cast<size_t>(place.processes));
  all[static_cast<size_t>(place.process)] = mine;
  return Sum(all);
}

}  // namespace xla_byol
