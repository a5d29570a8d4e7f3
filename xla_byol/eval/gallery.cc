#include "xla_byol/eval/gallery.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "xla_byol/base/status_macros.h"

namespace xla_byol {
namespace {

std::vector<int64_t> ChooseQueries(const Features& queries) {
  std::vector<std::pair<int32_t, int64_t>> first;  // of each class
  std::set<int32_t> seen;
  for (int64_t i = 0; i < queries.size(); ++i) {
    const int32_t label = queries.labels[static_cast<size_t>(i)];
    if (label >= 0 && seen.insert(label).second) first.emplace_back(label, i);
  }
  std::vector<int64_t> chosen;
  if (first.empty()) {
    const int64_t count = std::min(kGalleryRows, queries.size());
    for (int64_t i = 0; i < count; ++i) {
      chosen.push_back(i * queries.size() / count);
    }
    return chosen;
  }
  std::sort(first.begin(), first.end());
  for (const auto& [label, row] : first) {
    if (std::ssize(chosen) < kGalleryRows) chosen.push_back(row);
  }
  return chosen;
}

}  // namespace

std::vector<GalleryRow> FindGallery(const Features& queries,
                                    const Features& bank) {
  std::vector<GalleryRow> gallery;
  for (const int64_t query : ChooseQueries(queries)) {
    const absl::Span<const float> asked = queries.row(query);
    GalleryRow all;
    for (int64_t i = 0; i < bank.size(); ++i) {
      if (&bank == &queries && i == query) continue;
      const absl::Span<const float> row = bank.row(i);
      all.push_back(
          {bank.place(i), bank.labels[static_cast<size_t>(i)],
           std::inner_product(asked.begin(), asked.end(), row.begin(), 0.0f)});
    }
    const auto end = all.begin() + std::min(kGalleryNeighbours,
                                            static_cast<int64_t>(all.size()));
    std::partial_sort(all.begin(), end, all.end(),
                      [](const Neighbour& a, const Neighbour& b) {
                        return a.cosine > b.cosine;
                      });
    GalleryRow row = {
        {queries.place(query), queries.labels[static_cast<size_t>(query)], 1}};
    row.insert(row.end(), all.begin(), end);
    gallery.push_back(std::move(row));
  }
  return gallery;
}

absl::StatusOr<std::vector<uint8_t>> ReadPictures(
    const input::Dataset& dataset, absl::Span<const int64_t> places,
    input::LoaderOptions options) {
  if (places.empty()) return std::vector<uint8_t>();
  const std::vector<int64_t> wanted(places.begin(), places.end());
  input::DatasetInfo info = dataset.info();
  info.size = std::ssize(wanted);
  const input::Dataset picked(
      std::move(info),
      [dataset, wanted](int64_t index, input::RecordScratch& scratch,
                        input::Record& record) {
        return dataset.Read(wanted[static_cast<size_t>(index)], scratch,
                            record);
      },
      [dataset, wanted](int64_t index) {
        return dataset.Locate(wanted[static_cast<size_t>(index)]);
      });
  options.process_index = 0;
  options.process_count = 1;
  options.devices = 1;
  options.global_batch = std::ssize(wanted);
  ASSIGN_OR_RETURN(const std::unique_ptr<input::Loader> loader,
                   input::Loader::Create(picked, options));
  ASSIGN_OR_RETURN(const input::Loader::Batch batch, loader->Next());
  const int64_t bytes = batch->layout().image_bytes();
  std::vector<uint8_t> pixels(wanted.size() * static_cast<size_t>(bytes));
  for (int64_t i = 0; i < std::ssize(wanted); ++i) {
    if (batch->mask(0)[i] == 0) continue;
    std::copy_n(batch->pixels(0, 0) + i * bytes, bytes,
                pixels.begin() + i * bytes);
  }
  return pixels;
}

}  // namespace xla_byol
