#include "xla_byol/cli/bench_step.h"

#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/philox.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/safetensors.h"
#include "xla_byol/config/schedules.h"
#include "xla_byol/input/dataset.h"
#include "xla_byol/input/draws.h"
#include "xla_byol/input/loader.h"
#include "xla_byol/runtime/device_program.h"
#include "xla_byol/runtime/process_place.h"
#include "xla_byol/step/state.h"
#include "xla_byol/step/train_step.h"
#include "xla_byol/training/bound_step.h"
#include "xla_byol/training/training_data.h"

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

// Where batches come from.
class Feed {
 public:
  // A batch and, if it is on loan, who lends it: until its step is done.
  struct Batch {
    std::vector<HostBatch> parts;  // one for each device
    std::optional<input::Loader::Batch> loan;
  };

  virtual ~Feed() = default;
  virtual absl::StatusOr<Batch> Next() = 0;
};

class RandomFeed : public Feed {
 public:
  RandomFeed(const graph::Shape& pixels, size_t devices)
      : view1_(RandomPixels(static_cast<size_t>(pixels.elements()), 1)),
        view2_(RandomPixels(static_cast<size_t>(pixels.elements()), 2)),
        labels_(static_cast<size_t>(pixels.dims[0]), 0),
        draws1_(RandomDraws(labels_.size(), 0)),
        draws2_(RandomDraws(labels_.size(), 1)),
        parts_(devices, {view1_, view2_, labels_, draws1_, draws2_}) {}

  absl::StatusOr<Batch> Next() override { return Batch{parts_, std::nullopt}; }

 private:
  const std::vector<uint8_t> view1_, view2_;
  const std::vector<int32_t> labels_;
  const std::vector<float> draws1_, draws2_;
  const std::vector<HostBatch> parts_;
};

class DatasetFeed : public Feed {
 public:
  static absl::StatusOr<std::unique_ptr<DatasetFeed>> Open(
      const pjrt::Client& client, const Config& config,
      const BenchOptions& options) {
    ASSIGN_OR_RETURN(
        const input::Dataset dataset,
        input::OpenDataset(config.data().dataset(), config.data().train_split(),
                           {.data_dir = options.data_dir}));
    RETURN_IF_ERROR(CheckDataset(config, dataset));
    ASSIGN_OR_RETURN(std::unique_ptr<input::Loader> loader,
                     MakeTrainingLoader(config, dataset, PlaceOf(client),
                                        options.reader_threads,
                                        /*first_step=*/0));
    return std::make_unique<DatasetFeed>(std::move(loader));
  }

  explicit DatasetFeed(std::unique_ptr<input::Loader> loader)
      : loader_(std::move(loader)) {}

  absl::StatusOr<Batch> Next() override {
    ASSIGN_OR_RETURN(input::Loader::Batch batch, loader_->Next());
    return Batch{HostBatches(*batch), std::move(batch)};
  }

  // That Next() waited, in all.
  double waited_s() const { return loader_->stats().consumer_wait_s; }

 private:
  std::unique_ptr<input::Loader> loader_;
};

struct Timing {
  double seconds = 0;  // from the first transfer to the last metric
  float loss = 0;      // of the last step
};

absl::StatusOr<Timing> TimeSteps(const Config& config, int count, Feed& feed,
                                 BoundStep& step) {
  struct InLine {
    Feed::Batch batch;
    StepOutputs outputs;
  };
  std::deque<InLine> line;
  Timing timing;
  const auto finish_oldest = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto metrics,
                     line.front().outputs.ReadScalars(TensorRole::kMetric));
    for (const auto& [name, value] : metrics) {
      if (name == "loss") timing.loss = value;
    }
    line.pop_front();
    return absl::OkStatus();
  };
  const absl::Time start = absl::Now();
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(Feed::Batch batch, feed.Next());
    ASSIGN_OR_RETURN(StagedInputs staged, step.StartTransfer(batch.parts));
    // The step's numbers do not matter for its time, but they must stay finite.
    RETURN_IF_ERROR(step.Run(std::move(staged), ScalarsForStep(config, i)));
    line.push_back({std::move(batch), step.program().TakeOutputs()});
    // As many as training has; a loan would keep the loader waiting.
    while (line.size() > StopVote::kStepsInLine) {
      RETURN_IF_ERROR(finish_oldest());
    }
  }
  while (!line.empty()) RETURN_IF_ERROR(finish_oldest());
  timing.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  return timing;
}

// The tensors have the names that tests/oracle/run_step.py reads.
absl::Status WriteInputs(const std::string& path, const Config& config,
                         absl::Span<const StateTensor> layout,
                         const graph::Shape& pixels, const HostBatch& batch) {
  std::vector<std::vector<float>> state(layout.size());
  std::vector<TensorView> tensors;
  for (size_t i = 0; i < layout.size(); ++i) {
    state[i].resize(static_cast<size_t>(layout[i].shape.elements()));
    InitializeState(layout[i], config.seed(), absl::MakeSpan(state[i]));
    tensors.push_back(
        ViewOf<float>(layout[i].path, layout[i].shape.dims, state[i]));
  }
  tensors.push_back(ViewOf("batch/view1", pixels.dims, batch.view1));
  tensors.push_back(ViewOf("batch/view2", pixels.dims, batch.view2));
  tensors.push_back(ViewOf("batch/labels", {pixels.dims[0]}, batch.labels));
  const StepScalars scalars = ScalarsForStep(config, 0);
  const std::pair<const char*, const float*> named[] = {
      {"scalar/learning_rate", &scalars.learning_rate},
      {"scalar/tau", &scalars.target_decay},
      {"scalar/rho", &scalars.predictor_decay},
      {"scalar/bn_rate1", &scalars.batch_norm_rate1},
      {"scalar/bn_rate2", &scalars.batch_norm_rate2}};
  for (const auto& [name, value] : named) {
    tensors.push_back(ViewOf<float>(name, {}, absl::MakeConstSpan(value, 1)));
  }
  return WriteFileAtomically(path, Safetensors(tensors));
}

}  // namespace

absl::Status BenchStep(const pjrt::Client& client, const Config& config,
                       const BenchOptions& options) {
  const int devices = client.global_device_count();
  ASSIGN_OR_RETURN(const std::vector<StateTensor> layout, StateLayout(config));
  ASSIGN_OR_RETURN(const NamedProgram step,
                   BuildTrainStep(config, {.replicas = devices,
                                           .backend = BackendOf(client)}));
  std::unique_ptr<Feed> feed;
  const DatasetFeed* dataset = nullptr;
  if (options.synthetic) {
    feed = std::make_unique<RandomFeed>(step.FindInput("view1")->shape,
                                        client.devices().size());
  } else {
    ASSIGN_OR_RETURN(std::unique_ptr<DatasetFeed> opened,
                     DatasetFeed::Open(client, config, options));
    dataset = opened.get();
    feed = std::move(opened);
  }
  LogInfo("compiling");
  const absl::Time compile_start = absl::Now();
  ASSIGN_OR_RETURN(const pjrt::LoadedExecutable executable,
                   client.Compile(step.program.text,
                                  {.num_replicas = client.program_replicas()}));
  const double compile_s = absl::ToDoubleSeconds(absl::Now() - compile_start);
  LogInfo(absl::StrFormat("compiled in %.1f s", compile_s));

  ASSIGN_OR_RETURN(BoundStep bound,
                   BoundStep::Create(BoundProgram(client, executable, step)));
  RETURN_IF_ERROR(
      bound.WriteState(layout, [&](size_t i, absl::Span<float> values) {
        InitializeState(layout[i], config.seed(), values);
      }));
  if (!options.write_inputs.empty()) {
    ASSIGN_OR_RETURN(const Feed::Batch batch, feed->Next());
    RETURN_IF_ERROR(WriteInputs(options.write_inputs, config, layout,
                                step.FindInput("view1")->shape,
                                batch.parts[0]));
  }
  ASSIGN_OR_RETURN(const Timing first, TimeSteps(config, 1, *feed, bound));
  LogInfo(absl::StrFormat("first step %.3f s", first.seconds));
  const double waited_before = dataset == nullptr ? 0 : dataset->waited_s();
  ASSIGN_OR_RETURN(const Timing total,
                   TimeSteps(config, options.steps, *feed, bound));

  if (!PlaceOf(client).writes_files()) return absl::OkStatus();
  const double step_s = total.seconds / options.steps;
  JsonWriter json;
  json.BeginObject();
  json.Field("images_per_s", config.schedule().batch_size() / step_s);
  json.Field("step_s", step_s);
  json.Field("compile_s", compile_s);
  json.Field("devices", devices);
  json.Field("batch", config.schedule().batch_size());
  json.Field("config", options.config);
  json.Field("loss", first.loss);
  if (dataset != nullptr) {
    json.Field("data_wait_s",
               (dataset->waited_s() - waited_before) / options.steps);
  }
  json.EndObject();
  std::printf("%s\n", json.text().c_str());
  return absl::OkStatus();
}

}  // namespace xla_byol
