#include "tests/input/loader_rows.h"

#include <gtest/gtest.h>

#include "absl/strings/string_view.h"
#include "xla_byol/base/crc32c.h"

namespace xla_byol::input {

LoaderOptions SmallOptions() {
  LoaderOptions options;
  options.global_batch = 16;
  options.image_size = 24;
  options.seed = 5;
  options.threads = 2;
  options.cache_bytes = 0;
  return options;
}

void AppendRows(const BatchBuffer& batch, std::vector<Row>& rows) {
  const BatchLayout& layout = batch.layout();
  for (int64_t r = 0; r < layout.rows(); ++r) {
    const int device = static_cast<int>(r / layout.device_rows);
    const int64_t local = r % layout.device_rows;
    Row& row = rows.emplace_back();
    row.index = batch.indices[static_cast<size_t>(r)];
    row.label = batch.labels(device)[local];
    row.mask = batch.mask(device)[local];
    for (int view = 0; view < layout.views; ++view) {
      row.crops.push_back(
          batch.crops[static_cast<size_t>(view * layout.rows() + r)]);
      const float* draws =
          batch.draws(view, device) + local * kAugmentationDraws;
      row.draws.insert(row.draws.end(), draws, draws + kAugmentationDraws);
      row.pixels.push_back(Crc32c(absl::string_view(
          reinterpret_cast<const char*>(batch.pixels(view, device)) +
              local * layout.image_bytes(),
          static_cast<size_t>(layout.image_bytes()))));
    }
  }
}

std::vector<Row> Stream(const Dataset& dataset, const LoaderOptions& options,
                        int batches) {
  auto loader = Loader::Create(dataset, options);
  EXPECT_TRUE(loader.ok()) << loader.status();
  std::vector<Row> rows;
  for (int i = 0; i < batches; ++i) {
    const auto batch = (*loader)->Next();
    EXPECT_TRUE(batch.ok()) << batch.status();
    if (!batch.ok()) break;
    EXPECT_EQ(batch->step(), options.first_step + i);
    AppendRows(**batch, rows);
  }
  return rows;
}

}  // namespace xla_byol::input
