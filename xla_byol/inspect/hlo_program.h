// A compiled program, read back from optimized.hlo.txt (pjrt/hlo_text.h): what
// the inspection page and the model of collectives look at.

#ifndef XLA_BYOL_INSPECT_HLO_PROGRAM_H_
#define XLA_BYOL_INSPECT_HLO_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla_byol {

// One array that an instruction yields: f32[8,128]{1,0:T(8,128)S(1)}.
struct HloArray {
  std::string type;
  std::vector<int64_t> dims;
  std::vector<int64_t> minor_to_major;
  // The first tile, by which the minor dimensions are padded; empty for none.
  std::vector<int64_t> tile;
  int memory_space = 0;

  int64_t elements() const;
  // Without padding; 0 for tokens and the like.
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
  // Places in the computation's list. An operand that is not there (it cannot
  // be, in what HloText writes) is left out.
  std::vector<int> operands;
  // What stands between the parentheses of a parameter or a constant.
  std::string literal;
  std::vector<int> calls;  // places in the program's list of computations
  std::string op_name;     // the scope of the source; may be empty
  std::string target;      // of a custom call
  std::string dim_labels;
  std::vector<HloWindow> window;
  std::vector<int64_t> lhs_contracting_dims;
  int64_t feature_group_count = 1;
  int64_t tuple_index = 0;
  double estimated_cycles = 0;  // 0 where the compiler does not say
  int64_t replica_groups = 0;   // of a collective
  int64_t replicas_per_group = 0;
  std::string rings;  // of a TPU's collective: "4 2"
  bool root = false;
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

// INVALID_ARGUMENT, with the line's number, for what is no such text.
absl::StatusOr<HloProgram> ParseHloProgram(absl::string_view text);

// all-reduce, all-gather, reduce-scatter and their like, also when started
// asynchronously; empty for what is no collective or ends one.
absl::string_view CollectiveKind(absl::string_view opcode);

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_HLO_PROGRAM_H_
