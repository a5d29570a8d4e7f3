#include "xla_byol/checkpoint/weights.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/checkpoint_store.h"
#include "xla_byol/checkpoint/run_directory.h"
#include "xla_byol/checkpoint/safetensors.h"
#include "xla_byol/config/config.h"
#include "xla_byol/model/encoder.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

// HWIO to OIHW.
std::vector<float> ToOihw(const std::vector<float>& values,
                          const std::vector<int64_t>& dims) {
  const int64_t pixels = dims[0] * dims[1], inputs = dims[2], outputs = dims[3];
  std::vector<float> result(values.size());
  size_t next = 0;
  for (int64_t output = 0; output < outputs; ++output) {
    for (int64_t input = 0; input < inputs; ++input) {
      for (int64_t pixel = 0; pixel < pixels; ++pixel) {
        result[next++] = values[static_cast<size_t>(
            (pixel * inputs + input) * outputs + output)];
      }
    }
  }
  return result;
}

// Tensors with the memory they point at.
class TensorList {
 public:
  void Add(std::string name, std::vector<int64_t> dims,
           std::vector<float> values) {
    const auto& kept = floats_.emplace_back(
        std::make_unique<std::vector<float>>(std::move(values)));
    views_.push_back(ViewOf<float>(std::move(name), std::move(dims), *kept));
  }
  void AddCount(std::string name, int64_t count) {
    const auto& kept = counts_.emplace_back(std::make_unique<int64_t>(count));
    views_.push_back(
        {std::move(name),
         "I64",
         {},
         {reinterpret_cast<const std::byte*>(kept.get()), sizeof(int64_t)}});
  }
  const std::vector<TensorView>& views() const { return views_; }

 private:
  std::vector<std::unique_ptr<std::vector<float>>> floats_;
  std::vector<std::unique_ptr<int64_t>> counts_;
  std::vector<TensorView> views_;
};

void AddTorchvision(absl::string_view path, const StateTensor& tensor,
                    const std::vector<float>& values, int64_t step,
                    TensorList& list) {
  std::vector<int64_t> dims(tensor.shape.dims.begin(), tensor.shape.dims.end());
  const std::string name = TorchvisionName(path);
  if (dims.size() == 4) {
    list.Add(name, {dims[3], dims[2], dims[0], dims[1]}, ToOihw(values, dims));
    return;
  }
  list.Add(name, dims, values);
  // PyTorch keeps a count of batches beside each pair of statistics; each step
  // shows the online network two.
  if (absl::EndsWith(name, ".running_var")) {
    list.AddCount(absl::StrCat(absl::StripSuffix(name, "running_var"),
                               "num_batches_tracked"),
                  2 * step);
  }
}

SafetensorsMetadata MetadataOf(const Config& config, int64_t step,
                               WeightsFormat format) {
  return {
      {"format", format == WeightsFormat::kTorchvision ? "pt" : "xla_byol"},
      {"architecture", config.model().architecture()},
      {"padding", Model::Padding_Name(config.model().padding())},
      {"stem", Model::Stem_Name(config.model().stem())},
      {"mean", absl::StrJoin(config.data().mean(), ",")},
      {"stddev", absl::StrJoin(config.data().stddev(), ",")},
      {"batch_norm_epsilon", absl::StrCat(config.model().batch_norm_epsilon())},
      {"step", absl::StrCat(step)}};
}

// Where torchvision's network of the same name differs from what was trained.
void WarnOfDifferences(const Config& config) {
  const Model& model = config.model();
  std::vector<std::string> differences;
  if (model.padding() != Model::TORCH) {
    differences.push_back(
        "model.padding is SAME, torchvision pads strided layers on both sides "
        "(features differ a little; train with TORCH to have the same)");
  }
  if (model.stem() != Model::IMAGENET) {
    differences.push_back("model.stem is SMALL: replace conv1 and maxpool");
  }
  if (model.base_channels() * model.width_multiplier() != 64) {
    differences.push_back("the channels are not 64 in the first stage");
  }
  if (model.batch_norm_epsilon() != 1e-5f) {
    differences.push_back(absl::StrCat("batch norm's epsilon is ",
                                       model.batch_norm_epsilon(),
                                       ", torchvision's 1e-5"));
  }
  if (!differences.empty()) {
    LogWarning(absl::StrCat("torchvision's network is not quite this one: ",
                            absl::StrJoin(differences, "; "),
                            ". tools/torch_encoder.py loads it as it is"));
  }
}

}  // namespace

absl::StatusOr<WeightsFormat> ParseWeightsFormat(absl::string_view name) {
  if (name == "ours") return WeightsFormat::kOurs;
  if (name == "torchvision") return WeightsFormat::kTorchvision;
  return absl::InvalidArgumentError(
      absl::StrCat("--format=", name, ": use ours or torchvision"));
}

absl::StatusOr<std::string> EncoderWeights(
    const Config& config, absl::Span<const StateTensor> layout,
    absl::Span<const std::vector<float>> values, int64_t step,
    WeightsFormat format) {
  TensorList list;
  for (size_t i = 0; i < layout.size(); ++i) {
    const std::optional<absl::string_view> path =
        OnlineEncoderPath(layout[i].path);
    if (!path.has_value()) continue;
    if (format == WeightsFormat::kTorchvision) {
      if (TorchvisionName(*path).empty()) {
        return absl::UnimplementedError(
            absl::StrCat("'", layout[i].path, "' has no name in torchvision"));
      }
      AddTorchvision(*path, layout[i], values[i], step, list);
    } else {
      const auto& dims = layout[i].shape.dims;
      list.Add(absl::StrCat(kEncoderScope, "/", *path),
               {dims.begin(), dims.end()}, values[i]);
    }
  }
  return Safetensors(list.views(), MetadataOf(config, step, format));
}

absl::Status ExportWeights(const std::string& run_dir, WeightsFormat format,
                           const std::string& out_path) {
  ASSIGN_OR_RETURN(Config config, ReadRunConfig(run_dir));
  ResolveConfig(&config);
  ASSIGN_OR_RETURN(const std::vector<StateTensor> layout, StateLayout(config));
  const CheckpointStore store(JoinPath(run_dir, kCheckpointsFolder), layout,
                              {});
  ASSIGN_OR_RETURN(const Checkpoint checkpoint, store.ReadNewest());
  ASSIGN_OR_RETURN(const std::string file,
                   EncoderWeights(config, layout, checkpoint.values,
                                  checkpoint.step, format));
  if (format == WeightsFormat::kTorchvision) WarnOfDifferences(config);
  RETURN_IF_ERROR(WriteFileAtomically(out_path, file));
  LogInfo(absl::StrCat("wrote ", out_path, " (", config.model().architecture(),
                       " after ", checkpoint.step, " steps)"));
  return absl::OkStatus();
}

}  // namespace xla_byol
