// Early return for absl::Status and absl::StatusOr.
//
//   absl::StatusOr<Shape> Infer(const Value& x) {
//     ASSIGN_OR_RETURN(Shape shape, ShapeOf(x));
//     RETURN_IF_ERROR(CheckRank(shape, 4));
//     return shape;
//   }

#ifndef XLA_BYOL_BASE_STATUS_MACROS_H_
#define XLA_BYOL_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Newer Abseil and Google's own code use the same names for the same thing; the
// first definition stands.
#ifndef RETURN_IF_ERROR
#define RETURN_IF_ERROR(expression)                    \
  do {                                                 \
    absl::Status xla_byol_status = (expression);       \
    if (!xla_byol_status.ok()) return xla_byol_status; \
  } while (false)
#endif

#ifndef ASSIGN_OR_RETURN
#define XLA_BYOL_CONCAT_(a, b) a##b
#define XLA_BYOL_CONCAT(a, b) XLA_BYOL_CONCAT_(a, b)
#define XLA_BYOL_ASSIGN_OR_RETURN(result, target, expression) \
  auto result = (expression);                                 \
  if (!result.ok()) return std::move(result).status();        \
  target = std::move(result).value()
#define ASSIGN_OR_RETURN(target, expression)                             \
  XLA_BYOL_ASSIGN_OR_RETURN(XLA_BYOL_CONCAT(xla_byol_result_, __LINE__), \
                            target, expression)
#endif

#endif  // XLA_BYOL_BASE_STATUS_MACROS_H_
