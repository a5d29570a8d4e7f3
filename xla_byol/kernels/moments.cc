#include "xla_byol/kernels/moments.h"

#include <algorithm>
#include <cstring>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/kernels/onednn.h"
#include "xla_byol/kernels/workspace.h"

namespace xla_byol::kernels {
namespace {

using pjrt::CustomCall;

constexpr size_t kBlockRows = 128;  // a multiple of kTogether
constexpr size_t kTogether = 4;     // rows that are read side by side
constexpr size_t kTasksPerThread = 4;

// As wide as the widest registers; where they are narrower, the compiler takes
// several.
constexpr size_t kLanes = 16;
using Lanes [[gnu::vector_size(kLanes * sizeof(float))]] = float;

// [groups, rows, columns] and the blocks of rows in a group.
struct Sizes {
  size_t groups, rows, columns;

  size_t blocks() const { return (rows + kBlockRows - 1) / kBlockRows; }
  // Floats from one block's sums to the next one's: sums, then squares.
  size_t stride() const {
    return RoundUp(2 * columns * sizeof(float)) / sizeof(float);
  }
};

// No function takes or returns Lanes: how depends on the registers.
[[gnu::always_inline]] inline void Load(const float* from, Lanes& lanes) {
  std::memcpy(&lanes, from, sizeof lanes);
}

[[gnu::always_inline]] inline void Add(float* to, const Lanes& lanes) {
  Lanes sum;
  Load(to, sum);
  sum += lanes;
  std::memcpy(to, &sum, sizeof sum);
}

// Adds kCount rows of `columns` to sums and squares.
template <size_t kCount>
[[gnu::always_inline]] inline void AddRows(const float* x, size_t columns,
                                           float* sums, float* squares) {
  size_t c = 0;
  for (; c + kLanes <= columns; c += kLanes) {
    Lanes sum;
    Load(x + c, sum);
    Lanes square = sum * sum;
    for (size_t row = 1; row < kCount; ++row) {
      Lanes value;
      Load(x + row * columns + c, value);
      sum += value;
      square += value * value;
    }
    Add(sums + c, sum);
    Add(squares + c, square);
  }
  for (; c < columns; ++c) {
    for (size_t row = 0; row < kCount; ++row) {
      const float value = x[row * columns + c];
      sums[c] += value;
      squares[c] += value * value;
    }
  }
}

[[gnu::always_inline]] inline void AddBlock(const float* x, size_t rows,
                                            size_t columns, float* sums) {
  float* const squares = sums + columns;
  std::fill(sums, squares + columns, 0.0f);
  size_t row = 0;
  for (; row + kTogether <= rows; row += kTogether) {
    AddRows<kTogether>(x + row * columns, columns, sums, squares);
  }
  for (; row < rows; ++row) {
    AddRows<1>(x + row * columns, columns, sums, squares);
  }
}

// The same code for the registers of the machine, since the build is for any.
using BlockFunction = void (*)(const float* x, size_t rows, size_t columns,
                               float* sums);

void PlainBlock(const float* x, size_t rows, size_t columns, float* sums) {
  AddBlock(x, rows, columns, sums);
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void Avx512Block(const float* x, size_t rows,
                                            size_t columns, float* sums) {
  AddBlock(x, rows, columns, sums);
}

[[gnu::target("avx2,fma")]] void Avx2Block(const float* x, size_t rows,
                                           size_t columns, float* sums) {
  AddBlock(x, rows, columns, sums);
}
#endif

// The instructions that oneDNN takes, which the user may limit.
BlockFunction ChooseBlock() {
#if defined(__x86_64__)
  if (InstructionSet() == "AVX-512") return Avx512Block;
  if (InstructionSet() == "AVX2" && __builtin_cpu_supports("fma")) {
    return Avx2Block;
  }
#endif
  return PlainBlock;
}

// Sums or squares of a group's blocks, at the beginning of each.
void AddUp(const float* blocks, const Sizes& sizes, float* result) {
  constexpr size_t kPart = 64;
  for (size_t begin = 0; begin < sizes.columns; begin += kPart) {
    const size_t count = std::min(kPart, sizes.columns - begin);
    double totals[kPart] = {};
    for (size_t block = 0; block < sizes.blocks(); ++block) {
      const float* from = blocks + block * sizes.stride() + begin;
      for (size_t c = 0; c < count; ++c) totals[c] += from[c];
    }
    for (size_t c = 0; c < count; ++c) {
      result[begin + c] = static_cast<float>(totals[c]);
    }
  }
}

absl::StatusOr<Sizes> SizesOf(const CustomCall& call) {
  if (call.operands() != 1 || call.results() != 2) {
    return absl::InvalidArgumentError("takes one operand and has two results");
  }
  const absl::Span<const int64_t> x = call.operand_dims(0);
  if (x.size() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("the operand has ", x.size(), " dimensions instead of 3"));
  }
  const absl::Span<const int64_t> sums = call.result_dims(0);
  if (sums != absl::Span<const int64_t>({x[0], x[2]}) ||
      sums != call.result_dims(1)) {
    return absl::InvalidArgumentError("the results are not [groups,columns]");
  }
  return Sizes{static_cast<size_t>(x[0]), static_cast<size_t>(x[1]),
               static_cast<size_t>(x[2])};
}

}  // namespace

absl::Status Moments(const CustomCall& call) {
  static const BlockFunction add_block = ChooseBlock();
  ASSIGN_OR_RETURN(const Sizes sizes, SizesOf(call));
  ASSIGN_OR_RETURN(absl::Span<const float> x, call.Operand<float>(0));
  ASSIGN_OR_RETURN(absl::Span<float> sums, call.Result<float>(0));
  ASSIGN_OR_RETURN(absl::Span<float> squares, call.Result<float>(1));
  const size_t blocks = sizes.groups * sizes.blocks();
  const Workspace workspace(blocks * sizes.stride() * sizeof(float));
  if (workspace.data() == nullptr) {
    return absl::ResourceExhaustedError("no memory");
  }
  auto* const partial = reinterpret_cast<float*>(workspace.data());
  const size_t tasks =
      std::min(blocks, static_cast<size_t>(call.threads()) * kTasksPerThread);
  call.ParallelFor(static_cast<int>(tasks), [&](int task) {
    const size_t begin = blocks * static_cast<size_t>(task) / tasks;
    const size_t end = blocks * static_cast<size_t>(task + 1) / tasks;
    for (size_t block = begin; block < end; ++block) {
      const size_t group = block / sizes.blocks();
      const size_t row = block % sizes.blocks() * kBlockRows;
      add_block(x.data() + (group * sizes.rows + row) * sizes.columns,
                std::min(kBlockRows, sizes.rows - row), sizes.columns,
                partial + block * sizes.stride());
    }
  });
  // Both results of each group.
  call.ParallelFor(static_cast<int>(2 * sizes.groups), [&](int task) {
    const size_t group = static_cast<size_t>(task) / 2;
    const float* from = partial + group * sizes.blocks() * sizes.stride();
    const size_t to = group * sizes.columns;
    if (task % 2 == 0) {
      AddUp(from, sizes, sums.data() + to);
    } else {
      AddUp(from + sizes.columns, sizes, squares.data() + to);
    }
  });
  return absl::OkStatus();
}

}  // namespace xla_byol::kernels
