// Element types of tensors: the ones a training step needs, with the names that
// people read (`f32`, `pred`) and the names that MLIR reads (`f32`, `i1`).

#ifndef XLA_BYOL_GRAPH_DTYPE_H_
#define XLA_BYOL_GRAPH_DTYPE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla_byol::graph {

enum class DType : uint8_t {
  kPred,
  kS32,
  kS64,
  kU8,
  kU32,
  kU64,
  kBF16,
  kF32,
  kF64,
};

// `f32`, `bf16`, `u8`, `pred`: XLA's names, used in messages and signatures.
absl::string_view Name(DType dtype);
// `f32`, `bf16`, `ui8`, `i1`: the names in StableHLO text.
absl::string_view MlirName(DType dtype);
int64_t ByteSize(DType dtype);

bool IsFloat(DType dtype);
// Signed or unsigned integers; `pred` is not one.
bool IsInteger(DType dtype);
bool IsSigned(DType dtype);  // s32, s64 and all floats

// The bytes of one element in the machine's order (little endian), rounded to
// nearest even. A number that an integer type cannot hold exactly is an error.
absl::StatusOr<std::string> EncodeElement(DType dtype, double value);
// The element that starts at `bytes`; 64-bit integers are rounded.
double DecodeElement(DType dtype, const char* bytes);
// The element that starts at `bytes`, as MLIR text that parses back to the same
// bits: shortest decimal for finite floats, hexadecimal for the others.
std::string ElementToMlir(DType dtype, const char* bytes);

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_DTYPE_H_
