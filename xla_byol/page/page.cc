#include "xla_byol/page/page.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "xla_byol/page/page_assets.h"

namespace xla_byol {
namespace {

// The policy keeps the promise that the page asks the network for nothing.
constexpr char kHead[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
    "'none'; img-src data:; style-src 'unsafe-inline'; script-src "
    "'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n<title>";

std::string EscapeHtml(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

// Nothing in it can end the script element or open a comment.
std::string EmbeddedJson(absl::string_view json) {
  return absl::StrReplaceAll(json, {{"<", "\\u003c"}});
}

}  // namespace

std::string RenderPage(const Page& page) {
  std::string html = absl::StrCat(
      kHead, EscapeHtml(page.title), "</title>\n<style>", kPageStyle,
      page.style, "</style>\n</head>\n<body>\n<noscript>",
      EscapeHtml(page.without_scripts),
      "</noscript>\n<main id=\"page\"></main>\n"
      "<script type=\"application/json\" id=\"data\">",
      EmbeddedJson(page.data), "</script>\n");
  for (const auto& [id, text] : page.texts) {
    // Text inside a script element ends at its end tag and nowhere else.
    absl::StrAppend(
        &html, "<script type=\"text/plain\" id=\"", EscapeHtml(id), "\">",
        absl::StrReplaceAll(text, {{"</", "< /"}, {"<!--", "< !--"}}),
        "</script>\n");
  }
  absl::StrAppend(&html, "<script>", kPageScript,
                  absl::StrJoin(page.scripts, ""),
                  "</script>\n</body>\n</html>\n");
  return html;
}

}  // namespace xla_byol
