// A program of Python as a graph: what each node computes of earlier nodes. Every role plays the same graph on a
// session of its own; a node begins as soon as its inputs are there, so what is independent shares its rounds.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/python/binding/graph_node.h"
#include "sotto/protocol/async/task.h"
#include "sotto/session.h"

namespace sotto::python {


using Graph = std::vector<GraphNode>;

// What a party brings: a matrix for each input that is its own, in the order of the nodes.
using OwnInputs = std::vector<Matrix>;

// Throws std::invalid_argument for an operation that is not known or has other inputs than it takes.
void check_graph(const Graph& graph);

// The opened values in the order of their nodes. `mine` holds a matrix a node, empty but for this party's own inputs.
// Throws std::invalid_argument that names the line where shapes or bounds do not fit.
[[nodiscard]] Task<std::vector<Matrix>> play(Session& session, const Graph& graph, OwnInputs mine);

}  // namespace sotto::python
