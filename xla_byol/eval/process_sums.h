// Numbers on which all processes agree.

#ifndef XLA_BYOL_EVAL_PROCESS_SUMS_H_
#define XLA_BYOL_EVAL_PROCESS_SUMS_H_

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "xla_byol/runtime/device_program.h"

namespace xla_byol {

// The sum of all processes' vectors, which are of one length.
using SumOfProcesses =
    absl::FunctionRef<absl::StatusOr<std::vector<double>>(std::vector<double>)>;

// Adds by a program over all devices, so that every process gets the same
// numbers. All processes must call with the same lengths in the same order.
class ProcessSums {
 public:
  // The runtime must outlive it.
  explicit ProcessSums(const Runtime& runtime) : runtime_(runtime) {}
  ProcessSums(const ProcessSums&) = delete;
  ProcessSums& operator=(const ProcessSums&) = delete;

  // To f32's precision; exact where only one process has anything but 0.
  absl::StatusOr<std::vector<double>> Sum(const std::vector<double>& mine);

  // Each process's value, exactly.
  absl::StatusOr<std::vector<double>> Gather(double mine);

 private:
  const Runtime runtime_;
  // By length, as they are needed.
  std::map<size_t, std::unique_ptr<const DeviceProgram>> programs_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_EVAL_PROCESS_SUMS_H_
