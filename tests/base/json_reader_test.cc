#include "xla_byol/base/json_reader.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "xla_byol/base/json_writer.h"

namespace xla_byol {
namespace {

TEST(JsonReaderTest, ReadsEveryKindOfValue) {
  const auto value = ParseJson(
      " {\"null\": null, \"yes\":true,\"no\":false, \"n\":-1.5e2,\n"
      "\t\"list\":[1, [], {}],\"text\":\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"}\r\n");
  ASSERT_TRUE(value.ok()) << value.status();
  ASSERT_TRUE(value->is_object());
  EXPECT_EQ(value->names.size(), 6u);
  EXPECT_EQ(value->Find("null")->type, JsonValue::Type::kNull);
  EXPECT_TRUE(value->Find("yes")->boolean);
  EXPECT_EQ(value->Find("no")->type, JsonValue::Type::kBool);
  EXPECT_FALSE(value->Find("no")->boolean);
  EXPECT_EQ(value->Find("n")->number, -150);
  ASSERT_EQ(value->Find("list")->elements.size(), 3u);
  EXPECT_TRUE(value->Find("list")->elements[1].is_array());
  EXPECT_TRUE(value->Find("list")->elements[2].is_object());
  EXPECT_EQ(value->Find("text")->string, "a\"\\/\b\f\n\r\t");
  EXPECT_EQ(value->Find("other"), nullptr);
}

TEST(JsonReaderTest, ReadsUnicodeEscapes) {
  const auto value = ParseJson(R"("\u0041\u00e9\u20AC\ud83d\ude00")");
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->string, "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST(JsonReaderTest, ReadsBackWhatTheWriterWrote) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const uint64_t bits = random();
    double number;
    static_assert(sizeof(bits) == sizeof(number));
    std::memcpy(&number, &bits, sizeof(number));
    if (!std::isfinite(number)) continue;
    const std::string text = JsonWriter().Value(number).text();
    const auto value = ParseJson(text);
    ASSERT_TRUE(value.ok()) << text << ": " << value.status();
    ASSERT_EQ(value->number, number) << text;
  }
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(ParseJson(JsonWriter().Value(tiny).text())->number, tiny);
  std::string bytes;
  for (int c = 0; c < 128; ++c) bytes += static_cast<char>(c);
  EXPECT_EQ(ParseJson(JsonWriter().Value(bytes).text())->string, bytes);
}

TEST(JsonReaderTest, KnowsIntegers) {
  EXPECT_EQ(ParseJson("12")->Integer(), 12);
  EXPECT_EQ(ParseJson("-9007199254740992")->Integer(), -9007199254740992);
  EXPECT_EQ(ParseJson("1e3")->Integer(), 1000);
  EXPECT_FALSE(ParseJson("1.5")->Integer().has_value());
  EXPECT_FALSE(ParseJson("1e300")->Integer().has_value());
  EXPECT_FALSE(ParseJson("\"1\"")->Integer().has_value());
}

TEST(JsonReaderTest, RefusesWhatIsNotJson) {
  struct Case {
    const char* text;
    const char* error;
  };
  const Case cases[] = {
      {"", "expected a value at byte 0 of 0"},
      {"{", "expected a name"},
      {"{\"a\"}", "expected ':'"},
      {"{\"a\":1", "expected ',' or '}'"},
      {"{\"a\":1,}", "expected a name"},
      {"[1 2]", "expected ',' or ']'"},
      {"[1,]", "expected a value"},
      {"\"a", "string without an end"},
      {"\"a\n\"", "string without an end"},
      {"\"\\x\"", "unknown escape"},
      {"\"\\u12g4\"", "four hexadecimal digits"},
      {"\"\\ud800\"", "surrogate"},
      {"\"\\ud800\\u0041\"", "surrogate"},
      {"\"\\udc00\"", "surrogate"},
      {"\"\xff\"", "not UTF-8"},
      {"\"\xed\xa0\x80\"", "not UTF-8"},
      {"tru", "expected a value"},
      {"nan", "expected a value"},
      {"+1", "expected a value"},
      {".5", "expected a value"},
      {"-", "expected a value"},
      {"01", "leading zero"},
      {"1.", "expected digits"},
      {"1e", "expected digits"},
      {"1e999", "out of range"},
      {"1 2", "text after the value"},
      {"{\"a\":1,\"a\":2}", "second \"a\""},
  };
  for (const Case& one : cases) {
    const auto value = ParseJson(one.text);
    ASSERT_FALSE(value.ok()) << one.text;
    EXPECT_TRUE(absl::IsDataLoss(value.status())) << one.text;
    EXPECT_NE(std::string(value.status().message()).find(one.error),
              std::string::npos)
        << one.text << ": " << value.status();
  }
  EXPECT_TRUE(ParseJson("1e-999").ok());
  EXPECT_FALSE(ParseJson(std::string("1\0", 2)).ok());
}

TEST(JsonReaderTest, FindsASecondNameAmongMany) {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) {
    text += "\"m" + std::to_string(i) + "\":0,";
  }
  EXPECT_TRUE(ParseJson(text + "\"other\":0}").ok());
  EXPECT_FALSE(ParseJson(text + "\"m500\":0}").ok());
}

TEST(JsonReaderTest, NestsOnlySoDeep) {
  const auto nested = [](int depth) {
    const auto count = static_cast<size_t>(depth);
    return std::string(count, '[') + std::string(count, ']');
  };
  EXPECT_TRUE(ParseJson(nested(kMaxJsonDepth)).ok());
  EXPECT_FALSE(ParseJson(nested(kMaxJsonDepth + 2)).ok());
  EXPECT_FALSE(ParseJson(std::string(1 << 20, '[')).ok());
}

}  // namespace
}  // namespace xla_byol
