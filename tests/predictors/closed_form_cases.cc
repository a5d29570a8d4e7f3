// Evaluates every closed form, for several numbers of iterations, on latents of
// many kinds, and the graphs of the paper's propositions, on the CPU plugin.
// Writes all of it as one file for compare_closed_forms.py to judge:
//   latents/<case>/{z,t}, p/<case>/<form>/<n>, proposition/<name>/<tensor>
//
//   closed_form_cases FILE

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/graph/evaluate.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/checkpoint/safetensors.h"
#include "xla_byol/graph/grad.h"
#include "xla_byol/graph/ops.h"
#include "xla_byol/graph/program.h"
#include "xla_byol/predictors/closed_form.h"
#include "xla_byol/predictors/matrix_functions.h"

namespace xla_byol::predictors {
namespace {

using graph::Compiled;
using graph::Dims;
using graph::DType;
using graph::Generate;
using graph::Graph;
using graph::Output;
using graph::Shape;
using graph::Tensor;
using graph::Tensors;
using graph::Value;

constexpr int64_t kBatch = 64;
constexpr int64_t kSide = 16;

struct Form {
  const char* name;
  Predictor::Kind kind;
  std::vector<int> iterations;
  double visser_step = 0.001;
};

// Names as in the oracle.
const std::vector<Form>& Forms() {
  static const auto* forms = new std::vector<Form>{
      {"newton_schulz", Predictor::NEWTON_SCHULZ, {3, 5, 7, 9, 12, 15}},
      {"ns2", Predictor::NS2, {3, 5, 7, 9, 12}},
      {"stiefel", Predictor::STIEFEL, {3, 5, 7, 9, 12, 15}},
      {"visser", Predictor::VISSER, {12, 25, 50, 100, 1000}},
      {"lrp", Predictor::LRP, {5, 10, 15, 20, 24}},
      {"lrp2", Predictor::LRP2, {5, 10, 15, 20, 24}},
      {"ne", Predictor::NE, {3, 6, 12, 20}},
      {"directpred", Predictor::DIRECTPRED, {5, 9, 12, 15}},
      {"directcopy", Predictor::DIRECTCOPY, {0}},
      {"directcopy_normalized", Predictor::DIRECTCOPY_NORMALIZED, {0}},
  };
  return *forms;
}

struct Latents {
  std::string name;
  Tensor z, t;
};

Tensor Gaussian(int64_t rows, int64_t columns, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  return Generate({DType::kF32, {rows, columns}},
                  [&](const Dims&) { return normal(rng); });
}

Tensor Rounded(Tensor tensor) {
  for (double& value : tensor.data) value = static_cast<float>(value);
  return tensor;
}

Tensor Times(const Tensor& a, const Tensor& b) {
  return Generate({DType::kF32, {a.shape.dims[0], b.shape.dims[1]}},
                  [&](const Dims& at) {
                    double sum = 0;
                    for (int64_t k = 0; k < b.shape.dims[0]; ++k) {
                      sum += a.at({at[0], k}) * b.at({k, at[1]});
                    }
                    return sum;
                  });
}

// Columns of length 1 at right angles to each other, by Gram and Schmidt.
Tensor Orthonormal(Tensor m) {
  const int64_t rows = m.shape.dims[0], columns = m.shape.dims[1];
  const auto at = [&](int64_t i, int64_t j) -> double& {
    return m.data[static_cast<size_t>(i * columns + j)];
  };
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t k = 0; k <= j; ++k) {
      double product = 0;
      for (int64_t i = 0; i < rows; ++i) product += at(i, j) * at(i, k);
      for (int64_t i = 0; i < rows; ++i) {
        at(i, j) = k == j ? at(i, j) / std::sqrt(product)
                          : at(i, j) - product * at(i, k);
      }
    }
  }
  return m;
}

std::vector<Latents> AllLatents() {
  std::mt19937 rng(7);
  const Shape shape{DType::kF32, {kBatch, kSide}};
  const Tensor noise = Gaussian(kBatch, kSide, rng);
  const auto with_noise = [&](const Tensor& z, double size) {
    return Generate(
        shape, [&](const Dims& at) { return z.at(at) + size * noise.at(at); });
  };
  const auto mapped = [&](const Tensor& z, auto f) {
    return Generate(shape, [&](const Dims& at) { return f(z.at(at), at); });
  };
  const Tensor random = Gaussian(kBatch, kSide, rng);
  const Tensor low_rank =
      Times(Gaussian(kBatch, 5, rng), Gaussian(5, kSide, rng));
  const Tensor rank_one =
      Times(Gaussian(kBatch, 1, rng), Gaussian(1, kSide, rng));
  // Singular values fall to 1e-3 of the largest.
  const Tensor near_singular = mapped(random, [](double x, const Dims& at) {
    return x * std::pow(10.0, -3.0 * static_cast<double>(at[1]) / (kSide - 1));
  });
  const Tensor all_equal = mapped(random, [&](double, const Dims& at) {
    return random.at({0, at[1]});
  });
  const Tensor zeros = mapped(random, [](double, const Dims&) { return 0.0; });
  const Tensor large =
      mapped(random, [](double x, const Dims&) { return 1e6 * x; });
  const Tensor with_nan = mapped(random, [](double x, const Dims& at) {
    return at[0] == 3 ? std::numeric_limits<double>::quiet_NaN() : x;
  });
  std::vector<Latents> all = {
      {"random", random, with_noise(random, 0.3)},
      {"converged", random, with_noise(random, 1e-6)},
      {"low_rank", low_rank, with_noise(low_rank, 0.3)},
      {"near_singular", near_singular, with_noise(near_singular, 1e-3)},
      {"rank_one", rank_one, rank_one},
      {"all_equal", all_equal, all_equal},
      {"zeros", zeros, zeros},
      {"large", large, large},
      {"nan", with_nan, with_nan},
  };
  // Singular values between 1 - spread and 1.
  const Tensor orthonormal = Orthonormal(random);
  for (const int percent : {3, 10, 30}) {
    const Tensor z = mapped(orthonormal, [&](double x, const Dims& at) {
      return x *
             (1 - 0.01 * percent * static_cast<double>(at[1]) / (kSide - 1));
    });
    all.push_back({absl::StrCat("flat", percent), z, z});
  }
  for (Latents& latents : all) {
    latents.z = Rounded(latents.z);
    latents.t = Rounded(latents.t);
  }
  return all;
}

// Tensors for the file, which stay where they are.
class Collection {
 public:
  void Add(const std::string& name, const Tensor& tensor) {
    names_.push_back(name);
    dims_.push_back(tensor.shape.dims);
    values_.emplace_back(tensor.data.begin(), tensor.data.end());
  }

  absl::Status Write(const std::string& path) const {
    std::vector<TensorView> views;
    for (size_t i = 0; i < names_.size(); ++i) {
      views.push_back(ViewOf<float>(names_[i], dims_[i], values_[i]));
    }
    return WriteFileAtomically(path, Safetensors(views));
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<int64_t>> dims_;
  std::vector<std::vector<float>> values_;
};

// All numbers of iterations of one form are one program.
absl::Status RunForm(const Form& form, const std::vector<Latents>& all,
                     Collection& results) {
  Graph graph;
  const Shape shape{DType::kF32, {kBatch, kSide}};
  const Value z = graph.Parameter("z", shape);
  const Value t = graph.Parameter("t", shape);
  std::vector<Output> outputs;
  for (const int n : form.iterations) {
    outputs.push_back(
        {absl::StrCat("n", n),
         BatchwisePredictor(*FindClosedForm(form.kind),
                            {.iterations = n, .visser_step = form.visser_step},
                            MomentsOf(z, t, false))});
  }
  ASSIGN_OR_RETURN(const graph::Program program, Finish(graph, outputs));
  ASSIGN_OR_RETURN(const Compiled compiled, Compiled::Make(program));
  for (const Latents& latents : all) {
    ASSIGN_OR_RETURN(const std::vector<Tensors> p,
                     compiled.Run({{latents.z, latents.t}}));
    for (size_t i = 0; i < form.iterations.size(); ++i) {
      results.Add(absl::StrCat("p/", latents.name, "/", form.name, "/",
                               form.iterations[i]),
                  p[0][i]);
    }
  }
  return absl::OkStatus();
}

// Proposition 8: the gradient of |Z - Z p^T p / |p|^2|^2 in the row p. And
// proposition 9: the gradient of |Z P - Z'|^2 at an orthogonal P, made
// Riemannian.
absl::Status RunPropositions(const Latents& latents, Collection& results) {
  std::mt19937 rng(11);
  const Tensor row = Rounded(Gaussian(1, kSide, rng));
  const Tensor any = Rounded(Gaussian(kSide, kSide, rng));
  Graph graph;
  const Shape shape{DType::kF32, {kBatch, kSide}};
  const Value z = graph.Parameter("z", shape);
  const Value t = graph.Parameter("t", shape);
  const Value p = graph.Parameter("p", row.shape);
  const Value m = graph.Parameter("m", any.shape);

  const Value rank_one = Product(Transpose(p), p) / Sum(Square(p));
  const Value krasulina = Grad(Sum(Square(z - Product(z, rank_one))), {p})[0];

  const Value orthogonal =
      Product(m, NewtonSchulz(Product(Transpose(m), m), 25).inverse);
  const Value free = graph.Parameter("free", any.shape);
  const Value euclidean = Grad(Sum(Square(Product(z, free) - t)), {free})[0];
  const Value riemannian =
      euclidean - Product(free, Product(Transpose(euclidean), free));
  ASSIGN_OR_RETURN(const Tensors first,
                   Evaluate(graph, {krasulina, orthogonal},
                            {latents.z, latents.t, row, any, any}));
  ASSIGN_OR_RETURN(
      const Tensors second,
      Evaluate(graph, {euclidean, riemannian},
               {latents.z, latents.t, row, any, Rounded(first[1])}));
  results.Add("proposition/krasulina/p", row);
  results.Add("proposition/krasulina/gradient", first[0]);
  results.Add("proposition/stiefel/m", any);
  results.Add("proposition/stiefel/orthogonal", first[1]);
  results.Add("proposition/stiefel/euclidean", second[0]);
  results.Add("proposition/stiefel/riemannian", second[1]);
  return absl::OkStatus();
}

absl::Status Run(const std::string& path) {
  const std::vector<Latents> all = AllLatents();
  Collection results;
  for (const Latents& latents : all) {
    results.Add(absl::StrCat("latents/", latents.name, "/z"), latents.z);
    results.Add(absl::StrCat("latents/", latents.name, "/t"), latents.t);
  }
  for (const Form& form : Forms()) {
    RETURN_IF_ERROR(RunForm(form, all, results));
  }
  RETURN_IF_ERROR(RunPropositions(all[0], results));
  return results.Write(path);
}

}  // namespace
}  // namespace xla_byol::predictors

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const absl::Status status = xla_byol::predictors::Run(argv[1]);
  std::printf("%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
