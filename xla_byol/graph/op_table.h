// The table of operations. One line says all that the rest of the package needs
// to know about an op; enumerators, element-wise functions, the dispatch of
// shape inference and of gradients, and the tests' completeness checks follow
// from it. CONTRIBUTING.md, "Adding an op", walks through an example.
//
// Columns:
//   Name        the enumerator is kName, the function of an element-wise op
//   Name mnemonic    StableHLO's name; "" for what exists only in the builder
//   operands    their number; kAny for a variable number
//   types       which element types operands may have
//   inference   Infer<inference> in infer.h
//   derivative  Rule: Vjp<Name> in grad_rules.h
//               Zero: locally constant, no cotangent passes
//               None: Grad refuses with a message

#ifndef XLA_BYOL_GRAPH_OP_TABLE_H_
#define XLA_BYOL_GRAPH_OP_TABLE_H_

#include <cstdint>
#include <initializer_list>

#include "absl/strings/string_view.h"

// clang-format off
#define XLA_BYOL_UNARY_OPS(X)                                                   \
  X(Abs,              "abs",                   1, kSigned,  Elementwise, Rule)  \
  X(Ceil,             "ceil",                  1, kFloat,   Elementwise, Zero)  \
  X(Cosine,           "cosine",                1, kFloat,   Elementwise, Rule)  \
  X(Exp,              "exponential",           1, kFloat,   Elementwise, Rule)  \
  X(Expm1,            "exponential_minus_one", 1, kFloat,   Elementwise, Rule)  \
  X(Floor,            "floor",                 1, kFloat,   Elementwise, Zero)  \
  X(IsFinite,         "is_finite",             1, kFloat,   Predicate,   Zero)  \
  X(Log,              "log",                   1, kFloat,   Elementwise, Rule)  \
  X(Log1p,            "log_plus_one",          1, kFloat,   Elementwise, Rule)  \
  X(Logistic,         "logistic",              1, kFloat,   Elementwise, Rule)  \
  X(Negate,           "negate",                1, kNumber,  Elementwise, Rule)  \
  X(Not,              "not",                   1, kLogical, Elementwise, Zero)  \
  X(RoundNearestEven, "round_nearest_even",    1, kFloat,   Elementwise, Zero)  \
  X(Rsqrt,            "rsqrt",                 1, kFloat,   Elementwise, Rule)  \
  X(Sign,             "sign",                  1, kSigned,  Elementwise, Zero)  \
  X(Sine,             "sine",                  1, kFloat,   Elementwise, Rule)  \
  X(Sqrt,             "sqrt",                  1, kFloat,   Elementwise, Rule)  \
  X(Tanh,             "tanh",                  1, kFloat,   Elementwise, Rule)

#define XLA_BYOL_BINARY_OPS(X)                                                  \
  X(Add,                  "add",                    2, kAll,     Elementwise, Rule) \
  X(And,                  "and",                    2, kLogical, Elementwise, Zero) \
  X(Atan2,                "atan2",                  2, kFloat,   Elementwise, Rule) \
  X(Divide,               "divide",                 2, kNumber,  Elementwise, Rule) \
  X(Maximum,              "maximum",                2, kAll,     Elementwise, Rule) \
  X(Minimum,              "minimum",                2, kAll,     Elementwise, Rule) \
  X(Multiply,             "multiply",               2, kAll,     Elementwise, Rule) \
  X(Or,                   "or",                     2, kLogical, Elementwise, Zero) \
  X(Power,                "power",                  2, kNumber,  Elementwise, Rule) \
  X(Remainder,            "remainder",              2, kNumber,  Elementwise, Rule) \
  X(ShiftLeft,            "shift_left",             2, kInteger, Elementwise, Zero) \
  X(ShiftRightArithmetic, "shift_right_arithmetic", 2, kInteger, Elementwise, Zero) \
  X(ShiftRightLogical,    "shift_right_logical",    2, kInteger, Elementwise, Zero) \
  X(Subtract,             "subtract",               2, kNumber,  Elementwise, Rule) \
  X(Xor,                  "xor",                    2, kLogical, Elementwise, Zero)

#define XLA_BYOL_OTHER_OPS(X)                                                   \
  X(Parameter,           "",                     0,    kAll,    Parameter,          Zero) \
  X(Constant,            "constant",             0,    kAll,    Constant,           Zero) \
  X(Iota,                "iota",                 0,    kAll,    Iota,               Zero) \
  X(Compare,             "compare",              2,    kAll,    Compare,            Zero) \
  X(Select,              "select",               3,    kAll,    Select,             Rule) \
  X(Clamp,               "clamp",                3,    kNumber, Clamp,              Rule) \
  X(Convert,             "convert",              1,    kAll,    Convert,            Rule) \
  X(BitcastConvert,      "bitcast_convert",      1,    kNumber, BitcastConvert,     Zero) \
  X(Reshape,             "reshape",              1,    kAll,    Reshape,            Rule) \
  X(BroadcastInDim,      "broadcast_in_dim",     1,    kAll,    BroadcastInDim,     Rule) \
  X(Transpose,           "transpose",            1,    kAll,    Transpose,          Rule) \
  X(Reverse,             "reverse",              1,    kAll,    Reverse,            Rule) \
  X(Slice,               "slice",                1,    kAll,    Slice,              Rule) \
  X(Pad,                 "pad",                  2,    kAll,    Pad,                Rule) \
  X(Concatenate,         "concatenate",          kAny, kAll,    Concatenate,        Rule) \
  X(DynamicSlice,        "dynamic_slice",        kAny, kAll,    DynamicSlice,       Rule) \
  X(DynamicUpdateSlice,  "dynamic_update_slice", kAny, kAll,    DynamicUpdateSlice, Rule) \
  X(Take,                "gather",               2,    kAll,    Take,               Rule) \
  X(ScatterAdd,          "scatter",              3,    kNumber, ScatterAdd,         Rule) \
  X(Reduce,              "reduce",               1,    kAll,    Reduce,             Rule) \
  X(ReduceWindow,        "reduce_window",        1,    kNumber, ReduceWindow,       Rule) \
  X(SelectAndScatter,    "select_and_scatter",   2,    kFloat,  SelectAndScatter,   None) \
  X(DotGeneral,          "dot_general",          2,    kNumber, DotGeneral,         Rule) \
  X(Convolution,         "convolution",          2,    kFloat,  Convolution,        Rule) \
  X(AllReduce,           "all_reduce",           1,    kAll,    AllReduce,          Rule) \
  X(AllGather,           "all_gather",           1,    kAll,    AllGather,          Rule) \
  X(ReduceScatter,       "reduce_scatter",       1,    kNumber, ReduceScatter,      Rule) \
  X(ReplicaId,           "replica_id",           0,    kAll,    ReplicaId,          Zero) \
  X(OptimizationBarrier, "optimization_barrier", kAny, kAll,    OptimizationBarrier, Rule) \
  X(StopGradient,        "",                     1,    kAll,    StopGradient,       Zero) \
  X(WithGradientOf,      "",                     2,    kFloat,  WithGradientOf,     Rule) \
  X(While,               "while",                kAny, kAll,    While,              None) \
  X(CustomCall,          "custom_call",          kAny, kAll,    CustomCall,         None)
// clang-format on

#define XLA_BYOL_ALL_OPS(X) \
  XLA_BYOL_UNARY_OPS(X)     \
  XLA_BYOL_BINARY_OPS(X)    \
  XLA_BYOL_OTHER_OPS(X)

namespace xla_byol::graph {

enum class OpCode : uint8_t {
#define XLA_BYOL_ENUMERATOR(Name, ...) k##Name,
  XLA_BYOL_ALL_OPS(XLA_BYOL_ENUMERATOR)
#undef XLA_BYOL_ENUMERATOR
};

enum class OperandTypes : uint8_t {
  kAll,
  kNumber,  // integers and floats
  kSigned,  // signed integers and floats
  kFloat,
  kInteger,
  kLogical,  // integers and pred
};

enum class Derivative : uint8_t { kRule, kZero, kNone };

inline constexpr int kAny = -1;

struct OpInfo {
  OpCode code;
  const char* name;      // as in the table's first column
  const char* mnemonic;  // as StableHLO writes it
  int operands;
  OperandTypes types;
  Derivative derivative;

  // What messages call it.
  absl::string_view label() const { return mnemonic[0] ? mnemonic : name; }
};

inline constexpr OpInfo kOpTable[] = {
#define XLA_BYOL_ROW(Name, mnemonic, operands, types, inference, derivative) \
  {OpCode::k##Name,          #Name, mnemonic, operands, OperandTypes::types, \
   Derivative::k##derivative},
    XLA_BYOL_ALL_OPS(XLA_BYOL_ROW)
#undef XLA_BYOL_ROW
};

// Unary and binary rows come first in the table.
inline constexpr bool IsElementwise(OpCode op) {
  return op < OpCode::kParameter;
}

inline constexpr const OpInfo& InfoOf(OpCode op) {
  return kOpTable[static_cast<int>(op)];
}

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_OP_TABLE_H_
