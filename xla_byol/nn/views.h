// Several views of the same images on their way through one network. Layers
// take and return Views; how the views lie in memory is the network's choice
// and changes no number.

#ifndef XLA_BYOL_NN_VIEWS_H_
#define XLA_BYOL_NN_VIEWS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "xla_byol/graph/ops.h"

namespace xla_byol::nn {

enum class ViewLayout : uint8_t {
  kJoined,  // one tensor, one view after the other in the batch
  kPacked,  // one tensor, side by side in the channels: two views of 64
            // channels fill the 128 lanes of a TPU
  kApart,   // a tensor for each view
};

// A value; the tensors [n,...,c] belong to their graph.
class Views {
 public:
  // A single view, for which all layouts are the same.
  Views(graph::Value x)  // NOLINT: implicit, as every layer takes it
      : parts_({x}) {}
  // One tensor for each view, of equal shapes.
  static Views Apart(std::vector<graph::Value> views);

  // The same numbers in another layout.
  Views In(ViewLayout layout) const;

  ViewLayout layout() const { return layout_; }
  int64_t count() const { return count_; }
  // The tensors: one for each view if they are apart, else a single one.
  const std::vector<graph::Value>& parts() const { return parts_; }
  graph::Value only() const { return parts_[0]; }
  // Of one view.
  int64_t channels() const { return parts_[0].dim(-1) / InChannels(); }
  // How many views a part's batch and a part's channels hold.
  int64_t InBatch() const {
    return layout_ == ViewLayout::kJoined ? count_ : 1;
  }
  int64_t InChannels() const {
    return layout_ == ViewLayout::kPacked ? count_ : 1;
  }

  // A function of every part that does not mix images, nor channels.
  Views Map(absl::FunctionRef<graph::Value(graph::Value)> function) const;
  // Other tensors in the same layout.
  Views With(std::vector<graph::Value> parts) const;

 private:
  std::vector<graph::Value> parts_;
  ViewLayout layout_ = ViewLayout::kJoined;
  int64_t count_ = 1;
};

// Both in the same layout.
Views operator+(const Views& a, const Views& b);
Views Relu(const Views& x);

}  // namespace xla_byol::nn

#endif  // XLA_BYOL_NN_VIEWS_H_
