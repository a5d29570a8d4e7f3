#include "xla_byol/input/loader.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/input/prefetcher.h"
#include "xla_byol/input/row_filler.h"

namespace xla_byol::input {
namespace {

// A claim costs a lock; of small images many are made under one.
constexpr int64_t kPixelsPerClaim = 64 << 10;

absl::Status Check(const LoaderOptions& options) {
  const auto fail = [](auto&&... parts) {
    return absl::InvalidArgumentError(absl::StrCat("input: ", parts...));
  };
  const int64_t shares = int64_t{options.process_count} * options.devices;
  if (options.process_count < 1 || options.process_index < 0 ||
      options.process_index >= options.process_count) {
    return fail("process ", options.process_index, " of ",
                options.process_count, " does not exist");
  }
  if (options.devices < 1 || options.global_batch < 1 ||
      options.global_batch % shares != 0) {
    return fail("a global batch of ", options.global_batch,
                " cannot be shared by ", options.process_count,
                " processes of ", options.devices, " devices");
  }
  if (options.views < 1 || options.views > 2 ||
      (options.mode == LoaderOptions::Mode::kEvaluate && options.views != 1)) {
    return fail(options.views,
                " views of an image; training has 1 or 2, evaluation 1");
  }
  if (options.channels != 1 && options.channels != 3) {
    return fail(options.channels, " channels; 1 and 3 are supported");
  }
  if (options.image_size < 1 || options.image_size > 4096) {
    return fail("image_size of ", options.image_size,
                "; from 1 to 4096 is supported");
  }
  if (options.first_step < 0 || options.prefetch_batches < 2) {
    return fail("first_step ", options.first_step, ", prefetch_batches ",
                options.prefetch_batches,
                "; the first is at least 0, the second 2");
  }
  return absl::OkStatus();
}

PrefetcherOptions PrefetchOptions(const LoaderOptions& options, int threads,
                                  const BatchLayout& layout,
                                  int64_t evaluation_batches) {
  PrefetcherOptions result;
  result.threads = threads;
  result.slots = options.prefetch_batches;
  result.rows = layout.rows();
  const int64_t pixels = int64_t{layout.image_size} * layout.image_size;
  result.rows_per_claim =
      std::clamp<int64_t>(kPixelsPerClaim / pixels, 1,
                          std::max<int64_t>(1, layout.rows() / threads));
  result.first_batch = options.first_step;
  if (options.mode == LoaderOptions::Mode::kEvaluate) {
    result.last_batch = evaluation_batches;
  }
  return result;
}

}  // namespace

struct Loader::State {
  State(const Dataset& opened, const LoaderOptions& given)
      : dataset(opened),
        options(given),
        bad_records(dataset, given.bad_record_budget) {}

  absl::Status Fill(const Prefetcher::Claim& claim) {
    RowFiller& filler = *fillers[static_cast<size_t>(claim.thread)];
    const RowFiller::Counts before = filler.counts();
    BatchBuffer& buffer = *buffers[static_cast<size_t>(claim.slot)];
    for (int64_t row = claim.begin_row; row < claim.end_row; ++row) {
      if (stopping.load(std::memory_order_relaxed)) {
        return absl::CancelledError("the input was shut down");
      }
      RETURN_IF_ERROR(filler.Fill(claim.batch, row, buffer));
    }
    const RowFiller::Counts& after = filler.counts();
    absl::MutexLock lock(&mutex);
    totals.images += after.images - before.images;
    totals.cache_hits += after.cache_hits - before.cache_hits;
    totals.read_ns += after.read_ns - before.read_ns;
    totals.make_ns += after.make_ns - before.make_ns;
    return absl::OkStatus();
  }

  const Dataset dataset;
  const LoaderOptions options;
  BadRecords bad_records;
  std::optional<DecodedCache> cache;
  std::vector<std::unique_ptr<RowFiller>> fillers;  // One for each thread.
  std::vector<std::unique_ptr<BatchBuffer>> buffers;
  std::atomic<bool> stopping = false;
  mutable absl::Mutex mutex;
  RowFiller::Counts totals ABSL_GUARDED_BY(mutex);
  // Last, so that its threads are gone before what they use.
  std::unique_ptr<Prefetcher> prefetcher;
};

absl::StatusOr<std::unique_ptr<Loader>> Loader::Create(
    const Dataset& dataset, const LoaderOptions& options) {
  RETURN_IF_ERROR(Check(options));
  auto state = std::make_unique<State>(dataset, options);
  const int threads =
      options.threads > 0
          ? options.threads
          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (options.cache_bytes > 0) {
    state->cache.emplace(dataset.size(), options.cache_bytes);
  }
  const RowSource source = {
      state->dataset, state->options, state->bad_records,
      state->cache.has_value() ? &*state->cache : nullptr};
  for (int i = 0; i < threads; ++i) {
    state->fillers.push_back(std::make_unique<RowFiller>(source));
  }
  BatchLayout layout;
  layout.views = options.views;
  layout.devices = options.devices;
  layout.device_rows =
      options.global_batch / options.process_count / options.devices;
  layout.image_size = options.image_size;
  layout.channels = options.channels;
  for (int i = 0; i < options.prefetch_batches; ++i) {
    state->buffers.push_back(std::make_unique<BatchBuffer>(layout));
  }
  State* raw = state.get();
  auto loader = std::unique_ptr<Loader>(new Loader(std::move(state)));
  raw->prefetcher = std::make_unique<Prefetcher>(
      PrefetchOptions(options, threads, layout, loader->evaluation_batches()),
      [raw](const Prefetcher::Claim& claim) { return raw->Fill(claim); });
  return loader;
}

Loader::Loader(std::unique_ptr<State> state) : state_(std::move(state)) {}

Loader::~Loader() { state_->stopping = true; }

absl::StatusOr<Loader::Batch> Loader::Next() {
  ASSIGN_OR_RETURN(const Prefetcher::Lease lease,
                   state_->prefetcher->Acquire());
  return Batch(this, state_->buffers[static_cast<size_t>(lease.slot)].get(),
               lease.slot, lease.batch);
}

int64_t Loader::evaluation_batches() const {
  return (state_->dataset.size() + state_->options.global_batch - 1) /
         state_->options.global_batch;
}

LoaderStats Loader::stats() const {
  LoaderStats stats;
  stats.consumer_wait_s =
      absl::ToDoubleSeconds(state_->prefetcher->consumer_waited());
  stats.threads_wait_s =
      absl::ToDoubleSeconds(state_->prefetcher->threads_waited());
  stats.bad_records = state_->bad_records.count();
  if (state_->cache.has_value()) {
    stats.cache_bytes = state_->cache->used_bytes();
  }
  absl::MutexLock lock(&state_->mutex);
  stats.images = state_->totals.images;
  stats.cache_hits = state_->totals.cache_hits;
  stats.read_s = static_cast<double>(state_->totals.read_ns) * 1e-9;
  stats.make_s = static_cast<double>(state_->totals.make_ns) * 1e-9;
  return stats;
}

std::vector<std::string> Loader::bad_records() const {
  return state_->bad_records.List();
}

Loader::Batch::Batch(Batch&& other) noexcept
    : loader_(std::exchange(other.loader_, nullptr)),
      buffer_(other.buffer_),
      slot_(other.slot_),
      step_(other.step_) {}

Loader::Batch& Loader::Batch::operator=(Batch&& other) noexcept {
  std::swap(loader_, other.loader_);
  std::swap(buffer_, other.buffer_);
  std::swap(slot_, other.slot_);
  std::swap(step_, other.step_);
  return *this;
}

Loader::Batch::~Batch() {
  if (loader_ != nullptr) loader_->state_->prefetcher->Release(slot_);
}

}  // namespace xla_byol::input
