// study.html: a study's tables beside the paper's, and its figures, on one
// page that needs nothing else.

#ifndef XLA_BYOL_STUDIES_STUDY_PAGE_H_
#define XLA_BYOL_STUDIES_STUDY_PAGE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_byol/studies/results.h"
#include "xla_byol/studies/study_plan.h"

namespace xla_byol {

inline constexpr char kStudyPageFile[] = "study.html";
// The figures' numbers; with results.jsonl all that the page is made of.
inline constexpr char kFiguresFile[] = "figures.json";

// The page; `figures` is the text of a figures.json.
std::string StudyPage(const StudyPlan& plan,
                      absl::Span<const StudyResult> results,
                      absl::string_view figures);

// Makes figures.json and study.html in the study's folder anew.
absl::Status WriteStudyPage(const StudyPlan& plan,
                            absl::Span<const StudyResult> results,
                            absl::string_view study_dir);

}  // namespace xla_byol

#endif  // XLA_BYOL_STUDIES_STUDY_PAGE_H_
