// Batches of views, made ahead of the step that takes them.
//
//   ASSIGN_OR_RETURN(Dataset dataset, OpenDataset("cifar10", "train"));
//   ASSIGN_OR_RETURN(auto loader, Loader::Create(dataset, options));
//   for (;;) {
//     ASSIGN_OR_RETURN(Loader::Batch batch, loader->Next());
//     ... transfer batch->pixels(view, device), ...; then drop the batch.
//   }
//
// Training: batch s holds places s * global_batch ... of an endless stream in
// which epoch follows epoch, each in its own order (permutation.h), so that no
// image is left out. What batch s holds depends on the data set, the options
// and s alone: not on threads or time, and, at one global batch, not on the
// number of devices and processes.
//
// Evaluation: one pass in the data set's order, one centre crop an image; the
// last batch is filled up with masked rows.

#ifndef XLA_BYOL_INPUT_LOADER_H_
#define XLA_BYOL_INPUT_LOADER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_byol/input/batch.h"
#include "xla_byol/input/dataset.h"
#include "xla_byol/input/draws.h"

namespace xla_byol::input {

struct LoaderOptions {
  enum class Mode { kTrain, kEvaluate };
  Mode mode = Mode::kTrain;

  int64_t global_batch = 256;  // Divisible by processes times devices.
  int process_index = 0;
  int process_count = 1;
  int devices = 1;  // Of this process.

  int32_t image_size = 224;
  // 3, whatever the data set has (grey is repeated); or 1: luma.
  int channels = 3;
  // Training: 2 for pre-training, 1 for a linear probe. Evaluation: 1.
  int views = 2;
  std::array<AugmentationOptions, 2> augmentation = {ReferenceView(0),
                                                     ReferenceView(1)};
  double center_crop_share = 224.0 / 256;  // Evaluation.
  bool scaled_decoding = true;             // See views.h.

  uint64_t seed = 0;
  int64_t first_step = 0;

  int threads = 0;  // 0: as many as the machine has cores.
  // Batches made ahead or held by the caller, at least 2; each takes
  // global_batch / process_count * views * image bytes.
  int prefetch_batches = 3;
  int64_t cache_bytes = int64_t{2} << 30;  // For decoded small images.
  double bad_record_budget = 0.001;        // Share of the data set.
};

// Sums since the start.
struct LoaderStats {
  int64_t images = 0;          // Made, with all their views.
  double consumer_wait_s = 0;  // That Next() waited: what the step lost.
  double threads_wait_s = 0;   // That threads waited for a free batch.
  double read_s = 0;           // Threads' time in reading records,
  double make_s = 0;           // and in decoding and resizing them.
  int64_t cache_hits = 0;      // Images that needed neither.
  int64_t cache_bytes = 0;
  int64_t bad_records = 0;
};

class Loader {
 public:
  // A batch on loan: dropping it gives its memory back to be filled again, so
  // it must live until transfers from it are done, and no longer than the
  // loader. Move-only.
  class Batch {
   public:
    Batch(Batch&& other) noexcept;
    Batch& operator=(Batch&& other) noexcept;
    ~Batch();

    int64_t step() const { return step_; }
    const BatchBuffer* operator->() const { return buffer_; }
    const BatchBuffer& operator*() const { return *buffer_; }

   private:
    friend class Loader;
    Batch(Loader* loader, const BatchBuffer* buffer, int slot, int64_t step)
        : loader_(loader), buffer_(buffer), slot_(slot), step_(step) {}

    Loader* loader_;
    const BatchBuffer* buffer_;
    int slot_;
    int64_t step_;
  };

  // Checks the options and starts the threads. InvalidArgument says which
  // option does not fit.
  static absl::StatusOr<std::unique_ptr<Loader>> Create(
      const Dataset& dataset, const LoaderOptions& options);

  // Stops at once, whatever has been made ahead.
  ~Loader();

  // The next batch, waiting for it if need be. OutOfRange after an
  // evaluation's last. Bad records are replaced by others (in evaluation:
  // masked); more of them than the budget is FailedPrecondition with the list.
  absl::StatusOr<Batch> Next();

  // Batches of an evaluation.
  int64_t evaluation_batches() const;

  LoaderStats stats() const;
  // Where each bad record is, and why it is one.
  std::vector<std::string> bad_records() const;

 private:
  struct State;
  explicit Loader(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_LOADER_H_
