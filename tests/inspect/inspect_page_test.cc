#include "xla_byol/inspect/inspect_page.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/temp_folder.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_reader.h"

namespace xla_byol {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What stands in the element with this id.
std::string ElementText(const std::string& page, const std::string& id) {
  const std::string open = absl::StrCat("id=\"", id, "\">");
  const size_t begin = page.find(open);
  if (begin == std::string::npos) return "(no such element)";
  const size_t end = page.find("</script>", begin);
  return page.substr(begin + open.size(), end - begin - open.size());
}

TEST(InspectPageTest, HoldsNumbersAndProgramsOfBoth) {
  const std::string page =
      InspectPage({{"/a", "{\"name\":\"one\"}\n", "HloModule one\n"},
                   {"/b", "{\"name\":\"two\"}\n", "HloModule two\n"}});
  const JsonValue data = ParseJson(ElementText(page, "data")).value();
  ASSERT_EQ(data.Find("exports")->elements.size(), 2u);
  EXPECT_EQ(data.Find("exports")->elements[1].Find("name")->string, "two");
  EXPECT_EQ(data.Find("folders")->elements[0].string, "/a");
  EXPECT_EQ(data.Find("order")->elements[0].string, "augmentation");
  EXPECT_EQ(ElementText(page, "program0"), "HloModule one\n");
  EXPECT_EQ(ElementText(page, "program1"), "HloModule two\n");
}

TEST(InspectPageTest, NothingBreaksOutOfItsElement) {
  const std::string evil = "</script><script>alert(1)</script><!--";
  const std::string page = InspectPage(
      {{"/" + evil, absl::StrCat("{\"name\":\"", evil, "\"}"), evil}});
  // A script element's text ends at its end tag only; after "<!--" not even
  // there.
  EXPECT_EQ(ElementText(page, "program0"),
            "< /script><script>alert(1)< /script>< !--");
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  const JsonValue data = ParseJson(ElementText(page, "data")).value();
  EXPECT_EQ(data.Find("folders")->elements[0].string, "/" + evil);
  EXPECT_EQ(data.Find("exports")->elements[0].Find("name")->string, evil);
}

TEST(InspectPageTest, ALongProgramIsShownFromItsEntryOn) {
  const std::string fusions(5'000'000, 'x');
  const std::string entry = "ENTRY main {\n}\n";
  const std::string page =
      InspectPage({{"/a", "{}", absl::StrCat(fusions, "\n", entry)}});
  EXPECT_EQ(ElementText(page, "program0"), entry);
}

TEST(InspectPageTest, ReadsAnExportOrSaysWhatIsMissing) {
  const std::string folder = TempFolder();
  const auto message = [&folder] {
    return std::string(ReadInspectedExport(folder).status().message());
  };
  const std::string numbers = JoinPath(folder, "inspect.json");
  EXPECT_THAT(message(), HasSubstr(numbers));
  ASSERT_TRUE(WriteFileAtomically(numbers, "{\"a\":1}").ok());
  EXPECT_THAT(message(), HasSubstr("optimized.hlo.txt"));
  ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, "optimized.hlo.txt"),
                                  "HloModule m\n")
                  .ok());
  const InspectedExport read = ReadInspectedExport(folder).value();
  EXPECT_EQ(read.folder, folder);
  EXPECT_EQ(read.numbers, "{\"a\":1}");
  EXPECT_EQ(read.program, "HloModule m\n");
  for (const char* text : {"[1]", "{\"a\":1},{}", "{"}) {
    ASSERT_TRUE(WriteFileAtomically(numbers, text).ok());
    EXPECT_THAT(message(), HasSubstr(numbers + " is not what export wrote"));
  }
}

}  // namespace
}  // namespace xla_byol
