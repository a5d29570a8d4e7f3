// Calls of functions outside the compiler, for targets that have them
// (backend.h), and the names and meanings of those that lowering makes use of.

#ifndef XLA_BYOL_GRAPH_CUSTOM_CALL_H_
#define XLA_BYOL_GRAPH_CUSTOM_CALL_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

// One value per shape in attributes.results, at least one. Operands and results
// are dense and row-major in memory. Besides `config` the function gets the
// texts "name" and "scope", for its messages. Finish refuses a call that the
// target does not have; there is no derivative.
std::vector<Value> CustomCall(absl::Span<const Value> operands,
                              CustomCallAttributes attributes);

// Convolutions of images [n,h,w,i] with a kernel [h,w,i,o], f32:
//   (images, kernel) -> result
//   (cotangent of the result, kernel) -> cotangent of the images
//   (images, cotangent of the result) -> cotangent of the kernel
// each with the configuration of the first: "strides" and "dilation" (of the
// kernel), 2 integers each, and "padding", 4 integers that are not negative:
// above, below, left, right.
inline constexpr char kConvolutionCall[] = "xla_byol.convolution";
inline constexpr char kConvolutionInputGradientCall[] =
    "xla_byol.convolution_input_gradient";
inline constexpr char kConvolutionKernelGradientCall[] =
    "xla_byol.convolution_kernel_gradient";

// Moments of x, f32[groups,rows,columns], in one pass:
//   x -> (sums of x over rows, sums of x * x over rows), each
//   f32[groups,columns]
inline constexpr char kMomentsCall[] = "xla_byol.moments";

// Collectives among all devices of several processes (lower_collectives.h):
//   (x, replica, order) -> (result, order)
// `replica`, u32[], is the device's place in its process. `order`, u32[], makes
// each call wait for the one before. x is f32, s32 or u32, and is joined or
// divided along dimension 0. Configuration: "tag", another one for each call of
// a program, and of the reduction "combiner", a Combiner's number.
inline constexpr char kAllReduceCall[] = "xla_byol.all_reduce";
inline constexpr char kReduceScatterCall[] = "xla_byol.reduce_scatter";
inline constexpr char kAllGatherCall[] = "xla_byol.all_gather";
//   replica -> the device's place among those of all processes
inline constexpr char kReplicaIdCall[] = "xla_byol.replica_id";

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_CUSTOM_CALL_H_
