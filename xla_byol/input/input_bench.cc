// How many images a second the input delivers; an image is its two crops.
//   input_bench --data_dir=DIR --dataset=cifar10 --image_size=32
//   input_bench --path=FOLDER --split=train --threads=2 --seconds=10
// The last line is JSON.

#include <time.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_cat.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/base/log.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/input/dataset.h"
#include "xla_byol/input/loader.h"

ABSL_FLAG(std::string, data_dir, "", "where data sets are found by name");
ABSL_FLAG(std::string, path, "", "a data set's folder, instead of a name");
ABSL_FLAG(std::string, dataset, "cifar10", "a data set's name");
ABSL_FLAG(std::string, split, "train", "split, may be sliced as in TFDS");
ABSL_FLAG(int, image_size, 224, "side of the crops");
ABSL_FLAG(int, views, 2, "crops of an image");
ABSL_FLAG(int, threads, 0, "0: as many as the machine has cores");
ABSL_FLAG(int64_t, batch, 256, "images in a batch");
ABSL_FLAG(int64_t, images, 0, "images to time; 0: as --seconds says");
ABSL_FLAG(double, seconds, 10, "how long to time, unless --images is given");
ABSL_FLAG(int64_t, warmup_images, -1,
          "images before the clock starts; -1: one epoch if the data set is "
          "small enough to be cached, else two batches");
ABSL_FLAG(bool, scaled_decoding, true, "decode large JPEGs at a fraction");
ABSL_FLAG(double, bad_record_budget, 0.001, "share of bad records allowed");
ABSL_FLAG(int64_t, cache_bytes, int64_t{2} << 30, "for decoded small images");

namespace xla_byol::input {
namespace {

double Now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Of all threads: what a busy machine does not falsify.
double ProcessorSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

int64_t WarmupImages(const Dataset& dataset, const LoaderOptions& options) {
  const int64_t asked = absl::GetFlag(FLAGS_warmup_images);
  if (asked >= 0) return asked;
  const auto& size = dataset.info().image_size;
  const bool cached =
      size.has_value() &&
      dataset.size() * size->width * size->height * options.channels <
          options.cache_bytes;
  return cached ? dataset.size() : 2 * options.global_batch;
}

absl::Status Run() {
  OpenOptions open;
  open.data_dir = absl::GetFlag(FLAGS_data_dir);
  const std::string path = absl::GetFlag(FLAGS_path);
  ASSIGN_OR_RETURN(const Dataset dataset,
                   OpenDataset(path.empty() ? absl::GetFlag(FLAGS_dataset)
                                            : JoinPath(".", path),
                               absl::GetFlag(FLAGS_split), open));
  LoaderOptions options;
  options.global_batch = absl::GetFlag(FLAGS_batch);
  options.image_size = absl::GetFlag(FLAGS_image_size);
  options.views = absl::GetFlag(FLAGS_views);
  options.threads = absl::GetFlag(FLAGS_threads);
  options.scaled_decoding = absl::GetFlag(FLAGS_scaled_decoding);
  options.bad_record_budget = absl::GetFlag(FLAGS_bad_record_budget);
  options.cache_bytes = absl::GetFlag(FLAGS_cache_bytes);
  ASSIGN_OR_RETURN(const auto loader, Loader::Create(dataset, options));

  const int64_t warmup = WarmupImages(dataset, options);
  for (int64_t seen = 0; seen < warmup; seen += options.global_batch) {
    ASSIGN_OR_RETURN(const Loader::Batch batch, loader->Next());
  }
  const int64_t wanted = absl::GetFlag(FLAGS_images);
  const double seconds = absl::GetFlag(FLAGS_seconds);
  const double begin = Now();
  const double processor_begin = ProcessorSeconds();
  int64_t images = 0;
  while (wanted > 0 ? images < wanted : Now() - begin < seconds) {
    ASSIGN_OR_RETURN(const Loader::Batch batch, loader->Next());
    images += options.global_batch;
  }
  const double elapsed = Now() - begin;
  const double processor = ProcessorSeconds() - processor_begin;
  const LoaderStats stats = loader->stats();
  JsonWriter json;
  json.BeginObject();
  json.Field("images_per_s", static_cast<double>(images) / elapsed);
  json.Field("images_per_cpu_s", static_cast<double>(images) / processor);
  json.Field("images", images);
  json.Field("seconds", elapsed);
  json.Field("threads", options.threads);
  json.Field("image_size", options.image_size);
  json.Field("views", options.views);
  json.Field("dataset", dataset.info().name);
  json.Field("read_s", stats.read_s);
  json.Field("make_s", stats.make_s);
  json.Field("consumer_wait_s", stats.consumer_wait_s);
  json.Field("threads_wait_s", stats.threads_wait_s);
  json.Field("cache_hits", stats.cache_hits);
  json.Field("bad_records", stats.bad_records);
  json.EndObject();
  std::printf("%s\n", json.text().c_str());
  return absl::OkStatus();
}

}  // namespace
}  // namespace xla_byol::input

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("measures the input's images a second");
  absl::ParseCommandLine(argc, argv);
  const absl::Status status = xla_byol::input::Run();
  if (status.ok()) return 0;
  xla_byol::LogError(status.message());
  return 1;
}
