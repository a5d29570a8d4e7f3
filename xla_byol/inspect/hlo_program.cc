#include "xla_byol/inspect/hlo_program.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol {
namespace {

constexpr std::pair<absl::string_view, int> kElementBits[] = {
    {"pred", 8}, {"s8", 8},    {"u8", 8},   {"s16", 16}, {"u16", 16},
    {"s32", 32}, {"u32", 32},  {"s64", 64}, {"u64", 64}, {"f16", 16},
    {"f32", 32}, {"bf16", 16}, {"f64", 64}, {"c64", 64},
};

int64_t ElementBytes(absl::string_view type) {
  for (const auto& [name, bits] : kElementBits) {
    if (type == name) return bits / 8;
  }
  return 0;
}

int64_t Number(absl::string_view text) {
  int64_t number = 0;
  return absl::SimpleAtoi(text, &number) ? number : 0;
}

std::vector<int64_t> Numbers(absl::string_view text, absl::string_view by) {
  std::vector<int64_t> numbers;
  for (const absl::string_view part :
       absl::StrSplit(text, by, absl::SkipEmpty())) {
    numbers.push_back(Number(part));
  }
  return numbers;
}

// Cuts off and returns what stands before `end`, which is dropped.
absl::string_view Until(absl::string_view& text, char end) {
  const size_t found = text.find(end);
  const absl::string_view head = text.substr(0, found);
  text.remove_prefix(std::min(head.size() + 1, text.size()));
  return head;
}

// What stands inside the brackets that `text` begins with; cuts it off.
absl::string_view Bracketed(absl::string_view& text) {
  if (text.empty()) return "";
  int depth = 0;
  size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '(' || c == '{') ++depth;
    if ((c == ')' || c == '}') && --depth == 0) break;
  }
  const absl::string_view inner = text.substr(1, end == 0 ? 0 : end - 1);
  text.remove_prefix(std::min(end + 1, text.size()));
  return inner;
}

// {1,0:T(8,128)(2,1)S(1)}, without the braces.
void ParseLayout(absl::string_view text, HloArray& array) {
  array.minor_to_major = Numbers(Until(text, ':'), ",");
  if (absl::ConsumePrefix(&text, "T")) {
    array.tile = Numbers(Bracketed(text), ",");
  }
  const size_t space = text.find("S(");
  if (space != absl::string_view::npos) {
    absl::string_view rest = text.substr(space + 2);
    array.memory_space = static_cast<int>(Number(Until(rest, ')')));
  }
}

// Cuts one shape off `text`; a tuple adds all its leaves.
void ParseShape(absl::string_view& text, std::vector<HloArray>& arrays) {
  if (absl::StartsWith(text, "(")) {
    text.remove_prefix(1);
    while (!text.empty() && text[0] != ')') {
      ParseShape(text, arrays);
      absl::ConsumePrefix(&text, ", ");
    }
    absl::ConsumePrefix(&text, ")");
    return;
  }
  HloArray array;
  array.type = std::string(Until(text, '['));
  array.dims = Numbers(Until(text, ']'), ",");
  if (absl::StartsWith(text, "{")) ParseLayout(Bracketed(text), array);
  arrays.push_back(std::move(array));
}

// size=3x3 stride=2x2 pad=1_1x1_1
std::vector<HloWindow> ParseWindow(absl::string_view text) {
  std::vector<HloWindow> window;
  for (const absl::string_view part : absl::StrSplit(text, ' ')) {
    const std::pair<absl::string_view, absl::string_view> field =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    const std::vector<absl::string_view> values =
        absl::StrSplit(field.second, 'x');
    window.resize(std::max(window.size(), values.size()));
    for (size_t i = 0; i < values.size(); ++i) {
      HloWindow& dimension = window[i];
      if (field.first == "pad") {
        const std::pair<absl::string_view, absl::string_view> pads =
            absl::StrSplit(values[i], absl::MaxSplits('_', 1));
        dimension.pad_low = Number(pads.first);
        dimension.pad_high = Number(pads.second);
      } else if (field.first == "size") {
        dimension.size = Number(values[i]);
      } else if (field.first == "stride") {
        dimension.stride = Number(values[i]);
      } else if (field.first == "lhs_dilate") {
        dimension.lhs_dilate = Number(values[i]);
      } else if (field.first == "rhs_dilate") {
        dimension.rhs_dilate = Number(values[i]);
      }
    }
  }
  return window;
}

// Called computations are known by name until all have been read.
using Called = std::vector<std::string>;

void TakeAttribute(absl::string_view key, absl::string_view value,
                   HloInstruction& instruction, Called& called) {
  if (key == "calls") {
    called = absl::StrSplit(value, ',');
  } else if (key == "op_name") {
    instruction.op_name = std::string(value);
  } else if (key == "target") {
    instruction.target = std::string(value);
  } else if (key == "window") {
    instruction.window = ParseWindow(value);
  } else if (key == "dim_labels") {
    instruction.dim_labels = std::string(value);
  } else if (key == "lhs_contracting_dims") {
    instruction.lhs_contracting_dims = Numbers(value, ",");
  } else if (key == "feature_group_count") {
    instruction.feature_group_count = Number(value);
  } else if (key == "estimated_cycles") {
    instruction.estimated_cycles = static_cast<double>(Number(value));
  } else if (key == "rings") {
    instruction.rings = std::string(value);
  } else if (key == "index") {
    instruction.tuple_index = Number(value);
  } else if (key == "replicas") {
    instruction.replica_groups = Number(Until(value, 'x'));
    instruction.replicas_per_group = Number(value);
  }
}

void ParseAttributes(absl::string_view text, HloInstruction& instruction,
                     Called& called) {
  while (absl::ConsumePrefix(&text, ", ")) {
    const absl::string_view key = Until(text, '=');
    absl::string_view value;
    if (absl::StartsWith(text, "{")) {
      value = Bracketed(text);
    } else if (absl::ConsumePrefix(&text, "\"")) {
      value = Until(text, '"');
    } else {
      value = text.substr(0, text.find(", "));
      text.remove_prefix(value.size());
    }
    TakeAttribute(key, value, instruction, called);
  }
}

class Parser {
 public:
  absl::StatusOr<HloProgram> Parse(absl::string_view text) {
    if (!absl::ConsumePrefix(&text, "HloModule ")) {
      return absl::InvalidArgumentError(
          "no compiled program: it must begin with 'HloModule'");
    }
    program_.name = std::string(Until(text, '\n'));
    for (int number = 2; !text.empty(); ++number) {
      const absl::string_view line = Until(text, '\n');
      if (!Line(line)) {
        return absl::InvalidArgumentError(
            absl::StrCat("line ", number, " of the compiled program: '",
                         line.substr(0, 60), "' is no instruction"));
      }
    }
    if (program_.entry < 0) {
      return absl::InvalidArgumentError(
          "the compiled program has no ENTRY computation");
    }
    for (const auto& [computation, instruction, name] : calls_) {
      const auto found = computations_.find(name);
      if (found == computations_.end()) continue;
      program_.computations[computation]
          .instructions[instruction]
          .calls.push_back(found->second);
    }
    return std::move(program_);
  }

 private:
  struct Call {
    size_t computation;
    size_t instruction;
    std::string name;
  };

  bool Line(absl::string_view line) {
    if (line.empty()) return true;
    if (line == "}") {
      open_ = false;
      places_.clear();
      return true;
    }
    if (!absl::StartsWith(line, "  ")) return Header(line);
    return open_ && Instruction(line);
  }

  bool Header(absl::string_view line) {
    if (!absl::ConsumeSuffix(&line, " {")) return false;
    const int place = static_cast<int>(program_.computations.size());
    if (absl::ConsumePrefix(&line, "ENTRY ")) program_.entry = place;
    computations_[std::string(line)] = place;
    program_.computations.push_back({std::string(line), {}});
    open_ = true;
    return true;
  }

  bool Instruction(absl::string_view line) {
    HloInstruction instruction;
    line = absl::StripLeadingAsciiWhitespace(line);
    instruction.root = absl::ConsumePrefix(&line, "ROOT ");
    if (!absl::ConsumePrefix(&line, "%")) return false;
    instruction.name = std::string(Until(line, ' '));
    if (!absl::ConsumePrefix(&line, "= ")) return false;
    ParseShape(line, instruction.results);
    if (!absl::ConsumePrefix(&line, " ")) return false;
    const size_t open = line.find('(');
    if (open == absl::string_view::npos) return false;
    instruction.opcode = std::string(line.substr(0, open));
    line.remove_prefix(open);
    const absl::string_view operands = Bracketed(line);
    if (absl::StartsWith(operands, "%")) {
      for (absl::string_view operand : absl::StrSplit(operands, ", ")) {
        absl::ConsumePrefix(&operand, "%");
        const auto found = places_.find(operand);
        if (found != places_.end()) {
          instruction.operands.push_back(found->second);
        }
      }
    } else {
      instruction.literal = std::string(operands);
    }
    Called called;
    ParseAttributes(line, instruction, called);
    auto& instructions = program_.computations.back().instructions;
    for (std::string& name : called) {
      calls_.push_back({program_.computations.size() - 1, instructions.size(),
                        std::move(name)});
    }
    places_[instruction.name] = static_cast<int>(instructions.size());
    instructions.push_back(std::move(instruction));
    return true;
  }

  HloProgram program_;
  bool open_ = false;
  absl::flat_hash_map<std::string, int> places_;  // in this computation
  absl::flat_hash_map<std::string, int> computations_;
  std::vector<Call> calls_;
};

}  // namespace

int64_t HloArray::elements() const {
  int64_t product = 1;
  for (const int64_t dim : dims) product *= dim;
  return product;
}

int64_t HloArray::bytes() const { return elements() * ElementBytes(type); }

int64_t HloArray::padded_bytes() const {
  std::vector<int64_t> padded = dims;
  // The tile's last dimension goes with the most minor one, and so on.
  const size_t tiled =
      std::min({tile.size(), minor_to_major.size(), padded.size()});
  for (size_t i = 0; i < tiled; ++i) {
    const int64_t unit = tile[tile.size() - 1 - i];
    const size_t axis = static_cast<size_t>(minor_to_major[i]);
    if (unit < 1 || axis >= padded.size()) continue;
    padded[axis] = (padded[axis] + unit - 1) / unit * unit;
  }
  int64_t product = ElementBytes(type);
  for (const int64_t dim : padded) product *= dim;
  return product;
}

std::string HloArray::ToString() const {
  return absl::StrCat(type, "[", absl::StrJoin(dims, ","), "]");
}

absl::StatusOr<HloProgram> ParseHloProgram(absl::string_view text) {
  return Parser().Parse(text);
}

absl::string_view CollectiveKind(absl::string_view opcode) {
  absl::ConsumeSuffix(&opcode, "-start");
  for (const absl::string_view kind :
       {"all-reduce", "all-gather", "reduce-scatter", "all-to-all",
        "collective-permute", "collective-broadcast"}) {
    if (opcode == kind) return kind;
  }
  return "";
}

}  // namespace xla_byol
