#include "xla_byol/graph/random.h"

#include <array>
#include <numbers>
#include <utility>

#include "xla_byol/graph/constants.h"
#include "xla_byol/graph/elementwise.h"
#include "xla_byol/graph/shape_ops.h"

namespace xla_byol::graph {
namespace {

using Pair = std::array<Value, 2>;

Value RotateLeft(Value x, int bits) {
  return Or(ShiftLeft(x, bits), ShiftRightLogical(x, 32 - bits));
}

// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3": 20 rounds, the
// key schedule injected after every four.
Pair Threefry(const Pair& key, Pair x) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  constexpr double kParity = 0x1BD11BDA;
  const std::array<Value, 3> schedule = {key[0], key[1],
                                         Xor(Xor(key[0], key[1]), kParity)};
  x = {x[0] + schedule[0], x[1] + schedule[1]};
  for (int group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x[0] = x[0] + x[1];
      x[1] = Xor(RotateLeft(x[1], rotation), x[0]);
    }
    x[0] = x[0] + schedule[(group + 1) % 3];
    x[1] = x[1] + (schedule[(group + 2) % 3] + static_cast<double>(group + 1));
  }
  return x;
}

bool CheckKey(Value key) {
  if (!key.valid()) return false;
  if (key.shape() == Shape{DType::kU32, {2}}) return true;
  key.graph()->Fail("random", "a key is u32[2]", {key});
  return false;
}

Pair Halves(Value key) {
  return {Reshape(SliceAxis(key, 0, 0, 1), {}),
          Reshape(SliceAxis(key, 0, 1, 2), {})};
}

// Encrypts the row-major position of each element, as a 64-bit number in two
// halves.
Pair EncryptPositions(Value key, const Dims& dims) {
  Graph& graph = *key.graph();
  const Shape flat{DType::kU64, {Product(dims)}};
  Value position = Iota(graph, flat, 0);
  Value high = Convert(ShiftRightLogical(position, 32), DType::kU32);
  Value low = Convert(position, DType::kU32);
  return Threefry(Halves(key), {high, low});
}

// In [0, 1): 23 random bits as the mantissa of a float in [1, 2).
Value UnitFloats(Value bits) {
  Value mantissa = Or(ShiftRightLogical(bits, 9), 0x3f800000);
  return BitcastConvert(mantissa, DType::kF32) - 1.0;
}

}  // namespace

Value RandomKey(Graph& graph, uint64_t seed) {
  const uint32_t halves[] = {static_cast<uint32_t>(seed >> 32),
                             static_cast<uint32_t>(seed)};
  return DenseConstant<uint32_t>(graph, {2}, halves);
}

Value FoldIn(Value key, Value number) {
  if (!CheckKey(key)) return Value(key.graph(), -1);
  if (number.valid() && number.shape() != Shape{DType::kU32, {}}) {
    return key.graph()->Fail("fold_in", "the number must be u32[]", {number});
  }
  Pair folded = Threefry(Halves(key), {ScalarLike(number, 0), number});
  return Stack(folded, 0);
}

Value SplitKey(Value key, int64_t count) {
  if (!CheckKey(key)) return Value(key.graph(), -1);
  return Stack(EncryptPositions(key, {count}), 1);
}

Value RandomBits(Value key, Dims dims) {
  if (!CheckKey(key)) return Value(key.graph(), -1);
  Pair bits = EncryptPositions(key, dims);
  return Reshape(Xor(bits[0], bits[1]), std::move(dims));
}

Value RandomUniform(Value key, Dims dims, double low, double high) {
  Value unit = UnitFloats(RandomBits(key, std::move(dims)));
  // Rounding may reach `high`; jax.random keeps `low` the same way.
  return Maximum(unit * (high - low) + low, low);
}

Value RandomNormal(Value key, Dims dims) {
  if (!CheckKey(key)) return Value(key.graph(), -1);
  Pair bits = EncryptPositions(key, dims);
  // 1 - u lies in (0, 1], so that the logarithm is finite.
  Value radius = Sqrt(Log(1.0 - UnitFloats(bits[0])) * -2.0);
  Value angle = UnitFloats(bits[1]) * (2.0 * std::numbers::pi);
  return Reshape(radius * Cosine(angle), std::move(dims));
}

}  // namespace xla_byol::graph
