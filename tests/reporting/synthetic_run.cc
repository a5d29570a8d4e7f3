#include "tests/reporting/synthetic_run.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/config/config.h"
#include "xla_byol/eval/feature_details.h"
#include "xla_byol/metrics/metrics_log.h"
#include "xla_byol/reporting/feature_details_file.h"
#include "xla_byol/reporting/png_encoder.h"
#include "xla_byol/settings/settings.h"
#include "xla_byol/step/spectrum.h"

namespace xla_byol {
namespace {

constexpr int kLatents = 64;
constexpr double kStart = 1794816000;  // any time will do

class Writer {
 public:
  Writer(MetricsLog& log, const SyntheticRun& run)
      : log_(log), run_(run), random_(run.seed) {}

  void Write() {
    Samples(0);
    for (int64_t step = 1; step <= run_.steps; ++step) {
      const double part =
          static_cast<double>(step) / static_cast<double>(run_.steps);
      Train(step, part);
      if (step % run_.diagnostics_every == 0) Diagnostics(step, part);
      if (step % run_.evaluate_every == 0 || step == run_.steps) {
        Evaluate(step, part);
      }
    }
    Samples(run_.steps);
    MetricsRecord session = Record("session", run_.steps);
    session.values = {{"compile_s", 11.5},
                      {"training_s", 0.1 * static_cast<double>(run_.steps)},
                      {"data_wait_s", 0.7}};
    log_.Write(session);
  }

 private:
  double Noise(double size) {
    return std::normal_distribution<double>(0, size)(random_);
  }

  MetricsRecord Record(const char* kind, int64_t step) {
    MetricsRecord record{.kind = kind, .step = step};
    record.epoch = static_cast<double>(step) * 256 / 60000;
    record.time = kStart + 0.11 * static_cast<double>(step);
    return record;
  }

  // From about chance to the final accuracy, quickly at first.
  double Accuracy(double part) const {
    return 0.1 + (run_.final_accuracy - 0.1) * (1 - std::exp(-6 * part));
  }

  void Train(int64_t step, double part) {
    MetricsRecord record = Record("train", step);
    const double rate = part < 0.1
                            ? part * 10
                            : 0.5 * (1 + std::cos(M_PI * (part - 0.1) / 0.9));
    record.values = {
        {"loss", 0.25 + 3.4 * std::exp(-12 * part) + std::abs(Noise(0.02))},
        {"probe_loss", 0.45 + 1.9 * std::exp(-7 * part) + Noise(0.05)},
        {"probe_accuracy", std::min(1.0, Accuracy(part) + Noise(0.02))},
        {"latent_std", 0.118 - 0.06 * std::exp(-20 * part) + Noise(0.001)},
        {"finite", 1},
        {"learning_rate", rate},
        {"target_decay", 1 - 0.03 * (1 + std::cos(M_PI * part)) / 2},
        {"images_per_s", 2300 + Noise(40)},
        {"data_wait_share", std::abs(Noise(0.006))}};
    log_.Write(record);
  }

  void Diagnostics(int64_t step, double part) {
    MetricsRecord record = Record("diagnostics", step);
    const double rank = kLatents * (0.05 + 0.6 * (1 - std::exp(-5 * part)));
    record.values = {
        {"predictor_trace", rank * 1.2},
        {"predictor_stable_rank", rank + Noise(0.3)},
        {"predictor_projection_error", 0.25 - 0.1 * part + Noise(0.003)},
        {"predictor_asymmetry", 1e-6 + std::abs(Noise(1e-7))},
        {"predictor_polar_distance", 0.75 - 0.45 * part + Noise(0.004)},
        {"residual_loss", 0.4 * std::exp(-3 * part) + 0.1},
        {"residual_resampling", 0.3 * std::exp(-3 * part) + 0.08},
        {"residual_ema", 0.15 * std::exp(-4 * part) + 0.01},
        {"feature_std", 0.05 + 0.01 * part}};
    // Eigenvalues that decay ever more slowly, on the diagonal.
    std::vector<float> covariance(kLatents * kLatents);
    for (int i = 0; i < kLatents; ++i) {
      covariance[static_cast<size_t>(i) * (kLatents + 1)] =
          static_cast<float>(std::exp(-i * (0.5 / (1 + 12 * part))));
    }
    const Spectrum spectrum = SpectrumOf(covariance);
    record.values.insert(record.values.end(),
                         {{"spectrum_largest", spectrum.largest + part},
                          {"spectrum_q25", spectrum.quantile25},
                          {"spectrum_q50", spectrum.quantile50},
                          {"spectrum_q75", spectrum.quantile75}});
    Histogram histogram{"spectrum", {0}, {}};
    for (int bin = 0; bin < Spectrum::kBins; ++bin) {
      histogram.edges.push_back((bin + 1) / double{Spectrum::kBins});
      histogram.counts.push_back(spectrum.histogram[static_cast<size_t>(bin)]);
    }
    record.histograms = {histogram};
    log_.Write(record);
  }

  void Evaluate(int64_t step, double part) {
    MetricsRecord record = Record("evaluation", step);
    record.values = {{"knn_top1", Accuracy(part) - 0.02}};
    if (step == run_.steps) {
      record.values.insert(record.values.end(),
                           {{"linear_top1", Accuracy(part)},
                            {"linear_top5", 0.993},
                            {"linear_learning_rate", 0.2}});
    }
    if (step == run_.steps && run_.features) {
      record.values.insert(record.values.end(),
                           {{"untrained_linear_top1", 0.612},
                            {"untrained_knn_top1", 0.587},
                            {"pixels_linear_top1", 0.534}});
    }
    log_.Write(record);
  }

  // Pairs of blobs under two lights.
  void Samples(int64_t step) {
    constexpr int kSize = 28, kPictures = 32;
    std::vector<uint8_t> pixels;
    std::uniform_real_distribution<double> place(8, 20);
    for (int i = 0; i < kPictures; ++i) {
      const double x0 = place(random_), y0 = place(random_);
      const double light = 120 + 10 * place(random_) / 2;
      for (int y = 0; y < kSize; ++y) {
        for (int x = 0; x < kSize; ++x) {
          const double distance = std::hypot(x - x0, y - y0);
          pixels.push_back(static_cast<uint8_t>(std::clamp(
              light * std::exp(-distance * distance / 60), 0.0, 255.0)));
        }
      }
    }
    const PictureGrid grid = MakePictureGrid(pixels, {kSize, kSize}, 1, 8);
    MetricsRecord record = Record("samples", step);
    record.images = {{"views", EncodePng(grid.view()).value(), grid.size.width,
                      grid.size.height}};
    log_.Write(record);
  }

  MetricsLog& log_;
  const SyntheticRun& run_;
  std::mt19937 random_;
};

// Ten classes in a ring; a third of the neighbours are of the next class.
FeatureDetails SyntheticDetails() {
  constexpr int kClasses = 10, kSize = 28;
  FeatureDetails details;
  details.class_names = {"zero", "one", "two",   "three", "four",
                         "five", "six", "seven", "eight", "<nine> & \"ten\""};
  details.classes = kClasses;
  for (int i = 0; i < kClasses * kClasses; ++i) {
    details.confusion.push_back(i % (kClasses + 1) == 0 ? 90 : i % 7 == 0);
  }
  for (int i = 0; i < 500; ++i) {
    const double angle = 0.62 * i, radius = 1 + 0.1 * std::sin(7.0 * i);
    details.map.x.push_back(static_cast<float>(radius * std::cos(angle)));
    details.map.y.push_back(static_cast<float>(radius * std::sin(angle)));
    details.map.labels.push_back(i % kClasses);
  }
  details.map.explained[0] = 0.4;
  for (int label = 0; label < kClasses; ++label) {
    GalleryRow row = {{label, label, 1}};
    for (int i = 0; i < 8; ++i) {
      row.push_back({i, (label + (i % 3 == 2)) % kClasses, 0.9f});
    }
    details.gallery.push_back(row);
  }
  details.picture_size = kSize;
  details.channels = 1;
  for (int i = 0; i < 9 * kClasses * kSize * kSize; ++i) {
    details.pictures.push_back(static_cast<uint8_t>(i / kSize % 256));
  }
  return details;
}

}  // namespace

void WriteSyntheticRun(const std::string& folder, const SyntheticRun& run) {
  Config config =
      ParseConfig(
          absl::StrCat("name: 'fashion_mnist' data { dataset: "
                       "'fashion_mnist' channels: 1 classes: 10 } model "
                       "{ architecture: 'tiny' projector_output_size: ",
                       kLatents, " } predictor { kind: ", run.predictor,
                       " } schedule { batch_size: 256 }"),
          "synthetic")
          .value();
  ResolveConfig(&config);
  WriteFileAtomically(JoinPath(folder, "config.textproto"),
                      FormatConfig(config))
      .IgnoreError();
  const std::unique_ptr<MetricsLog> log = MetricsLog::Open(folder, 0).value();
  Writer(*log, run).Write();
  if (run.features) {
    WriteFeatureDetails(SyntheticDetails(), run.steps, folder).IgnoreError();
  }
}

}  // namespace xla_byol
