#include "xla_byol/checkpoint/checkpoint.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "xla_byol/base/crc32c.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/philox.h"
#include "xla_byol/base/run_files.h"
#include "xla_byol/checkpoint/checkpoint_store.h"

namespace xla_byol {
namespace {

std::vector<StateTensor> Layout() {
  std::vector<StateTensor> layout;
  layout.push_back({.path = "online/a/w",
                    .role = TensorRole::kOnline,
                    .shape = {graph::DType::kF32, {3, 5}}});
  layout.push_back({.path = "online/a/b",
                    .role = TensorRole::kOnline,
                    .shape = {graph::DType::kF32, {5}}});
  layout.push_back({.path = "predictor/P",
                    .role = TensorRole::kPredictor,
                    .shape = {graph::DType::kF32, {4, 4}}});
  return layout;
}

StateValues Values(float first) {
  StateValues values;
  for (const StateTensor& tensor : Layout()) {
    std::vector<float>& list = values.emplace_back();
    for (int64_t i = 0; i < tensor.shape.elements(); ++i) {
      list.push_back(first + 0.1f * static_cast<float>(i));
    }
  }
  return values;
}

TEST(CheckpointTest, GivesBackWhatWasWritten) {
  const std::string folder = JoinPath(TempFolder(), "step-00000007");
  ASSERT_TRUE(WriteCheckpoint(folder, 7, Layout(), Values(1)).ok());
  const auto read = ReadCheckpoint(folder, Layout());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->step, 7);
  EXPECT_EQ(read->values, Values(1));
  // Nothing else is left beside it.
  EXPECT_EQ(ListDirectory(std::filesystem::path(folder).parent_path().string())
                ->size(),
            1u);
}

// The bar: 200 places. A flip in any byte of either file must be noticed.
TEST(CheckpointTest, NoticesEveryFlippedByte) {
  const std::string folder = JoinPath(TempFolder(), "step-00000007");
  ASSERT_TRUE(WriteCheckpoint(folder, 7, Layout(), Values(1)).ok());
  int flips = 0;
  for (const absl::string_view name : {kStateFile, kManifestFile}) {
    const std::string path = JoinPath(folder, name);
    const std::string good = *ReadFile(path);
    for (size_t i = 0; i < good.size(); ++i, ++flips) {
      std::string bad = good;
      bad[i] = static_cast<char>(
          bad[i] ^
          (1 << (Philox(1, {static_cast<uint32_t>(flips), 0, 0, 0})[0] % 8)));
      ASSERT_TRUE(WriteFileAtomically(path, bad).ok());
      const auto read = ReadCheckpoint(folder, Layout());
      ASSERT_TRUE(absl::IsDataLoss(read.status()))
          << name << " byte " << i << ": " << read.status();
      EXPECT_TRUE(absl::StrContains(read.status().message(), name));
    }
    ASSERT_TRUE(WriteFileAtomically(path, good).ok());
  }
  EXPECT_GE(flips, 200);
  EXPECT_TRUE(ReadCheckpoint(folder, Layout()).ok());
}

TEST(CheckpointTest, NoticesEveryCut) {
  const std::string folder = JoinPath(TempFolder(), "step-00000007");
  ASSERT_TRUE(WriteCheckpoint(folder, 7, Layout(), Values(1)).ok());
  for (const absl::string_view name : {kStateFile, kManifestFile}) {
    const std::string path = JoinPath(folder, name);
    const std::string good = *ReadFile(path);
    for (size_t size = 0; size < good.size(); size += 7) {
      ASSERT_TRUE(WriteFileAtomically(path, good.substr(0, size)).ok());
      EXPECT_TRUE(absl::IsDataLoss(ReadCheckpoint(folder, Layout()).status()))
          << name << " cut to " << size;
    }
    ASSERT_TRUE(WriteFileAtomically(path, good).ok());
  }
}

TEST(CheckpointTest, NamesTheDamagedTensor) {
  const std::string folder = JoinPath(TempFolder(), "step-00000007");
  ASSERT_TRUE(WriteCheckpoint(folder, 7, Layout(), Values(1)).ok());
  const std::string path = JoinPath(folder, kStateFile);
  std::string bytes = *ReadFile(path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  ASSERT_TRUE(WriteFileAtomically(path, bytes).ok());
  EXPECT_EQ(ReadCheckpoint(folder, Layout()).status().message(),
            absl::StrCat("'", path,
                         "' is damaged: the CRC of tensor "
                         "'predictor/P' does not fit"));
}

TEST(CheckpointTest, RefusesAnotherConfigsState) {
  const std::string folder = JoinPath(TempFolder(), "step-00000007");
  ASSERT_TRUE(WriteCheckpoint(folder, 7, Layout(), Values(1)).ok());
  std::vector<StateTensor> other = Layout();
  other[1].shape.dims = {6};
  const absl::Status status = ReadCheckpoint(folder, other).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_TRUE(
      absl::StrContains(status.message(),
                        "belongs to another config: its tensor 'online/a/b' "
                        "is not f32[6]"))
      << status;
}

TEST(CheckpointTest, DoesNotKeepALostState) {
  const std::string folder = JoinPath(TempFolder(), "step-00000007");
  StateValues values = Values(1);
  values[2][3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(WriteCheckpoint(folder, 7, Layout(), values).message(),
            "tensor 'predictor/P' is not finite");
  EXPECT_FALSE(FileExists(folder));
}

TEST(CheckpointStoreTest, KeepsTheLastAndEveryNth) {
  const std::string folder = TempFolder();
  CheckpointStore store(folder, Layout(), {.keep_last = 2, .keep_every = 10});
  for (int64_t step = 5; step <= 30; step += 5) {
    store.Save(step, Values(static_cast<float>(step)));
    ASSERT_TRUE(store.Wait().ok());
  }
  EXPECT_EQ(*store.Steps(), (std::vector<int64_t>{10, 20, 25, 30}));
  EXPECT_EQ(store.last_good_step(), 30);
}

TEST(CheckpointStoreTest, SetsABadOneAsideAndFallsBack) {
  const std::string folder = TempFolder();
  CheckpointStore store(folder, Layout(), {});
  for (const int64_t step : {1, 2}) {
    store.Save(step, Values(static_cast<float>(step)));
    ASSERT_TRUE(store.Wait().ok());
  }
  ASSERT_TRUE(
      WriteFileAtomically(JoinPath(store.FolderOf(2), kStateFile), "no").ok());
  auto newest = store.TakeNewest();
  ASSERT_TRUE(newest.ok()) << newest.status();
  ASSERT_TRUE(newest->has_value());
  EXPECT_EQ((*newest)->step, 1);
  EXPECT_EQ((*newest)->values, Values(1));
  EXPECT_TRUE(FileExists(JoinPath(folder, "bad-step-00000002")));
  EXPECT_EQ(*store.Steps(), (std::vector<int64_t>{1}));
}

// Wherever a byte is flipped, the one before is taken and nothing is lost.
TEST(CheckpointStoreTest, SurvivesAFlipInTwoHundredPlaces) {
  const std::string folder = TempFolder();
  CheckpointStore store(folder, Layout(), {});
  const std::string aside = JoinPath(folder, "bad-step-00000002");
  store.Save(1, Values(1));
  ASSERT_TRUE(store.Wait().ok());
  for (uint32_t trial = 0; trial < 200; ++trial) {
    store.Save(2, Values(2));
    ASSERT_TRUE(store.Wait().ok());
    const PhiloxBlock random = Philox(3, {trial, 0, 0, 0});
    const std::string path = JoinPath(
        store.FolderOf(2), random[0] % 2 == 0 ? kStateFile : kManifestFile);
    std::string bytes = *ReadFile(path);
    char& byte = bytes[random[1] % bytes.size()];
    byte = static_cast<char>(byte ^ (1 << (random[2] % 8)));
    ASSERT_TRUE(WriteFileAtomically(path, bytes).ok());
    const auto newest = store.TakeNewest();
    ASSERT_TRUE(newest.ok() && newest->has_value()) << newest.status();
    ASSERT_EQ((*newest)->step, 1) << path << " byte " << random[1];
    EXPECT_EQ((*newest)->values, Values(1));
    EXPECT_TRUE(FileExists(aside));
    std::filesystem::remove_all(aside);
  }
}

TEST(CheckpointStoreTest, NeverBeginsAnewByItself) {
  const std::string folder = TempFolder();
  CheckpointStore store(folder, Layout(), {});
  EXPECT_FALSE(store.TakeNewest()->has_value());
  store.Save(1, Values(1));
  ASSERT_TRUE(store.Wait().ok());
  ASSERT_TRUE(
      WriteFileAtomically(JoinPath(store.FolderOf(1), kStateFile), "no").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(store.TakeNewest().status()));
  // Nor the next time, when only the one set aside is there.
  EXPECT_TRUE(absl::IsFailedPrecondition(store.TakeNewest().status()));
}

// Rewrites a manifest as a later version would: another "format", resealed.
void SetFormat(const std::string& folder, absl::string_view format) {
  const std::string path = JoinPath(folder, kManifestFile);
  std::string text = absl::StrReplaceAll(
      *ReadFile(path),
      {{"\"format\": 1,", absl::StrCat("\"format\": ", format, ",")}});
  text.resize(text.rfind("\"manifest_crc32c\""));
  const uint32_t crc = Crc32c(text);
  absl::StrAppend(&text, "\"manifest_crc32c\": ", crc, "\n}\n");
  ASSERT_TRUE(WriteFileAtomically(path, text).ok());
}

TEST(CheckpointStoreTest, RefusesANewerFormatAndLeavesItAlone) {
  const std::string folder = TempFolder();
  CheckpointStore store(folder, Layout(), {});
  for (const int64_t step : {1, 2}) {
    store.Save(step, Values(static_cast<float>(step)));
    ASSERT_TRUE(store.Wait().ok());
  }
  SetFormat(store.FolderOf(2), "2");
  ASSERT_TRUE(MakeDirectories(JoinPath(folder, ".tmp-step-00000003")).ok());
  const std::string refused = absl::StrCat(
      "'", JoinPath(store.FolderOf(2), kManifestFile),
      "' has checkpoint format 2, this program reads up to 1; use the newer "
      "version of xla_byol that wrote it");
  const std::vector<std::string> before = *ListDirectory(folder);
  const absl::Status taken = store.TakeNewest().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(taken));
  EXPECT_EQ(taken.message(), refused);
  EXPECT_EQ(store.ReadNewest().status(), taken);
  EXPECT_EQ(*ListDirectory(folder), before);
  // No version of the program has written this one.
  SetFormat(store.FolderOf(1), "0");
  EXPECT_TRUE(
      absl::IsDataLoss(ReadCheckpoint(store.FolderOf(1), Layout()).status()));
}

TEST(CheckpointStoreTest, SweepsWhatAKilledProcessLeft) {
  const std::string folder = TempFolder();
  CheckpointStore store(folder, Layout(), {});
  store.Save(1, Values(1));
  ASSERT_TRUE(store.Wait().ok());
  ASSERT_TRUE(MakeDirectories(JoinPath(folder, ".tmp-step-00000002")).ok());
  EXPECT_EQ((*store.TakeNewest())->step, 1);
  EXPECT_EQ(ListDirectory(folder)->size(), 1u);
}

TEST(CheckpointStoreTest, AFailedSaveLeavesTheOldOnes) {
  const std::string folder = JoinPath(TempFolder(), "checkpoints");
  CheckpointStore store(folder, Layout(), {});
  // A file where the folder should be: nothing can be saved.
  ASSERT_TRUE(WriteFileAtomically(folder, "in the way").ok());
  store.Save(1, Values(1));
  EXPECT_FALSE(store.Wait().ok());
  EXPECT_EQ(store.last_good_step(), -1);
  std::filesystem::remove(folder);
  store.Save(2, Values(2));
  EXPECT_TRUE(store.Wait().ok());
  EXPECT_EQ(store.last_good_step(), 2);
}

}  // namespace
}  // namespace xla_byol
