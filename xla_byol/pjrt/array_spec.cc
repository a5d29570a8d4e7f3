#include "xla_byol/pjrt/array_spec.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "pjrt_c_api.h"

namespace xla_byol::pjrt {
namespace {

struct TypeRow {
  ElementType type;
  PJRT_Buffer_Type wire;
  const char* name;
  int64_t bytes;
};

constexpr TypeRow kTypes[] = {
    {ElementType::kPred, PJRT_Buffer_Type_PRED, "pred", 1},
    {ElementType::kS8, PJRT_Buffer_Type_S8, "s8", 1},
    {ElementType::kS16, PJRT_Buffer_Type_S16, "s16", 2},
    {ElementType::kS32, PJRT_Buffer_Type_S32, "s32", 4},
    {ElementType::kS64, PJRT_Buffer_Type_S64, "s64", 8},
    {ElementType::kU8, PJRT_Buffer_Type_U8, "u8", 1},
    {ElementType::kU16, PJRT_Buffer_Type_U16, "u16", 2},
    {ElementType::kU32, PJRT_Buffer_Type_U32, "u32", 4},
    {ElementType::kU64, PJRT_Buffer_Type_U64, "u64", 8},
    {ElementType::kF16, PJRT_Buffer_Type_F16, "f16", 2},
    {ElementType::kF32, PJRT_Buffer_Type_F32, "f32", 4},
    {ElementType::kF64, PJRT_Buffer_Type_F64, "f64", 8},
    {ElementType::kBf16, PJRT_Buffer_Type_BF16, "bf16", 2},
};

// Rows are looked up by value and passed to the plugin by cast.
constexpr bool TableIsInOrder() {
  int expected = 1;
  for (const TypeRow& row : kTypes) {
    if (static_cast<int>(row.type) != expected ||
        static_cast<int>(row.wire) != expected) {
      return false;
    }
    ++expected;
  }
  return true;
}
static_assert(TableIsInOrder());

const TypeRow& Row(ElementType type) {
  return kTypes[static_cast<int>(type) - 1];
}

}  // namespace

absl::string_view ElementTypeName(ElementType type) { return Row(type).name; }

int64_t ByteWidth(ElementType type) { return Row(type).bytes; }

absl::StatusOr<ElementType> ElementTypeFromName(absl::string_view name) {
  for (const TypeRow& row : kTypes) {
    if (name == row.name) return row.type;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown element type '", name, "'; known are ",
      absl::StrJoin(kTypes, ", ", [](std::string* out, const TypeRow& row) {
        out->append(row.name);
      })));
}

int64_t ArraySpec::element_count() const {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  return count;
}

std::string ArraySpec::ToString() const {
  return absl::StrCat(ElementTypeName(type), "[", absl::StrJoin(dims, ","),
                      "]");
}

}  // namespace xla_byol::pjrt
