// Memory that kernels need while they run.

#ifndef XLA_BYOL_KERNELS_WORKSPACE_H_
#define XLA_BYOL_KERNELS_WORKSPACE_H_

#include <cstddef>

namespace xla_byol::kernels {

// A block of at least `bytes`, from those that no running call has. Blocks grow
// to the largest use and stay until the process ends, so that a step that has
// run once allocates nothing; there are as many as calls have run at the same
// time. Contents are whatever the last user left. Thread-safe.
class Workspace {
 public:
  explicit Workspace(size_t bytes);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // Aligned to 4096; null if the system has no more memory.
  std::byte* data() const { return block_ == nullptr ? nullptr : block_->data; }

 private:
  struct Block {
    std::byte* data;
    size_t size;
    Block* next;
  };
  static Block* free_blocks;

  Block* block_;
};

// Rounds up to cache lines, for parts of a workspace.
inline constexpr size_t RoundUp(size_t bytes) {
  constexpr size_t kLine = 64;
  return (bytes + kLine - 1) / kLine * kLine;
}

}  // namespace xla_byol::kernels

#endif  // XLA_BYOL_KERNELS_WORKSPACE_H_
