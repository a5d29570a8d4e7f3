// What a data set is like, for settings that follow from the data: how many
// images, classes and channels, how large they are, their mean colour.

#ifndef XLA_BYOL_INPUT_SURVEY_H_
#define XLA_BYOL_INPUT_SURVEY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_byol/input/dataset.h"

namespace xla_byol::input {

struct SurveyOptions {
  OpenOptions open;
  // A split of the user's choice; empty: found in the data set.
  std::string train_split;
  std::string test_split;
  // Images whose pixels are looked at, spread evenly over the split; 0: none,
  // and the fields that need pixels stay empty.
  int sample_images = 128;
  // Called with how many of how many images have been looked at.
  std::function<void(int64_t, int64_t)> progress = {};
};

struct DatasetSurvey {
  std::string folder;  // absolute
  std::string name;    // TFDS's, or the folder's
  // A data set without a test split has "train[!::n]" and "train[::n]" here:
  // every n-th image is held out, at least every tenth, at most 10,000.
  std::string train_split;
  std::string test_split;
  bool held_out = false;
  int64_t train_images = 0;
  int64_t test_images = 0;
  int64_t classes = 0;   // 0: no labels, or all images have the same one
  std::string left_out;  // what of the folder is not read; empty: nothing

  // From the sample:
  int channels = 0;      // 1 if every image is gray, else 3
  int shorter_side = 0;  // median, in pixels
  // Of pixels / 255, one number for each channel, rounded to 4 digits. All
  // images have the same weight.
  std::vector<float> mean;
  std::vector<float> stddev;
};

// Opens the data set and looks at it. The same data give the same survey.
// Images that do not decode are passed over; it is an error if all do not.
absl::StatusOr<DatasetSurvey> SurveyDataset(const std::string& name_or_path,
                                            const SurveyOptions& options);

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_SURVEY_H_
