// What this machine has for training, what it lacks, and how to get it.

#ifndef XLA_BYOL_CLI_DOCTOR_H_
#define XLA_BYOL_CLI_DOCTOR_H_

#include <string>
#include <vector>

namespace xla_byol {

struct DoctorOptions {
  // A plugin for the CPU platform instead of the one that Bazel fetched.
  std::string plugin;
  // Folder of TFDS data sets; empty: do not look.
  std::string data_dir;
  // Where Debian's package puts Fashion-MNIST.
  std::string fashion_mnist_dir = "/usr/share/datasets/fashion-mnist";
};

// One thing that was looked at.
struct Finding {
  enum class State {
    kGood,
    // Missing or broken, but the demo does without.
    kOptional,
    // The demo cannot run.
    kBad,
  };

  // "Plugins" or "Data sets"; findings of one section follow each other.
  std::string section;
  std::string name;
  State state = State::kGood;
  // One line.
  std::string detail;
  // A command, or a sentence, that helps; empty when all is good.
  std::string remedy;
};

// Loads each plugin it finds (and starts those with hardware), and looks for
// data. Takes about a second; never waits for a network or a device that is
// not there.
std::vector<Finding> Examine(const DoctorOptions& options);

// Whether `bazel run //xla_byol:train` without flags can run.
bool DemoCanRun(const std::vector<Finding>& findings);

// For people: sections, one line for each finding, remedies indented below,
// and the verdict.
std::string ToText(const std::vector<Finding>& findings);

}  // namespace xla_byol

#endif  // XLA_BYOL_CLI_DOCTOR_H_
