// Writes a run with one checkpoint of random weights and statistics, and what
// its encoder makes of random images on the CPU plugin:
//   weights_cases FOLDER [path.to.field=value...]
// FOLDER/run is the run, FOLDER/features.safetensors has `images` and
// `features`.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/philox.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/checkpoint.h"
#include "xla_byol/checkpoint/safetensors.h"
#include "xla_byol/config/config.h"
#include "xla_byol/eval/evaluation.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/plugin.h"
#include "xla_byol/runtime/bound_program.h"
#include "xla_byol/settings/settings.h"
#include "xla_byol/step/state.h"

namespace xla_byol {
namespace {

constexpr int64_t kImages = 3;

float Uniform(uint64_t key, size_t i) {
  return static_cast<float>(
      UnitUniform(Philox(key, {static_cast<uint32_t>(i), 0, 0, 0})[0]));
}

// First values, but norms as after some training: nothing is 0 or 1.
std::vector<float> ValuesOf(const StateTensor& tensor, uint64_t key) {
  std::vector<float> values(static_cast<size_t>(tensor.shape.elements()));
  InitializeState(tensor, 1, absl::MakeSpan(values));
  const bool positive = absl::EndsWith(tensor.path, "/scale") ||
                        absl::EndsWith(tensor.path, "/var");
  const bool around_zero = absl::EndsWith(tensor.path, "/offset") ||
                           absl::EndsWith(tensor.path, "/mean");
  for (size_t i = 0; i < values.size(); ++i) {
    if (positive) values[i] = 0.5f + Uniform(key, i);
    if (around_zero) values[i] = 0.4f * Uniform(key, i) - 0.2f;
  }
  return values;
}

absl::Status WriteCase(const std::string& folder,
                       const std::vector<std::string>& assignments) {
  ASSIGN_OR_RETURN(const Config config,
                   LoadConfig("", "weights", assignments, 1));
  ASSIGN_OR_RETURN(const std::vector<StateTensor> layout, StateLayout(config));
  StateValues values;
  for (size_t i = 0; i < layout.size(); ++i) {
    values.push_back(ValuesOf(layout[i], i));
  }
  const std::string run = JoinPath(folder, "run");
  RETURN_IF_ERROR(MakeDirectories(JoinPath(run, kCheckpointsFolder)));
  RETURN_IF_ERROR(
      WriteFileAtomically(JoinPath(run, kConfigFile), FormatConfig(config)));
  RETURN_IF_ERROR(WriteCheckpoint(JoinPath(run, "checkpoints/step-00000007"), 7,
                                  layout, values));

  ASSIGN_OR_RETURN(const NamedProgram encode, BuildEncode(config, kImages, {}));
  ASSIGN_OR_RETURN(const pjrt::Plugin* plugin,
                   pjrt::Plugin::Load(pjrt::Platform::kCpu));
  ASSIGN_OR_RETURN(const pjrt::Client client,
                   pjrt::Client::Create(*plugin, {.cpu_device_count = 1}));
  ASSIGN_OR_RETURN(const pjrt::LoadedExecutable executable,
                   client.Compile(encode.program.text, {}));
  BoundProgram bound(client, executable, encode);
  for (size_t i = 0; i < layout.size(); ++i) {
    if (encode.FindInput(layout[i].path) == nullptr) continue;
    RETURN_IF_ERROR(
        bound.SetAll(layout[i].path, absl::MakeConstSpan(values[i])));
  }
  const auto& dims = encode.FindInput("images")->shape.dims;
  std::vector<uint8_t> images(static_cast<size_t>(graph::Product(dims)));
  for (size_t i = 0; i < images.size(); ++i) {
    images[i] = static_cast<uint8_t>(256 * Uniform(99, i));
  }
  RETURN_IF_ERROR(bound.SetAll("images", absl::MakeConstSpan(images)));
  RETURN_IF_ERROR(bound.Run());
  ASSIGN_OR_RETURN(const std::vector<float> features,
                   bound.Read<float>("features"));
  const auto size = static_cast<int64_t>(features.size()) / kImages;
  return WriteFileAtomically(
      JoinPath(folder, "features.safetensors"),
      Safetensors(
          {ViewOf<uint8_t>("images", {dims.begin(), dims.end()}, images),
           ViewOf<float>("features", {kImages, size}, features)}));
}

}  // namespace
}  // namespace xla_byol

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const absl::Status status =
      xla_byol::WriteCase(argv[1], {argv + 2, argv + argc});
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
