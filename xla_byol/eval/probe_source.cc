#include "xla_byol/eval/probe_source.h"

#include <algorithm>

#include "absl/types/span.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/eval/evaluation.h"

namespace xla_byol {
namespace {

// A device encodes no more crops at once, whatever the probe's batch is.
constexpr int64_t kMostCrops = 256;

const graph::Shape& FeaturesOf(const BoundProgram& step) {
  return step.program().FindInput("features")->shape;
}

absl::StatusOr<std::unique_ptr<const DeviceProgram>> Compile(
    const Runtime& runtime, NamedProgram program) {
  ASSIGN_OR_RETURN(DeviceProgram compiled,
                   DeviceProgram::Compile(runtime, std::move(program)));
  return std::make_unique<const DeviceProgram>(std::move(compiled));
}

}  // namespace

FeatureShuffle::FeatureShuffle(const Features& features, uint64_t seed)
    : features_(features),
      seed_(seed),
      order_(seed, 0, static_cast<uint64_t>(features.total())),
      rows_(static_cast<size_t>(features.total()), -1) {
  for (int64_t i = 0; i < features.size(); ++i) {
    rows_[static_cast<size_t>(features.place(i))] = i;
  }
}

Features FeatureShuffle::Next(int64_t rows) {
  Features some = Features{.dimension = features_.dimension}.Part(0, rows);
  const uint64_t size = rows_.size();
  for (int64_t i = 0; i < rows; ++i, ++next_) {
    if (next_ % size == 0) {
      order_ = input::Permutation(seed_, next_ / size, size);
    }
    const int64_t row = rows_[order_.At(next_ % size)];
    if (row < 0) continue;
    const absl::Span<const float> values = features_.row(row);
    std::copy(values.begin(), values.end(),
              some.values.begin() + i * some.dimension);
    some.labels[static_cast<size_t>(i)] =
        features_.labels[static_cast<size_t>(row)];
  }
  return some;
}

absl::Status ShuffledFeatures::Attach(BoundProgram& step) {
  step_ = &step;
  const ProgramOptions options = runtime_.program_options();
  if (options.replicas == 1) return absl::OkStatus();
  const graph::Shape& features = FeaturesOf(step);
  const int64_t batch = features.dims[0] * options.replicas;
  ASSIGN_OR_RETURN(NamedProgram built,
                   BuildDealRows(batch, features.dims[1], options));
  ASSIGN_OR_RETURN(program_, Compile(runtime_, std::move(built)));
  deal_.emplace(program_->Bind());
  RETURN_IF_ERROR(deal_->ShareInputs(step));
  // The process's first device brings its rows.
  const Features none = Features{.dimension = features.dims[1]}.Part(0, batch);
  const std::vector<float> no_labels(none.labels.size());
  const Features mine = none.Part(0, features.dims[0]);
  for (size_t device = 0; device < deal_->devices(); ++device) {
    // Never read, but it is donated.
    RETURN_IF_ERROR(
        step.Set("features", device, absl::MakeConstSpan(mine.values)));
    RETURN_IF_ERROR(
        step.Set("labels", device, absl::MakeConstSpan(mine.labels)));
    if (device == 0) continue;
    RETURN_IF_ERROR(
        deal_->Set("rows", device, absl::MakeConstSpan(none.values)));
    RETURN_IF_ERROR(
        deal_->Set("row_labels", device, absl::MakeConstSpan(no_labels)));
  }
  return absl::OkStatus();
}

absl::Status ShuffledFeatures::Next() {
  if (!deal_.has_value()) {
    const Features batch = shuffle_.Next(FeaturesOf(*step_).dims[0]);
    RETURN_IF_ERROR(
        step_->Set("features", 0, absl::MakeConstSpan(batch.values)));
    return step_->Set("labels", 0, absl::MakeConstSpan(batch.labels));
  }
  const Features batch =
      shuffle_.Next(program_->program().FindInput("rows")->shape.dims[0]);
  std::vector<float> labels;
  for (const int32_t label : batch.labels) {
    labels.push_back(static_cast<float>(label + 1));
  }
  RETURN_IF_ERROR(deal_->Set("rows", 0, absl::MakeConstSpan(batch.values)));
  RETURN_IF_ERROR(deal_->Set("row_labels", 0, absl::MakeConstSpan(labels)));
  return deal_->Run();
}

absl::Status RandomCrops::Attach(BoundProgram& step) {
  step_ = &step;
  rows_ = FeaturesOf(step).dims[0];
  chunk_ = std::min(rows_, kMostCrops);
  while (rows_ % chunk_ != 0) --chunk_;
  const ProgramOptions options = runtime_.program_options();
  ASSIGN_OR_RETURN(NamedProgram built,
                   BuildEncodeRows(config_, chunk_, rows_, options));
  ASSIGN_OR_RETURN(program_, Compile(runtime_, std::move(built)));
  encode_.emplace(program_->Bind());
  RETURN_IF_ERROR(encode_->ShareInputs(extractor_.program()));
  RETURN_IF_ERROR(encode_->ShareInputs(step));
  const std::vector<float> zeros(
      static_cast<size_t>(FeaturesOf(step).elements()));
  RETURN_IF_ERROR(step.SetAll("features", absl::MakeConstSpan(zeros)));
  input::LoaderOptions reading = extractor_.loader_options();
  reading.mode = input::LoaderOptions::Mode::kTrain;
  reading.seed = seed_;
  reading.global_batch = chunk_ * options.replicas;
  ASSIGN_OR_RETURN(loader_, input::Loader::Create(images_, reading));
  return absl::OkStatus();
}

absl::Status RandomCrops::Next() {
  std::vector<std::vector<int32_t>> labels(step_->devices());
  for (int64_t at = 0; at < rows_; at += chunk_) {
    ASSIGN_OR_RETURN(const input::Loader::Batch batch, loader_->Next());
    const size_t bytes =
        static_cast<size_t>(chunk_ * batch->layout().image_bytes());
    for (size_t device = 0; device < step_->devices(); ++device) {
      const int place = static_cast<int>(device);
      RETURN_IF_ERROR(encode_->Set(
          "crops", device,
          absl::Span<const uint8_t>(batch->pixels(0, place), bytes)));
      const int32_t* const some = batch->labels(place);
      labels[device].insert(labels[device].end(), some, some + chunk_);
    }
    const int32_t first[] = {static_cast<int32_t>(at)};
    RETURN_IF_ERROR(encode_->SetAll("at", absl::MakeConstSpan(first)));
    RETURN_IF_ERROR(encode_->Run());
  }
  for (size_t device = 0; device < step_->devices(); ++device) {
    RETURN_IF_ERROR(
        step_->Set("labels", device, absl::MakeConstSpan(labels[device])));
  }
  return absl::OkStatus();
}

}  // namespace xla_byol
