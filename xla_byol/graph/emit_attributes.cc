#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_byol/graph/emit.h"

namespace xla_byol::graph {
namespace {

std::string Array(const Dims& values) {
  if (values.empty()) return "array<i64>";
  return absl::StrCat("array<i64: ", absl::StrJoin(values, ", "), ">");
}

std::string List(const Dims& values) {
  return absl::StrCat("[", absl::StrJoin(values, ", "), "]");
}

std::string Integer(int64_t value) { return absl::StrCat(value, " : i64"); }

std::string PaddingMatrix(const PaddingPairs& padding) {
  if (padding.empty()) return "dense<> : tensor<0x2xi64>";
  return absl::StrCat("dense<[",
                      absl::StrJoin(padding, ", ",
                                    [](std::string* out, const auto& pair) {
                                      absl::StrAppend(out, "[", pair.first,
                                                      ", ", pair.second, "]");
                                    }),
                      "]> : tensor<", padding.size(), "x2xi64>");
}

std::string PrecisionPair(Precision precision) {
  constexpr const char* kNames[] = {"DEFAULT", "HIGH", "HIGHEST"};
  const std::string one = absl::StrCat(
      "#stablehlo<precision ", kNames[static_cast<int>(precision)], ">");
  return absl::StrCat("[", one, ", ", one, "]");
}

Dims AllBut(int64_t rank, int64_t axis) {
  Dims axes = AllAxes(rank);
  axes.erase(axes.begin() + axis);
  return axes;
}

// Nested lists of elements; data stays readable and pred avoids the packed form
// of binary literals, which has changed between versions of MLIR.
void AppendElements(const ConstantAttributes& constant, size_t level,
                    const char** data, std::string* text) {
  const Shape& shape = constant.shape;
  if (level == shape.dims.size()) {
    absl::StrAppend(text, ElementToMlir(shape.dtype, *data));
    *data += ByteSize(shape.dtype);
    return;
  }
  absl::StrAppend(text, "[");
  for (int64_t i = 0; i < shape.dims[level]; ++i) {
    if (i > 0) absl::StrAppend(text, ", ");
    AppendElements(constant, level + 1, data, text);
  }
  absl::StrAppend(text, "]");
}

std::string Dense(const ConstantAttributes& constant) {
  constexpr int64_t kReadableElements = 32;
  const Shape& shape = constant.shape;
  std::string text = "dense<";
  const char* data = constant.data.data();
  if (shape.elements() == 0) {
    // Nothing between the brackets.
  } else if (constant.is_splat()) {
    absl::StrAppend(&text, ElementToMlir(shape.dtype, data));
  } else if (shape.dtype == DType::kPred ||
             shape.elements() <= kReadableElements) {
    AppendElements(constant, 0, &data, &text);
  } else {
    absl::StrAppend(&text, "\"0x", absl::BytesToHexString(constant.data), "\"");
  }
  absl::StrAppend(&text, "> : ", shape.ToMlir());
  return text;
}

// [b, 0, 1, f]: the role of each dimension.
std::string Roles(int64_t first, char first_role, int64_t second,
                  char second_role, const Dims& spatial) {
  std::vector<std::string> roles(spatial.size() + 2);
  roles[first] = first_role;
  roles[second] = second_role;
  for (size_t i = 0; i < spatial.size(); ++i) {
    roles[spatial[i]] = absl::StrCat(i);
  }
  return absl::StrCat("[", absl::StrJoin(roles, ", "), "]");
}

// The layout in memory, minor dimension first.
std::string RowMajor(const Shape& shape) {
  Dims order = AllAxes(shape.rank());
  std::reverse(order.begin(), order.end());
  return absl::StrCat("dense<", order.empty() ? "" : List(order), "> : tensor<",
                      shape.rank(), "xindex>");
}

struct AttributePrinter {
  const Graph& graph;
  const Node& node;

  const Shape& operand(int i) const { return graph.shape(node.operands[i]); }

  // Of `size` replicas each; 0: all in one.
  std::string ReplicaGroups(int64_t size = 0) const {
    const int64_t replicas = graph.replicas();
    if (size == 0) size = replicas;
    std::vector<std::string> groups;
    for (int64_t first = 0; first < replicas; first += size) {
      Dims members = AllAxes(size);
      for (int64_t& member : members) member += first;
      groups.push_back(List(members));
    }
    return absl::StrCat("replica_groups = dense<[", absl::StrJoin(groups, ", "),
                        "]> : tensor<", groups.size(), "x", size, "xi64>");
  }

  // What results' shapes say already, or regions.
  std::string operator()(const NoAttributes&) const { return ""; }
  std::string operator()(const ParameterAttributes&) const { return ""; }
  std::string operator()(const ConvertAttributes&) const { return ""; }
  std::string operator()(const ReshapeAttributes&) const { return ""; }
  std::string operator()(const WhileAttributes&) const { return ""; }

  std::string operator()(const ConstantAttributes& a) const {
    return absl::StrCat("value = ", Dense(a));
  }
  std::string operator()(const IotaAttributes& a) const {
    return absl::StrCat("iota_dimension = ", Integer(a.dimension));
  }
  std::string operator()(const CompareAttributes& a) const {
    constexpr const char* kNames[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
    return absl::StrCat(
        "comparison_direction = #stablehlo<comparison_direction ",
        kNames[static_cast<int>(a.direction)], ">");
  }
  std::string operator()(const BroadcastAttributes& a) const {
    return absl::StrCat("broadcast_dimensions = ",
                        Array(a.broadcast_dimensions));
  }
  std::string operator()(const TransposeAttributes& a) const {
    return absl::StrCat("permutation = ", Array(a.permutation));
  }
  std::string operator()(const ReverseAttributes& a) const {
    return absl::StrCat("dimensions = ", Array(a.dimensions));
  }
  std::string operator()(const SliceAttributes& a) const {
    return absl::StrCat("start_indices = ", Array(a.start),
                        ", limit_indices = ", Array(a.limit),
                        ", strides = ", Array(a.strides));
  }
  std::string operator()(const PadAttributes& a) const {
    return absl::StrCat("edge_padding_low = ", Array(a.low),
                        ", edge_padding_high = ", Array(a.high),
                        ", interior_padding = ", Array(a.interior));
  }
  std::string operator()(const ConcatenateAttributes& a) const {
    return absl::StrCat("dimension = ", Integer(a.dimension));
  }
  std::string operator()(const DynamicSliceAttributes& a) const {
    return absl::StrCat("slice_sizes = ", Array(a.sizes));
  }
  std::string operator()(const TakeAttributes& a) const {
    const Shape& x = operand(0);
    const std::string window = List(AllBut(x.rank(), a.axis));
    const std::string axis = List({a.axis});
    if (node.op == OpCode::kScatterAdd) {
      return absl::StrCat(
          "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims "
          "= ",
          window, ", inserted_window_dims = ", axis,
          ", scatter_dims_to_operand_dims = ", axis,
          ", index_vector_dim = 1>, indices_are_sorted = false, "
          "unique_indices = false");
    }
    Dims sizes = x.dims;
    sizes[a.axis] = 1;
    return absl::StrCat(
        "dimension_numbers = #stablehlo.gather<offset_dims = ", window,
        ", collapsed_slice_dims = ", axis, ", start_index_map = ", axis,
        ", index_vector_dim = 1>, slice_sizes = ", Array(sizes),
        ", indices_are_sorted = false");
  }
  std::string operator()(const ReduceAttributes& a) const {
    return absl::StrCat("dimensions = ", Array(a.dimensions));
  }
  std::string operator()(const WindowAttributes& a) const {
    return absl::StrCat("window_dimensions = ", Array(a.window),
                        ", window_strides = ", Array(a.strides),
                        ", base_dilations = ", Array(a.base_dilation),
                        ", window_dilations = ", Array(a.window_dilation),
                        ", padding = ", PaddingMatrix(a.padding));
  }
  std::string operator()(const SelectAndScatterAttributes& a) const {
    return absl::StrCat("window_dimensions = ", Array(a.window),
                        ", window_strides = ", Array(a.strides),
                        ", padding = ", PaddingMatrix(a.padding));
  }
  std::string operator()(const DotAttributes& a) const {
    return absl::StrCat(
        "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = ",
        List(a.lhs_batch), ", rhs_batching_dimensions = ", List(a.rhs_batch),
        ", lhs_contracting_dimensions = ", List(a.lhs_contract),
        ", rhs_contracting_dimensions = ", List(a.rhs_contract),
        ">, precision_config = ", PrecisionPair(a.precision));
  }
  std::string operator()(const ConvAttributes& a) const {
    const ConvDimensions& d = a.dimensions;
    return absl::StrCat(
        "window_strides = ", Array(a.strides),
        ", padding = ", PaddingMatrix(a.padding),
        ", lhs_dilation = ", Array(a.lhs_dilation),
        ", rhs_dilation = ", Array(a.rhs_dilation),
        ", dimension_numbers = #stablehlo.conv<",
        Roles(d.input_batch, 'b', d.input_feature, 'f', d.input_spatial), "x",
        Roles(d.kernel_input_feature, 'i', d.kernel_output_feature, 'o',
              d.kernel_spatial),
        "->",
        Roles(d.output_batch, 'b', d.output_feature, 'f', d.output_spatial),
        ">, feature_group_count = ", Integer(a.feature_groups),
        ", batch_group_count = ", Integer(a.batch_groups),
        ", precision_config = ", PrecisionPair(a.precision));
  }
  std::string operator()(const CustomCallAttributes& a) const {
    std::string config =
        absl::StrCat("name = \"", absl::CEscape(a.name), "\", scope = \"",
                     absl::CEscape(graph.scope(node.scope).path), "\"");
    for (const auto& [key, value] : a.config) {
      const auto* number = std::get_if<int64_t>(&value);
      absl::StrAppend(
          &config, ", ", key, " = ",
          number != nullptr ? Integer(*number) : Array(std::get<Dims>(value)));
    }
    std::vector<std::string> operands, results;
    for (int32_t id : node.operands) {
      operands.push_back(RowMajor(graph.shape(id)));
    }
    for (const Shape& shape : a.results) results.push_back(RowMajor(shape));
    return absl::StrCat("call_target_name = \"", absl::CEscape(a.name),
                        "\", api_version = 4 : i32, backend_config = {", config,
                        "}, operand_layouts = [", absl::StrJoin(operands, ", "),
                        "], result_layouts = [", absl::StrJoin(results, ", "),
                        "]");
  }
  std::string operator()(const AllReduceAttributes& a) const {
    return ReplicaGroups(a.group);
  }
  std::string operator()(const AllGatherAttributes& a) const {
    return absl::StrCat("all_gather_dim = ", Integer(a.dimension), ", ",
                        ReplicaGroups());
  }
  std::string operator()(const ReduceScatterAttributes& a) const {
    return absl::StrCat("scatter_dimension = ", Integer(a.dimension), ", ",
                        ReplicaGroups());
  }
};

}  // namespace

std::string AttributesToMlir(const Graph& graph, const Node& node) {
  return std::visit(AttributePrinter{graph, node}, node.attributes);
}

absl::string_view CombinerMnemonic(Combiner combiner) {
  constexpr const char* kNames[] = {"add", "maximum", "minimum", "and", "or"};
  return kNames[static_cast<int>(combiner)];
}

std::string CombinerIdentity(Combiner combiner, DType dtype) {
  const bool is_max = combiner == Combiner::kMax;
  std::string bytes(ByteSize(dtype), '\0');  // of sums and or
  if (is_max || combiner == Combiner::kMin) {
    if (IsFloat(dtype)) {
      const double infinity = std::numeric_limits<double>::infinity();
      bytes = *EncodeElement(dtype, is_max ? -infinity : infinity);
    } else if (IsSigned(dtype)) {
      if (!is_max) bytes.assign(bytes.size(), '\xff');
      bytes.back() = is_max ? '\x80' : '\x7f';
    } else if (!is_max) {
      bytes.assign(bytes.size(), '\xff');
    }
  } else if (combiner == Combiner::kAnd) {
    bytes.assign(bytes.size(), '\xff');
  }
  return ElementToMlir(dtype, bytes.data());
}

}  // namespace xla_byol::graph
