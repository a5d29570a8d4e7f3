#include "xla_byol/inspect/memory_shortage.h"

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla_byol/inspect/hardware.h"

namespace xla_byol {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

// XLA writes sizes as 351.58G, 20.50M, 12.0K or 12B, in powers of 1024.
std::optional<double> SizeAfter(absl::string_view& text,
                                absl::string_view mark) {
  const size_t found = text.find(mark);
  if (found == absl::string_view::npos) return std::nullopt;
  text.remove_prefix(found + mark.size());
  const size_t end = text.find_first_not_of("0123456789.");
  double number = 0;
  if (end == absl::string_view::npos ||
      !absl::SimpleAtod(text.substr(0, end), &number)) {
    return std::nullopt;
  }
  switch (text[end]) {
    case 'T':
      return number * kGiB * 1024;
    case 'G':
      return number * kGiB;
    case 'M':
      return number * kGiB / 1024;
    case 'K':
      return number * 1024;
    default:
      return number;
  }
}

std::string Sentence(const MemoryShortage& shortage,
                     absl::string_view topology) {
  std::string of_all;
  std::string unit = "device";
  if (const absl::StatusOr<Machine> machine = FindMachine(topology, 1);
      machine.ok()) {
    unit = absl::StrCat(machine->hardware.name, " ", machine->hardware.unit);
    of_all = absl::StrFormat(
        " (of %.1f GiB in all)",
        static_cast<double>(machine->hardware.memory_bytes) / kGiB);
  }
  return absl::StrFormat(
      "the step does not fit %s: it needs %.2f GiB where a %s has %.2f GiB for "
      "it%s, %.2f GiB too much; try a smaller batch (--batch), "
      "--set=execution.rematerialize=true, or more devices",
      topology, shortage.needed_bytes / kGiB, unit,
      shortage.available_bytes / kGiB, of_all,
      (shortage.needed_bytes - shortage.available_bytes) / kGiB);
}

}  // namespace

std::optional<MemoryShortage> ParseMemoryShortage(absl::string_view message) {
  const struct {
    absl::string_view needed;
    absl::string_view available;
  } kForms[] = {
      {"temporaries (", "available HBM ("},
      {"required (", "available HBM ("},
      {"Used ", " of "},
  };
  for (const auto& form : kForms) {
    absl::string_view rest = message;
    const std::optional<double> needed = SizeAfter(rest, form.needed);
    if (!needed.has_value()) continue;
    const std::optional<double> available = SizeAfter(rest, form.available);
    if (available.has_value()) return MemoryShortage{*needed, *available};
  }
  return std::nullopt;
}

absl::Status ExplainShortage(const absl::Status& status,
                             absl::string_view topology) {
  const std::optional<MemoryShortage> shortage =
      ParseMemoryShortage(status.message());
  if (status.ok() || !shortage.has_value()) return status;
  return absl::ResourceExhaustedError(
      absl::StrCat(Sentence(*shortage, topology),
                   " (the compiler: ", status.message(), ")"));
}

double OccupiedBytes(const pjrt::CompiledMemory& memory) {
  return static_cast<double>(memory.argument_bytes + memory.output_bytes -
                             memory.alias_bytes + memory.temp_bytes +
                             memory.code_bytes);
}

absl::Status CheckFits(const pjrt::CompiledMemory& memory,
                       absl::string_view topology) {
  const absl::StatusOr<Machine> machine = FindMachine(topology, 1);
  if (!machine.ok()) return absl::OkStatus();
  const MemoryShortage use{OccupiedBytes(memory),
                           static_cast<double>(machine->hardware.memory_bytes)};
  if (use.needed_bytes <= use.available_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(Sentence(use, topology));
}

}  // namespace xla_byol
