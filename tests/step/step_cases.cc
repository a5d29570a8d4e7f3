// Runs training steps of many configs on the CPU plugin and writes, for each
// case, what went in (in.safetensors, config.json) and what came out
// (ours.safetensors), for compare_steps.py to compare with JAX.
//
//   step_cases FOLDER GROUP [PREFIX]
//
// PREFIX chooses cases by the beginning of their names.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/graph/evaluate.h"
#include "tests/step/case_tensors.h"
#include "tests/step/oracle_json.h"
#include "tests/step/quick_compilation.h"
#include "tests/step/step_case_list.h"
#include "xla_byol/augment/augment.h"
#include "xla_byol/augment/augmentation_draws.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/philox.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/safetensors.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/input/draws.h"
#include "xla_byol/nn/architecture.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/runtime/device_program.h"
#include "xla_byol/settings/settings.h"
#include "xla_byol/step/state.h"
#include "xla_byol/step/train_step.h"
#include "xla_byol/training/bound_step.h"

namespace xla_byol {
namespace {

std::string Folder(const StepCase& one, int steps, const std::string& root) {
  return JoinPath(
      root, absl::StrCat(one.name, "-steps", steps, "-devices", one.devices));
}

// Images that differ from each other in more than noise, as real ones do:
// each has its own mean and a ramp.
std::vector<uint8_t> Images(const graph::Shape& shape, int64_t first,
                            uint64_t key) {
  const int64_t per_image = shape.elements() / shape.dims[0];
  std::vector<uint8_t> pixels;
  for (int64_t image = 0; image < shape.dims[0]; ++image) {
    const uint32_t index = static_cast<uint32_t>(first + image);
    const PhiloxBlock own = Philox(7, {index, 0, 0, 0});
    for (int64_t i = 0; i < per_image; ++i) {
      const PhiloxBlock noise =
          Philox(key, {index, static_cast<uint32_t>(i), 1, 0});
      const double value = 60 + 80 * UnitUniform(own[i % 3]) +
                           60 * UnitUniform(noise[0]) +
                           40 * UnitUniform(own[3]) * static_cast<double>(i) /
                               static_cast<double>(per_image);
      pixels.push_back(static_cast<uint8_t>(value));
    }
  }
  return pixels;
}

std::vector<float> Draws(int64_t images, int64_t first, int view) {
  std::vector<float> draws(static_cast<size_t>(images * kAugmentationDraws));
  for (int64_t i = 0; i < images; ++i) {
    input::DrawAugmentation(
        {.index = static_cast<uint64_t>(first + i), .view = view},
        input::ReferenceView(view), &draws[i * kAugmentationDraws]);
  }
  return draws;
}

// What the step makes of the images before its network sees them.
absl::StatusOr<std::vector<float>> Augmented(const graph::Shape& shape,
                                             absl::Span<const uint8_t> pixels,
                                             absl::Span<const float> draws) {
  graph::Graph graph;
  const graph::Shape numbers{graph::DType::kF32,
                             {shape.dims[0], kAugmentationDraws}};
  const graph::Value images = graph.Parameter("pixels", shape);
  const graph::Value drawn = graph.Parameter("draws", numbers);
  ASSIGN_OR_RETURN(const graph::Tensors results,
                   graph::Evaluate(graph, {Augment(images, drawn)},
                                   {{shape, {pixels.begin(), pixels.end()}},
                                    {numbers, {draws.begin(), draws.end()}}}));
  return std::vector<float>(results[0].data.begin(), results[0].data.end());
}

// Moves the offset of a norm so that the ReLU after it sees hardly anything
// near 0: even channels on, odd ones off, by four standard deviations. A
// block's last norm, small with zero_init_residual, is added to a shortcut of
// the same sign; it needs an offset only where the shortcut is 0.
void AvoidKinks(const StateTensor& tensor, bool bottleneck,
                absl::Span<float> values) {
  if (tensor.role == TensorRole::kMomentum ||
      !absl::EndsWith(tensor.path, "/offset")) {
    return;
  }
  const bool last = absl::EndsWith(
      tensor.path, bottleneck ? "/norm3/offset" : "/norm2/offset");
  for (size_t channel = 0; channel < values.size(); ++channel) {
    const bool on = channel % 2 == 0;
    values[channel] += last ? (on ? 0 : -1) : (on ? 4 : -4);
  }
}

// The part of `values` that one of `devices` devices gets.
template <typename Values>
auto ShardOf(const Values& values, int device, int devices) {
  const size_t size = values.size() / static_cast<size_t>(devices);
  return absl::MakeConstSpan(values).subspan(static_cast<size_t>(device) * size,
                                             size);
}

// The first state, and not everything at its start: a scale of 1 or a momentum
// of 0 would hide a missing factor.
void FirstValues(const StateTensor& tensor, size_t number, bool smooth,
                 bool bottleneck, absl::Span<float> values) {
  InitializeState(tensor, /*seed=*/3, values);
  if (tensor.shape.rank() == 1) {
    for (size_t k = 0; k < values.size(); ++k) {
      const double noise =
          UnitUniform(Philox(number, {static_cast<uint32_t>(k), 0, 0, 0})[0]);
      values[k] += static_cast<float>(0.2 * noise);
    }
  }
  if (smooth) AvoidKinks(tensor, bottleneck, values);
}

// The batch of step k for every device; `shard` is one device's shape.
absl::StatusOr<std::vector<HostBatch>> BatchOf(const StepCase& one,
                                               bool augment,
                                               const graph::Shape& shard, int k,
                                               CaseTensors& tensors) {
  graph::Shape whole = shard;
  whole.dims[0] *= one.devices;
  const std::string name = absl::StrCat("batch/", k, "/");
  std::vector<int32_t> classes;
  for (int64_t i = 0; i < whole.dims[0]; ++i) {
    classes.push_back(static_cast<int32_t>(i % 6) - 1);  // -1: no label
  }
  const absl::Span<const int32_t> labels =
      tensors.KeepLabels(absl::StrCat(name, "labels"), std::move(classes));
  std::vector<HostBatch> batches(static_cast<size_t>(one.devices));
  for (int view = 1; view <= 2; ++view) {
    const absl::Span<const uint8_t> pixels = tensors.KeepPixels(
        absl::StrCat(name, "view", view), whole.dims,
        Images(whole, k * whole.dims[0], static_cast<uint64_t>(view)));
    for (int device = 0; device < one.devices; ++device) {
      HostBatch& batch = batches[static_cast<size_t>(device)];
      (view == 1 ? batch.view1 : batch.view2) =
          ShardOf(pixels, device, one.devices);
      batch.labels = ShardOf(labels, device, one.devices);
    }
    if (!augment) continue;
    const absl::Span<const float> draws =
        tensors.Keep(tensors.in, absl::StrCat(name, "draws", view),
                     {whole.dims[0], kAugmentationDraws},
                     Draws(whole.dims[0], k * whole.dims[0], view - 1));
    for (int device = 0; device < one.devices; ++device) {
      HostBatch& batch = batches[static_cast<size_t>(device)];
      (view == 1 ? batch.draws1 : batch.draws2) =
          ShardOf(draws, device, one.devices);
    }
    ASSIGN_OR_RETURN(std::vector<float> augmented,
                     Augmented(whole, pixels, draws));
    tensors.Keep(tensors.in, absl::StrCat(name, "pixels", view), whole.dims,
                 std::move(augmented));
  }
  return batches;
}

StepScalars ScalarsOf(const StepCase& one, const Config& config, int k,
                      CaseTensors& tensors) {
  StepScalars scalars = ScalarsForStep(config, k);
  // Large enough to move every tensor, small enough that rounding does not
  // grow: where a ReLU's input is rounded across 0, a gradient jumps.
  scalars.learning_rate = one.learning_rate;
  const std::pair<const char*, float> named[] = {
      {"learning_rate", scalars.learning_rate},
      {"tau", scalars.target_decay},
      {"rho", scalars.predictor_decay},
      {"bn_rate1", scalars.batch_norm_rate1},
      {"bn_rate2", scalars.batch_norm_rate2},
      {"predictor_learning_rate", scalars.predictor_learning_rate},
      {"predictor_set", scalars.predictor_set},
      {"first_moment_rate", scalars.first_moment_rate},
      {"second_moment_rate", scalars.second_moment_rate}};
  for (const auto& [name, value] : named) {
    tensors.Keep(tensors.in, absl::StrCat("scalar/", k, "/", name), {},
                 {value});
  }
  return scalars;
}

// Runs one step and keeps what it reports.
absl::Status RunStep(BoundStep& bound, const std::vector<HostBatch>& batches,
                     const StepScalars& scalars, int k, CaseTensors& tensors) {
  ASSIGN_OR_RETURN(StagedInputs batch, bound.StartTransfer(batches));
  RETURN_IF_ERROR(bound.Run(std::move(batch), scalars));
  const StepOutputs outputs = bound.program().TakeOutputs();
  for (const TensorRole role : {TensorRole::kMetric, TensorRole::kDiagnostic}) {
    ASSIGN_OR_RETURN(const auto metrics, outputs.ReadScalars(role));
    for (const auto& [name, value] : metrics) {
      tensors.Keep(tensors.ours, absl::StrCat("metric/", k, "/", name), {},
                   {value});
    }
  }
  return absl::OkStatus();
}

// The files of a case after `steps` steps.
absl::Status WriteSnapshot(const Config& config,
                           const std::vector<StateTensor>& layout,
                           BoundStep& bound, int steps,
                           const std::string& folder, CaseTensors& tensors) {
  std::vector<TensorView> with_state = tensors.ours;
  for (const StateTensor& tensor : layout) {
    ASSIGN_OR_RETURN(std::vector<float> values,
                     bound.program().Read<float>(tensor.path));
    tensors.Keep(with_state, tensor.path, tensor.shape.dims, std::move(values));
  }
  RETURN_IF_ERROR(MakeDirectories(folder));
  RETURN_IF_ERROR(WriteFileAtomically(JoinPath(folder, "config.json"),
                                      OracleJson(config, steps)));
  RETURN_IF_ERROR(WriteFileAtomically(JoinPath(folder, "in.safetensors"),
                                      Safetensors(tensors.in)));
  return WriteFileAtomically(JoinPath(folder, "ours.safetensors"),
                             Safetensors(with_state));
}

absl::Status RunCase(const pjrt::Plugin& plugin, const StepCase& one,
                     const std::string& root) {
  ASSIGN_OR_RETURN(const Config config,
                   LoadConfig("", "", one.set, one.devices));
  ASSIGN_OR_RETURN(const std::vector<StateTensor> layout, StateLayout(config));
  ASSIGN_OR_RETURN(const NamedProgram step,
                   BuildTrainStep(config, {.replicas = one.devices,
                                           .backend = BackendOf(plugin),
                                           .diagnostics = one.diagnostics}));
  pjrt::ClientOptions client_options;
  client_options.cpu_device_count = one.devices;
  ASSIGN_OR_RETURN(const pjrt::Client client,
                   pjrt::Client::Create(plugin, client_options));
  ASSIGN_OR_RETURN(
      const pjrt::LoadedExecutable executable,
      client.Compile(step.program.text, QuickCompilation(one.devices)));
  ASSIGN_OR_RETURN(BoundStep bound,
                   BoundStep::Create(BoundProgram(client, executable, step)));
  ASSIGN_OR_RETURN(const nn::Architecture architecture,
                   nn::FindArchitecture(config.model().architecture()));

  CaseTensors tensors;
  RETURN_IF_ERROR(
      bound.WriteState(layout, [&](size_t i, absl::Span<float> values) {
        FirstValues(layout[i], i, one.smooth, architecture.bottleneck, values);
        tensors.Keep(tensors.in, layout[i].path, layout[i].shape.dims,
                     {values.begin(), values.end()});
      }));
  for (int k = 0; k < one.snapshots.back(); ++k) {
    ASSIGN_OR_RETURN(const std::vector<HostBatch> batches,
                     BatchOf(one, config.data().augmentation(),
                             step.FindInput("view1")->shape, k, tensors));
    const StepScalars scalars = ScalarsOf(one, config, k, tensors);
    RETURN_IF_ERROR(RunStep(bound, batches, scalars, k, tensors));
    if (std::count(one.snapshots.begin(), one.snapshots.end(), k + 1) > 0) {
      RETURN_IF_ERROR(WriteSnapshot(config, layout, bound, k + 1,
                                    Folder(one, k + 1, root), tensors));
    }
  }
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  const auto plugin = pjrt::Plugin::Load(pjrt::Platform::kCpu);
  const std::string group = argc >= 3 ? argv[2] : "";
  const std::map<std::string, std::vector<StepCase> (*)()> groups = {
      {"networks", NetworkCases},
      {"closed_forms", ClosedFormCases},
      {"rewrites", RewriteCases},
      {"methods", MethodCases}};
  if (!plugin.ok() || groups.count(group) == 0) {
    std::fprintf(stderr, "%s\n", plugin.status().ToString().c_str());
    return 1;
  }
  for (const StepCase& one : groups.at(group)()) {
    if (argc > 3 && !absl::StartsWith(one.name, argv[3])) continue;
    const absl::Status status = RunCase(**plugin, one, argv[1]);
    std::printf("%s: %s\n", one.name.c_str(), status.ToString().c_str());
    std::fflush(stdout);
    if (!status.ok()) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace xla_byol

int main(int argc, char** argv) { return xla_byol::Main(argc, argv); }
