#include "tests/methods/method_inputs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/methods/global_batch.h"
#include "xla_byol/methods/method.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

using graph::Dims;
using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::Tensor;
using graph::Tensors;
using graph::Value;

// The step's part between the networks and the loss.
Value LossOf(const Config& config, Value z1, Value z2, Value matrix) {
  const MethodRow& row = MethodFor(config);
  ViewPair z = {z1, z2};
  if (row.standardizes) z = {Standardized(z1), Standardized(z2)};
  const ViewPair targets = {StopGradient(z.view1), StopGradient(z.view2)};
  ViewPair predictions = z;
  if (row.has_predictor) {
    predictions = {MatMul(z.view1, matrix), MatMul(z.view2, matrix)};
  }
  return row.loss(config, {.projections = z,
                           .targets = targets,
                           .predictions = predictions,
                           .predictor = matrix});
}

// Rows of one replica.
Tensor Shard(const Tensor& whole, int64_t replica, int64_t replicas) {
  const int64_t rows = whole.shape.dims[0] / replicas;
  return graph::Generate({DType::kF32, {rows, whole.shape.dims[1]}},
                         [&](const Dims& at) {
                           return whole.at({replica * rows + at[0], at[1]});
                         });
}

}  // namespace

Config MethodConfig(const std::string& method,
                    const std::vector<std::string>& set, int features,
                    int images, int devices) {
  std::vector<std::string> all = {
      absl::StrCat("method.kind=", method),
      absl::StrCat("model.projector_output_size=", features),
      absl::StrCat("schedule.batch_size=", images)};
  all.insert(all.end(), set.begin(), set.end());
  return LoadConfig("", "", all, devices).value();
}

absl::StatusOr<MethodResult> EvaluateMethod(const Config& config,
                                            const Tensor& z1, const Tensor& z2,
                                            const Tensor& matrix,
                                            int replicas) {
  Graph graph(replicas);
  const Shape rows{DType::kF32,
                   {z1.shape.dims[0] / replicas, z1.shape.dims[1]}};
  const Value a = graph.Parameter("z1", rows);
  const Value b = graph.Parameter("z2", rows);
  const Value m = graph.Parameter("matrix", matrix.shape);
  const Value loss = LossOf(config, a, b, m);
  const std::vector<Value> gradients = Grad(loss, {a, b, m});
  ASSIGN_OR_RETURN(const graph::Program program,
                   Finish(graph, {{"loss", AllReduce(loss)},
                                  {"gradient1", gradients[0]},
                                  {"gradient2", gradients[1]},
                                  {"matrix", AllReduce(gradients[2])}}));
  ASSIGN_OR_RETURN(const graph::Compiled compiled,
                   graph::Compiled::Make(program));
  std::vector<Tensors> inputs;
  for (int replica = 0; replica < replicas; ++replica) {
    inputs.push_back(
        {Shard(z1, replica, replicas), Shard(z2, replica, replicas), matrix});
  }
  ASSIGN_OR_RETURN(const std::vector<Tensors> outputs, compiled.Run(inputs));
  MethodResult result = {.loss = outputs[0][0].data[0],
                         .gradient1 = {z1.shape, {}},
                         .gradient2 = {z2.shape, {}},
                         .matrix_gradient = outputs[0][3]};
  for (const Tensors& replica : outputs) {
    const auto append = [](const Tensor& part, Tensor& whole) {
      whole.data.insert(whole.data.end(), part.data.begin(), part.data.end());
    };
    append(replica[1], result.gradient1);
    append(replica[2], result.gradient2);
  }
  return result;
}

}  // namespace xla_byol
