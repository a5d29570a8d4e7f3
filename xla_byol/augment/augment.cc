#include "xla_byol/augment/augment.h"

#include <vector>

#include "xla_byol/augment/augmentation_draws.h"

namespace xla_byol {
namespace {

using graph::Direction;
using graph::DType;
using graph::Graph;
using graph::Scope;
using graph::Shape;
using graph::Value;

// One [b,h,w] plane per channel: three channels as the last dimension would
// leave most lanes of a vector unit idle.
using Planes = std::vector<Value>;

// One drawn number of each image, [b,1,1].
Value Draw(Value draws, int place) {
  return Reshape(SliceAxis(draws, 1, place, place + 1), {-1, 1, 1});
}

Value IsSet(Value draw) { return Compare(draw, 0.5, Direction::kGt); }

Value Is(Value operation, JitterOperation which) {
  return Compare(operation, static_cast<double>(which), Direction::kEq);
}

// `value` where the condition holds, else `neutral`.
Value OrNeutral(Value condition, Value value, double neutral) {
  return Select(condition, value, FullLike(value, neutral));
}

// Brightness and contrast are both x * scale + offset, and leave other images
// alone with 1 and 0.
Planes AdjustLight(const Planes& image, Value operation, Value draws) {
  const Value scale =
      OrNeutral(Is(operation, kContrast), Draw(draws, kContrastFactor), 1.0);
  const Value delta =
      OrNeutral(Is(operation, kBrightness), Draw(draws, kBrightnessDelta), 0.0);
  Planes result;
  for (const Value& x : image) {
    const Value mean = ReduceMean(x, {1, 2}, /*keep_dims=*/true);
    result.push_back(
        Clamp(0.0, x * scale + (delta + (1.0 - scale) * mean), 1.0));
  }
  return result;
}

// Saturation and hue. In HSV a channel is V - (V - min) w, where w in [0,1]
// follows from the hue alone. Scaling S with H and V kept therefore scales each
// channel's distance from V; S at most 1 means a factor of at most V / (V -
// min). A new hue means new w.
Planes AdjustColour(const Planes& image, Value operation, Value draws) {
  const Value &r = image[0], &g = image[1], &b = image[2];
  const Value v = Maximum(r, Maximum(g, b));
  const Value range = v - Minimum(r, Minimum(g, b));
  const Value divisor = Maximum(range, 1e-12);  // gray: all numerators are 0
  const Value factor = Select(
      Is(operation, kSaturation),
      Minimum(Draw(draws, kSaturationFactor), v / divisor), FullLike(v, 1.0));

  // In sixths of a turn.
  const Value hue =
      Select(Compare(v, r, Direction::kEq), (g - b) / divisor,
             Select(Compare(v, g, Direction::kEq), (b - r) / divisor + 2.0,
                    (r - g) / divisor + 4.0));
  const Value turned = hue + 6.0 * Draw(draws, kHueDelta);
  const Value is_hue = Is(operation, kHue);
  constexpr double kPhase[] = {5, 3, 1};
  Planes result;
  for (size_t c = 0; c < image.size(); ++c) {
    const Value phase = turned + kPhase[c];
    const Value k = phase - 6.0 * Floor(phase / 6.0);
    const Value w = Clamp(0.0, Minimum(k, 4.0 - k), 1.0);
    const Value below = Select(is_hue, range * w, v - image[c]);
    result.push_back(Clamp(0.0, v - factor * below, 1.0));
  }
  return result;
}

// A loop that stays a loop: unrolled, compilers join the four rounds into
// kernels that take LLVM many minutes.
Planes Jitter(const Planes& image, Value draws) {
  std::vector<Value> state = image;
  state.push_back(draws);
  const auto round = [](Graph& graph, Value slot,
                        const std::vector<Value>& before) {
    Planes planes(before.begin(), before.end() - 1);
    const Value numbers = before.back();
    const Value drawn =
        Reshape(DynamicSlice(numbers,
                             {Constant(graph, 0, DType::kS32),
                              slot + static_cast<double>(kJitterOrder)},
                             {numbers.dim(0), 1}),
                {-1, 1, 1});
    // No operation has the number -1.
    const Value operation =
        OrNeutral(IsSet(Draw(numbers, kJitterApply)), drawn, -1.0);
    planes = AdjustLight(planes, operation, numbers);
    if (planes.size() == 3) planes = AdjustColour(planes, operation, numbers);
    planes.push_back(numbers);
    return planes;
  };
  state = graph::Repeat(kJitterOperations, state, round);
  state.pop_back();
  return state;
}

Planes Grayscale(const Planes& image, Value draws) {
  const Value apply = IsSet(Draw(draws, kGrayscaleApply));
  const Value gray = 0.2989 * image[0] + 0.5870 * image[1] + 0.1140 * image[2];
  Planes result;
  for (const Value& x : image) {
    result.push_back(Clamp(0.0, Select(apply, gray, x), 1.0));
  }
  return result;
}

// [b,size,size]: row i holds the weights of pixel i's neighbours, so that a
// blur is a matrix product, which any accelerator does faster than `taps`
// shifted sums. Neighbours outside the image have no column: they count as
// zeros. The identity for images that are not blurred.
Value BlurMatrix(Value draws, int64_t size, int64_t taps) {
  Graph& graph = *draws.graph();
  const Value sigma = Draw(draws, kBlurSigma);
  const auto weight = [&sigma](Value distance) {
    return Exp(Square(distance) * (-0.5 / Square(sigma)));
  };
  const double radius = static_cast<double>(taps / 2);
  const Shape square{DType::kF32, {1, size, size}};
  const Value distance = Iota(graph, square, 1) - Iota(graph, square, 2);
  const Value inside = Compare(Abs(distance), radius, Direction::kLe);
  const Value window =
      Iota(graph, Shape{DType::kF32, {1, 1, taps}}, 2) - radius;
  const Value total = ReduceSum(weight(window), {1, 2}, /*keep_dims=*/true);
  const Value weights = weight(distance) / total;
  const Value identity =
      Convert(Compare(distance, 0.0, Direction::kEq), DType::kF32);
  return Select(IsSet(Draw(draws, kBlurApply)), OrNeutral(inside, weights, 0.0),
                identity);
}

// Planes to [b,h,w,c], blurred on the way.
Value BlurAndJoin(const Planes& image, Value draws) {
  const int64_t height = image[0].dim(1), width = image[0].dim(2);
  const int64_t taps = BlurTaps(height);
  if (taps == 1) return Stack(image, 3);
  // Three passes of bf16 on a TPU: an error far below 1/255.
  constexpr auto kPrecision = graph::Precision::kHigh;
  const Value joined = Stack(image, 1);  // [b,c,h,w]
  const Value columns =                  // [b,h,c,w]
      DotGeneral(BlurMatrix(draws, height, taps), joined,
                 {.lhs_batch = {0},
                  .rhs_batch = {0},
                  .lhs_contract = {2},
                  .rhs_contract = {2},
                  .precision = kPrecision});
  const Value rows =  // [b,h,c,w]; the blur's matrix is symmetric
      DotGeneral(columns, BlurMatrix(draws, width, taps),
                 {.lhs_batch = {0},
                  .rhs_batch = {0},
                  .lhs_contract = {3},
                  .rhs_contract = {1},
                  .precision = kPrecision});
  return Transpose(rows, {0, 1, 3, 2});
}

Value Solarize(Value image, Value draws) {
  const Value apply = IsSet(ExpandDims(Draw(draws, kSolarizeApply), {3}));
  // x below one half, else 1 - x.
  return Select(apply, Minimum(image, 1.0 - image), image);
}

}  // namespace

int64_t BlurTaps(int64_t height) { return 2 * (height / 20) + 1; }

Value Augment(Value pixels, Value draws) {
  Scope scope(*pixels.graph(), "augment");
  const int64_t channels = pixels.dim(3);
  // Sliced while they are bytes: of f32 a TPU's compiler would store both the
  // whole and its planes.
  Planes image;
  for (int64_t c = 0; c < channels; ++c) {
    const Value plane = Reshape(SliceAxis(pixels, 3, c, c + 1),
                                {pixels.dim(0), pixels.dim(1), pixels.dim(2)});
    image.push_back(Convert(plane, DType::kF32) / 255.0);
  }
  image = Jitter(image, draws);
  if (channels == 3) image = Grayscale(image, draws);
  return Clamp(0.0, Solarize(BlurAndJoin(image, draws), draws), 1.0);
}

}  // namespace xla_byol
