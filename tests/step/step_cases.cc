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
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/repeated_field.h"
#include "tests/graph/evaluate.h"
#include "tests/step/quick_compilation.h"
#include "tests/step/step_case_list.h"
#include "xla_byol/augment/augment.h"
#include "xla_byol/augment/augmentation_draws.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_writer.h"
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

using Numbers = google::protobuf::RepeatedField<float>;

// The config in the oracle's words (tests/oracle/config.py).
std::string OracleJson(const Config& config, int steps) {
  const Model& model = config.model();
  const Predictor& predictor = config.predictor();
  const Optimizer& optimizer = config.optimizer();
  JsonWriter json;
  json.BeginObject();
  json.Field("architecture", model.architecture());
  json.Field("stem", absl::AsciiStrToLower(Model::Stem_Name(model.stem())));
  json.Field("padding",
             absl::AsciiStrToLower(Model::Padding_Name(model.padding())));
  json.Field("width_multiplier", model.width_multiplier());
  json.Field("base_channels", model.base_channels());
  json.Field("channels", config.data().channels());
  json.Field("projector_hidden", model.projector_hidden_size());
  json.Field("projector_out", model.projector_output_size());
  json.Field("classes", config.data().classes());
  json.Field("target", config.target().kind() == Target::EMA ? "ema" : "none");
  json.Field("weight_decay", optimizer.weight_decay());
  json.Field("momentum", optimizer.momentum());
  json.Field("trust_coefficient", optimizer.trust_coefficient());
  json.Field("clip_trust", optimizer.clip_trust());
  json.Field("steps", steps);
  json.Field("augmentation", config.data().augmentation());
  for (const auto& [key, numbers] :
       {std::pair<const char*, const Numbers*>{"mean", &config.data().mean()},
        {"std", &config.data().stddev()}}) {
    json.Key(key).BeginArray();
    for (const float number : *numbers) json.Value(number);
    json.EndArray();
  }
  json.Key("predictor").BeginObject();
  json.Field("kind",
             absl::AsciiStrToLower(Predictor::Kind_Name(predictor.kind())));
  if (predictor.kind() == Predictor::MLP) {
    json.Field("hidden", predictor.hidden_size());
  }
  json.Field("iterations", predictor.iterations());
  // DirectPred's ridge is what its authors call epsilon.
  const bool directpred = predictor.kind() == Predictor::DIRECTPRED;
  json.Field("ridge", directpred ? 0.0f : predictor.ridge());
  if (directpred) json.Field("directpred_epsilon", predictor.ridge());
  json.Field("visser_step", predictor.visser_step());
  json.Field("ema_of", predictor.average() == Predictor::COVARIANCE
                           ? "covariance"
                           : "predictor");
  json.Field("normalize_covariance", predictor.normalize_covariance());
  json.Field("both_views", predictor.both_views());
  json.EndObject().EndObject();
  return json.text();
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
                                             const std::vector<uint8_t>& pixels,
                                             const std::vector<float>& draws) {
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

  // Everything written stays alive until the file is; deque-like growth of
  // vectors of vectors moves the inner ones without moving their data.
  std::vector<std::vector<float>> floats;
  std::vector<std::vector<uint8_t>> bytes;
  std::vector<std::vector<int32_t>> integers;
  std::vector<TensorView> in, ours;
  const auto keep =
      [&floats](std::vector<TensorView>& file, const std::string& name,
                const std::vector<int64_t>& dims, std::vector<float> values) {
        floats.push_back(std::move(values));
        file.push_back(ViewOf<float>(name, dims, floats.back()));
      };

  ASSIGN_OR_RETURN(const nn::Architecture architecture,
                   nn::FindArchitecture(config.model().architecture()));
  RETURN_IF_ERROR(
      bound.WriteState(layout, [&](size_t i, absl::Span<float> values) {
        InitializeState(layout[i], /*seed=*/3, values);
        // Not everything at its start: a scale of 1 or a momentum of 0 would
        // hide a missing factor.
        for (size_t k = 0; k < values.size(); ++k) {
          const double noise =
              UnitUniform(Philox(i, {static_cast<uint32_t>(k), 0, 0, 0})[0]);
          if (layout[i].shape.rank() == 1) {
            values[k] += static_cast<float>(0.2 * noise);
          }
        }
        if (one.smooth) AvoidKinks(layout[i], architecture.bottleneck, values);
        keep(in, layout[i].path, layout[i].shape.dims,
             {values.begin(), values.end()});
      }));

  const graph::Shape shard = step.FindInput("view1")->shape;
  for (int k = 0; k < one.snapshots.back(); ++k) {
    graph::Shape whole = shard;
    whole.dims[0] *= one.devices;
    std::vector<HostBatch> batches(static_cast<size_t>(one.devices));
    std::vector<int32_t>& labels = integers.emplace_back();
    for (int64_t i = 0; i < whole.dims[0]; ++i) {
      labels.push_back(static_cast<int32_t>(i % 6) - 1);  // -1: no label
    }
    const auto shard_of = [&](const auto& values, int device) {
      const size_t size = values.size() / static_cast<size_t>(one.devices);
      return absl::MakeConstSpan(values).subspan(
          static_cast<size_t>(device) * size, size);
    };
    for (int view = 1; view <= 2; ++view) {
      const std::vector<uint8_t>& pixels = bytes.emplace_back(
          Images(whole, k * whole.dims[0], static_cast<uint64_t>(view)));
      in.push_back(ViewOf<uint8_t>(absl::StrCat("batch/", k, "/view", view),
                                   whole.dims, pixels));
      for (int device = 0; device < one.devices; ++device) {
        HostBatch& batch = batches[static_cast<size_t>(device)];
        (view == 1 ? batch.view1 : batch.view2) = shard_of(pixels, device);
        batch.labels = shard_of(labels, device);
      }
      if (!config.data().augmentation()) continue;
      keep(in, absl::StrCat("batch/", k, "/draws", view),
           {whole.dims[0], kAugmentationDraws},
           Draws(whole.dims[0], k * whole.dims[0], view - 1));
      for (int device = 0; device < one.devices; ++device) {
        HostBatch& batch = batches[static_cast<size_t>(device)];
        (view == 1 ? batch.draws1 : batch.draws2) =
            shard_of(floats.back(), device);
      }
      ASSIGN_OR_RETURN(std::vector<float> augmented,
                       Augmented(whole, pixels, floats.back()));
      keep(in, absl::StrCat("batch/", k, "/pixels", view), whole.dims,
           std::move(augmented));
    }
    in.push_back(ViewOf<int32_t>(absl::StrCat("batch/", k, "/labels"),
                                 {whole.dims[0]}, labels));
    StepScalars scalars = ScalarsForStep(config, k);
    // Large enough to move every tensor, small enough that rounding does not
    // grow: where a ReLU's input is rounded across 0, a gradient jumps.
    scalars.learning_rate = 0.02f;
    const std::pair<const char*, float> named[] = {
        {"learning_rate", scalars.learning_rate},
        {"tau", scalars.target_decay},
        {"rho", scalars.predictor_decay},
        {"bn_rate1", scalars.batch_norm_rate1},
        {"bn_rate2", scalars.batch_norm_rate2}};
    for (const auto& [name, value] : named) {
      keep(in, absl::StrCat("scalar/", k, "/", name), {}, {value});
    }

    ASSIGN_OR_RETURN(StagedInputs batch, bound.StartTransfer(batches));
    RETURN_IF_ERROR(bound.Run(std::move(batch), scalars));
    const StepOutputs outputs = bound.program().TakeOutputs();
    for (const TensorRole role :
         {TensorRole::kMetric, TensorRole::kDiagnostic}) {
      ASSIGN_OR_RETURN(const auto metrics, outputs.ReadScalars(role));
      for (const auto& [name, value] : metrics) {
        keep(ours, absl::StrCat("metric/", k, "/", name), {}, {value});
      }
    }
    if (std::count(one.snapshots.begin(), one.snapshots.end(), k + 1) == 0) {
      continue;
    }
    std::vector<TensorView> with_state = ours;
    for (size_t i = 0; i < layout.size(); ++i) {
      ASSIGN_OR_RETURN(std::vector<float> values,
                       bound.program().Read<float>(layout[i].path));
      keep(with_state, layout[i].path, layout[i].shape.dims, std::move(values));
    }
    const std::string folder = Folder(one, k + 1, root);
    RETURN_IF_ERROR(MakeDirectories(folder));
    RETURN_IF_ERROR(WriteFileAtomically(JoinPath(folder, "config.json"),
                                        OracleJson(config, k + 1)));
    RETURN_IF_ERROR(WriteFileAtomically(JoinPath(folder, "in.safetensors"),
                                        Safetensors(in)));
    RETURN_IF_ERROR(WriteFileAtomically(JoinPath(folder, "ours.safetensors"),
                                        Safetensors(with_state)));
  }
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  const auto plugin = pjrt::Plugin::Load(pjrt::Platform::kCpu);
  const std::string group = argc >= 3 ? argv[2] : "";
  if (!plugin.ok() || (group != "networks" && group != "closed_forms")) {
    std::fprintf(stderr, "%s\n", plugin.status().ToString().c_str());
    return 1;
  }
  for (const StepCase& one :
       group == "networks" ? NetworkCases() : ClosedFormCases()) {
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
