// A page of one file: style, data and scripts inside it, nothing asked of the
// network. report.html and inspect.html are such pages.

#ifndef XLA_BYOL_PAGE_PAGE_H_
#define XLA_BYOL_PAGE_PAGE_H_

#include <string>
#include <utility>
#include <vector>

namespace xla_byol {

struct Page {
  std::string title;  // plain text
  // What a reader is told whose browser runs no scripts; plain text.
  std::string without_scripts;
  // JSON, which scripts find in the element #data.
  std::string data;
  // Long texts by the ids of their elements. "</" becomes "< /" in them, as
  // nothing else may end the element.
  std::vector<std::pair<std::string, std::string>> texts;
  // After page.css and page.js, which all pages share: colours, headings, tiles
  // and tables; elements, numbers and the dark theme. Scripts run in order, in
  // one scope, when <main id="page"> is there.
  std::string style;
  std::vector<std::string> scripts;
};

// The HTML. Nothing in title, data and texts can break out of its element.
std::string RenderPage(const Page& page);

}  // namespace xla_byol

#endif  // XLA_BYOL_PAGE_PAGE_H_
