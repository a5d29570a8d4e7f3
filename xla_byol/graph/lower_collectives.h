// Collectives of a program that runs in several processes whose plugin has none
// between them: custom calls (custom_call.h) in place of the compiler's own.
//
// A compiler runs independent calls in any order and several at a time, each
// process in its own order, and a call blocks a thread of its pool until all
// devices have made it. So the calls of a program stand in one line, each with
// the last one's `order` as an operand: a device never waits in two of them,
// and all devices make them in the same order, that of the graph. The compiler
// has at least one thread for each device, so the device that all wait for
// always has one to go on with: no program can block itself.
//
// A call costs a turn between processes, however small it is, and batch norm
// alone has hundreds of small sums. So nodes are ordered by how many sums they
// depend on, one after another, and the small sums that depend on equally many
// travel in one call: a step has as many turns as its longest chain of sums.

#ifndef XLA_BYOL_GRAPH_LOWER_COLLECTIVES_H_
#define XLA_BYOL_GRAPH_LOWER_COLLECTIVES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "xla_byol/graph/backend.h"
#include "xla_byol/graph/graph.h"

namespace xla_byol::graph {

// The line of calls of one program: nodes must come in the order of Turns.
class CollectiveLine {
 public:
  // A node of the graph, and how many small sums must come before it.
  struct Turn {
    size_t node;
    int sums;
  };
  // The nodes that are live, in an order in which operands come first: the
  // graph's own for one process.
  static std::vector<Turn> Turns(const Graph& graph,
                                 const std::vector<bool>& live,
                                 const Backend& backend);

  // Calls go into `copy`, whose replicas are those of one process.
  CollectiveLine(const Backend& backend, Graph& copy)
      : processes_(backend.processes()), copy_(copy) {}

  // Takes a small sum, if `node` is one: its result in the copy is known after
  // Send.
  bool Collect(const Node& node, const std::vector<int32_t>& operands);
  // Makes the calls for what was collected; `copied` gets the results, by their
  // number in the graph. Before the first node of another number of sums, and
  // at the end.
  void Send(std::vector<int32_t>& copied);
  // What stands for `node`, whose operands in the copy are given; nothing if it
  // is no collective, or the processes are one. In a loop, where the line would
  // have to go through its state, a collective is the copy's error.
  std::optional<Value> Lower(const Node& node,
                             const std::vector<int32_t>& operands);
  // For the copy of a loop's region.
  void Forbid() { forbidden_ = true; }

 private:
  Value Replica();
  Value AllReduce(Value x, Combiner combiner);
  // Joins or divides along `axis` by a call that does so along the first.
  Value AlongFirst(const char* name, Value x, int64_t axis);
  Value Call(const char* name, Value x, Shape result, CallConfig config);
  // One node of those collected: all that share a call are of one kind.
  struct Collected {
    int32_t result;  // in the graph
    Value operand;   // in the copy
    Combiner combiner;
  };
  void SendTogether(const std::vector<Collected>& some,
                    std::vector<int32_t>& copied);

  const int processes_;
  Graph& copy_;
  bool forbidden_ = false;
  int64_t next_tag_ = 0;
  std::optional<Value> order_;  // of the last call
  // A collective of the same operand is made once.
  struct Made {
    OpCode op;
    int32_t operand;
    Attributes attributes;
    Value result;
  };
  std::vector<Made> made_;
  std::vector<Collected> collected_;
};

}  // namespace xla_byol::graph

#endif  // XLA_BYOL_GRAPH_LOWER_COLLECTIVES_H_
