#include <bit>
#include <cmath>

#include "tests/graph/op_cases.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol::graph {
namespace {

const Shape kMatrix = F64({2, 3});

struct UnaryCase {
  const char* name;
  OpCode op;
  Value (*build)(Value);
  double (*expected)(double);
  double low = -2, high = 2;
  DType dtype = DType::kF64;
};

double RoundEven(double x) { return std::nearbyint(x); }
double SignOf(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

const UnaryCase kUnary[] = {
    {"abs", OpCode::kAbs, Abs, [](double x) { return std::fabs(x); }},
    {"abs_s32", OpCode::kAbs, Abs, [](double x) { return std::fabs(x); }, -9, 9,
     DType::kS32},
    {"ceil", OpCode::kCeil, Ceil, [](double x) { return std::ceil(x); }},
    {"cosine", OpCode::kCosine, Cosine, [](double x) { return std::cos(x); }},
    {"exp", OpCode::kExp, Exp, [](double x) { return std::exp(x); }},
    {"expm1", OpCode::kExpm1, Expm1, [](double x) { return std::expm1(x); }},
    {"floor", OpCode::kFloor, Floor, [](double x) { return std::floor(x); }},
    {"log", OpCode::kLog, Log, [](double x) { return std::log(x); }, 0.2, 3},
    {"log1p", OpCode::kLog1p, Log1p, [](double x) { return std::log1p(x); },
     -0.8, 3},
    {"logistic", OpCode::kLogistic, Logistic,
     [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"negate", OpCode::kNegate, Negate, [](double x) { return -x; }},
    {"not_pred", OpCode::kNot, Not, [](double x) { return 1 - x; }, 0, 2,
     DType::kPred},
    {"not_s32", OpCode::kNot, Not, [](double x) { return -x - 1; }, -9, 9,
     DType::kS32},
    {"round_nearest_even", OpCode::kRoundNearestEven, RoundNearestEven,
     RoundEven},
    {"rsqrt", OpCode::kRsqrt, Rsqrt, [](double x) { return 1 / std::sqrt(x); },
     0.2, 3},
    {"sign", OpCode::kSign, Sign, SignOf},
    {"sine", OpCode::kSine, Sine, [](double x) { return std::sin(x); }},
    {"sqrt", OpCode::kSqrt, Sqrt, [](double x) { return std::sqrt(x); }, 0.2,
     3},
    {"tanh", OpCode::kTanh, Tanh, [](double x) { return std::tanh(x); }},
    {"stop_gradient", OpCode::kStopGradient,
     [](Value x) { return StopGradient(x); }, [](double x) { return x; }},
};

struct BinaryCase {
  const char* name;
  OpCode op;
  Value (*build)(Value, Value);
  double (*expected)(double, double);
  double low = -2, high = 2;  // of the first; the second is in [0.5, high)
  DType dtype = DType::kF64;
};

int32_t Int(double x) { return static_cast<int32_t>(x); }
uint32_t Unsigned(double x) { return static_cast<uint32_t>(Int(x)); }

const BinaryCase kBinary[] = {
    {"add", OpCode::kAdd, Add, [](double a, double b) { return a + b; }},
    {"and", OpCode::kAnd, And,
     [](double a, double b) { return double(Int(a) & Int(b)); }, -9, 9,
     DType::kS32},
    {"atan2", OpCode::kAtan2, Atan2,
     [](double a, double b) { return std::atan2(a, b); }},
    {"divide", OpCode::kDivide, Divide,
     [](double a, double b) { return a / b; }},
    {"divide_s32", OpCode::kDivide, Divide,
     [](double a, double b) { return double(Int(a) / Int(b)); }, -20, 9,
     DType::kS32},
    {"maximum", OpCode::kMaximum, Maximum,
     [](double a, double b) { return std::fmax(a, b); }},
    {"minimum", OpCode::kMinimum, Minimum,
     [](double a, double b) { return std::fmin(a, b); }},
    {"multiply", OpCode::kMultiply, Multiply,
     [](double a, double b) { return a * b; }},
    {"or", OpCode::kOr, Or,
     [](double a, double b) { return double(Int(a) | Int(b)); }, -9, 9,
     DType::kS32},
    {"power", OpCode::kPower, Power,
     [](double a, double b) { return std::pow(a, b); }, 0.3, 2},
    {"remainder", OpCode::kRemainder, Remainder,
     [](double a, double b) { return std::fmod(a, b); }, -5, 5},
    {"shift_left", OpCode::kShiftLeft, ShiftLeft,
     [](double a, double b) { return double(Int(a) * (1 << Int(b))); }, -9, 9,
     DType::kS32},
    {"shift_right_arithmetic", OpCode::kShiftRightArithmetic,
     ShiftRightArithmetic,
     [](double a, double b) { return std::floor(a / (1 << Int(b))); }, -99, 9,
     DType::kS32},
    {"shift_right_logical", OpCode::kShiftRightLogical, ShiftRightLogical,
     [](double a, double b) { return double(Unsigned(a) >> Int(b)); }, -99, 9,
     DType::kS32},
    {"subtract", OpCode::kSubtract, Subtract,
     [](double a, double b) { return a - b; }},
    {"xor", OpCode::kXor, Xor,
     [](double a, double b) { return double(Int(a) ^ Int(b)); }, -9, 9,
     DType::kS32},
};

std::vector<OpCase> OtherCases() {
  std::vector<OpCase> cases;
  cases.push_back({"parameter",
                   OpCode::kParameter,
                   {{kMatrix}},
                   [](Graph&, const std::vector<Value>& v) { return v[0]; },
                   FromInputs([](const Tensors& in) { return in[0]; })});
  cases.push_back(
      {"constant_dense",
       OpCode::kConstant,
       {},
       [](Graph& graph, const std::vector<Value>&) {
         return DenseConstant<double>(graph, {2, 3},
                                      {0.1, -1, 1e300, 3.5, INFINITY, 1e-310});
       },
       FromInputs([](const Tensors&) {
         return Tensor{kMatrix, {0.1, -1, 1e300, 3.5, INFINITY, 1e-310}};
       })});
  cases.push_back({"constant_blob",
                   OpCode::kConstant,
                   {},
                   [](Graph& graph, const std::vector<Value>&) {
                     std::vector<float> data(40);
                     for (int i = 0; i < 40; ++i)
                       data[i] = 0.1f * static_cast<float>(i);
                     return DenseConstant<float>(graph, {8, 5}, data);
                   },
                   FromInputs([](const Tensors&) {
                     return Generate({DType::kF32, {8, 5}}, [](const Dims& i) {
                       return double{0.1f *
                                     static_cast<float>(i[0] * 5 + i[1])};
                     });
                   })});
  cases.push_back({"iota",
                   OpCode::kIota,
                   {},
                   [](Graph& graph, const std::vector<Value>&) {
                     return Iota(graph, {DType::kU32, {2, 3}}, 1);
                   },
                   FromInputs([](const Tensors&) {
                     return Generate({DType::kU32, {2, 3}}, [](const Dims& i) {
                       return double(i[1]);
                     });
                   })});
  cases.push_back(
      {"is_finite",
       OpCode::kIsFinite,
       {{kMatrix}},
       [](Graph&, const std::vector<Value>& v) { return IsFinite(Log(v[0])); },
       FromInputs([](const Tensors& in) {
         return Generate({DType::kPred, {2, 3}}, [&in](const Dims& i) {
           return double(in[0].at(i) > 0);
         });
       })});
  constexpr const char* kNames[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  for (int d = 0; d < 6; ++d) {
    cases.push_back(
        {std::string("compare_") + kNames[d],
         OpCode::kCompare,
         {{{DType::kS32, {2, 5}}}, {{DType::kS32, {2, 5}}}},
         [d](Graph&, const std::vector<Value>& v) {
           return Compare(v[0], v[1], static_cast<Direction>(d));
         },
         FromInputs([d](const Tensors& in) {
           return Generate({DType::kPred, {2, 5}}, [&in, d](const Dims& i) {
             const double a = in[0].at(i), b = in[1].at(i);
             const bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
             return double(results[d]);
           });
         })});
  }
  cases.push_back({"with_gradient_of",
                   OpCode::kWithGradientOf,
                   {{kMatrix}},
                   [](Graph&, const std::vector<Value>& v) {
                     return WithGradientOf(StopGradient(v[0]) * v[0],
                                           Square(v[0]));
                   },
                   FromInputs([](const Tensors& in) {
                     return Generate(kMatrix, [&in](const Dims& i) {
                       return in[0].at(i) * in[0].at(i);
                     });
                   })});
  cases.push_back({"select",
                   OpCode::kSelect,
                   {{kMatrix}, {F64({3})}, {kMatrix}},
                   [](Graph&, const std::vector<Value>& v) {
                     return Select(
                         Compare(StopGradient(v[0]), 0.0, Direction::kGt), v[1],
                         v[2]);
                   },
                   FromInputs([](const Tensors& in) {
                     return Generate(kMatrix, [&in](const Dims& i) {
                       return in[0].at(i) > 0 ? in[1].at({i[1]}) : in[2].at(i);
                     });
                   })});
  cases.push_back({"clamp_scalars",
                   OpCode::kClamp,
                   {{F64({}), -1, -0.5}, {F64({4, 3})}, {F64({}), 0.5, 1}},
                   [](Graph&, const std::vector<Value>& v) {
                     return Clamp(v[0], v[1], v[2]);
                   },
                   FromInputs([](const Tensors& in) {
                     return Generate(F64({4, 3}), [&in](const Dims& i) {
                       return std::fmin(std::fmax(in[1].at(i), in[0].at({})),
                                        in[2].at({}));
                     });
                   })});
  cases.push_back({"clamp_tensors",
                   OpCode::kClamp,
                   {{kMatrix, -1, -0.5}, {kMatrix}, {kMatrix, 0.5, 1}},
                   [](Graph&, const std::vector<Value>& v) {
                     return Clamp(v[0], v[1], v[2]);
                   },
                   FromInputs([](const Tensors& in) {
                     return Generate(kMatrix, [&in](const Dims& i) {
                       return std::fmin(std::fmax(in[1].at(i), in[0].at(i)),
                                        in[2].at(i));
                     });
                   })});
  cases.push_back({"convert",
                   OpCode::kConvert,
                   {{kMatrix, -9, 9}},
                   [](Graph&, const std::vector<Value>& v) {
                     return Convert(v[0], DType::kS32);
                   },
                   FromInputs([](const Tensors& in) {
                     return Generate({DType::kS32, {2, 3}},
                                     [&in](const Dims& i) {
                                       return std::trunc(in[0].at(i));
                                     });
                   })});
  cases.push_back({"convert_f32",
                   OpCode::kConvert,
                   {{{DType::kF32, {2, 3}}}},
                   [](Graph&, const std::vector<Value>& v) {
                     return Convert(v[0], DType::kF64);
                   },
                   FromInputs([](const Tensors& in) {
                     return Generate(
                         kMatrix, [&in](const Dims& i) { return in[0].at(i); });
                   })});
  cases.push_back(
      {"convert_bf16",
       OpCode::kConvert,
       {{{DType::kF32, {2, 3}}}},
       [](Graph&, const std::vector<Value>& v) {
         return Convert(v[0], DType::kBF16);
       },
       FromInputs([](const Tensors& in) {
         return Generate({DType::kBF16, {2, 3}}, [&in](const Dims& i) {
           const auto bytes = EncodeElement(DType::kBF16, in[0].at(i));
           return DecodeElement(DType::kBF16, bytes->data());
         });
       })});
  cases.push_back(
      {"bitcast_convert",
       OpCode::kBitcastConvert,
       {{{DType::kF32, {2, 3}}}},
       [](Graph&, const std::vector<Value>& v) {
         return BitcastConvert(v[0], DType::kU32);
       },
       FromInputs([](const Tensors& in) {
         return Generate({DType::kU32, {2, 3}}, [&in](const Dims& i) {
           return double(
               std::bit_cast<uint32_t>(static_cast<float>(in[0].at(i))));
         });
       })});
  cases.push_back(
      {"relu",
       OpCode::kSelect,
       {{kMatrix}},
       [](Graph&, const std::vector<Value>& v) { return Relu(v[0]); },
       FromInputs([](const Tensors& in) {
         return Generate(kMatrix, [&in](const Dims& i) {
           return std::fmax(in[0].at(i), 0);
         });
       })});
  return cases;
}

}  // namespace

std::vector<OpCase> ElementwiseCases() {
  std::vector<OpCase> cases = OtherCases();
  for (const UnaryCase& c : kUnary) {
    const Shape shape{c.dtype, {2, 3}};
    cases.push_back({c.name,
                     c.op,
                     {{shape, c.low, c.high}},
                     [build = c.build](Graph&, const std::vector<Value>& v) {
                       return build(v[0]);
                     },
                     FromInputs([shape, f = c.expected](const Tensors& in) {
                       return Generate(shape, [&](const Dims& i) {
                         return f(in[0].at(i));
                       });
                     })});
  }
  // The second operand has fewer dimensions: broadcasting by NumPy's rules.
  for (const BinaryCase& c : kBinary) {
    const Shape shape{c.dtype, {4, 3}};
    const double low = c.dtype == DType::kF64 ? 0.5 : 1;
    cases.push_back({c.name,
                     c.op,
                     {{shape, c.low, c.high}, {{c.dtype, {3}}, low, c.high}},
                     [build = c.build](Graph&, const std::vector<Value>& v) {
                       return build(v[0], v[1]);
                     },
                     FromInputs([shape, f = c.expected](const Tensors& in) {
                       return Generate(shape, [&](const Dims& i) {
                         return f(in[0].at(i), in[1].at({i[1]}));
                       });
                     })});
  }
  return cases;
}

}  // namespace xla_byol::graph
