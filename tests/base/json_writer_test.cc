#include "xla_byol/base/json_writer.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"

namespace xla_byol {
namespace {

TEST(JsonWriterTest, NestsObjectsAndArrays) {
  JsonWriter json;
  json.BeginObject();
  json.Field("devices", 8);
  json.Key("shape").BeginArray().Value(32).Value(3).EndArray();
  json.Key("empty").BeginObject().EndObject();
  json.Key("none").Null();
  json.Field("donated", true);
  json.EndObject();
  EXPECT_EQ(json.text(),
            R"({"devices":8,"shape":[32,3],"empty":{},"none":null,)"
            R"("donated":true})");
}

TEST(JsonWriterTest, IndentsWhenAsked) {
  JsonWriter json(2);
  json.BeginObject().Key("a").BeginArray().Value(1).Value(2).EndArray();
  json.Key("b").BeginArray().EndArray().EndObject();
  EXPECT_EQ(json.text(), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": []\n}");
}

TEST(JsonWriterTest, NumbersRoundTripAndNonFiniteOnesBecomeNull) {
  JsonWriter json;
  json.BeginArray();
  json.Value(0.1).Value(0.1f).Value(1e300).Value(-0.0).Value(3.0);
  json.Value(std::nan("")).Value(std::numeric_limits<float>::infinity());
  json.Value(std::numeric_limits<int64_t>::min());
  json.Value(std::numeric_limits<uint64_t>::max());
  json.EndArray();
  EXPECT_EQ(json.text(),
            "[0.1,0.1,1e+300,-0,3,null,null,-9223372036854775808,"
            "18446744073709551615]");
}

TEST(JsonWriterTest, EscapesAndRepairsStrings) {
  JsonWriter json;
  json.BeginArray();
  json.Value("quote \" back \\ line \n bell \a");
  json.Value("é€😀");
  json.Value(std::string("bad \xff\xc0\x80 end"));
  json.Value(std::string("surrogate \xed\xa0\x80"));
  json.Value(std::string("cut \xe2\x82"));
  json.EndArray();
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(json.text(),
            "[\"quote \\\" back \\\\ line \\n bell \\u0007\",\"é€😀\",\"bad " +
                mark + mark + mark + " end\",\"surrogate " + mark + mark +
                mark + "\",\"cut " + mark + mark + "\"]");
}

}  // namespace
}  // namespace xla_byol
