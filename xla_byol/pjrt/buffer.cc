#include "xla_byol/pjrt/buffer.h"

#include "absl/strings/str_cat.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::pjrt {

const ArraySpec& Buffer::spec() const {
  static const auto& none = *new ArraySpec();
  return placement() == nullptr ? none : placement()->spec;
}

absl::Status Buffer::CheckUsable(absl::string_view what) const {
  if (has_value()) return absl::OkStatus();
  if (donated_) {
    return absl::FailedPreconditionError(absl::StrCat(
        what, ": the buffer ", spec().ToString(),
        " was donated to an earlier execution and is gone; use that "
        "execution's result"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(what, ": the buffer is empty; nothing was put into it"));
}

absl::Status Buffer::CheckElementSize(size_t bytes) const {
  if (static_cast<int64_t>(bytes) == ByteWidth(spec().type)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "ToVector: elements of ", bytes, " bytes asked of a buffer ",
      spec().ToString(), ", whose elements have ", ByteWidth(spec().type)));
}

absl::StatusOr<Event> Buffer::CopyToHost(
    absl::Span<std::byte> destination) const {
  RETURN_IF_ERROR(CheckUsable("CopyToHost"));
  if (static_cast<int64_t>(destination.size()) != spec().byte_size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "CopyToHost: the destination has ", destination.size(),
        " bytes, the buffer ", spec().ToString(), " has ", spec().byte_size()));
  }
  if (destination.empty()) return Event();
  // The device may hold the array in another order (TPU tiles, transposed
  // weights): ask for plain major to minor.
  absl::InlinedVector<int64_t, 6> order;
  for (size_t i = spec().dims.size(); i > 0; --i) {
    order.push_back(static_cast<int64_t>(i) - 1);
  }
  Padded<PJRT_Buffer_MemoryLayout> layout;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = order.data();
  layout.tiled.minor_to_major_size = order.size();
  Padded<PJRT_Buffer_ToHostBuffer_Args> args;
  args.src = handle_.get();
  args.host_layout = &layout;
  args.dst = destination.data();
  args.dst_size = destination.size();
  RETURN_IF_ERROR(api().Call(&PJRT_Api::PJRT_Buffer_ToHostBuffer, args));
  return Event(&api(), args.event);
}

absl::StatusOr<Event> Buffer::Ready() const {
  RETURN_IF_ERROR(CheckUsable("Ready"));
  Padded<PJRT_Buffer_ReadyEvent_Args> args;
  args.buffer = handle_.get();
  RETURN_IF_ERROR(api().Call(&PJRT_Api::PJRT_Buffer_ReadyEvent, args));
  return Event(&api(), args.event);
}

}  // namespace xla_byol::pjrt
