#include "xla_byol/graph/program.h"

#include <gtest/gtest.h>

#include "xla_byol/graph/ops.h"

namespace xla_byol::graph {
namespace {

const Shape kMatrix{DType::kF32, {2, 3}};

TEST(ProgramTest, SmallProgramIsWrittenExactly) {
  Graph graph(2);
  Value x = graph.Parameter("x", kMatrix);
  Value state = graph.Parameter("state", {DType::kF32, {}});
  Value y;
  {
    Scope outer(graph, "net");
    Scope inner(graph, "layer0");
    y = Tanh(x * 2.0);
  }
  Value total = AllReduce(Sum(y)) + state;
  auto program =
      Finish(graph, {{"total", total, state}, {"y", y}}, {.name = "step"});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(
      program->text,
      R"(module @step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32> loc("x"), %arg1: tensor<f32> {tf.aliasing_output = 0 : i32} loc("state")) -> (tensor<f32>, tensor<2x3xf32>) {
    %0 = "stablehlo.constant"() {value = dense<2.0e+00> : tensor<f32>} : () -> tensor<f32> loc(#loc0)
    %1 = "stablehlo.broadcast_in_dim"(%0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32> loc(#loc0)
    %2 = "stablehlo.multiply"(%arg0, %1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32> loc(#loc0)
    %3 = "stablehlo.tanh"(%2) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc(#loc0)
    %identity4 = "stablehlo.constant"() {value = dense<0.0e+00> : tensor<f32>} : () -> tensor<f32>
    %4 = "stablehlo.reduce"(%3, %identity4) ({^bb0(%a: tensor<f32>, %b: tensor<f32>): %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%c) : (tensor<f32>) -> ()}) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    %5 = "stablehlo.all_reduce"(%4) ({^bb0(%a: tensor<f32>, %b: tensor<f32>): %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%c) : (tensor<f32>) -> ()}) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<f32>) -> tensor<f32>
    %6 = "stablehlo.add"(%5, %arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%6, %3) : (tensor<f32>, tensor<2x3xf32>) -> ()
  }
}
#loc0 = loc("net/layer0")
)");
  ASSERT_EQ(program->inputs.size(), 2u);
  EXPECT_EQ(program->inputs[0].name, "x");
  EXPECT_EQ(program->inputs[0].shape, kMatrix);
  EXPECT_FALSE(program->inputs[0].donated_to.has_value());
  EXPECT_EQ(program->inputs[1].donated_to, 0);
  EXPECT_EQ(program->outputs[1].shape, kMatrix);
  EXPECT_EQ(program->replicas, 2);
}

TEST(ProgramTest, FirstErrorSticksWithOpShapesAndScope) {
  Graph graph;
  Value x = graph.Parameter("x", {DType::kF32, {32, 224, 224, 3}});
  Value kernel = graph.Parameter("kernel", {DType::kF32, {7, 7, 4, 64}});
  Value y;
  {
    Scope scope(graph, "resnet/stem");
    y = Conv2d(x, kernel, {.strides = {2, 2}});
  }
  EXPECT_FALSE(y.valid());
  Value z = Relu(y) + 1.0;  // harmless
  EXPECT_FALSE(z.valid());
  EXPECT_EQ(z.dim(7), 1);
  MatMul(x, x);  // a second error is not reported
  auto program = Finish(graph, {{"z", z}});
  EXPECT_EQ(program.status().message(),
            "convolution: input has 3 channels, kernel expects 4 "
            "(f32[32,224,224,3], f32[7,7,4,64]) at resnet/stem");
}

TEST(ProgramTest, DeadAndCommonNodesAreNotEmitted) {
  Graph graph;
  Value x = graph.Parameter("x", kMatrix);
  Exp(x);  // dead
  Value y = Tanh(x) + Tanh(x);
  auto program = Finish(graph, {{"y", y}});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->text.find("exponential"), std::string::npos);
  EXPECT_EQ(program->text.find("tanh"), program->text.rfind("tanh"));
}

TEST(ProgramTest, WrongOutputsAndDonations) {
  Graph graph;
  Value x = graph.Parameter("x", kMatrix);
  Value y = Sum(x);
  Graph other;
  Value foreign = Constant(other, 1);
  auto message = [&](std::vector<Output> outputs, FinishOptions options = {}) {
    return std::string(Finish(graph, outputs, options).status().message());
  };
  EXPECT_EQ(message({}), "finish: a program needs an output");
  EXPECT_EQ(message({{"y", y}, {"y", x}}), "finish: two outputs are named 'y'");
  EXPECT_EQ(message({{"y", foreign}}),
            "finish: output 'y' is not a value of this graph");
  EXPECT_EQ(message({{"y", Value()}}),
            "finish: output 'y' is not a value of this graph");
  EXPECT_EQ(message({{"y", y, x}}),
            "finish: output 'y' is f32[], the donated parameter 'x' is "
            "f32[2,3]");
  EXPECT_EQ(message({{"y", y, y}}),
            "finish: output 'y' can only take over a parameter's buffer");
  EXPECT_EQ(message({{"a", x, x}, {"b", x, x}}),
            "finish: parameter 'x' is donated to two outputs, the second is "
            "'b'");
  EXPECT_EQ(message({{"y", y}}, {.name = "a b"}),
            "finish: the module's name 'a b' must consist of letters, digits "
            "and _");
}

TEST(ProgramTest, CallsOnlyWhatTheTargetHas) {
  Graph graph;
  Value x = graph.Parameter("x", kMatrix);
  Value y, in_loop;
  {
    const Scope scope(graph, "net/layer");
    y = CustomCall({x}, {"fast", {kMatrix}})[0];
    in_loop = Repeat(2, {x}, [](Graph&, Value, const std::vector<Value>& s) {
      return CustomCall(s, {"fast", {s[0].shape()}});
    })[0];
  }
  for (const Value& value : {y, in_loop}) {
    for (const Backend& backend :
         {Backend(Backend::kCpu), Backend(Backend::kTpu),
          Backend(Backend::kGpu), Backend(Backend::kCpu, {"slow"})}) {
      EXPECT_EQ(Finish(graph, {{"y", value}}, {.backend = backend})
                    .status()
                    .message(),
                "custom_call: this backend does not have 'fast' (f32[2,3]) at "
                "net/layer");
    }
    auto program = Finish(graph, {{"y", value}},
                          {.backend = Backend(Backend::kCpu, {"fast"})});
    ASSERT_TRUE(program.ok()) << program.status();
    EXPECT_NE(program->text.find("call_target_name = \"fast\""),
              std::string::npos);
    EXPECT_NE(program->text.find("scope = \"net/layer\""), std::string::npos);
  }
  // What is not needed is not called.
  EXPECT_TRUE(Finish(graph, {{"x", x}}).ok());
}

}  // namespace
}  // namespace xla_byol::graph
