// An array in a device's memory.

#ifndef XLA_BYOL_PJRT_BUFFER_H_
#define XLA_BYOL_PJRT_BUFFER_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/pjrt/api.h"
#include "xla_byol/pjrt/array_spec.h"
#include "xla_byol/pjrt/event.h"

namespace xla_byol::pjrt {

// Move-only owner of one device array. Made by Client (from host memory) and by
// executions (results); a default Buffer is an empty slot for a result.
//
// A buffer may be used before it is ready: the device waits, not the host. An
// execution that takes it as a donated argument empties it, after which every
// use but assignment and destruction is FAILED_PRECONDITION. The client must
// outlive it. Const functions are thread-safe.
class Buffer {
 public:
  Buffer() = default;

  // What it holds. Stays true after donation, for messages.
  const ArraySpec& spec() const { return spec_; }
  // False for an empty slot and after donation.
  bool has_value() const { return handle_ != nullptr; }
  bool donated() const { return donated_; }

  // Starts to copy into `destination`, which must have exactly the array's
  // size and stay alive until the event happened. Elements are dense, major to
  // minor. No copy is made in between.
  absl::StatusOr<Event> CopyToHost(absl::Span<std::byte> destination) const;

  // Waits for the whole array. T must be of the spec's type; for bf16 and f16
  // it is uint16_t, for pred uint8_t.
  template <typename T>
  absl::StatusOr<std::vector<T>> ToVector() const;

  // Happens when the array has been computed or transferred, or has failed.
  absl::StatusOr<Event> Ready() const;

  // OK when the buffer has a value; else a sentence about `what` ("argument 3
  // of ...") that says whether it was donated or never set.
  absl::Status CheckUsable(absl::string_view what) const;

  // Gives the C object away, to be destroyed by the caller: for benchmarks and
  // extensions that call the C API themselves. The Buffer is empty afterwards.
  PJRT_Buffer* Release() { return handle_.release(); }

 private:
  friend class Client;
  friend class Runner;

  Buffer(const Api* api, PJRT_Buffer* buffer, ArraySpec spec,
         PJRT_Device* device)
      : api_(api),
        handle_(buffer, {api}),
        spec_(std::move(spec)),
        device_(device) {}

  // An execution has consumed the memory; the C object still wants destroying.
  void Donate() {
    handle_.reset();
    donated_ = true;
  }
  // Becomes the owner of a result. Allocates nothing for the usual ranks.
  void Assign(const Api* api, PJRT_Buffer* buffer, const ArraySpec& spec,
              PJRT_Device* device);
  absl::Status CheckElementSize(size_t bytes) const;

  const Api* api_ = nullptr;
  Handle<PJRT_Buffer, PJRT_Buffer_Destroy_Args, &PJRT_Api::PJRT_Buffer_Destroy,
         &PJRT_Buffer_Destroy_Args::buffer>
      handle_;
  ArraySpec spec_;
  PJRT_Device* device_ = nullptr;
  bool donated_ = false;
};

template <typename T>
absl::StatusOr<std::vector<T>> Buffer::ToVector() const {
  absl::Status size = CheckElementSize(sizeof(T));
  if (!size.ok()) return size;
  std::vector<T> values(spec_.element_count());
  absl::StatusOr<Event> copied = CopyToHost(absl::MakeSpan(
      reinterpret_cast<std::byte*>(values.data()), values.size() * sizeof(T)));
  if (!copied.ok()) return copied.status();
  absl::Status done = copied->Await();
  if (!done.ok()) return done;
  return values;
}

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_BUFFER_H_
