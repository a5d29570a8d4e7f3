// What the step minimizes. Each function gives this replica's part; summed over
// replicas it is the mean over the global batch.

#ifndef XLA_BYOL_METHODS_LOSSES_H_
#define XLA_BYOL_METHODS_LOSSES_H_

#include "xla_byol/graph/ops.h"

namespace xla_byol {

// The squared distance of the normalized rows of prediction[b,f] and
// target[b,f]: 2 - 2 cos.
graph::Value RegressionLoss(graph::Value prediction, graph::Value target);

struct ProbeResult {
  graph::Value loss;
  graph::Value accuracy;  // the share of labelled images whose class is first
};

// Softmax cross entropy of logits[b,classes] over the images with a label;
// labels[b] are s32, and -1 is none. Scalars.
ProbeResult ProbeLoss(graph::Value logits, graph::Value labels);

// The same for k probes side by side: logits[b,k,classes] give vectors of k.
ProbeResult ProbeLosses(graph::Value logits, graph::Value labels);

}  // namespace xla_byol

#endif  // XLA_BYOL_METHODS_LOSSES_H_
