#include "tests/fuzz/harness.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/tfrecord.h"
#include "xla_byol/checkpoint/safetensors.h"
#include "xla_byol/input/dataset_info.h"
#include "xla_byol/input/idx.h"
#include "xla_byol/input/image_decoder.h"
#include "xla_byol/input/record_index.h"
#include "xla_byol/input/resize.h"
#include "xla_byol/input/tf_example.h"
#include "xla_byol/metrics/metrics_record.h"

namespace xla_byol {
namespace {

// NOLINTNEXTLINE: most formats are of the input.
using namespace input;

// Unlike assert, in every build.
void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzzing: %s\n", what);
  std::abort();
}

// Reads every byte, so that a sanitizer sees a view that points elsewhere.
void Touch(absl::string_view bytes) {
  volatile char sum = 0;
  for (char byte : bytes) sum = static_cast<char>(sum ^ byte);
}

// An exact copy on the heap, so that reading one byte too far is seen.
std::string Exact(absl::string_view bytes) {
  std::string copy(bytes);
  copy.shrink_to_fit();
  return copy;
}

void FuzzImage(absl::string_view input) {
  const std::string bytes = Exact(input);
  for (int channels : {3, 1}) {
    ImageDecoder decoder;
    const auto size = decoder.Open(bytes);
    if (!size.ok()) continue;
    Require(size->width > 0 && size->height > 0, "image without pixels");
    // Time is for the parser, not for large even surfaces.
    if (int64_t{size->width} * size->height > 1 << 20) continue;
    const Rect windows[] = {{0, 0, size->width, size->height},
                            {size->width / 3, size->height / 3,
                             (size->width + 2) / 3, (size->height + 2) / 3}};
    for (const Rect& window : windows) {
      for (int denominator : {1, 2, 8}) {
        if (!decoder.Open(bytes).ok()) return;
        const auto region = decoder.Decode(window, channels, denominator);
        if (!region.ok()) {
          Require(absl::IsDataLoss(region.status()), "wrong code");
          continue;
        }
        const ImageView& pixels = region->pixels;
        Require(pixels.channels == channels, "wrong channels");
        Touch(absl::string_view(
            reinterpret_cast<const char*>(pixels.data),
            static_cast<size_t>(pixels.stride * pixels.size.height)));
        const double scale = 1.0 / region->denominator;
        std::vector<uint8_t> out(static_cast<size_t>(16 * 16 * channels));
        Resizer().Resize(
            pixels,
            {(window.x - region->x) * scale, (window.y - region->y) * scale,
             window.width * scale, window.height * scale},
            {16, 16}, false, out.data());
      }
    }
  }
}

}  // namespace

void FuzzTfRecord(absl::string_view input) {
  const std::string bytes = Exact(input);
  if (const auto data = ParseRecord(bytes); data.ok()) {
    Touch(*data);
    Require(FrameRecord(*data) == bytes, "record does not frame back");
  }
  if (const auto index = ParseIndex(bytes); index.ok()) {
    Require(SerializeIndex(*index) == bytes, "index does not serialize back");
  }
  // The walk reads a file: one in memory.
  const int memory = memfd_create("shard", 0);
  Require(memory >= 0 && write(memory, bytes.data(), bytes.size()) ==
                             static_cast<ssize_t>(bytes.size()),
          "no file in memory");
  const auto file =
      RandomAccessFile::Open(absl::StrCat("/proc/self/fd/", memory));
  Require(file.ok(), "file in memory does not open");
  const auto index = IndexShard(*file);
  Require(index.ok(), "walk failed on a readable file");
  Require(index->offsets.back() <= bytes.size(), "record beyond the file");
  Require(index->broken.empty() == (index->offsets.back() == bytes.size()),
          "walk ended early without a word");
  close(memory);
}

void FuzzTfExample(absl::string_view input) {
  const std::string bytes = Exact(input);
  const absl::Status status = VisitFeatures(
      bytes, [](absl::string_view name, absl::string_view feature) {
        Touch(name);
        Touch(feature);
        if (const auto value = SingleBytes(feature); value.ok()) Touch(*value);
        (void)SingleInt64(feature).ok();
      });
  Require(status.ok() || absl::IsDataLoss(status), "wrong code");
}

void FuzzJson(absl::string_view bytes) {
  if (const auto info = ParseDatasetInfo(bytes); info.ok()) {
    for (const TfdsSplit& split : info->splits) {
      if (split.shard_lengths.size() > 1000) continue;
      const auto names = ShardNames(*info, split);
      if (!names.ok()) continue;
      for (const std::string& name : *names) {
        Require(name.find('/') == std::string::npos, "shard elsewhere");
      }
    }
  }
  if (const auto features = ParseFeatures(bytes); features.ok()) {
    Require(!features->size.has_value() ||
                (features->size->width > 0 && features->size->height > 0),
            "image size without pixels");
  }
}

void FuzzIdx(absl::string_view bytes) {
  const auto array = ParseIdx(Exact(bytes));
  if (!array.ok()) return;
  int64_t count = 1;
  for (int64_t dimension : array->dimensions) count *= dimension;
  Require(static_cast<int64_t>(array->values.size()) == count,
          "values do not fit dimensions");
}

void FuzzJpeg(absl::string_view bytes) { FuzzImage(bytes); }
void FuzzPng(absl::string_view bytes) { FuzzImage(bytes); }

void FuzzMetrics(absl::string_view input) {
  const std::string bytes = Exact(input);
  VisitRecords(bytes, [](absl::string_view line,
                         absl::StatusOr<MetricsRecord> record) {
    Touch(line);
    if (!record.ok()) {
      Require(absl::IsDataLoss(record.status()), "wrong code");
      return;
    }
    for (const Histogram& histogram : record->histograms) {
      Require(histogram.edges.size() == histogram.counts.size() + 1,
              "histogram without an edge");
    }
    // What was read is a record that can be written, and read as the same.
    const std::string text = ToJson(*record);
    const auto again = ParseMetricsRecord(text);
    Require(again.ok() && ToJson(*again) == text, "record does not read back");
  });
}

void FuzzSafetensors(absl::string_view input) {
  const auto file = ParseSafetensors(Exact(input), "fuzz");
  if (!file.ok()) {
    Require(absl::IsDataLoss(file.status()), "wrong code");
    return;
  }
  size_t bytes = 0;
  for (const TensorView& tensor : file->tensors()) {
    Touch({reinterpret_cast<const char*>(tensor.data.data()),
           tensor.data.size()});
    bytes += tensor.data.size();
  }
  Require(bytes <= input.size(), "more data than the file has");
  const std::string text = Safetensors(file->tensors());
  const auto again = ParseSafetensors(text, "fuzz");
  Require(again.ok() && Safetensors(again->tensors()) == text,
          "tensors do not read back");
}

const std::vector<Harness>& AllHarnesses() {
  static const auto& harnesses = *new std::vector<Harness>{
      {"tfrecord", FuzzTfRecord}, {"tf_example", FuzzTfExample},
      {"json", FuzzJson},         {"idx", FuzzIdx},
      {"jpeg", FuzzJpeg},         {"png", FuzzPng},
      {"metrics", FuzzMetrics},   {"safetensors", FuzzSafetensors}};
  return harnesses;
}

}  // namespace xla_byol
