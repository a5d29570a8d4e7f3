#include "tests/graph/evaluate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/pjrt/client.h"
#include "xla_byol/pjrt/custom_call.h"

namespace xla_byol::graph {
namespace {

// As many as any test wants; programs use the first of them.
constexpr int kDevices = 8;

absl::Status TwoResults(const pjrt::CustomCall& call) {
  ASSIGN_OR_RETURN(const int64_t factor, call.Integer("factor"));
  ASSIGN_OR_RETURN(absl::Span<const int64_t> offsets, call.Integers("offsets"));
  ASSIGN_OR_RETURN(absl::Span<const double> x, call.Operand<double>(0));
  ASSIGN_OR_RETURN(absl::Span<const double> y, call.Operand<double>(1));
  ASSIGN_OR_RETURN(absl::Span<double> first, call.Result<double>(0));
  ASSIGN_OR_RETURN(absl::Span<double> second, call.Result<double>(1));
  for (size_t i = 0; i < x.size(); ++i) {
    first[i] = x[i] - y[i];
    second[i] = static_cast<double>(factor) * x[i] +
                static_cast<double>(offsets[0] + 2 * offsets[1]);
  }
  return absl::OkStatus();
}

absl::StatusOr<const pjrt::Client*> SharedClient() {
  static const auto* const client =
      new absl::StatusOr<pjrt::Client>([]() -> absl::StatusOr<pjrt::Client> {
        ASSIGN_OR_RETURN(const pjrt::Plugin* plugin,
                         pjrt::Plugin::Load(pjrt::Platform::kCpu));
        RETURN_IF_ERROR(
            pjrt::RegisterCustomCall<TwoResults>(*plugin, kTestCall));
        return pjrt::Client::Create(*plugin, {.cpu_device_count = kDevices});
      }());
  if (!client->ok()) return client->status();
  return &**client;
}

absl::StatusOr<pjrt::ArraySpec> SpecOf(const Shape& shape) {
  ASSIGN_OR_RETURN(pjrt::ElementType type,
                   pjrt::ElementTypeFromName(shape.dtype == DType::kBF16
                                                 ? "bf16"
                                                 : Name(shape.dtype)));
  return pjrt::ArraySpec{type, {shape.dims.begin(), shape.dims.end()}};
}

absl::StatusOr<std::string> Encode(const Tensor& tensor) {
  std::string bytes;
  for (double value : tensor.data) {
    ASSIGN_OR_RETURN(std::string element,
                     EncodeElement(tensor.shape.dtype, value));
    bytes += element;
  }
  return bytes;
}

// All inputs of the first replica, then all of the second.
absl::StatusOr<std::vector<pjrt::Buffer>> ToDevices(
    const std::vector<Tensors>& inputs) {
  ASSIGN_OR_RETURN(const pjrt::Client* client, SharedClient());
  std::vector<pjrt::Buffer> buffers;
  for (size_t replica = 0; replica < inputs.size(); ++replica) {
    for (const Tensor& tensor : inputs[replica]) {
      ASSIGN_OR_RETURN(pjrt::ArraySpec spec, SpecOf(tensor.shape));
      ASSIGN_OR_RETURN(std::string bytes, Encode(tensor));
      ASSIGN_OR_RETURN(pjrt::Buffer buffer,
                       client->CopyFromHost(
                           absl::MakeConstSpan(
                               reinterpret_cast<const std::byte*>(bytes.data()),
                               bytes.size()),
                           spec, client->devices()[replica]));
      buffers.push_back(std::move(buffer));
    }
  }
  return buffers;
}

std::vector<pjrt::Buffer*> Pointers(std::vector<pjrt::Buffer>& buffers) {
  std::vector<pjrt::Buffer*> pointers;
  for (pjrt::Buffer& buffer : buffers) pointers.push_back(&buffer);
  return pointers;
}

}  // namespace

Backend TestBackend(Backend::Platform platform) {
  return Backend(platform, {kTestCall});
}

double Tensor::at(const Dims& index) const {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) {
    offset = offset * shape.dims[i] + index[i];
  }
  return data[offset];
}

Tensor Generate(const Shape& shape,
                const std::function<double(const Dims&)>& f) {
  Tensor result{shape, {}};
  Dims index(shape.dims.size(), 0);
  for (int64_t n = 0; n < shape.elements(); ++n) {
    result.data.push_back(f(index));
    for (size_t i = index.size(); i-- > 0;) {
      if (++index[i] < shape.dims[i]) break;
      index[i] = 0;
    }
  }
  return result;
}

Tensor Random(const Shape& shape, double low, double high, std::mt19937& rng) {
  std::uniform_real_distribution<double> uniform(low, high);
  return Generate(shape, [&](const Dims&) {
    const double value = uniform(rng);
    if (shape.dtype == DType::kF32) return double{static_cast<float>(value)};
    return IsFloat(shape.dtype) ? value : std::floor(value);
  });
}

struct Compiled::State {
  std::vector<NamedTensor> outputs;
  int64_t replicas;
  pjrt::LoadedExecutable executable;
};

Compiled::Compiled(std::unique_ptr<State> state) : state_(std::move(state)) {}
Compiled::~Compiled() = default;
Compiled::Compiled(Compiled&&) = default;

absl::StatusOr<Compiled> Compiled::Make(const Program& program, bool optimize) {
  ASSIGN_OR_RETURN(const pjrt::Client* client, SharedClient());
  pjrt::CompileOptions options{.num_replicas =
                                   static_cast<int>(program.replicas)};
  if (!optimize) {
    options.flags = {{"xla_backend_optimization_level", int64_t{0}},
                     {"xla_llvm_disable_expensive_passes", true}};
  }
  ASSIGN_OR_RETURN(pjrt::LoadedExecutable executable,
                   client->Compile(program.text, options));
  return Compiled(std::make_unique<State>(
      State{program.outputs, program.replicas, std::move(executable)}));
}

absl::StatusOr<std::vector<Tensors>> Compiled::Run(
    const std::vector<Tensors>& inputs) const {
  ASSIGN_OR_RETURN(std::vector<pjrt::Buffer> buffers, ToDevices(inputs));
  ASSIGN_OR_RETURN(std::vector<pjrt::Buffer> results,
                   state_->executable.Execute(Pointers(buffers)));
  std::vector<Tensors> outputs(state_->replicas);
  for (size_t i = 0; i < results.size(); ++i) {
    const Shape& shape = state_->outputs[i % state_->outputs.size()].shape;
    std::string bytes(shape.bytes(), '\0');
    ASSIGN_OR_RETURN(
        pjrt::Event copied,
        results[i].CopyToHost(absl::MakeSpan(
            reinterpret_cast<std::byte*>(bytes.data()), bytes.size())));
    RETURN_IF_ERROR(copied.Await());
    Tensor tensor{shape, {}};
    const int64_t step = ByteSize(shape.dtype);
    for (int64_t n = 0; n < shape.elements(); ++n) {
      tensor.data.push_back(DecodeElement(shape.dtype, &bytes[n * step]));
    }
    outputs[i / state_->outputs.size()].push_back(std::move(tensor));
  }
  return outputs;
}

absl::StatusOr<std::vector<double>> Compiled::Time(const Tensors& inputs,
                                                   int runs) const {
  ASSIGN_OR_RETURN(std::vector<pjrt::Buffer> buffers, ToDevices({inputs}));
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    ASSIGN_OR_RETURN(std::vector<pjrt::Buffer> results,
                     state_->executable.Execute(Pointers(buffers)));
    for (const pjrt::Buffer& result : results) {
      ASSIGN_OR_RETURN(pjrt::Event ready, result.Ready());
      RETURN_IF_ERROR(ready.Await());
    }
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    seconds.push_back(took.count());
  }
  return seconds;
}

absl::StatusOr<Tensors> Evaluate(const Graph& graph,
                                 const std::vector<Value>& outputs,
                                 const Tensors& inputs, Backend backend) {
  std::vector<Output> named;
  for (const Value& value : outputs) {
    named.push_back({absl::StrCat("output", named.size()), value});
  }
  ASSIGN_OR_RETURN(Program program, Finish(graph, named, {.backend = backend}));
  ASSIGN_OR_RETURN(Compiled compiled, Compiled::Make(program));
  ASSIGN_OR_RETURN(std::vector<Tensors> results, compiled.Run({inputs}));
  return results[0];
}

double Distance(const Tensor& a, const Tensor& b) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (a.shape != b.shape || a.data.size() != b.data.size()) return infinity;
  double worst = 0;
  for (size_t i = 0; i < a.data.size(); ++i) {
    const double x = a.data[i], y = b.data[i];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double distance = std::fabs(x - y) / (1 + std::fabs(y));
    worst = std::isfinite(distance) ? std::max(worst, distance) : infinity;
  }
  return worst;
}

}  // namespace xla_byol::graph
