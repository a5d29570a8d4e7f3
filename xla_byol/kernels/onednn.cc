#include "xla_byol/kernels/onednn.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"

namespace xla_byol::kernels {
namespace {

// oneDNN's threads are OpenMP's, whose number is each thread's own setting.
// (dlsym, so that we do not link OpenMP: oneDNN brings it.)
void ComputeAlone() {
  using SetThreads = void (*)(int);
  static const auto set_threads =
      reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set_threads != nullptr) set_threads(1);
}

const char* Reason(dnnl_status_t status) {
  switch (status) {
    case dnnl_out_of_memory:
      return "out of memory";
    case dnnl_invalid_arguments:
      return "invalid arguments";
    case dnnl_unimplemented:
      return "not implemented";
    default:
      return "runtime error";
  }
}

}  // namespace

absl::Status Check(dnnl_status_t status, absl::string_view what) {
  if (status == dnnl_success) return absl::OkStatus();
  const absl::StatusCode code =
      status == dnnl_out_of_memory   ? absl::StatusCode::kResourceExhausted
      : status == dnnl_unimplemented ? absl::StatusCode::kUnimplemented
                                     : absl::StatusCode::kInternal;
  return absl::Status(
      code, absl::StrCat("oneDNN cannot ", what, ": ", Reason(status)));
}

dnnl_engine_t CpuEngine() {
  static const dnnl_engine_t engine = [] {
    dnnl_engine_t made = nullptr;
    dnnl_engine_create(&made, dnnl_cpu, 0);
    return made;
  }();
  return engine;
}

dnnl_stream_t ThreadStream() {
  thread_local const Stream stream = [] {
    ComputeAlone();
    dnnl_stream_t made = nullptr;
    dnnl_stream_create(&made, CpuEngine(), dnnl_stream_default_flags);
    return Stream(made);
  }();
  return stream.get();
}

std::string OnednnVersion() {
  const dnnl_version_t* version = dnnl_version();
  return absl::StrCat(version->major, ".", version->minor, ".", version->patch);
}

std::string InstructionSet() {
  const int isa = dnnl_get_effective_cpu_isa();
  const auto has = [isa](int bits) { return (isa & bits) == bits; };
  if (has(dnnl_cpu_isa_avx512_core)) return "AVX-512";
  return has(dnnl_cpu_isa_avx2) ? "AVX2" : "";
}

}  // namespace xla_byol::kernels
