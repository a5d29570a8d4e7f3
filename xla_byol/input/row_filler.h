// Makes rows of batches: which record a row shows, reading it, replacing it
// when it is bad, and its views, draws and label.

#ifndef XLA_BYOL_INPUT_ROW_FILLER_H_
#define XLA_BYOL_INPUT_ROW_FILLER_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "xla_byol/input/bad_records.h"
#include "xla_byol/input/batch.h"
#include "xla_byol/input/dataset.h"
#include "xla_byol/input/decoded_cache.h"
#include "xla_byol/input/loader.h"
#include "xla_byol/input/permutation.h"
#include "xla_byol/input/views.h"

namespace xla_byol::input {

// What all threads share; immutable, or safe to share.
struct RowSource {
  const Dataset& dataset;
  const LoaderOptions& options;
  BadRecords& bad_records;
  DecodedCache* cache;  // May be null.
};

// One thread's state.
class RowFiller {
 public:
  explicit RowFiller(const RowSource& source);

  // Fills row `row` (of this process's share) of batch `step`. Bad records are
  // dealt with; any error ends the run.
  absl::Status Fill(int64_t step, int64_t row, BatchBuffer& batch);

  // Since construction; see LoaderStats.
  struct Counts {
    int64_t images = 0;
    int64_t cache_hits = 0;
    int64_t read_ns = 0;
    int64_t make_ns = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  // A row's place in its batch.
  struct Place {
    BatchBuffer& batch;
    int64_t row;
    int device;
    int64_t device_row;
  };

  absl::Status FillTraining(int64_t position, const Place& place);
  absl::Status FillEvaluation(int64_t index, const Place& place);
  // Shows record `index` with the random numbers of (epoch, drawn_as).
  absl::Status Show(int64_t index, int64_t epoch, int64_t drawn_as,
                    const Place& place);
  void Blank(const Place& place);

  const RowSource source_;
  ViewMaker views_;
  RecordScratch scratch_;
  int64_t epoch_ = -1;  // Whose order is:
  std::optional<Permutation> order_;
  Counts counts_;
};

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_ROW_FILLER_H_
