#include "xla_byol/cli/doctor.h"

#include <iostream>
#include <string>

#include "absl/flags/flag.h"
#include "xla_byol/cli/command_line.h"

ABSL_FLAG(std::string, plugin, "",
          "CPU plugin to examine; empty: the one that Bazel fetched.");
ABSL_FLAG(std::string, data_dir, "",
          "Folder of TFDS data sets to look into; empty: none.");

int main(int argc, char** argv) {
  return xla_byol::RunMain(
      argc, argv,
      {"Says what this machine has for training, what is missing, and what to "
       "do about it. The exit code is 0 if the demo can run.",
       "--data_dir=/data/tfds"},
      [](const xla_byol::CommandLine&) -> absl::Status {
        const auto findings =
            xla_byol::Examine({.plugin = absl::GetFlag(FLAGS_plugin),
                               .data_dir = absl::GetFlag(FLAGS_data_dir)});
        std::cout << xla_byol::ToText(findings) << std::flush;
        if (xla_byol::DemoCanRun(findings)) return absl::OkStatus();
        return absl::FailedPreconditionError(
            "fix what is marked MISSING above first");
      });
}
