#include "tests/inspect/small_module.h"

#include "absl/strings/str_replace.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace xla_byol {
namespace {

// Capitals stand for what would be written often: shapes, tiles, a window.
constexpr char kModule[] = R"pb(
  name: "step"
  entry_computation_name: "main"
  computations {
    name: "fused"
    id: 1
    root_id: 14
    instructions { name: "p0" opcode: "parameter" id: 11 shape { X } }
    instructions {
      name: "p1"
      opcode: "parameter"
      id: 12
      parameter_number: 1
      shape { W }
    }
    instructions {
      name: "conv"
      opcode: "convolution"
      id: 13
      operand_ids: [ 11, 12 ]
      shape { C }
      metadata { op_name: "online/resnet/stage0/block0/conv1" }
      window {
        dimensions { SAME }
        dimensions { SAME }
      }
      convolution_dimension_numbers {
        input_batch_dimension: 0
        input_spatial_dimensions: [ 1, 2 ]
        input_feature_dimension: 3
        kernel_spatial_dimensions: [ 0, 1 ]
        kernel_input_feature_dimension: 2
        kernel_output_feature_dimension: 3
        output_batch_dimension: 0
        output_spatial_dimensions: [ 1, 2 ]
        output_feature_dimension: 3
      }
    }
    instructions {
      name: "relu"
      opcode: "maximum"
      id: 14
      operand_ids: [ 13, 13 ]
      shape { C }
      metadata { op_name: "online/resnet/stage0/block0" }
    }
  }
  computations {
    name: "body"
    id: 2
    root_id: 24
    instructions { name: "state" opcode: "parameter" id: 21 shape { STATE } }
    instructions {
      name: "m"
      opcode: "get-tuple-element"
      id: 22
      operand_ids: 21
      tuple_index: 1
      shape { M }
    }
    instructions {
      name: "mm"
      opcode: "dot"
      id: 23
      operand_ids: [ 22, 22 ]
      shape { M }
      metadata { op_name: "predictor" }
      dot_dimension_numbers { lhs_contracting_dimensions: 1 }
      backend_config: "{\"estimated_cycles\":\"100\"}"
    }
    instructions {
      name: "next"
      opcode: "tuple"
      id: 24
      operand_ids: [ 22, 23 ]
      shape { STATE }
    }
  }
  computations {
    name: "condition"
    id: 3
    root_id: 34
    instructions { name: "s" opcode: "parameter" id: 31 shape { STATE } }
    instructions {
      name: "i"
      opcode: "get-tuple-element"
      id: 32
      operand_ids: 31
      shape { element_type: 4 }
    }
    instructions {
      name: "n"
      opcode: "constant"
      id: 33
      literal { s32s: 7 }
      shape { element_type: 4 }
    }
    instructions {
      name: "more"
      opcode: "compare"
      id: 34
      operand_ids: [ 32, 33 ]
      shape { element_type: 1 }
    }
  }
  computations {
    name: "main"
    id: 4
    root_id: 48
    instructions {
      name: "out"
      opcode: "tuple"
      id: 48
      operand_ids: 47
      shape { element_type: 13 tuple_shapes { G } }
    }
    instructions {
      name: "x"
      opcode: "parameter"
      id: 41
      metadata { op_name: "view1" }
      shape { X TILED }
    }
    instructions {
      name: "w"
      opcode: "parameter"
      id: 42
      parameter_number: 1
      shape { W TILED }
    }
    instructions {
      name: "c"
      opcode: "fusion"
      id: 43
      operand_ids: [ 41, 42 ]
      called_computation_ids: 1
      shape { C TILED }
      metadata { op_name: "online/resnet/stage0/block0" }
      backend_config: "{\"used\":1,\"estimated_cycles\":\"940\"}"
    }
    instructions {
      name: "t"
      opcode: "tuple"
      id: 44
      operand_ids: [ 43, 43 ]
      shape { STATE }
    }
    instructions {
      name: "loop"
      opcode: "while"
      id: 45
      operand_ids: 44
      called_computation_ids: [ 2, 3 ]
      shape { STATE }
    }
    instructions {
      name: "g"
      opcode: "convert"
      id: 46
      operand_ids: 43
      shape { G }
      metadata { op_name: "gradient/online/projector/dense1" }
      backend_config: "{\"estimated_cycles\":\"60\"}"
    }
    instructions {
      name: "ar"
      opcode: "all-reduce"
      id: 47
      operand_ids: [ 46, 46 ]
      called_computation_ids: 3
      shape {
        element_type: 13
        tuple_shapes { G }
        tuple_shapes {
          element_type: 11
          dimensions: 24
          layout {
            minor_to_major: 0
            tiles { dimensions: 256 }
          }
        }
      }
      metadata { op_name: "optimizer" }
      collective_device_list {
        iota_replica_group_list {
          num_replica_groups: 1
          num_devices_per_group: 8
        }
      }
      backend_config: "{\"strategy\":\"2 phases cores:{4 2}\"}"
    }
  }
  # The entry's list is not in the order in which it runs.
  schedule {
    sequences {
      key: 4
      value { instruction_ids: [ 41, 42, 43, 44, 45, 46, 47, 48 ] }
    }
  }
)pb";

}  // namespace

pjrt::HloModuleProto SmallModule() {
  const std::string text = absl::StrReplaceAll(
      kModule, {{"{ X",
                 "{ element_type: 16 dimensions: [ 2, 8, 8, 4 ] "
                 "layout { minor_to_major: [ 3, 2, 1, 0 ] }"},
                {"{ W",
                 "{ element_type: 16 dimensions: [ 3, 3, 4, 16 ] "
                 "layout { minor_to_major: [ 3, 2, 1, 0 ] }"},
                {"{ C",
                 "{ element_type: 16 dimensions: [ 2, 8, 8, 16 ] "
                 "layout { minor_to_major: [ 3, 2, 1, 0 ] }"},
                {"{ M }",
                 "{ element_type: 11 dimensions: [ 16, 16 ] "
                 "layout { minor_to_major: [ 1, 0 ] } }"},
                {"{ G }",
                 "{ element_type: 11 dimensions: 1000 "
                 "layout { minor_to_major: 0 tiles { dimensions: 1024 } } }"},
                {"{ STATE }",
                 "{ element_type: 13 tuple_shapes { element_type: 4 } "
                 "tuple_shapes { element_type: 11 dimensions: [ 16, 16 ] "
                 "layout { minor_to_major: [ 1, 0 ] } } }"},
                {"{ SAME }",
                 "{ size: 3 stride: 1 padding_low: 1 padding_high: 1 "
                 "window_dilation: 1 base_dilation: 1 }"}});
  const std::string tiled =
      absl::StrReplaceAll(text, {{"} TILED",
                                  " tiles { dimensions: [ 8, 128 ] } "
                                  "tiles { dimensions: [ 2, 1 ] } }"}});
  pjrt::HloModuleProto module;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(tiled, &module));
  // w lies in the fast memory.
  module.mutable_computations(3)
      ->mutable_instructions(2)
      ->mutable_shape()
      ->mutable_layout()
      ->set_memory_space(1);
  return module;
}

pjrt::OptimizedProgram SmallProgram() {
  return {"hlo", SmallModule().SerializeAsString()};
}

}  // namespace xla_byol
