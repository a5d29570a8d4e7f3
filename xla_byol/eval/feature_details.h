// What a person looks at to see what features know; one number cannot say it.

#ifndef XLA_BYOL_EVAL_FEATURE_DETAILS_H_
#define XLA_BYOL_EVAL_FEATURE_DETAILS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "xla_byol/eval/features.h"
#include "xla_byol/eval/gallery.h"

namespace xla_byol {

// The linear probe that was chosen.
struct ProbeWeights {
  int64_t features = 0;       // n
  int64_t classes = 0;        // c
  std::vector<float> w = {};  // [n,c]
  std::vector<float> b = {};  // [c]
};

// More classes make no table that anybody reads.
inline constexpr int64_t kConfusionClasses = 100;

// How many of this process's rows of each class the probe takes for each:
// [c,c], the true class by row. Rows without a label do not count; of equal
// logits the smallest class is the answer.
std::vector<double> CountAnswers(const Features& features,
                                 const ProbeWeights& probe);

// Points of a map: more only hide each other.
inline constexpr int64_t kMapPoints = 2000;

struct FeatureMap {
  std::vector<float> x, y;
  std::vector<int32_t> labels;  // -1: none
  // The shares of the variance that lie along x and along y.
  double explained[2] = {0, 0};
};

// Principal components of this process's first kMapPoints rows, around their
// mean. A direction's sign is arbitrary; here its largest coordinate is
// positive, so that the same features always give the same map. Empty if there
// are fewer than three rows or a number is not finite.
FeatureMap MapFeatures(const Features& features);

struct FeatureDetails {
  std::vector<std::string> class_names;  // or empty
  // As CountAnswers, of all processes' test images; empty without a probe and
  // for more than kConfusionClasses.
  int64_t classes = 0;
  std::vector<double> confusion;
  // Of this process's test images.
  FeatureMap map;
  // Test images and their neighbours in the bank of k-NN or, without labels,
  // among the test images; of this process's share.
  std::vector<GalleryRow> gallery;
  // Every row's pictures, one row after the other, [n,size,size,channels].
  std::vector<uint8_t> pictures;
  int picture_size = 0;
  int channels = 0;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_EVAL_FEATURE_DETAILS_H_
