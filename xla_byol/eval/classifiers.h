// Programs that evaluate features: a trained probe's accuracy, and the vote of
// the nearest neighbours.

#ifndef XLA_BYOL_EVAL_CLASSIFIERS_H_
#define XLA_BYOL_EVAL_CLASSIFIERS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla_byol/eval/evaluation.h"
#include "xla_byol/program/named_program.h"
#include "xla_byol/program/program_builder.h"

namespace xla_byol {

// How many of a batch the probes of BuildProbeStep get right.
//
// Inputs: w [k,n,c] and b [k,c], kept; `features` f32 [b,n], `labels` s32 [b]
// (-1: the row does not count). Outputs, f32, over all replicas: `top1` and
// `top5` [k], images whose label is among a probe's first one or five classes;
// `count` [], rows that count. Of equal logits the smallest class comes first,
// as argmax has it. A row with a NaN among a probe's logits is wrong.
absl::StatusOr<NamedProgram> BuildProbeScoring(const ProbeOptions& probe,
                                               const ProgramOptions& options);

struct NeighbourOptions {
  int64_t bank = 0;      // n: labelled features on each replica
  int64_t queries = 0;   // q: likewise
  int64_t features = 0;  // d
  int64_t classes = 0;
  int64_t neighbours = 200;  // k
  double temperature = 0.1;  // T
};

// The k-NN classifier of the self-supervised literature: of the k features of
// the bank most similar to a query s_i (cosines), each votes for its class with
// weight exp(s_i / T).
//
// The bank is spread over the replicas, and each brings queries of its own,
// which all answer together. The k-th largest similarity is found by bisection,
// to 2^-20: comparisons and sums instead of a sort, so that a TPU's cores do it
// together. Neighbours that tie with the k-th within that vote as well.
//
// Inputs, all kept: `bank` f32 [n,d], rows of length 1; `bank_labels` s32 [n]
// (-1: no neighbour); `queries` f32 [q,d], rows of length 1; `labels` s32 [q]
// (-1: does not count). Outputs, f32 [], of all queries: `top1` and `count`. Of
// classes with equal votes the smallest is the answer; a query with a NaN is
// wrong.
absl::StatusOr<NamedProgram> BuildNeighbourVote(const NeighbourOptions& knn,
                                                const ProgramOptions& options);

}  // namespace xla_byol

#endif  // XLA_BYOL_EVAL_CLASSIFIERS_H_
