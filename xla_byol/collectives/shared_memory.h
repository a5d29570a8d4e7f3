// Memory that processes of one machine have in common.

#ifndef XLA_BYOL_COLLECTIVES_SHARED_MEMORY_H_
#define XLA_BYOL_COLLECTIVES_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla_byol::collectives {

// The memory has no name in any folder: it is gone with the last process that
// has it, however that one ends.
class SharedMemory {
 public:
  // `bytes` of zeros, all of them there: no later use fails for want of memory.
  static absl::StatusOr<std::unique_ptr<SharedMemory>> Create(size_t bytes);
  // What another process of this user and machine made, by its address there,
  // as long as that one holds it. UNAVAILABLE if it cannot be had from here (in
  // another container).
  static absl::StatusOr<std::unique_ptr<SharedMemory>> Open(
      absl::string_view address, size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::string address() const;
  // Aligned to a page.
  char* data() const { return base_ + kHeader; }

 private:
  static constexpr size_t kHeader = 4096;  // holds the secret

  SharedMemory() = default;
  absl::Status Map(size_t bytes);

  int descriptor_ = -1;
  char* base_ = nullptr;
  size_t size_ = 0;  // with the header
};

}  // namespace xla_byol::collectives

#endif  // XLA_BYOL_COLLECTIVES_SHARED_MEMORY_H_
