// The recipes for users without a config: each fits its data and devices.

#include "xla_byol/training/starting_recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "xla_byol/base/files.h"
#include "xla_byol/config/config.h"
#include "xla_byol/settings/settings.h"

namespace xla_byol {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

input::DatasetSurvey Photos(int64_t images, int side) {
  return {.folder = "/data/photos",
          .name = "photos",
          .train_split = "train[!::10]",
          .test_split = "train[::10]",
          .held_out = true,
          .train_images = images,
          .test_images = images / 9,
          .classes = 5,
          .channels = 3,
          .shorter_side = side,
          .mean = {0.4f, 0.5f, 0.6f},
          .stddev = {0.1f, 0.2f, 0.3f}};
}

Config ConfigFor(const StartingRecipe& recipe,
                 const input::DatasetSurvey& survey, int devices) {
  const auto text = ReadFile(recipe.config);
  EXPECT_TRUE(text.ok()) << text.status();
  const auto config = ParseConfig(text.value_or(""), recipe.config);
  EXPECT_TRUE(config.ok()) << config.status();
  Config filled = config.value_or(Config());
  FillFromRecipe(recipe, survey, devices, &filled);
  FillFromData(survey, &filled);
  ResolveConfig(&filled);
  return filled;
}

// From a dozen thumbnails to a million photos, on 1 and 8 devices.
TEST(StartingRecipeTest, EveryRecipeIsValidForEverySize) {
  for (const StartingRecipe& recipe : StartingRecipes()) {
    for (const int64_t images : {16, 5'000, 50'000, 1'000'000}) {
      for (const int side : {16, 28, 96, 4000}) {
        for (const int devices : {1, 8}) {
          const Config config =
              ConfigFor(recipe, Photos(images, side), devices);
          EXPECT_TRUE(ValidateConfig(config, devices).ok())
              << recipe.config << ", " << images << " images of " << side
              << ": " << ValidateConfig(config, devices);
          EXPECT_LE(config.data().image_size(), recipe.largest_image);
          EXPECT_LE(config.schedule().batch_size(), images);
        }
      }
    }
  }
}

TEST(StartingRecipeTest, FollowsDevicesAndImages) {
  EXPECT_THAT(ChooseRecipe(true, 1'000'000).config, HasSubstr("cpu"));
  EXPECT_THAT(ChooseRecipe(false, 99'999).config, HasSubstr("small"));
  EXPECT_THAT(ChooseRecipe(false, 100'000).config, HasSubstr("medium"));
  const Config thumbnails =
      ConfigFor(ChooseRecipe(false, 50'000), Photos(50'000, 32), 8);
  EXPECT_EQ(thumbnails.model().stem(), Model::SMALL);
  EXPECT_EQ(thumbnails.data().image_size(), 32);
  EXPECT_EQ(thumbnails.schedule().epochs(), 200);  // as CIFAR-10's recipe
  // A CPU's network halves images twice, so that small ones are enlarged.
  const Config enlarged =
      ConfigFor(ChooseRecipe(true, 50'000), Photos(50'000, 32), 1);
  EXPECT_EQ(enlarged.model().stem(), Model::IMAGENET);
  EXPECT_EQ(enlarged.data().image_size(), 48);
  const Config photos =
      ConfigFor(ChooseRecipe(false, 50'000), Photos(50'000, 500), 8);
  EXPECT_EQ(photos.model().stem(), Model::IMAGENET);
  EXPECT_EQ(photos.data().image_size(), 224);
  EXPECT_FLOAT_EQ(photos.schedule().warmup_epochs(), 20);
}

TEST(StartingRecipeTest, WhatTheUserSetStays) {
  auto config = ParseConfig(
      "data { dataset: 'photos' classes: 0 image_size: 48 mean: 0.5 mean: 0.5 "
      "mean: 0.5 } schedule { epochs: 3 batch_size: 7 }",
      "test");
  ASSERT_TRUE(config.ok());
  const input::DatasetSurvey survey = Photos(5'000, 500);
  FillFromRecipe(ChooseRecipe(true, 5'000), survey, 1, &*config);
  FillFromData(survey, &*config);
  EXPECT_EQ(config->data().dataset(), "/data/photos");
  EXPECT_EQ(config->data().classes(), 0);
  EXPECT_EQ(config->data().image_size(), 48);
  EXPECT_EQ(config->data().train_images(), 5'000);
  EXPECT_EQ(config->data().test_split(), "train[::10]");
  EXPECT_THAT(config->data().mean(), ElementsAre(0.5f, 0.5f, 0.5f));
  EXPECT_EQ(config->schedule().epochs(), 3);
  EXPECT_EQ(config->schedule().batch_size(), 7);
}

TEST(StartingRecipeTest, AnotherConfigsDataAreForgotten) {
  const auto text = ReadFile("configs/cifar10_ns.textproto");
  ASSERT_TRUE(text.ok()) << text.status();
  auto config = ParseConfig(*text, "cifar10_ns");
  ASSERT_TRUE(config.ok());
  EXPECT_FALSE(NeedsSurvey(*config));
  EXPECT_FALSE(NeedsSurvey(Config()));  // ImageNet: the defaults are its own
  ForgetDataset(&*config);
  config->mutable_data()->set_dataset("photos");
  EXPECT_TRUE(NeedsSurvey(*config));
  FillFromData(Photos(5'000, 500), &*config);
  EXPECT_EQ(config->data().train_images(), 5'000);
  EXPECT_EQ(config->data().classes(), 5);
  EXPECT_EQ(config->data().image_size(), 32);  // the recipe's
  EXPECT_THAT(config->data().stddev(), ElementsAre(0.1f, 0.2f, 0.3f));
}

}  // namespace
}  // namespace xla_byol
