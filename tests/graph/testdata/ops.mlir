module @parameter attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    "func.return"(%arg0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @constant_dense attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<2x3xf64>) {
    %0 = "stablehlo.constant"() {value = dense<[[1.0e-01, -1.0e+00, 1.0e+300], [3.5e+00, 0x7FF0000000000000, 1.0e-310]]> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @constant_blob attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<8x5xf32>) {
    %0 = "stablehlo.constant"() {value = dense<"0x00000000cdcccc3dcdcc4c3e9a99993ecdcccc3e0000003f9a99193f3333333fcdcc4c3f6766663f0000803fcdcc8c3f9a99993f6766a63f3333b33f0000c03fcdcccc3f9a99d93f6766e63f3333f33f0000004067660640cdcc0c40333313409a9919400000204067662640cdcc2c40333333409a9939400000404067664640cdcc4c40333353409a9959400000604067666640cdcc6c40333373409a997940"> : tensor<8x5xf32>} : () -> tensor<8x5xf32>
    "func.return"(%0) : (tensor<8x5xf32>) -> ()
  }
}
// -----
module @iota attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<2x3xui32>) {
    %0 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x3xui32>
    "func.return"(%0) : (tensor<2x3xui32>) -> ()
  }
}
// -----
module @is_finite attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.log"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    %1 = "stablehlo.is_finite"(%0) : (tensor<2x3xf64>) -> tensor<2x3xi1>
    "func.return"(%1) : (tensor<2x3xi1>) -> ()
  }
}
// -----
module @compare_eq attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5xi32> loc("input0"), %arg1: tensor<2x5xi32> loc("input1")) -> (tensor<2x5xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction EQ>} : (tensor<2x5xi32>, tensor<2x5xi32>) -> tensor<2x5xi1>
    "func.return"(%0) : (tensor<2x5xi1>) -> ()
  }
}
// -----
module @compare_ne attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5xi32> loc("input0"), %arg1: tensor<2x5xi32> loc("input1")) -> (tensor<2x5xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction NE>} : (tensor<2x5xi32>, tensor<2x5xi32>) -> tensor<2x5xi1>
    "func.return"(%0) : (tensor<2x5xi1>) -> ()
  }
}
// -----
module @compare_lt attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5xi32> loc("input0"), %arg1: tensor<2x5xi32> loc("input1")) -> (tensor<2x5xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2x5xi32>, tensor<2x5xi32>) -> tensor<2x5xi1>
    "func.return"(%0) : (tensor<2x5xi1>) -> ()
  }
}
// -----
module @compare_le attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5xi32> loc("input0"), %arg1: tensor<2x5xi32> loc("input1")) -> (tensor<2x5xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction LE>} : (tensor<2x5xi32>, tensor<2x5xi32>) -> tensor<2x5xi1>
    "func.return"(%0) : (tensor<2x5xi1>) -> ()
  }
}
// -----
module @compare_gt attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5xi32> loc("input0"), %arg1: tensor<2x5xi32> loc("input1")) -> (tensor<2x5xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<2x5xi32>, tensor<2x5xi32>) -> tensor<2x5xi1>
    "func.return"(%0) : (tensor<2x5xi1>) -> ()
  }
}
// -----
module @compare_ge attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5xi32> loc("input0"), %arg1: tensor<2x5xi32> loc("input1")) -> (tensor<2x5xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<2x5xi32>, tensor<2x5xi32>) -> tensor<2x5xi1>
    "func.return"(%0) : (tensor<2x5xi1>) -> ()
  }
}
// -----
module @with_gradient_of attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.multiply"(%arg0, %arg0) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @select attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0"), %arg1: tensor<3xf64> loc("input1"), %arg2: tensor<2x3xf64> loc("input2")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.constant"() {value = dense<0.0e+00> : tensor<f64>} : () -> tensor<f64>
    %1 = "stablehlo.broadcast_in_dim"(%0) {broadcast_dimensions = array<i64>} : (tensor<f64>) -> tensor<2x3xf64>
    %2 = "stablehlo.compare"(%arg0, %1) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xi1>
    %3 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf64>) -> tensor<2x3xf64>
    %4 = "stablehlo.select"(%2, %3, %arg2) : (tensor<2x3xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%4) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @clamp_scalars attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f64> loc("input0"), %arg1: tensor<4x3xf64> loc("input1"), %arg2: tensor<f64> loc("input2")) -> (tensor<4x3xf64>) {
    %0 = "stablehlo.clamp"(%arg0, %arg1, %arg2) : (tensor<f64>, tensor<4x3xf64>, tensor<f64>) -> tensor<4x3xf64>
    "func.return"(%0) : (tensor<4x3xf64>) -> ()
  }
}
// -----
module @clamp_tensors attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0"), %arg1: tensor<2x3xf64> loc("input1"), %arg2: tensor<2x3xf64> loc("input2")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.clamp"(%arg0, %arg1, %arg2) : (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @convert attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xi32>
    "func.return"(%0) : (tensor<2x3xi32>) -> ()
  }
}
// -----
module @convert_f32 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @convert_bf16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32> loc("input0")) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    "func.return"(%0) : (tensor<2x3xbf16>) -> ()
  }
}
// -----
module @bitcast_convert attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32> loc("input0")) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.bitcast_convert"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xui32>
    "func.return"(%0) : (tensor<2x3xui32>) -> ()
  }
}
// -----
module @relu attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.constant"() {value = dense<0.0e+00> : tensor<f64>} : () -> tensor<f64>
    %1 = "stablehlo.broadcast_in_dim"(%0) {broadcast_dimensions = array<i64>} : (tensor<f64>) -> tensor<2x3xf64>
    %2 = "stablehlo.compare"(%arg0, %1) {comparison_direction = #stablehlo<comparison_direction LE>} : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xi1>
    %3 = "stablehlo.select"(%2, %1, %arg0) : (tensor<2x3xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%3) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @abs attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.abs"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @abs_s32 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xi32> loc("input0")) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.abs"(%arg0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    "func.return"(%0) : (tensor<2x3xi32>) -> ()
  }
}
// -----
module @ceil attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.ceil"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @cosine attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.cosine"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @exp attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.exponential"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @expm1 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.exponential_minus_one"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @floor attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.floor"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @log attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.log"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @log1p attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.log_plus_one"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @logistic attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.logistic"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @negate attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.negate"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @not_pred attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xi1> loc("input0")) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.not"(%arg0) : (tensor<2x3xi1>) -> tensor<2x3xi1>
    "func.return"(%0) : (tensor<2x3xi1>) -> ()
  }
}
// -----
module @not_s32 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xi32> loc("input0")) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.not"(%arg0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    "func.return"(%0) : (tensor<2x3xi32>) -> ()
  }
}
// -----
module @round_nearest_even attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.round_nearest_even"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @rsqrt attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.rsqrt"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @sign attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.sign"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @sine attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.sine"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @sqrt attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.sqrt"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @tanh attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.tanh"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @stop_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    "func.return"(%arg0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @add attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xf64> loc("input0"), %arg1: tensor<3xf64> loc("input1")) -> (tensor<4x3xf64>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf64>) -> tensor<4x3xf64>
    %1 = "stablehlo.add"(%arg0, %0) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%1) : (tensor<4x3xf64>) -> ()
  }
}
// -----
module @and attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xi32> loc("input0"), %arg1: tensor<3xi32> loc("input1")) -> (tensor<4x3xi32>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xi32>) -> tensor<4x3xi32>
    %1 = "stablehlo.and"(%arg0, %0) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    "func.return"(%1) : (tensor<4x3xi32>) -> ()
  }
}
// -----
module @atan2 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xf64> loc("input0"), %arg1: tensor<3xf64> loc("input1")) -> (tensor<4x3xf64>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf64>) -> tensor<4x3xf64>
    %1 = "stablehlo.atan2"(%arg0, %0) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%1) : (tensor<4x3xf64>) -> ()
  }
}
// -----
module @divide attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xf64> loc("input0"), %arg1: tensor<3xf64> loc("input1")) -> (tensor<4x3xf64>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf64>) -> tensor<4x3xf64>
    %1 = "stablehlo.divide"(%arg0, %0) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%1) : (tensor<4x3xf64>) -> ()
  }
}
// -----
module @divide_s32 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xi32> loc("input0"), %arg1: tensor<3xi32> loc("input1")) -> (tensor<4x3xi32>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xi32>) -> tensor<4x3xi32>
    %1 = "stablehlo.divide"(%arg0, %0) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    "func.return"(%1) : (tensor<4x3xi32>) -> ()
  }
}
// -----
module @maximum attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xf64> loc("input0"), %arg1: tensor<3xf64> loc("input1")) -> (tensor<4x3xf64>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf64>) -> tensor<4x3xf64>
    %1 = "stablehlo.maximum"(%arg0, %0) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%1) : (tensor<4x3xf64>) -> ()
  }
}
// -----
module @minimum attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xf64> loc("input0"), %arg1: tensor<3xf64> loc("input1")) -> (tensor<4x3xf64>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf64>) -> tensor<4x3xf64>
    %1 = "stablehlo.minimum"(%arg0, %0) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%1) : (tensor<4x3xf64>) -> ()
  }
}
// -----
module @multiply attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xf64> loc("input0"), %arg1: tensor<3xf64> loc("input1")) -> (tensor<4x3xf64>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf64>) -> tensor<4x3xf64>
    %1 = "stablehlo.multiply"(%arg0, %0) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%1) : (tensor<4x3xf64>) -> ()
  }
}
// -----
module @or attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xi32> loc("input0"), %arg1: tensor<3xi32> loc("input1")) -> (tensor<4x3xi32>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xi32>) -> tensor<4x3xi32>
    %1 = "stablehlo.or"(%arg0, %0) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    "func.return"(%1) : (tensor<4x3xi32>) -> ()
  }
}
// -----
module @power attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xf64> loc("input0"), %arg1: tensor<3xf64> loc("input1")) -> (tensor<4x3xf64>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf64>) -> tensor<4x3xf64>
    %1 = "stablehlo.power"(%arg0, %0) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%1) : (tensor<4x3xf64>) -> ()
  }
}
// -----
module @remainder attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xf64> loc("input0"), %arg1: tensor<3xf64> loc("input1")) -> (tensor<4x3xf64>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf64>) -> tensor<4x3xf64>
    %1 = "stablehlo.remainder"(%arg0, %0) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%1) : (tensor<4x3xf64>) -> ()
  }
}
// -----
module @shift_left attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xi32> loc("input0"), %arg1: tensor<3xi32> loc("input1")) -> (tensor<4x3xi32>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xi32>) -> tensor<4x3xi32>
    %1 = "stablehlo.shift_left"(%arg0, %0) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    "func.return"(%1) : (tensor<4x3xi32>) -> ()
  }
}
// -----
module @shift_right_arithmetic attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xi32> loc("input0"), %arg1: tensor<3xi32> loc("input1")) -> (tensor<4x3xi32>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xi32>) -> tensor<4x3xi32>
    %1 = "stablehlo.shift_right_arithmetic"(%arg0, %0) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    "func.return"(%1) : (tensor<4x3xi32>) -> ()
  }
}
// -----
module @shift_right_logical attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xi32> loc("input0"), %arg1: tensor<3xi32> loc("input1")) -> (tensor<4x3xi32>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xi32>) -> tensor<4x3xi32>
    %1 = "stablehlo.shift_right_logical"(%arg0, %0) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    "func.return"(%1) : (tensor<4x3xi32>) -> ()
  }
}
// -----
module @subtract attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xf64> loc("input0"), %arg1: tensor<3xf64> loc("input1")) -> (tensor<4x3xf64>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf64>) -> tensor<4x3xf64>
    %1 = "stablehlo.subtract"(%arg0, %0) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%1) : (tensor<4x3xf64>) -> ()
  }
}
// -----
module @xor attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xi32> loc("input0"), %arg1: tensor<3xi32> loc("input1")) -> (tensor<4x3xi32>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = array<i64: 1>} : (tensor<3xi32>) -> tensor<4x3xi32>
    %1 = "stablehlo.xor"(%arg0, %0) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
    "func.return"(%1) : (tensor<4x3xi32>) -> ()
  }
}
// -----
module @reshape attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf64> loc("input0")) -> (tensor<2x6xf64>) {
    %0 = "stablehlo.reshape"(%arg0) : (tensor<3x4xf64>) -> tensor<2x6xf64>
    "func.return"(%0) : (tensor<2x6xf64>) -> ()
  }
}
// -----
module @broadcast_in_dim attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x1x3xf64> loc("input0")) -> (tensor<3x2x4x2xf64>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 2, 1, 0>} : (tensor<4x1x3xf64>) -> tensor<3x2x4x2xf64>
    "func.return"(%0) : (tensor<3x2x4x2xf64>) -> ()
  }
}
// -----
module @broadcast_to attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x1xf64> loc("input0")) -> (tensor<2x3x4xf64>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 1, 2>} : (tensor<3x1xf64>) -> tensor<2x3x4xf64>
    "func.return"(%0) : (tensor<2x3x4xf64>) -> ()
  }
}
// -----
module @transpose attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x4xf64> loc("input0")) -> (tensor<4x2x3xf64>) {
    %0 = "stablehlo.transpose"(%arg0) {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf64>) -> tensor<4x2x3xf64>
    "func.return"(%0) : (tensor<4x2x3xf64>) -> ()
  }
}
// -----
module @reverse attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf64> loc("input0")) -> (tensor<3x4xf64>) {
    %0 = "stablehlo.reverse"(%arg0) {dimensions = array<i64: 1>} : (tensor<3x4xf64>) -> tensor<3x4xf64>
    "func.return"(%0) : (tensor<3x4xf64>) -> ()
  }
}
// -----
module @slice attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7x4xf64> loc("input0")) -> (tensor<3x2xf64>) {
    %0 = "stablehlo.slice"(%arg0) {start_indices = array<i64: 1, 2>, limit_indices = array<i64: 6, 4>, strides = array<i64: 2, 1>} : (tensor<7x4xf64>) -> tensor<3x2xf64>
    "func.return"(%0) : (tensor<3x2xf64>) -> ()
  }
}
// -----
module @pad attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf64> loc("input0"), %arg1: tensor<f64> loc("input1")) -> (tensor<8x3xf64>) {
    %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: 1, -1>, edge_padding_high = array<i64: 2, 0>, interior_padding = array<i64: 1, 0>} : (tensor<3x4xf64>, tensor<f64>) -> tensor<8x3xf64>
    "func.return"(%0) : (tensor<8x3xf64>) -> ()
  }
}
// -----
module @pad_edges attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf64> loc("input0")) -> (tensor<6xf64>) {
    %0 = "stablehlo.constant"() {value = dense<7.0e+00> : tensor<f64>} : () -> tensor<f64>
    %1 = "stablehlo.pad"(%arg0, %0) {edge_padding_low = array<i64: 2>, edge_padding_high = array<i64: -1>, interior_padding = array<i64: 0>} : (tensor<5xf64>, tensor<f64>) -> tensor<6xf64>
    "func.return"(%1) : (tensor<6xf64>) -> ()
  }
}
// -----
module @concatenate attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x1xf64> loc("input0"), %arg1: tensor<2x3xf64> loc("input1")) -> (tensor<2x4xf64>) {
    %0 = "stablehlo.concatenate"(%arg0, %arg1) {dimension = 1 : i64} : (tensor<2x1xf64>, tensor<2x3xf64>) -> tensor<2x4xf64>
    "func.return"(%0) : (tensor<2x4xf64>) -> ()
  }
}
// -----
module @stack attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf64> loc("input0"), %arg1: tensor<5xf64> loc("input1")) -> (tensor<5x2xf64>) {
    %0 = "stablehlo.reshape"(%arg0) : (tensor<5xf64>) -> tensor<5x1xf64>
    %1 = "stablehlo.reshape"(%arg1) : (tensor<5xf64>) -> tensor<5x1xf64>
    %2 = "stablehlo.concatenate"(%0, %1) {dimension = 1 : i64} : (tensor<5x1xf64>, tensor<5x1xf64>) -> tensor<5x2xf64>
    "func.return"(%2) : (tensor<5x2xf64>) -> ()
  }
}
// -----
module @dynamic_slice attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf64> loc("input0"), %arg1: tensor<i32> loc("input1"), %arg2: tensor<i32> loc("input2")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) {slice_sizes = array<i64: 2, 3>} : (tensor<3x4xf64>, tensor<i32>, tensor<i32>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @dynamic_update_slice attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf64> loc("input0"), %arg1: tensor<2x3xf64> loc("input1"), %arg2: tensor<i32> loc("input2"), %arg3: tensor<i32> loc("input3")) -> (tensor<3x4xf64>) {
    %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<3x4xf64>, tensor<2x3xf64>, tensor<i32>, tensor<i32>) -> tensor<3x4xf64>
    "func.return"(%0) : (tensor<3x4xf64>) -> ()
  }
}
// -----
module @take attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf64> loc("input0"), %arg1: tensor<4xi32> loc("input1")) -> (tensor<4x4xf64>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>, indices_are_sorted = false} : (tensor<3x4xf64>, tensor<4xi32>) -> tensor<4x4xf64>
    "func.return"(%0) : (tensor<4x4xf64>) -> ()
  }
}
// -----
module @take_last attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5xf64> loc("input0"), %arg1: tensor<4xi32> loc("input1")) -> (tensor<2x4xf64>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1>, indices_are_sorted = false} : (tensor<2x5xf64>, tensor<4xi32>) -> tensor<2x4xf64>
    "func.return"(%0) : (tensor<2x4xf64>) -> ()
  }
}
// -----
module @scatter_add attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf64> loc("input0"), %arg1: tensor<4xi32> loc("input1"), %arg2: tensor<4x4xf64> loc("input2")) -> (tensor<3x4xf64>) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({^bb0(%a: tensor<f64>, %b: tensor<f64>): %c = "stablehlo.add"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64> "stablehlo.return"(%c) : (tensor<f64>) -> ()}) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<3x4xf64>, tensor<4xi32>, tensor<4x4xf64>) -> tensor<3x4xf64>
    "func.return"(%0) : (tensor<3x4xf64>) -> ()
  }
}
// -----
module @optimization_barrier attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf64> loc("input0"), %arg1: tensor<5xf64> loc("input1")) -> (tensor<5xf64>) {
    %0:2 = "stablehlo.optimization_barrier"(%arg0, %arg1) : (tensor<5xf64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
    %1 = "stablehlo.subtract"(%0#0, %0#1) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
    "func.return"(%1) : (tensor<5xf64>) -> ()
  }
}
// -----
module @while attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf64> loc("input0"), %arg1: tensor<5xf64> loc("input1")) -> (tensor<5xf64>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %1:3 = "stablehlo.while"(%0, %arg0, %arg1) ({
    ^bb0(%c1_arg0: tensor<i32>, %c1_arg1: tensor<5xf64>, %c1_arg2: tensor<5xf64>):
      %c1_0 = "stablehlo.constant"() {value = dense<3> : tensor<i32>} : () -> tensor<i32>
      %c1_1 = "stablehlo.compare"(%c1_arg0, %c1_0) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%c1_1) : (tensor<i1>) -> ()
    }, {
    ^bb0(%b1_arg0: tensor<i32>, %b1_arg1: tensor<5xf64>, %b1_arg2: tensor<5xf64>):
      %b1_0 = "stablehlo.multiply"(%b1_arg1, %b1_arg2) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
      %b1_1 = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
      %b1_2 = "stablehlo.add"(%b1_arg0, %b1_1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%b1_2, %b1_0, %b1_arg2) : (tensor<i32>, tensor<5xf64>, tensor<5xf64>) -> ()
    }) : (tensor<i32>, tensor<5xf64>, tensor<5xf64>) -> (tensor<i32>, tensor<5xf64>, tensor<5xf64>)
    "func.return"(%1#1) : (tensor<5xf64>) -> ()
  }
}
// -----
module @custom_call attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf64> loc("input0"), %arg1: tensor<5xf64> loc("input1")) -> (tensor<5xf64>) {
    %0:2 = "stablehlo.custom_call"(%arg0, %arg1) {call_target_name = "tests.two_results", api_version = 4 : i32, backend_config = {name = "tests.two_results", scope = "layer", factor = 3 : i64, offsets = array<i64: 5, 7>}, operand_layouts = [dense<[0]> : tensor<1xindex>, dense<[0]> : tensor<1xindex>], result_layouts = [dense<[0]> : tensor<1xindex>, dense<[0]> : tensor<1xindex>]} : (tensor<5xf64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>) loc(#loc0)
    %1 = "stablehlo.multiply"(%0#0, %0#1) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64> loc(#loc0)
    "func.return"(%1) : (tensor<5xf64>) -> ()
  }
}
#loc0 = loc("layer")
// -----
module @reduce_sum attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x4xf64> loc("input0")) -> (tensor<2xf64>) {
    %identity0 = "stablehlo.constant"() {value = dense<0.0e+00> : tensor<f64>} : () -> tensor<f64>
    %0 = "stablehlo.reduce"(%arg0, %identity0) ({^bb0(%a: tensor<f64>, %b: tensor<f64>): %c = "stablehlo.add"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64> "stablehlo.return"(%c) : (tensor<f64>) -> ()}) {dimensions = array<i64: 0, 2>} : (tensor<3x2x4xf64>, tensor<f64>) -> tensor<2xf64>
    "func.return"(%0) : (tensor<2xf64>) -> ()
  }
}
// -----
module @reduce_max attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x4xf64> loc("input0")) -> (tensor<2xf64>) {
    %identity0 = "stablehlo.constant"() {value = dense<0xFFF0000000000000> : tensor<f64>} : () -> tensor<f64>
    %0 = "stablehlo.reduce"(%arg0, %identity0) ({^bb0(%a: tensor<f64>, %b: tensor<f64>): %c = "stablehlo.maximum"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64> "stablehlo.return"(%c) : (tensor<f64>) -> ()}) {dimensions = array<i64: 0, 2>} : (tensor<3x2x4xf64>, tensor<f64>) -> tensor<2xf64>
    "func.return"(%0) : (tensor<2xf64>) -> ()
  }
}
// -----
module @reduce_min attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x4xf64> loc("input0")) -> (tensor<2xf64>) {
    %identity0 = "stablehlo.constant"() {value = dense<0x7FF0000000000000> : tensor<f64>} : () -> tensor<f64>
    %0 = "stablehlo.reduce"(%arg0, %identity0) ({^bb0(%a: tensor<f64>, %b: tensor<f64>): %c = "stablehlo.minimum"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64> "stablehlo.return"(%c) : (tensor<f64>) -> ()}) {dimensions = array<i64: 0, 2>} : (tensor<3x2x4xf64>, tensor<f64>) -> tensor<2xf64>
    "func.return"(%0) : (tensor<2xf64>) -> ()
  }
}
// -----
module @reduce_and attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x4xi1> loc("input0")) -> (tensor<2xi1>) {
    %identity0 = "stablehlo.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %0 = "stablehlo.reduce"(%arg0, %identity0) ({^bb0(%a: tensor<i1>, %b: tensor<i1>): %c = "stablehlo.and"(%a, %b) : (tensor<i1>, tensor<i1>) -> tensor<i1> "stablehlo.return"(%c) : (tensor<i1>) -> ()}) {dimensions = array<i64: 0, 2>} : (tensor<3x2x4xi1>, tensor<i1>) -> tensor<2xi1>
    "func.return"(%0) : (tensor<2xi1>) -> ()
  }
}
// -----
module @reduce_or attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x4xi1> loc("input0")) -> (tensor<2xi1>) {
    %identity0 = "stablehlo.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
    %0 = "stablehlo.reduce"(%arg0, %identity0) ({^bb0(%a: tensor<i1>, %b: tensor<i1>): %c = "stablehlo.or"(%a, %b) : (tensor<i1>, tensor<i1>) -> tensor<i1> "stablehlo.return"(%c) : (tensor<i1>) -> ()}) {dimensions = array<i64: 0, 2>} : (tensor<3x2x4xi1>, tensor<i1>) -> tensor<2xi1>
    "func.return"(%0) : (tensor<2xi1>) -> ()
  }
}
// -----
module @reduce_mean attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf64> loc("input0")) -> (tensor<3x1xf64>) {
    %identity0 = "stablehlo.constant"() {value = dense<0.0e+00> : tensor<f64>} : () -> tensor<f64>
    %0 = "stablehlo.reduce"(%arg0, %identity0) ({^bb0(%a: tensor<f64>, %b: tensor<f64>): %c = "stablehlo.add"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64> "stablehlo.return"(%c) : (tensor<f64>) -> ()}) {dimensions = array<i64: 1>} : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
    %1 = "stablehlo.reshape"(%0) : (tensor<3xf64>) -> tensor<3x1xf64>
    %2 = "stablehlo.constant"() {value = dense<2.5e-01> : tensor<f64>} : () -> tensor<f64>
    %3 = "stablehlo.broadcast_in_dim"(%2) {broadcast_dimensions = array<i64>} : (tensor<f64>) -> tensor<3x1xf64>
    %4 = "stablehlo.multiply"(%1, %3) : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
    "func.return"(%4) : (tensor<3x1xf64>) -> ()
  }
}
// -----
module @matmul attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0"), %arg1: tensor<3x4xf64> loc("input1")) -> (tensor<2x4xf64>) {
    %0 = "stablehlo.dot_general"(%arg0, %arg1) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<2x3xf64>, tensor<3x4xf64>) -> tensor<2x4xf64>
    "func.return"(%0) : (tensor<2x4xf64>) -> ()
  }
}
// -----
module @dot_general attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x5x4xf64> loc("input0"), %arg1: tensor<4x5x2x3xf64> loc("input1")) -> (tensor<2x4x4xf64>) {
    %0 = "stablehlo.dot_general"(%arg0, %arg1) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [2, 0], rhs_contracting_dimensions = [1, 3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<3x2x5x4xf64>, tensor<4x5x2x3xf64>) -> tensor<2x4x4xf64>
    "func.return"(%0) : (tensor<2x4x4xf64>) -> ()
  }
}
// -----
module @all_reduce attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.all_reduce"(%arg0) ({^bb0(%a: tensor<f64>, %b: tensor<f64>): %c = "stablehlo.add"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64> "stablehlo.return"(%c) : (tensor<f64>) -> ()}) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @all_reduce_groups attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.all_reduce"(%arg0) ({^bb0(%a: tensor<f64>, %b: tensor<f64>): %c = "stablehlo.add"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64> "stablehlo.return"(%c) : (tensor<f64>) -> ()}) {replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>} : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @all_gather attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
  func.func public @main(%arg0: tensor<2x3xf64> loc("input0")) -> (tensor<2x6xf64>) {
    %0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf64>) -> tensor<2x6xf64>
    "func.return"(%0) : (tensor<2x6xf64>) -> ()
  }
}
// -----
module @reduce_scatter attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
  func.func public @main(%arg0: tensor<4x3xf64> loc("input0")) -> (tensor<2x3xf64>) {
    %0 = "stablehlo.reduce_scatter"(%arg0) ({^bb0(%a: tensor<f64>, %b: tensor<f64>): %c = "stablehlo.add"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64> "stablehlo.return"(%c) : (tensor<f64>) -> ()}) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x3xf64>) -> tensor<2x3xf64>
    "func.return"(%0) : (tensor<2x3xf64>) -> ()
  }
}
// -----
module @replica_id attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
  func.func public @main() -> (tensor<ui32>) {
    %0 = "stablehlo.replica_id"() : () -> tensor<ui32>
    "func.return"(%0) : (tensor<ui32>) -> ()
  }
}
// -----
module @window_sum attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x4x2xf64> loc("input0")) -> (tensor<2x3x2x2xf64>) {
    %identity0 = "stablehlo.constant"() {value = dense<0.0e+00> : tensor<f64>} : () -> tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %identity0) ({^bb0(%a: tensor<f64>, %b: tensor<f64>): %c = "stablehlo.add"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64> "stablehlo.return"(%c) : (tensor<f64>) -> ()}) {window_dimensions = array<i64: 1, 3, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [1, 1], [0, 0], [0, 0]]> : tensor<4x2xi64>} : (tensor<2x5x4x2xf64>, tensor<f64>) -> tensor<2x3x2x2xf64>
    "func.return"(%0) : (tensor<2x3x2x2xf64>) -> ()
  }
}
// -----
module @window_sum_dilated attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x4x5x1xf64> loc("input0")) -> (tensor<1x4x3x1xf64>) {
    %identity0 = "stablehlo.constant"() {value = dense<0.0e+00> : tensor<f64>} : () -> tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %identity0) ({^bb0(%a: tensor<f64>, %b: tensor<f64>): %c = "stablehlo.add"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64> "stablehlo.return"(%c) : (tensor<f64>) -> ()}) {window_dimensions = array<i64: 1, 2, 3, 1>, window_strides = array<i64: 1, 2, 1, 1>, base_dilations = array<i64: 1, 2, 1, 1>, window_dilations = array<i64: 1, 1, 2, 1>, padding = dense<[[0, 0], [1, 0], [1, 1], [0, 0]]> : tensor<4x2xi64>} : (tensor<1x4x5x1xf64>, tensor<f64>) -> tensor<1x4x3x1xf64>
    "func.return"(%0) : (tensor<1x4x3x1xf64>) -> ()
  }
}
// -----
module @window_max attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x4x2xf64> loc("input0")) -> (tensor<2x3x2x2xf64>) {
    %identity0 = "stablehlo.constant"() {value = dense<0xFFF0000000000000> : tensor<f64>} : () -> tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %identity0) ({^bb0(%a: tensor<f64>, %b: tensor<f64>): %c = "stablehlo.maximum"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64> "stablehlo.return"(%c) : (tensor<f64>) -> ()}) {window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [1, 1], [1, 0], [0, 0]]> : tensor<4x2xi64>} : (tensor<2x5x4x2xf64>, tensor<f64>) -> tensor<2x3x2x2xf64>
    "func.return"(%0) : (tensor<2x3x2x2xf64>) -> ()
  }
}
// -----
module @window_min attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x4x4x1xf64> loc("input0")) -> (tensor<1x3x2x1xf64>) {
    %identity0 = "stablehlo.constant"() {value = dense<0x7FF0000000000000> : tensor<f64>} : () -> tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %identity0) ({^bb0(%a: tensor<f64>, %b: tensor<f64>): %c = "stablehlo.minimum"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64> "stablehlo.return"(%c) : (tensor<f64>) -> ()}) {window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 2, 1>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>} : (tensor<1x4x4x1xf64>, tensor<f64>) -> tensor<1x3x2x1xf64>
    "func.return"(%0) : (tensor<1x3x2x1xf64>) -> ()
  }
}
// -----
module @select_and_scatter attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf64> loc("input0"), %arg1: tensor<3xf64> loc("input1")) -> (tensor<6xf64>) {
    %identity0 = "stablehlo.constant"() {value = dense<0.0e+00> : tensor<f64>} : () -> tensor<f64>
    %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %identity0) ({^bb0(%a: tensor<f64>, %b: tensor<f64>): %c = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f64>, tensor<f64>) -> tensor<i1> "stablehlo.return"(%c) : (tensor<i1>) -> ()}, {^bb0(%a: tensor<f64>, %b: tensor<f64>): %c = "stablehlo.add"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64> "stablehlo.return"(%c) : (tensor<f64>) -> ()}) {window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<6xf64>, tensor<3xf64>, tensor<f64>) -> tensor<6xf64>
    "func.return"(%0) : (tensor<6xf64>) -> ()
  }
}
// -----
module @conv_1x1 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x3x4xf64> loc("input0"), %arg1: tensor<1x1x4x3xf64> loc("input1")) -> (tensor<2x3x3x3xf64>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x3x4xf64>, tensor<1x1x4x3xf64>) -> tensor<2x3x3x3xf64>
    "func.return"(%0) : (tensor<2x3x3x3xf64>) -> ()
  }
}
// -----
module @conv_1x1_strided attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x4x3xf64> loc("input0"), %arg1: tensor<1x1x3x2xf64> loc("input1")) -> (tensor<2x3x2x2xf64>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 2, 2>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x4x3xf64>, tensor<1x1x3x2xf64>) -> tensor<2x3x2x2xf64>
    "func.return"(%0) : (tensor<2x3x2x2xf64>) -> ()
  }
}
// -----
module @conv_3x3 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x4x2xf64> loc("input0"), %arg1: tensor<3x3x2x3xf64> loc("input1")) -> (tensor<2x5x4x3xf64>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 1, 1>, padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x4x2xf64>, tensor<3x3x2x3xf64>) -> tensor<2x5x4x3xf64>
    "func.return"(%0) : (tensor<2x5x4x3xf64>) -> ()
  }
}
// -----
module @conv_3x3_strided attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6x5x2xf64> loc("input0"), %arg1: tensor<3x3x2x3xf64> loc("input1")) -> (tensor<2x3x3x3xf64>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 2, 2>, padding = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x6x5x2xf64>, tensor<3x3x2x3xf64>) -> tensor<2x3x3x3xf64>
    "func.return"(%0) : (tensor<2x3x3x3xf64>) -> ()
  }
}
// -----
module @conv_dilated attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x7x4x2xf64> loc("input0"), %arg1: tensor<3x2x2x2xf64> loc("input1")) -> (tensor<1x3x3x2xf64>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 2, 3>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x7x4x2xf64>, tensor<3x2x2x2xf64>) -> tensor<1x3x3x2xf64>
    "func.return"(%0) : (tensor<1x3x3x2xf64>) -> ()
  }
}
// -----
module @conv_input_dilated attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x3x3x2xf64> loc("input0"), %arg1: tensor<2x2x2x2xf64> loc("input1")) -> (tensor<1x5x7x2xf64>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 1, 1>, padding = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 3>, rhs_dilation = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x3x3x2xf64>, tensor<2x2x2x2xf64>) -> tensor<1x5x7x2xf64>
    "func.return"(%0) : (tensor<1x5x7x2xf64>) -> ()
  }
}
// -----
module @conv_grouped attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x4x4xf64> loc("input0"), %arg1: tensor<3x3x2x6xf64> loc("input1")) -> (tensor<2x2x2x6xf64>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf64>, tensor<3x3x2x6xf64>) -> tensor<2x2x2x6xf64>
    "func.return"(%0) : (tensor<2x2x2x6xf64>) -> ()
  }
}
// -----
module @conv_cropped attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x6x6x1xf64> loc("input0"), %arg1: tensor<2x2x1x2xf64> loc("input1")) -> (tensor<1x3x4x2xf64>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 1, 1>, padding = dense<[[-1, -1], [0, -1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x6x6x1xf64>, tensor<2x2x1x2xf64>) -> tensor<1x3x4x2xf64>
    "func.return"(%0) : (tensor<1x3x4x2xf64>) -> ()
  }
}
// -----
module @conv_batch_grouped attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3x3x2xf64> loc("input0"), %arg1: tensor<2x2x2x4xf64> loc("input1")) -> (tensor<2x2x2x4xf64>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x3x3x2xf64>, tensor<2x2x2x4xf64>) -> tensor<2x2x2x4xf64>
    "func.return"(%0) : (tensor<2x2x2x4xf64>) -> ()
  }
}
