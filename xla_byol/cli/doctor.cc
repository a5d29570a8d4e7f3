#include "xla_byol/cli/doctor.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "xla_byol/base/files.h"
#include "xla_byol/kernels/kernels.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/platform.h"
#include "xla_byol/pjrt/plugin.h"

namespace xla_byol {
namespace {

namespace fs = std::filesystem;
using State = Finding::State;

constexpr char kPlugins[] = "Plugins";
constexpr char kDataSets[] = "Data sets";

std::string Devices(const pjrt::Client& client) {
  std::map<std::string, int> kinds;
  for (const pjrt::Device& device : client.devices()) {
    ++kinds[device.description().kind];
  }
  return absl::StrJoin(kinds, ", ", [](std::string* out, const auto& kind) {
    absl::StrAppend(out, kind.second, " x ", kind.first);
  });
}

Finding ExaminePlugin(pjrt::Platform platform, const std::string& path) {
  const std::string name = pjrt::Info(platform).name;
  // What every build has is what the demo runs on.
  const bool needed = pjrt::Info(platform).in_every_build;
  Finding finding{.section = kPlugins, .name = name};
  absl::StatusOr<const pjrt::Plugin*> plugin =
      pjrt::Plugin::Load(platform, path);
  if (!plugin.ok()) {
    finding.state = needed ? State::kBad : State::kOptional;
    finding.detail = std::string(plugin.status().message());
    if (!needed && absl::IsNotFound(plugin.status())) {
      finding.detail = "not in this build";
      finding.remedy =
          absl::StrCat("tools/bazel run --config=", name, " //xla_byol:doctor");
    } else if (needed) {
      finding.remedy = "tools/bazel run //xla_byol:doctor (without --plugin)";
    }
    return finding;
  }
  finding.detail = absl::StrCat(
      "PJRT API ", (*plugin)->api_version(), ", StableHLO ",
      (*plugin)->attribute("stablehlo_current_version"), " (reads ",
      (*plugin)->attribute("stablehlo_minimum_version"), " and newer), ");
  if (!pjrt::HardwarePresent(platform)) {
    absl::StrAppend(&finding.detail,
                    "no device here: compiles for topologies, cannot train");
    return finding;
  }
  absl::StatusOr<pjrt::Client> client = pjrt::Client::Create(**plugin);
  if (client.ok()) {
    absl::StrAppend(&finding.detail, "devices: ", Devices(*client));
    if (platform == pjrt::Platform::kCpu) {
      absl::StrAppend(&finding.detail, ", convolutions: ",
                      kernels::RegisterKernels(**plugin).description);
    }
  } else {
    finding.state = needed ? State::kBad : State::kOptional;
    absl::StrAppend(&finding.detail,
                    "but no client: ", client.status().message());
  }
  return finding;
}

Finding ExamineFashionMnist(const std::string& directory) {
  Finding finding{.section = kDataSets, .name = "fashion_mnist"};
  std::vector<std::string> missing;
  for (const char* file :
       {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
        "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"}) {
    if (!FileExists(JoinPath(directory, file))) missing.push_back(file);
  }
  if (missing.empty()) {
    finding.detail = directory;
    return finding;
  }
  finding.state = State::kBad;
  finding.detail = absl::StrCat("missing in ", directory, ": ",
                                absl::StrJoin(missing, ", "));
  finding.remedy = "apt-get install dataset-fashion-mnist";
  return finding;
}

// TFDS writes dataset_info.json into NAME/VERSION or NAME/CONFIG/VERSION.
std::vector<Finding> ExamineTfds(const std::string& data_dir) {
  std::vector<Finding> findings;
  std::error_code error;
  const fs::path root = ResolveUserPath(data_dir);
  fs::recursive_directory_iterator entry(root, error);
  for (; !error && entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    if (entry.depth() > 3) entry.disable_recursion_pending();
    if (entry->path().filename() != "dataset_info.json") continue;
    const fs::path folder = entry->path().parent_path();
    std::error_code ignored;
    const auto files = std::count_if(
        fs::directory_iterator(folder, ignored), fs::directory_iterator(),
        [](const fs::directory_entry& file) {
          return absl::StrContains(file.path().filename().string(),
                                   ".tfrecord-");
        });
    Finding finding{.section = kDataSets,
                    .name = fs::relative(folder, root, ignored).string()};
    finding.detail =
        absl::StrCat(folder.string(), ", ", files,
                     files == 1 ? " record file" : " record files");
    if (files == 0) {
      finding.state = State::kOptional;
      finding.remedy = "tools/bazel run //data:prepare -- --help";
    }
    findings.push_back(std::move(finding));
  }
  if (error || findings.empty()) {
    findings.push_back({kDataSets, "TFDS", State::kOptional,
                        error
                            ? absl::StrCat(root.string(), ": ", error.message())
                            : absl::StrCat("no data set in ", root.string()),
                        "tools/bazel run //data:prepare -- --help"});
  }
  std::sort(findings.begin(), findings.end(),
            [](const Finding& a, const Finding& b) { return a.name < b.name; });
  return findings;
}

}  // namespace

std::vector<Finding> Examine(const DoctorOptions& options) {
  std::vector<Finding> findings;
  for (const pjrt::Platform platform : pjrt::kPlatforms) {
    const bool named = pjrt::Info(platform).in_every_build;
    findings.push_back(ExaminePlugin(platform, named ? options.plugin : ""));
  }
  findings.push_back(ExamineFashionMnist(options.fashion_mnist_dir));
  if (!options.data_dir.empty()) {
    for (Finding& finding : ExamineTfds(options.data_dir)) {
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

bool DemoCanRun(const std::vector<Finding>& findings) {
  return std::none_of(
      findings.begin(), findings.end(),
      [](const Finding& finding) { return finding.state == State::kBad; });
}

std::string ToText(const std::vector<Finding>& findings) {
  size_t width = 0;
  for (const Finding& finding : findings) {
    width = std::max(width, finding.name.size());
  }
  std::string text;
  std::string section;
  for (const Finding& finding : findings) {
    if (finding.section != section) {
      absl::StrAppend(&text, section.empty() ? "" : "\n", finding.section,
                      "\n");
      section = finding.section;
    }
    const char* mark = finding.state == State::kGood       ? "ok"
                       : finding.state == State::kOptional ? "--"
                                                           : "MISSING";
    absl::StrAppend(&text, absl::StrFormat("  %-7s  %-*s  %s\n", mark, width,
                                           finding.name, finding.detail));
    if (!finding.remedy.empty()) {
      absl::StrAppend(
          &text, std::string(width + 13, ' '),
          finding.state == State::kBad ? "to fix it: " : "if you need it: ",
          finding.remedy, "\n");
    }
  }
  absl::StrAppend(
      &text,
      DemoCanRun(findings)
          ? "\nThe demo (tools/bazel run //xla_byol:train) can run.\n"
          : "\nThe demo (tools/bazel run //xla_byol:train) cannot run.\n");
  return text;
}

}  // namespace xla_byol
