// What a node carries besides its operands: one small struct per family of ops,
// joined in a variant. Names and meanings are those of StableHLO's
// specification unless a comment says otherwise.

#ifndef XLA_BYOL_GRAPH_ATTRIBUTES_H_
#define XLA_BYOL_GRAPH_ATTRIBUTES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "xla_byol/graph/shape.h"

namespace xla_byol::graph {

class Graph;

// (low, high) per dimension; negative padding removes elements.
using PaddingPairs = std::vector<std::pair<int64_t, int64_t>>;

enum class Direction : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };

// The combiners that regions may hold; each has an identity.
enum class Combiner : uint8_t { kSum, kMax, kMin, kAnd, kOr };

enum class Precision : uint8_t { kDefault, kHigh, kHighest };

struct NoAttributes {
  bool operator==(const NoAttributes&) const = default;
};

struct ParameterAttributes {
  int64_t index;
  std::string name;
  Shape shape;
  bool operator==(const ParameterAttributes&) const = default;
};

struct ConstantAttributes {
  Shape shape;
  std::string data;  // all elements row by row, or a single one for a splat
  bool operator==(const ConstantAttributes&) const = default;
  bool is_splat() const {
    return static_cast<int64_t>(data.size()) == ByteSize(shape.dtype);
  }
};

struct IotaAttributes {
  Shape shape;
  int64_t dimension;
  bool operator==(const IotaAttributes&) const = default;
};

struct CompareAttributes {
  Direction direction;
  bool operator==(const CompareAttributes&) const = default;
};

// Convert and bitcast_convert.
struct ConvertAttributes {
  DType dtype;
  bool operator==(const ConvertAttributes&) const = default;
};

struct ReshapeAttributes {
  Dims dims;
  bool operator==(const ReshapeAttributes&) const = default;
};

struct BroadcastAttributes {
  Dims dims;                  // of the result
  Dims broadcast_dimensions;  // where each operand dimension goes
  bool operator==(const BroadcastAttributes&) const = default;
};

struct TransposeAttributes {
  Dims permutation;
  bool operator==(const TransposeAttributes&) const = default;
};

struct ReverseAttributes {
  Dims dimensions;
  bool operator==(const ReverseAttributes&) const = default;
};

struct SliceAttributes {
  Dims start, limit, strides;
  bool operator==(const SliceAttributes&) const = default;
};

struct PadAttributes {
  Dims low, high, interior;
  bool operator==(const PadAttributes&) const = default;
};

struct ConcatenateAttributes {
  int64_t dimension;
  bool operator==(const ConcatenateAttributes&) const = default;
};

struct DynamicSliceAttributes {
  Dims sizes;
  bool operator==(const DynamicSliceAttributes&) const = default;
};

// Rows of `axis` named by a vector of indices, and the scatter that adds rows
// back: the one form of gather and scatter that we use.
struct TakeAttributes {
  int64_t axis;
  bool operator==(const TakeAttributes&) const = default;
};

struct ReduceAttributes {
  Combiner combiner;
  Dims dimensions;
  bool operator==(const ReduceAttributes&) const = default;
};

struct WindowAttributes {
  Combiner combiner;
  Dims window, strides, base_dilation, window_dilation;
  PaddingPairs padding;
  bool operator==(const WindowAttributes&) const = default;
};

// Selects the maximum of each window and adds the source there.
struct SelectAndScatterAttributes {
  Dims window, strides;
  PaddingPairs padding;
  bool operator==(const SelectAndScatterAttributes&) const = default;
};

struct DotAttributes {
  Dims lhs_batch, rhs_batch, lhs_contract, rhs_contract;
  Precision precision = Precision::kDefault;
  bool operator==(const DotAttributes&) const = default;
};

struct ConvDimensions {
  int64_t input_batch, input_feature;
  Dims input_spatial;
  int64_t kernel_input_feature, kernel_output_feature;
  Dims kernel_spatial;
  int64_t output_batch, output_feature;
  Dims output_spatial;
  bool operator==(const ConvDimensions&) const = default;
};

struct ConvAttributes {
  ConvDimensions dimensions;
  Dims strides;
  PaddingPairs padding;
  Dims lhs_dilation, rhs_dilation;
  int64_t feature_groups = 1;
  int64_t batch_groups = 1;
  Precision precision = Precision::kDefault;
  bool operator==(const ConvAttributes&) const = default;
};

// Collectives span all replicas of the program; only an all-reduce may stay
// within groups of so many neighbouring ones (0: all).
struct AllReduceAttributes {
  Combiner combiner;
  int64_t group = 0;
  bool operator==(const AllReduceAttributes&) const = default;
};

struct AllGatherAttributes {
  int64_t dimension;
  bool operator==(const AllGatherAttributes&) const = default;
};

struct ReduceScatterAttributes {
  int64_t dimension;
  bool operator==(const ReduceScatterAttributes&) const = default;
};

// The two regions are graphs whose parameters are the loop's state.
struct WhileAttributes {
  std::shared_ptr<Graph> condition;
  std::shared_ptr<Graph> body;
  bool operator==(const WhileAttributes&) const = default;
};

// What a function outside the compiler is told besides its operands.
using CallValue = std::variant<int64_t, Dims>;
using CallConfig = std::map<std::string, CallValue>;

struct CustomCallAttributes {
  std::string name;
  Shapes results;
  CallConfig config;
  bool operator==(const CustomCallAttributes&) const = default;
};

using Attributes =
    std::variant<NoAttributes, ParameterAttributes, ConstantAttributes,
                 IotaAttributes, CompareAttributes, ConvertAttributes,
                 ReshapeAttributes, BroadcastAttributes, TransposeAttributes,
                 ReverseAttributes, SliceAttributes, PadAttributes,
                 ConcatenateAttributes, DynamicSliceAttributes, TakeAttributes,
                 ReduceAttributes, WindowAttributes, SelectAndScatterAttributes,
                 DotAttributes, ConvAttributes, AllReduceAttributes,
                 AllGatherAttributes, ReduceScatterAttributes, WhileAttributes,
                 CustomCallAttributes>;

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_ATTRIBUTES_H_
