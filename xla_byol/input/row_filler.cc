#include "xla_byol/input/row_filler.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "xla_byol/base/philox.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::input {
namespace {

// Keeps the replacements' counters apart from the draws'.
constexpr uint32_t kReplacementDomain = 0x42414400;

// With a sane budget the second attempt nearly always succeeds.
constexpr uint32_t kMaxReplacements = 1000;

int64_t NowNs() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

// The record that stands in for a bad one, the same in every run.
int64_t Replacement(uint64_t seed, int64_t index, uint32_t attempt,
                    int64_t size) {
  const auto bad = static_cast<uint64_t>(index);
  const PhiloxBlock words = Philox(
      seed, {static_cast<uint32_t>(bad), static_cast<uint32_t>(bad >> 32),
             attempt, kReplacementDomain});
  const uint64_t word = uint64_t{words[0]} << 32 | words[1];
  return static_cast<int64_t>(word % static_cast<uint64_t>(size));
}

}  // namespace

RowFiller::RowFiller(const RowSource& source)
    : source_(source),
      views_({source.options.image_size, source.options.channels,
              source.options.scaled_decoding}) {}

absl::Status RowFiller::Fill(int64_t step, int64_t row, BatchBuffer& batch) {
  const LoaderOptions& options = source_.options;
  const int64_t device_rows = batch.layout().device_rows;
  const Place place = {batch, row, static_cast<int>(row / device_rows),
                       row % device_rows};
  const int64_t position = step * options.global_batch +
                           options.process_index * batch.layout().rows() + row;
  return options.mode == LoaderOptions::Mode::kTrain
             ? FillTraining(position, place)
             : FillEvaluation(position, place);
}

absl::Status RowFiller::FillTraining(int64_t position, const Place& place) {
  const int64_t size = source_.dataset.size();
  const int64_t epoch = position / size;
  if (epoch != epoch_) {
    epoch_ = epoch;
    order_.emplace(source_.options.seed, static_cast<uint64_t>(epoch),
                   static_cast<uint64_t>(size));
  }
  const auto chosen =
      static_cast<int64_t>(order_->At(static_cast<uint64_t>(position % size)));
  int64_t index = chosen;
  for (uint32_t attempt = 0; attempt < kMaxReplacements; ++attempt) {
    if (attempt > 0) {
      index = Replacement(source_.options.seed, chosen, attempt, size);
    }
    if (source_.bad_records.Contains(index)) continue;
    const absl::Status shown = Show(index, epoch, chosen, place);
    if (!absl::IsDataLoss(shown)) return shown;
    RETURN_IF_ERROR(source_.bad_records.Add(index, shown));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("no good record in ", kMaxReplacements, " attempts in ",
                   source_.dataset.info().path));
}

absl::Status RowFiller::FillEvaluation(int64_t index, const Place& place) {
  if (index >= source_.dataset.size() || source_.bad_records.Contains(index)) {
    Blank(place);
    return absl::OkStatus();
  }
  const absl::Status shown = Show(index, 0, index, place);
  if (!absl::IsDataLoss(shown)) return shown;
  Blank(place);
  return source_.bad_records.Add(index, shown);
}

void RowFiller::Blank(const Place& place) {
  const BatchLayout& layout = place.batch.layout();
  place.batch.labels(place.device)[place.device_row] = kNoLabel;
  place.batch.mask(place.device)[place.device_row] = 0;
  place.batch.indices[static_cast<size_t>(place.row)] = -1;
  for (int view = 0; view < layout.views; ++view) {
    std::memset(place.batch.pixels(view, place.device) +
                    place.device_row * layout.image_bytes(),
                0, static_cast<size_t>(layout.image_bytes()));
    place.batch
        .crops[static_cast<size_t>(view * layout.rows() + place.row)] = {};
  }
}

absl::Status RowFiller::Show(int64_t index, int64_t epoch, int64_t drawn_as,
                             const Place& place) {
  const LoaderOptions& options = source_.options;
  const BatchLayout& layout = place.batch.layout();
  std::array<View, 2> all_views;
  const absl::Span<View> views =
      absl::MakeSpan(all_views.data(), static_cast<size_t>(layout.views));
  DrawKey key;
  key.seed = options.seed;
  key.epoch = static_cast<uint64_t>(epoch);
  key.index = static_cast<uint64_t>(drawn_as);
  const bool train = options.mode == LoaderOptions::Mode::kTrain;
  for (int v = 0; v < layout.views; ++v) {
    View& view = views[static_cast<size_t>(v)];
    view.out = place.batch.pixels(v, place.device) +
               place.device_row * layout.image_bytes();
    if (!train) continue;
    key.view = v;
    const auto& augmentation = options.augmentation[static_cast<size_t>(v)];
    view.flip = DrawFlip(key, augmentation);
    DrawAugmentation(key, augmentation,
                     place.batch.draws(v, place.device) +
                         place.device_row * kAugmentationDraws);
  }
  auto choose = [&](ImageSize size, absl::Span<View> chosen) {
    for (size_t v = 0; v < chosen.size(); ++v) {
      key.view = static_cast<int>(v);
      chosen[v].crop =
          train
              ? DrawCrop(key, options.augmentation[v], size.width, size.height)
              : CenterCrop(size.width, size.height, options.center_crop_share);
    }
  };

  const int64_t begin = NowNs();
  int32_t label = kNoLabel;
  const DecodedCache::Entry* cached =
      source_.cache == nullptr ? nullptr : source_.cache->Find(index);
  if (cached != nullptr) {
    views_.MakeFromPixels(cached->image, choose, views);
    label = cached->label;
    ++counts_.cache_hits;
    counts_.make_ns += NowNs() - begin;
  } else {
    Record record;
    RETURN_IF_ERROR(source_.dataset.Read(index, scratch_, record));
    const int64_t was_read = NowNs();
    counts_.read_ns += was_read - begin;
    RETURN_IF_ERROR(views_.Make(record, index,
                                source_.dataset.info().image_size, choose,
                                views, source_.cache));
    label = record.label;
    counts_.make_ns += NowNs() - was_read;
  }
  ++counts_.images;
  place.batch.labels(place.device)[place.device_row] = label;
  place.batch.mask(place.device)[place.device_row] = 1;
  place.batch.indices[static_cast<size_t>(place.row)] = index;
  for (size_t v = 0; v < views.size(); ++v) {
    place.batch.crops[v * static_cast<size_t>(layout.rows()) +
                      static_cast<size_t>(place.row)] = {views[v].crop,
                                                         views[v].flip};
  }
  return absl::OkStatus();
}

}  // namespace xla_byol::input
