// Reads serialized tf.train.Example messages without copying.
//
//   Example  { Features features = 1 }
//   Features { map<string, Feature> feature = 1 }
//   Feature  { BytesList = 1 | FloatList = 2 | Int64List = 3, value = 1 each }
//
// Written by hand since a general parser would copy every image, and since the
// bytes come from files that nobody vouches for: every length is checked.

#ifndef XLA_BYOL_INPUT_TF_EXAMPLE_H_
#define XLA_BYOL_INPUT_TF_EXAMPLE_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla_byol::input {

// Calls `visit` with each feature's name and serialized Feature, in the order
// of the message; the views point into `example`. A name may come twice: then
// the last counts, as in protobuf. DataLoss if the bytes are not an Example.
absl::Status VisitFeatures(
    absl::string_view example,
    absl::FunctionRef<void(absl::string_view name, absl::string_view feature)>
        visit);

// The value of a Feature that holds exactly one string, or one integer (packed
// or not). DataLoss if it holds none, several, or another kind.
absl::StatusOr<absl::string_view> SingleBytes(absl::string_view feature);
absl::StatusOr<int64_t> SingleInt64(absl::string_view feature);

}  // namespace xla_byol::input

#endif  // XLA_BYOL_INPUT_TF_EXAMPLE_H_
