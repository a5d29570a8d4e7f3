#include "xla_byol/methods/method.h"

namespace xla_byol {
namespace {

constexpr const MethodRow* kMethods[] = {
    &kByol, &kSimSiam, &kBarlowTwins, &kVicReg, &kLiu, &kEigenmap,
};

}  // namespace

absl::Span<const MethodRow* const> Methods() { return kMethods; }

const MethodRow* FindMethod(Method::Kind kind) {
  for (const MethodRow* row : kMethods) {
    if (row->kind == kind) return row;
  }
  return nullptr;
}

const MethodRow& MethodFor(const Config& config) {
  const Method::Kind kind = config.method().kind();
  if (kind == Method::BYOL && config.target().kind() == Target::NONE) {
    return kSimSiam;
  }
  return *FindMethod(kind);
}

}  // namespace xla_byol
