// The version of this program: in `--version`, in every checkpoint's manifest,
// and at the top of CHANGELOG.md (tests/cli compares).

#ifndef XLA_BYOL_BASE_VERSION_H_
#define XLA_BYOL_BASE_VERSION_H_

namespace xla_byol {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace xla_byol

#endif  // XLA_BYOL_BASE_VERSION_H_
