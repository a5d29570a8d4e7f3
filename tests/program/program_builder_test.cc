#include "xla_byol/program/program_builder.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol {
namespace {

using graph::DType;
using graph::Shape;
using graph::Value;

const Shape kVector{DType::kF32, {4}};

TEST(ProgramBuilderTest, KeepsNamesRolesAndDonations) {
  ProgramBuilder builder("ema", {.replicas = 2});
  const Value x = builder.Input("x", TensorRole::kBatch, kVector);
  const Value mean = builder.Input("mean", TensorRole::kOnline, kVector);
  builder.Output("sum", TensorRole::kMetric, Sum(x));
  builder.Update("mean", 0.5 * mean + 0.5 * x);
  const auto program = builder.Finish();
  ASSERT_TRUE(program.ok()) << program.status();

  ASSERT_EQ(program->inputs.size(), 2u);
  EXPECT_EQ(program->FindInput("x"), &program->inputs[0]);
  EXPECT_EQ(program->FindInput("mean")->role, TensorRole::kOnline);
  EXPECT_EQ(program->FindInput("mean")->shape, kVector);
  EXPECT_EQ(program->FindInput("sum"), nullptr);
  EXPECT_EQ(program->FindOutput("sum")->role, TensorRole::kMetric);
  EXPECT_EQ(program->FindOutput("sum")->shape.rank(), 0);
  EXPECT_EQ(program->FindOutput("mean")->role, TensorRole::kOnline);
  EXPECT_FALSE(program->program.inputs[0].donated_to.has_value());
  EXPECT_EQ(program->program.inputs[1].donated_to, 1);
  EXPECT_EQ(program->program.replicas, 2);
  EXPECT_NE(program->program.text.find("@ema"), std::string::npos);
}

TEST(ProgramBuilderTest, NamesParametersThatALayerDeclared) {
  ProgramBuilder builder("layer", {});
  const Value w = builder.graph().Parameter("w", kVector);
  builder.AdoptInput("w", TensorRole::kOnline, w);
  builder.Output("sum", TensorRole::kMetric, Sum(w));
  EXPECT_NE(builder.Finish()->FindInput("w"), nullptr);

  ProgramBuilder forgetful("layer", {});
  const Value v = forgetful.graph().Parameter("v", kVector);
  forgetful.Output("sum", TensorRole::kMetric, Sum(v));
  EXPECT_EQ(forgetful.Finish().status().message(),
            "program layer: the graph has 1 parameters, of which 0 have names");
}

TEST(ProgramBuilderTest, MistakesAreErrors) {
  {
    ProgramBuilder builder("p", {});
    const Value x = builder.Input("x", TensorRole::kBatch, kVector);
    builder.Output("y", TensorRole::kMetric, x);
    builder.Output("y", TensorRole::kMetric, x + 1.0);
    EXPECT_EQ(builder.Finish().status().message(),
              "finish: two outputs are named 'y'");
  }
  {
    ProgramBuilder builder("p", {});
    const Value x = builder.Input("x", TensorRole::kBatch, kVector);
    builder.Update("z", x);
    builder.Output("y", TensorRole::kMetric, x);
    EXPECT_EQ(builder.Finish().status().message(),
              "program p: it updates 'z', which is none of its inputs");
  }
  {
    ProgramBuilder builder("p", {});
    const Value x = builder.Input("x", TensorRole::kOnline, kVector);
    builder.Update("x", Value());
    builder.Output("y", TensorRole::kMetric, x);
    EXPECT_EQ(builder.Finish().status().message(),
              "program p: the next value of 'x' is missing");
  }
  {
    ProgramBuilder builder("p", {});
    const Value x = builder.Input("x", TensorRole::kOnline, kVector);
    builder.Input("x", TensorRole::kOnline, kVector);
    builder.Output("y", TensorRole::kMetric, x);
    EXPECT_FALSE(builder.Finish().ok());
  }
}

TEST(TensorRoleTest, EveryRoleHasItsOwnName) {
  std::set<std::string> names;
  int state = 0;
  for (int role = 0; role <= static_cast<int>(TensorRole::kDiagnostic);
       ++role) {
    const std::string name(RoleName(static_cast<TensorRole>(role)));
    EXPECT_FALSE(name.empty());
    EXPECT_TRUE(names.insert(name).second) << name;
    state += IsState(static_cast<TensorRole>(role));
  }
  EXPECT_EQ(state, 5);
}

}  // namespace
}  // namespace xla_byol
