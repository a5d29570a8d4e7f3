#include "xla_byol/base/crc32c.h"

#include <string>

#include "gtest/gtest.h"

namespace xla_byol {
namespace {

// RFC 3720, section B.4, and the customary check value.
TEST(Crc32cTest, KnownValues) {
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Crc32cTest, BothVersionsAgreeAtEveryLengthAndSplit) {
  std::string data;
  for (int i = 0; i < 67; ++i) {
    data += static_cast<char>(i * 37 + 11);
    const uint32_t whole = Crc32c(data);
    EXPECT_EQ(whole, internal::ExtendCrc32cPortable(0, data)) << i;
    for (size_t split = 0; split <= data.size(); ++split) {
      const uint32_t head = Crc32c(data.substr(0, split));
      EXPECT_EQ(ExtendCrc32c(head, data.substr(split)), whole);
      EXPECT_EQ(internal::ExtendCrc32cPortable(head, data.substr(split)),
                whole);
    }
  }
}

// The first twelve bytes of a file that TFDS wrote: a length, its masked CRC.
TEST(Crc32cTest, MaskMatchesTensorFlow) {
  EXPECT_EQ(MaskCrc32c(Crc32c(std::string("\x79\x09\0\0\0\0\0\0", 8))),
            0x1e694fc7u);
}

}  // namespace
}  // namespace xla_byol
