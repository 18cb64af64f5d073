// A program of Python as a graph: what each node computes of earlier nodes. Every role plays the same graph on a session
// of its own; a node begins as soon as its inputs are there, so what is independent shares its rounds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/library/session.h"
#include "sotto/core/async/task.h"

namespace sotto::python {

struct GraphNode {
  std::string op;                   // a name of the table in graph.cc
  std::vector<std::size_t> inputs;  // numbers of earlier nodes
  Shape shape{1, 1};                // of the result
  std::vector<double> numbers;      // that the operation takes: bounds, places, coefficients
  Matrix constant;                  // public numbers
  std::string name;                 // of an opening
  std::optional<std::size_t> node;  // the owner of an input; who alone learns an opening
  std::string line;                 // of the program's source, for messages
};

using Graph = std::vector<GraphNode>;

// What a party brings: a matrix for each input that is its own, in the order of the nodes.
using OwnInputs = std::vector<Matrix>;

// Throws std::invalid_argument for an operation that is not known or has other inputs than it takes.
void check_graph(const Graph& graph);

// The opened values in the order of their nodes. `mine` holds a matrix a node, empty but for this party's own inputs.
// Throws std::invalid_argument that names the line where shapes or bounds do not fit.
[[nodiscard]] Task<std::vector<Matrix>> play(Session& session, const Graph& graph, OwnInputs mine);

}  // namespace sotto::python
