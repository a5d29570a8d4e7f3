// GFLOPS of 3x3 convolutions and their gradients by oneDNN and by Winograd's
// algorithm, the figures behind WinogradSuits (winograd.h), as a table in
// Markdown. Multiplications are counted as the plain sum has them.
//   tools/bazel run //tests/kernels:convolution_benchmark [-- THREADS]
// Both are timed in turns, so that a busy machine disturbs both alike; each
// figure is the best of its turns.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "xla_byol/kernels/convolution_plan.h"
#include "xla_byol/kernels/winograd.h"
#include "xla_byol/kernels/workspace.h"

namespace xla_byol::kernels {
namespace {

struct Layer {
  const char* where;
  int64_t images, size, channels;
};

// Both views of a batch, then fewer and smaller images.
constexpr Layer kLayers[] = {
    {"CIFAR ResNet-18, stage 0", 128, 32, 64},
    {"stage 1", 128, 16, 128},
    {"stage 2", 128, 8, 256},
    {"stage 3", 128, 4, 512},
    {"ResNet-50, stage 0", 32, 56, 64},
    {"stage 1", 32, 28, 128},
    {"stage 2", 32, 14, 256},
    {"stage 3", 32, 7, 512},
    {"few images", 2, 28, 128},
    {"few images", 2, 14, 256},
    {"few images", 4, 7, 512},
    {"small images", 128, 4, 64},
    {"small images", 128, 4, 128},
    {"tiles cut off", 128, 10, 64},
    {"tiles cut off", 128, 6, 128},
};

// Threads that wait for work without sleeping, as the plugin's do in a step.
class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 1; i < threads; ++i) {
      others_.emplace_back([this] {
        for (int seen = 0; !stop_; std::this_thread::yield()) {
          if (round_ == seen) continue;
          seen = round_;
          Work();
          ++done_;
        }
      });
    }
  }
  ~Pool() {
    stop_ = true;
    for (std::thread& other : others_) other.join();
  }
  int threads() const { return static_cast<int>(others_.size()) + 1; }

  void Run(int count, absl::FunctionRef<void(int)> task) {
    task_ = &task, count_ = count, next_ = 0, done_ = 0;
    ++round_;
    Work();
    while (done_ < static_cast<int>(others_.size())) std::this_thread::yield();
  }

 private:
  void Work() {
    for (int i = next_++; i < count_; i = next_++) (*task_)(i);
  }

  absl::FunctionRef<void(int)>* task_ = nullptr;
  int count_ = 0;
  std::atomic<int> round_{0}, next_{0}, done_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> others_;
};

void MustBeOk(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

// Each thread's images as a batch of their own, as convolution.cc does. (A
// kernel gradient's parts are not added up here.)
void RunOnednn(const ConvolutionSizes& sizes, const float* lhs,
               const float* rhs, std::vector<float>& out, Pool& pool) {
  const bool gradient = sizes.kind == ConvolutionKind::kKernelGradient;
  const auto image_floats = [](const std::array<int64_t, 4>& dims) {
    return dims[1] * dims[2] * dims[3];
  };
  pool.Run(pool.threads(), [&](int part) {
    ConvolutionSizes own = sizes;
    const int64_t begin = sizes.images[0] * part / pool.threads();
    const int64_t end = sizes.images[0] * (part + 1) / pool.threads();
    if (begin == end) return;
    own.images[0] = own.result[0] = end - begin;
    // All of these layers have results as large as their images.
    const int64_t offset = begin * image_floats(sizes.images);
    auto plan = ConvolutionPlan::Find(own);
    MustBeOk(plan.status());
    const Workspace workspace((*plan)->workspace_bytes());
    const int64_t kernel_floats = 9 * sizes.kernel[2] * sizes.kernel[3];
    float* to = out.data() + (gradient ? part * kernel_floats : offset);
    MustBeOk((*plan)->Run(lhs + offset, rhs + (gradient ? offset : 0), to,
                          workspace.data()));
  });
}

double Seconds(absl::FunctionRef<void()> f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

void Measure(const Layer& layer, Pool& pool) {
  std::printf("| %s | %d | %d | %d |", layer.where,
              static_cast<int>(layer.images), static_cast<int>(layer.size),
              static_cast<int>(layer.channels));
  for (int kind = 0; kind < 3; ++kind) {
    const std::array<int64_t, 4> images = {layer.images, layer.size, layer.size,
                                           layer.channels};
    const ConvolutionSizes sizes{static_cast<ConvolutionKind>(kind),
                                 images,
                                 {3, 3, layer.channels, layer.channels},
                                 images,
                                 {1, 1},
                                 {1, 1},
                                 {1, 1, 1, 1}};
    const size_t image_floats = static_cast<size_t>(
        layer.images * layer.size * layer.size * layer.channels);
    const size_t kernel_floats =
        static_cast<size_t>(9 * layer.channels * layer.channels);
    const size_t threads = static_cast<size_t>(pool.threads());
    const std::vector<float> lhs(image_floats, 0.5f);
    const std::vector<float> rhs(kind == 2 ? image_floats : kernel_floats,
                                 0.25f);
    std::vector<float> out(std::max(image_floats, threads * kernel_floats));
    const auto run = [&](int count, absl::FunctionRef<void(int)> task) {
      pool.Run(count, task);
    };
    constexpr int kTurns = 12;
    double winograd = std::numeric_limits<double>::max(), onednn = winograd;
    for (int turn = 0; turn < kTurns; ++turn) {
      winograd = std::min(
          winograd, Seconds([&] {
            MustBeOk(WinogradConvolution(sizes, lhs.data(), rhs.data(),
                                         out.data(), {pool.threads(), run}));
          }));
      onednn = std::min(onednn, Seconds([&] {
                          RunOnednn(sizes, lhs.data(), rhs.data(), out, pool);
                        }));
    }
    const double gflop = 2e-9 * static_cast<double>(image_floats) * 9 *
                         static_cast<double>(layer.channels);
    std::printf(" %.0f / %.0f%s |", gflop / onednn, gflop / winograd,
                WinogradSuits(sizes) ? "" : " (not used)");
    std::fflush(stdout);
  }
  std::printf("\n");
}

}  // namespace
}  // namespace xla_byol::kernels

int main(int argc, char** argv) {
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  if (argc > 1 && (!absl::SimpleAtoi(argv[1], &threads) || threads < 1)) {
    std::fprintf(stderr, "convolution_benchmark: not a number of threads: %s\n",
                 argv[1]);
    return 2;
  }
  std::printf(
      "| 3x3, oneDNN / Winograd, GFLOPS | images | pixels | channels | forward "
      "| input gradient | kernel gradient |\n|---|---|---|---|---|---|---|\n");
  xla_byol::kernels::Pool pool(threads);
  for (const auto& layer : xla_byol::kernels::kLayers) {
    xla_byol::kernels::Measure(layer, pool);
  }
}
