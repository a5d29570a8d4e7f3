// The loader's batches, row by row, so that tests can compare streams.

#ifndef XLA_BYOL_TESTS_INPUT_LOADER_ROWS_H_
#define XLA_BYOL_TESTS_INPUT_LOADER_ROWS_H_

#include <cstdint>
#include <vector>

#include "xla_byol/input/loader.h"

namespace xla_byol::input {

// Two threads, 24 pixels, no cache.
LoaderOptions SmallOptions();

// Everything that one row of a global batch says.
struct Row {
  int64_t index;
  int32_t label;
  float mask;
  std::vector<CropTrace> crops;
  std::vector<float> draws;
  std::vector<uint32_t> pixels;  // Checksum of each view.

  friend bool operator==(const Row&, const Row&) = default;
};

void AppendRows(const BatchBuffer& batch, std::vector<Row>& rows);

// The rows of so many batches; fails the test if one cannot be had.
std::vector<Row> Stream(const Dataset& dataset, const LoaderOptions& options,
                        int batches);

}  // namespace xla_byol::input

#endif  // XLA_BYOL_TESTS_INPUT_LOADER_ROWS_H_
