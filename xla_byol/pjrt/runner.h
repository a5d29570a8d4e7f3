// Runs a loaded executable again and again without allocating.

#ifndef XLA_BYOL_PJRT_RUNNER_H_
#define XLA_BYOL_PJRT_RUNNER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla_byol/pjrt/buffer.h"
#include "xla_byol/pjrt/event.h"
#include "xla_byol/pjrt/executable.h"

namespace xla_byol::pjrt {

// Holds the argument and result arrays of one executable, which must outlive
// it. One Runner may be used by one thread at a time.
//
// A training loop fills its two lists once and then only calls Run. Where a
// donated argument and the result that takes its memory are the same Buffer,
// the state stays in place:
//
//   std::vector<Buffer*> arguments = {&state, &batch};
//   std::vector<Buffer*> results = {&state, &loss};
//   for (...) {
//     ASSIGN_OR_RETURN(batch, client.CopyFromHost(...));
//     RETURN_IF_ERROR(runner.Run(arguments, results));
//   }
class Runner {
 public:
  explicit Runner(const LoadedExecutable& executable);

  // Starts one execution on all devices and returns without waiting for it.
  //
  // `arguments` are all parameters of the first device, then all of the second
  // and so on; `results` likewise. Counts, element types, shapes and devices
  // are checked against the executable's signature before the plugin sees
  // anything, and an argument donated earlier is refused; then nothing has
  // changed. The sentence names the argument's place.
  //
  // On success every donated argument is empty (see Buffer) and each result's
  // Buffer holds a value, which may not be ready yet; whatever it held before
  // is released. If the plugin fails, results are untouched and donated
  // arguments that it consumed are empty.
  //
  // `done`, if given, gets one event per device, for when it has finished.
  absl::Status Run(absl::Span<Buffer* const> arguments,
                   absl::Span<Buffer* const> results,
                   std::vector<Event>* done = nullptr);

  // Numbers the launches of programs that span several processes, which must
  // agree on it; 0, the default, says nothing.
  void set_launch_id(int id) { options_.launch_id = id; }

 private:
  // Checks all and fills inputs_.
  absl::Status TakeArguments(absl::Span<Buffer* const> arguments);
  // Says why an argument does not fit its place.
  absl::Status Refuse(const Buffer& argument, size_t place) const;
  absl::Status Wrong(absl::string_view problem, size_t device,
                     size_t index) const;
  void DropConsumed(absl::Span<Buffer* const> arguments);

  const LoadedExecutable* executable_;
  // What belongs into each place of the two lists.
  std::vector<const Placement*> parameters_;
  std::vector<const Placement*> results_;
  std::vector<size_t> donated_;
  Padded<PJRT_ExecuteOptions> options_;
  // Flat arrays and, as the C API wants them, pointers to each device's part.
  std::vector<PJRT_Buffer*> inputs_;
  std::vector<PJRT_Buffer* const*> input_lists_;
  std::vector<PJRT_Buffer*> outputs_;
  std::vector<PJRT_Buffer**> output_lists_;
  std::vector<PJRT_Event*> events_;
};

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_RUNNER_H_
