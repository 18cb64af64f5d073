// A program of Python as a graph: what each node computes of earlier nodes. Every role plays the same graph on a
// session of its own; a node begins as soon as its inputs are there, so what is independent shares its rounds.
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

// What a party brings: a matrix for each input that is its own, in the order of the nodes.
using OwnInputs = std::vector<Matrix>;

// Throws std::invalid_argument for an operation that is not known or has other inputs than it takes.
void check_graph(const Graph& graph);

// The opened values in the order of their nodes. `mine` holds a matrix a node, empty but for this party's own inputs.
// Throws std::invalid_argument that names the line where shapes or bounds do not fit.
[[nodiscard]] Task<std::vector<Matrix>> play(Session& session, const Graph& graph, OwnInputs mine);

// What programs of Python are played with, in one process and over the network.

// A class of Python's, where a vector would be taken for a list.
struct HeldGraph {
  Graph nodes;
};

struct PlayGraph {
  const Graph* graph;
  Task<std::vector<Matrix>> operator()(Session& session, OwnInputs mine) const {
    return play(session, *graph, std::move(mine));
  }
};

// What a party brings, from Python: an array a node, or nothing.
using GivenInputs = std::vector<std::optional<pybind11::array>>;
// Throws std::invalid_argument unless there is one for each node.
[[nodiscard]] OwnInputs own_inputs(const Graph& graph, const GivenInputs& given);

[[nodiscard]] Matrix matrix_of(const pybind11::array& array);
[[nodiscard]] pybind11::array_t<double> numpy_of(const Matrix& matrix);
// With "bits", of each opening in the order of its node.
[[nodiscard]] pybind11::dict dict_of(const Graph& graph, const RunCost& cost);

}  // namespace sotto::python
