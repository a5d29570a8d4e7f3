// The C library's allocation functions, with LargeBlocks for large blocks.
// Everything else goes to the C library's own, which it offers under other
// names for replacements such as this. Sanitizers replace the same functions,
// so builds with them, or with another C library, have none of this.

#include <dlfcn.h>
#include <malloc.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "xla_byol/memory/large_blocks.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)

using xla_byol::memory::LargeBlocks;

namespace {

void* AllocateLarge(size_t size) {
  void* block = LargeBlocks::Global().Allocate(size);
  if (block == nullptr) errno = ENOMEM;
  return block;
}

bool IsLarge(size_t size) { return size >= LargeBlocks::kSmallest; }

bool IsLarge(size_t alignment, size_t size) {
  return IsLarge(size) && alignment <= LargeBlocks::kPage;
}

}  // namespace

extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);

void* malloc(size_t size) {
  return IsLarge(size) ? AllocateLarge(size) : __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes) || !IsLarge(bytes)) {
    return __libc_calloc(count, size);
  }
  bool zeroed = false;
  void* block = LargeBlocks::Global().Allocate(bytes, &zeroed);
  if (block == nullptr) errno = ENOMEM;
  if (block != nullptr && !zeroed) std::memset(block, 0, bytes);
  return block;
}

void free(void* block) {
  if (!LargeBlocks::Global().Free(block)) __libc_free(block);
}

void* realloc(void* block, size_t size) {
  const size_t old = LargeBlocks::Global().SizeOf(block);
  if (old == 0) {
    if (block != nullptr || !IsLarge(size)) return __libc_realloc(block, size);
    return AllocateLarge(size);
  }
  if (size <= old && size > old / 2) return block;
  void* moved = size == 0 ? nullptr : malloc(size);
  if (moved != nullptr) std::memcpy(moved, block, size < old ? size : old);
  if (moved != nullptr || size == 0) LargeBlocks::Global().Free(block);
  return moved;
}

void* memalign(size_t alignment, size_t size) {
  return IsLarge(alignment, size) ? AllocateLarge(size)
                                  : __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void** block, size_t alignment, size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 ||
      alignment == 0) {
    return EINVAL;
  }
  const int before = errno;  // which this function leaves alone
  void* made = memalign(alignment, size);
  errno = before;
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}

size_t malloc_usable_size(void* block) {
  const size_t large = LargeBlocks::Global().SizeOf(block);
  if (large > 0 || block == nullptr) return large;
  // The one function without another name.
  using SizeOf = size_t (*)(void*);
  static const auto size_of =
      reinterpret_cast<SizeOf>(dlsym(RTLD_NEXT, "malloc_usable_size"));
  return size_of(block);
}

}  // extern "C"

#endif
