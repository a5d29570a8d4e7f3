// An array in a device's memory.

#ifndef XLA_BYOL_PJRT_BUFFER_H_
#define XLA_BYOL_PJRT_BUFFER_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_byol/pjrt/api.h"
#include "xla_byol/pjrt/array_spec.h"
#include "xla_byol/pjrt/event.h"
#include "xla_byol/pjrt/placement.h"

namespace xla_byol::pjrt {

// Finds the plugin through the placement, so that a Buffer need not hold both.
struct BufferDestroyer {
  const Placement* placement = nullptr;

  void operator()(PJRT_Buffer* buffer) const {
    Destroyer<PJRT_Buffer, PJRT_Buffer_Destroy_Args,
              &PJRT_Api::PJRT_Buffer_Destroy,
              &PJRT_Buffer_Destroy_Args::buffer>{placement->api}(buffer);
  }
};

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

  // What it holds. Stays true after donation, for messages; an empty slot says
  // f32[]. Valid until the process ends.
  const ArraySpec& spec() const;
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

  Buffer(PJRT_Buffer* buffer, const Placement* placement)
      : handle_(buffer, {placement}) {}

  // An execution has consumed the memory; the C object still wants destroying.
  void Donate() {
    handle_.reset();
    donated_ = true;
  }
  // Becomes the owner of a result.
  void Assign(PJRT_Buffer* buffer, const Placement* placement) {
    handle_.reset(buffer);
    handle_.get_deleter().placement = placement;
    donated_ = false;
  }
  // Null in a slot that never held anything.
  const Placement* placement() const { return handle_.get_deleter().placement; }
  const Api& api() const { return *placement()->api; }
  absl::Status CheckElementSize(size_t bytes) const;

  std::unique_ptr<PJRT_Buffer, BufferDestroyer> handle_;
  bool donated_ = false;
};

template <typename T>
absl::StatusOr<std::vector<T>> Buffer::ToVector() const {
  absl::Status size = CheckElementSize(sizeof(T));
  if (!size.ok()) return size;
  std::vector<T> values(spec().element_count());
  absl::StatusOr<Event> copied = CopyToHost(absl::MakeSpan(
      reinterpret_cast<std::byte*>(values.data()), values.size() * sizeof(T)));
  if (!copied.ok()) return copied.status();
  absl::Status done = copied->Await();
  if (!done.ok()) return done;
  return values;
}

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_BUFFER_H_
