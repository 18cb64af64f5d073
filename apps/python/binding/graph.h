// A program of Python as a graph: each node computes its value from earlier nodes. Every role plays the same graph on
// its own session. A node begins as soon as its inputs are known, so independent nodes share their rounds.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "apps/python/binding/operations.h"
#include "sotto/protocol/async/task.h"
#include "sotto/session.h"
#include "sotto/simulate.h"

namespace sotto::python {

using Graph = std::vector<GraphNode>;

// The inputs of a party: a matrix for each node, in the order of the nodes. Only the matrices of the party's own inputs
// have entries.
using OwnInputs = std::vector<Matrix>;

// Throws std::invalid_argument for an unknown operation, or for an operation with the wrong number of inputs.
void check_graph(const Graph& graph);

// Returns the opened values in the order of their nodes. `mine` has a matrix for each node. The matrix of a node is
// empty unless the node is an input of this party. If shapes or bounds do not fit, throws std::invalid_argument that
// names the line of the Python program.
[[nodiscard]] Task<std::vector<Matrix>> play(Session& session, const Graph& graph, OwnInputs mine);

// Types for playing Python programs, in one process and over the network.

// A graph as a class in Python. A bare vector would become a list in Python.
struct HeldGraph {
  Graph nodes;
};

struct PlayGraph {
  const Graph* graph;
  Task<std::vector<Matrix>> operator()(Session& session, OwnInputs mine) const {
    return play(session, *graph, std::move(mine));
  }
};

// The inputs of a party from Python: an array for each node, or nothing.
using GivenInputs = std::vector<std::optional<pybind11::array>>;
// Throws std::invalid_argument unless `given` has one entry for each node.
[[nodiscard]] OwnInputs own_inputs(const Graph& graph, const GivenInputs& given);

[[nodiscard]] Matrix matrix_of(const pybind11::array& array);
[[nodiscard]] pybind11::array_t<double> numpy_of(const Matrix& matrix);
// The costs of a run as a dict. The item "bits" has the bits of each opening, in the order of the nodes.
[[nodiscard]] pybind11::dict dict_of(const Graph& graph, const RunCost& cost);

}  // namespace sotto::python
