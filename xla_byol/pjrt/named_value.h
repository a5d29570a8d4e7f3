// PJRT's named values: options of a client or topology, attributes of a plugin
// or device, properties of a cost analysis.

#ifndef XLA_BYOL_PJRT_NAMED_VALUE_H_
#define XLA_BYOL_PJRT_NAMED_VALUE_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "pjrt_c_api.h"

namespace xla_byol::pjrt {

using NamedValue =
    std::variant<std::string, int64_t, std::vector<int64_t>, float, bool>;
using NamedValues = std::map<std::string, NamedValue>;

// The C form. It points into `values`, which must outlive it unchanged.
std::vector<PJRT_NamedValue> ToPjrt(const NamedValues& values);
// A copy of what a plugin returned.
NamedValues FromPjrt(const PJRT_NamedValue* values, size_t count);

// "1.13.3" for a list, the plain value otherwise.
std::string ToString(const NamedValue& value);

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_NAMED_VALUE_H_
