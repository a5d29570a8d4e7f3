#include "xla_byol/graph/dtype.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace xla_byol::graph {
namespace {

struct DTypeInfo {
  const char* name;
  const char* mlir_name;
  int64_t byte_size;
};

constexpr DTypeInfo kInfo[] = {
    {"pred", "i1", 1},   {"s32", "i32", 4},  {"s64", "i64", 8},
    {"u8", "ui8", 1},    {"u32", "ui32", 4}, {"u64", "ui64", 8},
    {"bf16", "bf16", 2}, {"f32", "f32", 4},  {"f64", "f64", 8},
};

const DTypeInfo& Info(DType dtype) { return kInfo[static_cast<int>(dtype)]; }

template <typename T>
std::string BytesOf(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

template <typename T>
T FromBytes(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <typename T>
absl::StatusOr<std::string> EncodeInteger(DType dtype, double value) {
  // 2^digits is exact in double, the type's maximum may not be.
  const double limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
  const double lowest = std::numeric_limits<T>::is_signed ? -limit : 0.0;
  if (!(value >= lowest && value < limit) || value != std::trunc(value)) {
    return absl::InvalidArgumentError(
        absl::StrCat(value, " is not a value of ", Name(dtype)));
  }
  return BytesOf(static_cast<T>(value));
}

uint16_t RoundToBF16(double value) {
  // Rounding to float first could round twice, so odd rounding keeps a sticky
  // bit in the discarded part.
  float narrow = static_cast<float>(value);
  uint32_t bits = std::bit_cast<uint32_t>(narrow);
  if (std::isnan(value)) return 0x7fc0;
  if (std::isinf(narrow)) return static_cast<uint16_t>(bits >> 16);
  if (static_cast<double>(narrow) != value) {
    if (std::fabs(static_cast<double>(narrow)) > std::fabs(value)) --bits;
    bits |= 1;
  }
  bits += 0x7fff + ((bits >> 16) & 1);
  return static_cast<uint16_t>(bits >> 16);
}

float FromBF16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// MLIR reads a decimal as a double and rounds that to the element type; the
// shortest text that survives this is used.
template <typename T>
std::string FloatToMlir(T value) {
  char buffer[64];
  auto print = [&buffer](auto number) {
    auto end = std::to_chars(buffer, buffer + sizeof(buffer), number,
                             std::chars_format::scientific);
    std::string text(buffer, end.ptr);
    size_t exponent = text.find('e');
    if (text.find('.') == std::string::npos) text.insert(exponent, ".0");
    return text;
  };
  std::string text = print(value);
  if (static_cast<T>(std::strtod(text.c_str(), nullptr)) == value) return text;
  return print(static_cast<double>(value));
}

}  // namespace

absl::string_view Name(DType dtype) { return Info(dtype).name; }
absl::string_view MlirName(DType dtype) { return Info(dtype).mlir_name; }
int64_t ByteSize(DType dtype) { return Info(dtype).byte_size; }

bool IsFloat(DType dtype) { return dtype >= DType::kBF16; }
bool IsInteger(DType dtype) { return dtype != DType::kPred && !IsFloat(dtype); }
bool IsSigned(DType dtype) {
  return dtype == DType::kS32 || dtype == DType::kS64 || IsFloat(dtype);
}

absl::StatusOr<std::string> EncodeElement(DType dtype, double value) {
  switch (dtype) {
    case DType::kPred:
      if (value != 0 && value != 1) {
        return absl::InvalidArgumentError(
            absl::StrCat(value, " is not a value of pred"));
      }
      return BytesOf(static_cast<uint8_t>(value));
    case DType::kS32:
      return EncodeInteger<int32_t>(dtype, value);
    case DType::kS64:
      return EncodeInteger<int64_t>(dtype, value);
    case DType::kU8:
      return EncodeInteger<uint8_t>(dtype, value);
    case DType::kU32:
      return EncodeInteger<uint32_t>(dtype, value);
    case DType::kU64:
      return EncodeInteger<uint64_t>(dtype, value);
    case DType::kBF16:
      return BytesOf(RoundToBF16(value));
    case DType::kF32:
      return BytesOf(static_cast<float>(value));
    case DType::kF64:
      return BytesOf(value);
  }
  return absl::InternalError("unknown element type");
}

double DecodeElement(DType dtype, const char* bytes) {
  switch (dtype) {
    case DType::kPred:
    case DType::kU8:
      return FromBytes<uint8_t>(bytes);
    case DType::kS32:
      return FromBytes<int32_t>(bytes);
    case DType::kS64:
      return static_cast<double>(FromBytes<int64_t>(bytes));
    case DType::kU32:
      return FromBytes<uint32_t>(bytes);
    case DType::kU64:
      return static_cast<double>(FromBytes<uint64_t>(bytes));
    case DType::kBF16:
      return FromBF16(FromBytes<uint16_t>(bytes));
    case DType::kF32:
      return FromBytes<float>(bytes);
    case DType::kF64:
      return FromBytes<double>(bytes);
  }
  return 0;
}

std::string ElementToMlir(DType dtype, const char* bytes) {
  switch (dtype) {
    case DType::kPred:
      return bytes[0] != 0 ? "true" : "false";
    case DType::kS32:
      return absl::StrCat(FromBytes<int32_t>(bytes));
    case DType::kS64:
      return absl::StrCat(FromBytes<int64_t>(bytes));
    case DType::kU8:
      return absl::StrCat(FromBytes<uint8_t>(bytes));
    case DType::kU32:
      return absl::StrCat(FromBytes<uint32_t>(bytes));
    case DType::kU64:
      return absl::StrCat(FromBytes<uint64_t>(bytes));
    case DType::kBF16: {
      uint16_t bits = FromBytes<uint16_t>(bytes);
      float value = FromBF16(bits);
      if (!std::isfinite(value)) return absl::StrFormat("0x%04X", bits);
      return FloatToMlir(value);
    }
    case DType::kF32: {
      float value = FromBytes<float>(bytes);
      if (!std::isfinite(value)) {
        return absl::StrFormat("0x%08X", FromBytes<uint32_t>(bytes));
      }
      return FloatToMlir(value);
    }
    case DType::kF64: {
      double value = FromBytes<double>(bytes);
      if (!std::isfinite(value)) {
        return absl::StrFormat("0x%016X", FromBytes<uint64_t>(bytes));
      }
      return FloatToMlir(value);
    }
  }
  return "";
}

}  // namespace xla_byol::graph
