// Little-endian numbers in byte strings.

#ifndef XLA_BYOL_BASE_BYTES_H_
#define XLA_BYOL_BASE_BYTES_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace xla_byol {

static_assert(std::endian::native == std::endian::little,
              "files are read and written in the machine's order");

template <typename T>
T LoadLittleEndian(const char* from) {
  static_assert(std::is_arithmetic_v<T>);
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

template <typename T>
void AppendLittleEndian(T value, std::string& to) {
  static_assert(std::is_arithmetic_v<T>);
  to.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace xla_byol

#endif  // XLA_BYOL_BASE_BYTES_H_
