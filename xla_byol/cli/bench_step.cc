#include "xla_byol/cli/bench_step.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/philox.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/input/draws.h"
#include "xla_byol/runtime/device_program.h"
#include "xla_byol/step/state.h"
#include "xla_byol/step/train_step.h"
#include "xla_byol/training/bound_step.h"

namespace xla_byol {
namespace {

std::vector<uint8_t> RandomPixels(size_t size, uint64_t key) {
  std::vector<uint8_t> pixels(size);
  for (size_t i = 0; i < size; ++i) {
    const uint32_t block = static_cast<uint32_t>(i / 4);
    pixels[i] = static_cast<uint8_t>(Philox(key, {block, 0, 0, 0})[i % 4]);
  }
  return pixels;
}

std::vector<float> RandomDraws(size_t images, int view) {
  std::vector<float> draws(images * kAugmentationDraws);
  for (size_t i = 0; i < images; ++i) {
    input::DrawAugmentation({.index = i, .view = view},
                            input::ReferenceView(view),
                            &draws[i * kAugmentationDraws]);
  }
  return draws;
}

}  // namespace

absl::Status BenchStep(const pjrt::Client& client, const Config& config,
                       const BenchOptions& options) {
  const int devices = client.global_device_count();
  ASSIGN_OR_RETURN(const std::vector<StateTensor> layout, StateLayout(config));
  ASSIGN_OR_RETURN(
      const NamedProgram step,
      BuildTrainStep(config, {.replicas = devices,
                              .target = TargetOf(client.plugin().platform())}));
  LogInfo("compiling");
  const absl::Time compile_start = absl::Now();
  ASSIGN_OR_RETURN(
      const pjrt::LoadedExecutable executable,
      client.Compile(step.program.text, {.num_replicas = devices}));
  const double compile_s = absl::ToDoubleSeconds(absl::Now() - compile_start);
  LogInfo(absl::StrFormat("compiled in %.1f s", compile_s));

  ASSIGN_OR_RETURN(BoundStep bound,
                   BoundStep::Create(BoundProgram(client, executable, step)));
  RETURN_IF_ERROR(
      bound.WriteState(layout, [&](size_t i, absl::Span<float> values) {
        InitializeState(layout[i], config.seed(), values);
      }));
  const graph::Shape& pixels = step.FindInput("view1")->shape;
  const size_t size = static_cast<size_t>(pixels.elements());
  const std::vector<uint8_t> view1 = RandomPixels(size, 1);
  const std::vector<uint8_t> view2 = RandomPixels(size, 2);
  const std::vector<int32_t> labels(static_cast<size_t>(pixels.dims[0]), 0);
  const std::vector<float> draws1 = RandomDraws(labels.size(), 0);
  const std::vector<float> draws2 = RandomDraws(labels.size(), 1);
  const std::vector<HostBatch> batches(client.devices().size(),
                                       {view1, view2, labels, draws1, draws2});

  // The step's numbers do not matter for its time, but they must stay finite.
  const auto run = [&](int count) -> absl::StatusOr<double> {
    const absl::Time start = absl::Now();
    for (int i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(StagedInputs batch, bound.StartTransfer(batches));
      RETURN_IF_ERROR(bound.Run(std::move(batch), ScalarsForStep(config, i)));
    }
    RETURN_IF_ERROR(bound.program()
                        .TakeOutputs()
                        .ReadScalars(TensorRole::kMetric)
                        .status());
    return absl::ToDoubleSeconds(absl::Now() - start);
  };
  ASSIGN_OR_RETURN(const double first_s, run(1));
  LogInfo(absl::StrFormat("first step %.3f s", first_s));
  ASSIGN_OR_RETURN(const double total_s, run(options.steps));

  const double step_s = total_s / options.steps;
  JsonWriter json;
  json.BeginObject();
  json.Field("images_per_s", config.schedule().batch_size() / step_s);
  json.Field("step_s", step_s);
  json.Field("compile_s", compile_s);
  json.Field("devices", devices);
  json.Field("batch", config.schedule().batch_size());
  json.Field("config", options.config);
  json.EndObject();
  std::printf("%s\n", json.text().c_str());
  return absl::OkStatus();
}

}  // namespace xla_byol
