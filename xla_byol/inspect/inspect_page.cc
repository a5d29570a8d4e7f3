#include "xla_byol/inspect/inspect_page.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_byol/base/files.h"
#include "xla_byol/base/json_reader.h"
#include "xla_byol/base/json_writer.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/inspect/inspect_page/inspect_assets.h"
#include "xla_byol/inspect/inspection.h"
#include "xla_byol/inspect/scope_place.h"
#include "xla_byol/page/page.h"

namespace xla_byol {
namespace {

// A longer program is shown without the bodies of its fusions.
constexpr size_t kLongProgram = 4'500'000;

std::string ShownProgram(const std::string& program) {
  if (program.size() <= kLongProgram) return program;
  const size_t entry = program.find("\nENTRY ");
  return entry == std::string::npos ? program : program.substr(entry + 1);
}

std::string DataOf(absl::Span<const InspectedExport> exports) {
  JsonWriter order, folders;
  order.BeginArray();
  for (const std::string& part : PartOrder()) order.Value(part);
  order.EndArray();
  folders.BeginArray();
  for (const InspectedExport& one : exports) folders.Value(one.folder);
  folders.EndArray();
  const std::string numbers = absl::StrJoin(
      exports, ",", [](std::string* out, const InspectedExport& one) {
        out->append(one.numbers);
      });
  return absl::StrCat("{\"order\":", order.text(),
                      ",\"folders\":", folders.text(), ",\"exports\":[",
                      numbers, "]}");
}

}  // namespace

absl::StatusOr<InspectedExport> ReadInspectedExport(const std::string& folder) {
  InspectedExport one;
  one.folder = folder;
  const std::string path = JoinPath(folder, kInspectionFile);
  ASSIGN_OR_RETURN(one.numbers, ReadFile(path));
  // It becomes a part of the page's own data.
  if (const auto json = ParseJson(one.numbers);
      !json.ok() || !json->is_object()) {
    return absl::DataLossError(absl::StrCat(
        path, " is not what export wrote: ",
        json.ok() ? "it holds no object" : json.status().message()));
  }
  ASSIGN_OR_RETURN(one.program,
                   ReadFile(JoinPath(folder, "optimized.hlo.txt")));
  return one;
}

std::string InspectPage(absl::Span<const InspectedExport> exports) {
  Page page{.title = "Compiled step",
            .without_scripts =
                "The page is drawn by a script inside it; allow "
                "scripts to see it.",
            .data = DataOf(exports),
            .style = kInspectStyle,
            .scripts = {kInspectFormat, kInspectSections, kInspectListing,
                        kInspectScript}};
  for (size_t i = 0; i < exports.size(); ++i) {
    page.texts.emplace_back(absl::StrCat("program", i),
                            ShownProgram(exports[i].program));
  }
  return RenderPage(page);
}

}  // namespace xla_byol
