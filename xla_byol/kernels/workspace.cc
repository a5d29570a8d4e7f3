#include "xla_byol/kernels/workspace.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>

namespace xla_byol::kernels {
namespace {

constexpr size_t kAlignment = 4096;

constinit std::mutex mutex;  // of the list

}  // namespace

Workspace::Block* Workspace::free_blocks = nullptr;

Workspace::Workspace(size_t bytes) : block_(nullptr) {
  {
    const std::lock_guard lock(mutex);
    // The smallest that is large enough, else the largest.
    Block** best = nullptr;
    for (Block** at = &free_blocks; *at != nullptr; at = &(*at)->next) {
      const auto better = [bytes](const Block& a, const Block& b) {
        if (a.size >= bytes && b.size >= bytes) return a.size < b.size;
        return a.size > b.size;
      };
      if (best == nullptr || better(**at, **best)) best = at;
    }
    if (best != nullptr) {
      block_ = *best;
      *best = block_->next;
    }
  }
  if (block_ == nullptr) block_ = new Block{nullptr, 0, nullptr};
  if (block_->size < bytes || block_->data == nullptr) {
    std::free(block_->data);
    const size_t rounded =
        (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
    block_->data =
        static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
    block_->size = block_->data == nullptr ? 0 : rounded;
  }
}

Workspace::~Workspace() {
  const std::lock_guard lock(mutex);
  block_->next = free_blocks;
  free_blocks = block_;
}

}  // namespace xla_byol::kernels
