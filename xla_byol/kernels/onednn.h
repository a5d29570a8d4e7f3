// oneDNN's C objects as C++ ones, and its errors as statuses. (Its own C++
// header throws.)

#ifndef XLA_BYOL_KERNELS_ONEDNN_H_
#define XLA_BYOL_KERNELS_ONEDNN_H_

#include <memory>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "oneapi/dnnl/dnnl.h"

namespace xla_byol::kernels {

template <auto kDestroy>
struct Destroy {
  template <typename T>
  void operator()(T* object) const {
    kDestroy(object);
  }
};
template <typename Pointer, auto kDestroy>
using Owned =
    std::unique_ptr<std::remove_pointer_t<Pointer>, Destroy<kDestroy>>;

using Primitive = Owned<dnnl_primitive_t, dnnl_primitive_destroy>;
using PrimitiveDescriptor =
    Owned<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy>;
using MemoryDescriptor = Owned<dnnl_memory_desc_t, dnnl_memory_desc_destroy>;
using Memory = Owned<dnnl_memory_t, dnnl_memory_destroy>;
using Stream = Owned<dnnl_stream_t, dnnl_stream_destroy>;
using PrimitiveAttributes =
    Owned<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy>;

// OK, or INTERNAL `oneDNN cannot WHAT: its reason`; memory is
// RESOURCE_EXHAUSTED, and what it has no code for UNIMPLEMENTED.
absl::Status Check(dnnl_status_t status, absl::string_view what);

// This machine's CPU, as long as the process lives; null if oneDNN refuses.
dnnl_engine_t CpuEngine();
// A stream of the calling thread, which from now on computes alone: the caller
// has divided the work among its threads already.
dnnl_stream_t ThreadStream();

// "3.2.0"
std::string OnednnVersion();
// The instructions that oneDNN uses ("AVX-512"), within ONEDNN_MAX_CPU_ISA;
// empty if they do not include AVX2, below which XLA's own code is faster.
std::string InstructionSet();

}  // namespace xla_byol::kernels

#endif  // XLA_BYOL_KERNELS_ONEDNN_H_
