// A compiled program as the analysis of costs sees it: the compiler's module
// reduced to the fields that costs follow from, with places instead of ids.

#ifndef XLA_BYOL_INSPECT_HLO_PROGRAM_H_
#define XLA_BYOL_INSPECT_HLO_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_byol/pjrt/executable.h"

namespace xla_byol {

// One array that an instruction yields: f32[8,128]{1,0:T(8,128)S(1)}.
struct HloArray {
  std::string type;
  int64_t element_bytes = 0;  // 0 for tokens and the like
  std::vector<int64_t> dims;
  std::vector<int64_t> minor_to_major;
  // The first tile, by which the minor dimensions are padded; empty for none.
  std::vector<int64_t> tile;
  int memory_space = 0;

  int64_t elements() const;
  // Without padding.
  int64_t bytes() const;
  // As it lies in memory: dimensions rounded up to tiles.
  int64_t padded_bytes() const;
  // "f32[8,128]"
  std::string ToString() const;
};

struct HloWindow {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t pad_low = 0;
  int64_t pad_high = 0;
  int64_t lhs_dilate = 1;
  int64_t rhs_dilate = 1;
};

struct HloInstruction {
  std::string name;
  std::string opcode;
  std::vector<HloArray> results;  // a tuple's leaves, in order
  // Places in the computation's list, all before the instruction itself; an
  // operand that is not there is left out.
  std::vector<int> operands;
  std::vector<int> calls;           // places in the program's computations
  std::optional<int64_t> constant;  // a whole number, such as a loop's bound
  std::string op_name;              // the scope of the source; may be empty
  std::string target;               // of a custom call
  std::string dim_labels;           // of a convolution: "b01f_01io->b01f"
  std::vector<HloWindow> window;
  std::vector<int64_t> lhs_contracting_dims;
  double estimated_cycles = 0;     // 0 where the compiler does not say
  int64_t replicas_per_group = 0;  // of a collective
  std::string rings;               // of a TPU's collective: "4 2"
};

struct HloComputation {
  std::string name;
  std::vector<HloInstruction> instructions;  // in the order in which they run
};

struct HloProgram {
  std::string name;
  std::vector<HloComputation> computations;
  int entry = -1;

  const HloComputation& main() const {
    return computations[static_cast<size_t>(entry)];
  }
};

// Reads what the plugin gives. UNIMPLEMENTED for a plugin that gives text
// ("mlir"), of which the costs are not read; INTERNAL for bytes that are no
// module, and for a module without its entry computation.
absl::StatusOr<HloProgram> ReadHloProgram(
    const pjrt::OptimizedProgram& optimized);

// all-reduce, all-gather, reduce-scatter and their like, also when started
// asynchronously; empty for what is no collective or ends one.
absl::string_view CollectiveKind(absl::string_view opcode);

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_HLO_PROGRAM_H_
