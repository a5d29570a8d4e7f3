// What a compiled program costs, scope by scope: floating point operations,
// bytes moved, the cycles that the compiler expects, its collectives, and how
// long each buffer lives.

#ifndef XLA_BYOL_INSPECT_PROGRAM_COST_H_
#define XLA_BYOL_INSPECT_PROGRAM_COST_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "xla_byol/inspect/hlo_program.h"

namespace xla_byol {

struct Cost {
  double flops = 0;
  double bytes = 0;    // in and out of the large memory, tiles included
  double cycles = 0;   // 0 where the compiler gives none
  double seconds = 0;  // filled in by EstimateSeconds
  int instructions = 0;

  void Add(const Cost& other);
};

// What one instruction costs in a step; a fusion is one.
struct InstructionCost {
  std::string name;
  std::string opcode;
  std::string scope;
  Cost cost;         // of all times together
  double times = 1;  // in one step
};

struct CollectiveUse {
  std::string name;  // of the instruction
  std::string kind;  // all-reduce, ...
  std::string scope;
  int64_t bytes = 0;  // of its results
  int64_t replicas = 0;
  std::string rings;
  double times = 1;  // in one step
};

// A buffer of the main computation.
struct BufferUse {
  std::string name;
  std::string scope;
  std::string shape;
  int64_t bytes = 0;
  bool at_peak = false;  // alive when most memory is in use
};

struct ProgramCost {
  std::map<std::string, Cost> scopes;  // by op_name, collectives apart
  Cost total;
  std::vector<InstructionCost> instructions;  // in program order, no collective
  std::vector<CollectiveUse> collectives;     // in program order
  std::vector<BufferUse> buffers;             // largest first
  // The largest sum of live temporaries, by our reading of the schedule; the
  // compiler's own figure also knows what it could put into one place.
  int64_t peak_bytes = 0;
};

// Counts as XLA's own analysis does: two operations for each product that a
// convolution or a matrix product really needs (no padding, no holes of
// dilated inputs), one for each element of arithmetic. A loop counts as often
// as its condition's constant says. The time and traffic of a fusion are shared
// among its scopes as their operations are.
ProgramCost AnalyzeProgram(const HloProgram& program);

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_PROGRAM_COST_H_
