// Floating-point operations of one instruction of a compiled program.

#ifndef XLA_BYOL_INSPECT_PROGRAM_FLOPS_H_
#define XLA_BYOL_INSPECT_PROGRAM_FLOPS_H_

#include "xla_byol/inspect/hlo_program.h"

namespace xla_byol {

// Two for each product that a convolution or a matrix product really needs, one
// for each element of arithmetic, 0 for what only moves or compares. Calls of
// libraries (cuDNN, cuBLAS) count as what they stand for.
double FlopsOf(const HloComputation& computation,
               const HloInstruction& instruction);

// Pairs of an output's place and a window's place that meet an element of an
// input with `size` elements, rather than padding or a hole between dilated
// elements.
int64_t WindowProducts(const HloWindow& window, int64_t size, int64_t outputs);

}  // namespace xla_byol

#endif  // XLA_BYOL_INSPECT_PROGRAM_FLOPS_H_
