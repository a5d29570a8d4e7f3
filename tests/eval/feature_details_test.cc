#include "xla_byol/eval/feature_details.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "gtest/gtest.h"

namespace xla_byol {
namespace {

// Rows on the unit circle of the first two coordinates, one class each third.
Features Circle(int64_t rows, int64_t dimension) {
  Features features{.dimension = dimension};
  for (int64_t i = 0; i < rows; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) /
                         static_cast<double>(rows);
    std::vector<float> row(static_cast<size_t>(dimension));
    row[0] = static_cast<float>(std::cos(angle));
    row[1] = static_cast<float>(std::sin(angle));
    features.values.insert(features.values.end(), row.begin(), row.end());
    features.labels.push_back(static_cast<int32_t>(i * 3 / rows));
  }
  return features;
}

TEST(FeatureMap, FindsThePlaneThatHoldsTheVariance) {
  // An ellipse in the plane of coordinates 3 and 5 of 8, around a far mean.
  Features features{.dimension = 8};
  for (int i = 0; i < 90; ++i) {
    const double angle = i * std::numbers::pi / 45;
    std::vector<float> row(8, 10);
    row[3] += static_cast<float>(3 * std::cos(angle));
    row[5] += static_cast<float>(std::sin(angle));
    features.values.insert(features.values.end(), row.begin(), row.end());
    features.labels.push_back(i);
  }
  const FeatureMap map = MapFeatures(features);
  ASSERT_EQ(map.x.size(), 90u);
  EXPECT_EQ(map.labels, features.labels);
  for (size_t i = 0; i < map.x.size(); ++i) {
    const double angle = static_cast<double>(i) * std::numbers::pi / 45;
    EXPECT_NEAR(map.x[i], 3 * std::cos(angle), 1e-4);
    EXPECT_NEAR(map.y[i], std::sin(angle), 1e-4);
  }
  // Half of 9 and half of 1.
  EXPECT_NEAR(map.explained[0], 0.9, 1e-4);
  EXPECT_NEAR(map.explained[1], 0.1, 1e-4);
}

TEST(FeatureMap, IsEmptyWhereThereIsNothingToDraw) {
  Features same{.dimension = 4,
                .values = std::vector<float>(40, 1),
                .labels = std::vector<int32_t>(10)};
  EXPECT_TRUE(MapFeatures(same).x.empty());
  Features broken = Circle(12, 4);
  broken.values[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(MapFeatures(broken).x.empty());
  EXPECT_TRUE(MapFeatures(Circle(2, 4)).x.empty());
  EXPECT_TRUE(MapFeatures(Features{.dimension = 4}).x.empty());
}

TEST(FeatureMap, TakesTwoDimensions) {
  EXPECT_EQ(MapFeatures(Circle(12, 2)).x.size(), 12u);
}

TEST(Gallery, HasOneImageOfEachClassAndItsNearest) {
  const Features queries = Circle(30, 4), bank = Circle(300, 4);
  const std::vector<GalleryRow> gallery = FindGallery(queries, bank);
  ASSERT_EQ(gallery.size(), 3u);
  for (size_t label = 0; label < 3; ++label) {
    const GalleryRow& row = gallery[label];
    ASSERT_EQ(row.size(), 1u + kGalleryNeighbours);
    EXPECT_EQ(row[0].label, static_cast<int32_t>(label));
    EXPECT_EQ(row[0].place, static_cast<int64_t>(10 * label));
    // The bank's row at the same angle, then those beside it.
    EXPECT_EQ(row[1].place, static_cast<int64_t>(100 * label));
    EXPECT_NEAR(row[1].cosine, 1, 1e-6);
    EXPECT_NEAR(row[3].cosine, std::cos(2 * std::numbers::pi / 300), 1e-6);
    for (size_t i = 2; i < row.size(); ++i) {
      EXPECT_LE(row[i].cosine, row[i - 1].cosine);
    }
  }
}

TEST(Gallery, WithoutLabelsAsksEvenlyAndLeavesTheImageItselfOut) {
  Features images = Circle(40, 4);
  images.labels.assign(40, -1);
  const std::vector<GalleryRow> gallery = FindGallery(images, images);
  ASSERT_EQ(std::ssize(gallery), kGalleryRows);
  for (int64_t i = 0; i < kGalleryRows; ++i) {
    const GalleryRow& row = gallery[static_cast<size_t>(i)];
    EXPECT_EQ(row[0].place, 4 * i);
    for (size_t k = 1; k < row.size(); ++k) {
      EXPECT_NE(row[k].place, row[0].place);
    }
  }
}

TEST(Gallery, OfFewImagesIsSmall) {
  const Features few = Circle(3, 4);
  const std::vector<GalleryRow> gallery = FindGallery(few, few);
  ASSERT_EQ(gallery.size(), 3u);
  EXPECT_EQ(gallery[0].size(), 3u);
  EXPECT_TRUE(FindGallery(Features{.dimension = 4}, few).empty());
}

TEST(Confusion, CountsTrueClassesByRow) {
  const Features features{.dimension = 2,
                          .values = {5, 0, 0, 5, 4, 0, 1, 1, 9, 9},
                          .labels = {0, 1, 1, 1, -1}};
  // Class 0 has the first coordinate, class 1 the second, class 2 neither.
  const ProbeWeights probe = {
      .features = 2, .classes = 3, .w = {1, 0, 0, 0, 1, 0}, .b = {0, 0, 0.5}};
  EXPECT_EQ(CountAnswers(features, probe),
            std::vector<double>({1, 0, 0,  //
                                 2, 1, 0,  // the tie goes to class 0
                                 0, 0, 0}));
}

}  // namespace
}  // namespace xla_byol
