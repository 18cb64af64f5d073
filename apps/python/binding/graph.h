// A program of Python as a graph: each node computes its value from earlier nodes. Every role plays the same graph. A
// node begins as soon as its inputs are known, so independent nodes share their rounds.
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

// There is one matrix for each node. The matrix is empty unless the node is an input of this party.
using OwnInputs = std::vector<Matrix>;

void check_graph(const Graph& graph);

// Returns the opened values in the order of their nodes. Throws std::invalid_argument with the line of the Python
// program if shapes or bounds do not fit.
[[nodiscard]] Task<std::vector<Matrix>> play(Session& session, const Graph& graph, OwnInputs mine);

// A bare vector would become a list in Python.
struct HeldGraph {
  Graph nodes;
};

struct PlayGraph {
  const Graph* graph;
  Task<std::vector<Matrix>> operator()(Session& session, OwnInputs mine) const {
    return play(session, *graph, std::move(mine));
  }
};

using GivenInputs = std::vector<std::optional<pybind11::array>>;
[[nodiscard]] OwnInputs own_inputs(const Graph& graph, const GivenInputs& given);

[[nodiscard]] Matrix matrix_of(const pybind11::array& array);
[[nodiscard]] pybind11::array_t<double> numpy_of(const Matrix& matrix);
[[nodiscard]] pybind11::dict dict_of(const Graph& graph, const RunCost& cost);

}  // namespace sotto::python
