#include "xla_byol/inspect/program_cost.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "xla_byol/inspect/program_flops.h"

namespace xla_byol {
namespace {

// Instructions that name values without computing any.
bool IsFree(absl::string_view opcode) {
  static const auto& free = *new std::set<absl::string_view>{
      "parameter", "constant",    "tuple", "get-tuple-element",
      "bitcast",   "after-all",   "token", "partition-id",
      "iota",      "opt-barrier", "domain"};
  return free.contains(opcode) || absl::EndsWith(opcode, "-done");
}

// Bytes that an instruction moves between the large memory and the rest.
double MovedBytes(const HloComputation& computation,
                  const HloInstruction& instruction) {
  int64_t bytes = 0;
  const auto add = [&bytes](const std::vector<HloArray>& arrays) {
    for (const HloArray& array : arrays) {
      if (array.memory_space == 0) bytes += array.padded_bytes();
    }
  };
  add(instruction.results);
  for (const int operand : instruction.operands) {
    add(computation.instructions[static_cast<size_t>(operand)].results);
  }
  return static_cast<double>(bytes);
}

class Analysis {
 public:
  explicit Analysis(const HloProgram& program) : program_(program) {}

  ProgramCost Run() {
    Walk(program_.main(), 1);
    for (const auto& [scope, cost] : cost_.scopes) cost_.total.Add(cost);
    Buffers(program_.main());
    return std::move(cost_);
  }

 private:
  using FlopsByScope = std::map<std::string, double>;

  const HloComputation& Called(int place) const {
    return program_.computations[static_cast<size_t>(place)];
  }

  void Walk(const HloComputation& computation, double times) {
    for (const HloInstruction& instruction : computation.instructions) {
      if (IsFree(instruction.opcode)) continue;
      if (instruction.opcode == "while") {
        if (instruction.calls.size() == 2) {
          Walk(Called(instruction.calls[0]),
               times * Trips(Called(instruction.calls[1])));
        }
        continue;
      }
      if (instruction.opcode == "call" || instruction.opcode == "conditional") {
        for (const int place : instruction.calls) Walk(Called(place), times);
        continue;
      }
      Count(computation, instruction, times);
    }
  }

  // The constant that the loop's counter is compared with: our loops count
  // from 0 in steps of 1.
  double Trips(const HloComputation& condition) const {
    int64_t most = 1;
    for (const HloInstruction& instruction : condition.instructions) {
      most = std::max(most, instruction.constant.value_or(1));
      for (const int place : instruction.calls) {
        most = std::max(most, static_cast<int64_t>(Trips(Called(place))));
      }
    }
    return static_cast<double>(most);
  }

  void Count(const HloComputation& computation,
             const HloInstruction& instruction, double times) {
    if (TakeCollective(instruction, times)) return;
    FlopsByScope flops;
    AddFlops(computation, instruction, flops);
    double all = 0;
    for (const auto& [scope, count] : flops) all += count;
    const Cost whole{.bytes = MovedBytes(computation, instruction),
                     .cycles = instruction.estimated_cycles};
    cost_.instructions.push_back({.name = instruction.name,
                                  .opcode = instruction.opcode,
                                  .scope = instruction.op_name,
                                  .cost = {.flops = times * all,
                                           .bytes = times * whole.bytes,
                                           .cycles = times * whole.cycles,
                                           .instructions = 1},
                                  .times = times});
    if (all == 0) {
      cost_.scopes[instruction.op_name].Add({.bytes = times * whole.bytes,
                                             .cycles = times * whole.cycles,
                                             .instructions = 1});
      return;
    }
    auto most = flops.begin();
    for (auto part = flops.begin(); part != flops.end(); ++part) {
      const double share = times * part->second / all;
      cost_.scopes[part->first].Add({.flops = times * part->second,
                                     .bytes = share * whole.bytes,
                                     .cycles = share * whole.cycles});
      if (part->second > most->second) most = part;
    }
    ++cost_.scopes[most->first].instructions;
  }

  // Of the instruction itself, or of what is fused into it.
  void AddFlops(const HloComputation& computation,
                const HloInstruction& instruction, FlopsByScope& flops) const {
    if (instruction.opcode != "fusion") {
      const double count = FlopsOf(computation, instruction);
      if (count > 0) flops[instruction.op_name] += count;
      return;
    }
    for (const int place : instruction.calls) {
      const HloComputation& fused = Called(place);
      for (const HloInstruction& inner : fused.instructions) {
        AddFlops(fused, inner, flops);
      }
    }
  }

  // A collective, perhaps inside a fusion, is counted with its bytes only: the
  // model of links says what it costs.
  bool TakeCollective(const HloInstruction& instruction, double times) {
    const absl::string_view kind = CollectiveKind(instruction.opcode);
    if (!kind.empty()) {
      CollectiveUse use{.name = instruction.name,
                        .kind = std::string(kind),
                        .scope = instruction.op_name,
                        .replicas = instruction.replicas_per_group,
                        .rings = instruction.rings,
                        .times = times};
      for (const HloArray& array : instruction.results) {
        use.bytes += array.bytes();
      }
      // A started one also hands its operands on.
      if (absl::EndsWith(instruction.opcode, "-start") &&
          instruction.results.size() > 1) {
        use.bytes /= 2;
      }
      cost_.collectives.push_back(std::move(use));
      return true;
    }
    if (instruction.opcode != "fusion") return false;
    bool found = false;
    for (const int place : instruction.calls) {
      for (const HloInstruction& inner : Called(place).instructions) {
        found |= TakeCollective(inner, times);
      }
    }
    return found;
  }

  // The life of each buffer: from the instruction that makes it to the last
  // one that reads it, also through tuples and bitcasts.
  void Buffers(const HloComputation& computation) {
    const auto& instructions = computation.instructions;
    const int count = static_cast<int>(instructions.size());
    std::vector<int> last(instructions.size());
    for (int i = 0; i < count; ++i) last[static_cast<size_t>(i)] = i;
    // Backwards, so that an alias hands its own end on to what it names.
    for (int i = count - 1; i >= 0; --i) {
      const HloInstruction& user = instructions[static_cast<size_t>(i)];
      const bool alias = IsFree(user.opcode) || user.opcode == "while";
      const int end = alias ? std::max(i, last[static_cast<size_t>(i)]) : i;
      for (const int operand : user.operands) {
        int& known = last[static_cast<size_t>(operand)];
        known = std::max(known, end);
      }
    }
    std::vector<int64_t> change(instructions.size() + 1);
    std::vector<std::pair<int, int>> lives;
    for (int i = 0; i < count; ++i) {
      const HloInstruction& maker = instructions[static_cast<size_t>(i)];
      if (IsFree(maker.opcode) || maker.opcode == "while") continue;
      // What the program returns lives in its arguments' memory.
      const int end = last[static_cast<size_t>(i)];
      if (end == count - 1) continue;
      BufferUse buffer{.name = maker.name, .scope = maker.op_name};
      const HloArray* largest = nullptr;
      for (const HloArray& array : maker.results) {
        if (array.memory_space != 0) continue;
        buffer.bytes += array.padded_bytes();
        if (largest == nullptr || array.bytes() > largest->bytes()) {
          largest = &array;
        }
      }
      if (largest == nullptr) continue;
      buffer.shape = largest->ToString();
      change[static_cast<size_t>(i)] += buffer.bytes;
      change[static_cast<size_t>(end) + 1] -= buffer.bytes;
      lives.emplace_back(i, end);
      cost_.buffers.push_back(std::move(buffer));
    }
    int peak = 0;
    int64_t live = 0;
    for (int i = 0; i < count; ++i) {
      live += change[static_cast<size_t>(i)];
      if (live > cost_.peak_bytes) {
        cost_.peak_bytes = live;
        peak = i;
      }
    }
    for (size_t i = 0; i < lives.size(); ++i) {
      cost_.buffers[i].at_peak =
          lives[i].first <= peak && peak <= lives[i].second;
    }
    std::stable_sort(cost_.buffers.begin(), cost_.buffers.end(),
                     [](const BufferUse& a, const BufferUse& b) {
                       return a.bytes > b.bytes;
                     });
  }

  const HloProgram& program_;
  ProgramCost cost_;
};

}  // namespace

void Cost::Add(const Cost& other) {
  flops += other.flops;
  bytes += other.bytes;
  cycles += other.cycles;
  seconds += other.seconds;
  instructions += other.instructions;
}

ProgramCost AnalyzeProgram(const HloProgram& program) {
  return Analysis(program).Run();
}

}  // namespace xla_byol
