// What the tests of xla_byol/pjrt share.

#ifndef XLA_BYOL_TESTS_PJRT_TESTING_H_
#define XLA_BYOL_TESTS_PJRT_TESTING_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_byol/pjrt/client.h"

namespace xla_byol::pjrt {

// Unwraps, or fails the test with the status.
template <typename T>
T Get(absl::StatusOr<T> result) {
  EXPECT_TRUE(result.ok()) << result.status();
  return std::move(result).value();
}

#define EXPECT_OK(expression)                 \
  do {                                        \
    const absl::Status status = (expression); \
    EXPECT_TRUE(status.ok()) << status;       \
  } while (false)

// The code and a part of the sentence, for each bad input.
#define EXPECT_ERROR(expression, expected_code, text)                       \
  do {                                                                      \
    const absl::Status status = (expression);                               \
    EXPECT_EQ(status.code(), absl::StatusCode::expected_code) << status;    \
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(text)); \
  } while (false)

inline Client CpuClient(int devices) {
  const Plugin* plugin = Get(Plugin::Load(Platform::kCpu));
  return Get(Client::Create(*plugin, {.cpu_device_count = devices}));
}

// (x donated, y) -> (sum over replicas of x * y, y), all f32[length].
inline std::string AllReduceProgram(int replicas, int length) {
  std::string group;
  for (int i = 0; i < replicas; ++i) absl::StrAppend(&group, i ? "," : "", i);
  return absl::Substitute(
      R"(module @step attributes {mhlo.num_replicas = $0 : i32} {
  func.func @main(%x: tensor<$1xf32> {tf.aliasing_output = 0 : i32},
                  %y: tensor<$1xf32>) -> (tensor<$1xf32>, tensor<$1xf32>) {
    %p = "stablehlo.multiply"(%x, %y) : (tensor<$1xf32>, tensor<$1xf32>) -> tensor<$1xf32>
    %r = "stablehlo.all_reduce"(%p) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) {replica_groups = dense<[[$2]]> : tensor<1x$0xi64>} : (tensor<$1xf32>) -> tensor<$1xf32>
    %z = "stablehlo.add"(%y, %y) : (tensor<$1xf32>, tensor<$1xf32>) -> tensor<$1xf32>
    "func.return"(%r, %z) : (tensor<$1xf32>, tensor<$1xf32>) -> ()
  }
})",
      replicas, length, group);
}

inline std::vector<Buffer*> Pointers(std::vector<Buffer>& buffers) {
  std::vector<Buffer*> pointers;
  for (Buffer& buffer : buffers) pointers.push_back(&buffer);
  return pointers;
}

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_TESTS_PJRT_TESTING_H_
