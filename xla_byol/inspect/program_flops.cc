#include "xla_byol/inspect/program_flops.h"

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace xla_byol {
namespace {

int64_t DimOf(const HloArray& array, absl::string_view labels, char label) {
  const size_t place = labels.find(label);
  return place < array.dims.size() ? array.dims[place] : 1;
}

double ConvolutionFlops(const HloInstruction& convolution,
                        const HloArray& input, const HloArray& kernel,
                        const HloArray& output) {
  // b01f_01io->b01f
  const std::vector<absl::string_view> sides =
      absl::StrSplit(convolution.dim_labels, "->");
  if (sides.size() != 2) return 0;
  const std::vector<absl::string_view> operands = absl::StrSplit(sides[0], '_');
  if (operands.size() != 2) return 0;
  double products = static_cast<double>(DimOf(output, sides[1], 'b')) *
                    static_cast<double>(DimOf(kernel, operands[1], 'i')) *
                    static_cast<double>(DimOf(kernel, operands[1], 'o'));
  for (size_t i = 0; i < convolution.window.size(); ++i) {
    const char label = static_cast<char>('0' + i);
    products *= static_cast<double>(
        WindowProducts(convolution.window[i], DimOf(input, operands[0], label),
                       DimOf(output, sides[1], label)));
  }
  return 2 * products;
}

// K of [M,K] x [K,N] -> [M,N], from the sizes alone.
double ContractedSize(const HloArray& lhs, const HloArray& rhs,
                      const HloArray& output) {
  return std::sqrt(
      static_cast<double>(lhs.elements()) *
      static_cast<double>(rhs.elements()) /
      static_cast<double>(std::max<int64_t>(output.elements(), 1)));
}

bool IsArithmetic(absl::string_view opcode) {
  static const auto& arithmetic =
      *new std::set<absl::string_view>{"add",
                                       "subtract",
                                       "multiply",
                                       "divide",
                                       "maximum",
                                       "minimum",
                                       "power",
                                       "negate",
                                       "abs",
                                       "rsqrt",
                                       "sqrt",
                                       "exponential",
                                       "log",
                                       "tanh",
                                       "logistic",
                                       "floor",
                                       "ceil",
                                       "remainder",
                                       "sine",
                                       "cosine",
                                       "cbrt",
                                       "map",
                                       "clamp",
                                       "log-plus-one",
                                       "exponential-minus-one"};
  return arithmetic.contains(opcode);
}

}  // namespace

int64_t WindowProducts(const HloWindow& window, int64_t size, int64_t outputs) {
  const int64_t extent = (size - 1) * window.lhs_dilate + 1;
  int64_t products = 0;
  for (int64_t k = 0; k < window.size; ++k) {
    for (int64_t o = 0; o < outputs; ++o) {
      const int64_t at =
          o * window.stride + k * window.rhs_dilate - window.pad_low;
      if (at >= 0 && at < extent && at % window.lhs_dilate == 0) ++products;
    }
  }
  return products;
}

double FlopsOf(const HloComputation& computation,
               const HloInstruction& instruction) {
  if (instruction.results.empty()) return 0;
  const HloArray& result = instruction.results[0];
  const auto operand = [&](size_t i) -> const HloArray& {
    const HloInstruction& maker =
        computation.instructions[static_cast<size_t>(instruction.operands[i])];
    return maker.results.empty() ? result : maker.results[0];
  };
  const size_t operands = instruction.operands.size();
  const std::string& opcode = instruction.opcode;
  if (!instruction.dim_labels.empty() && operands >= 2) {
    // cuDNN's gradients keep the labels of the convolution that they belong to.
    if (absl::StrContains(instruction.target, "convBackwardFilter")) {
      return ConvolutionFlops(instruction, operand(0), result, operand(1));
    }
    if (absl::StrContains(instruction.target, "convBackwardInput")) {
      return ConvolutionFlops(instruction, result, operand(1), operand(0));
    }
    return ConvolutionFlops(instruction, operand(0), operand(1), result);
  }
  const double elements = static_cast<double>(result.elements());
  if (opcode == "dot" && operands >= 2) {
    double contracted = 1;
    for (const int64_t axis : instruction.lhs_contracting_dims) {
      if (axis < static_cast<int64_t>(operand(0).dims.size())) {
        contracted *=
            static_cast<double>(operand(0).dims[static_cast<size_t>(axis)]);
      }
    }
    return 2 * elements * contracted;
  }
  if (absl::StrContains(instruction.target, "gemm") ||
      absl::StrContains(instruction.target, "matmul")) {
    if (operands < 2) return 0;
    return 2 * elements * ContractedSize(operand(0), operand(1), result);
  }
  if (opcode == "reduce" && operands >= 1) {
    return static_cast<double>(operand(0).elements());
  }
  if (opcode == "reduce-window") {
    double window = 1;
    for (const HloWindow& dimension : instruction.window) {
      window *= static_cast<double>(dimension.size);
    }
    return elements * window;
  }
  if (opcode == "select-and-scatter" && operands >= 1) {
    return static_cast<double>(operand(0).elements());
  }
  return IsArithmetic(opcode) ? elements : 0;
}

}  // namespace xla_byol
