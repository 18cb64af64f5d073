// What programs of Python (binding/graph.h) are played with, in one process and over the network.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <optional>
#include <utility>
#include <vector>

#include "apps/python/binding/graph.h"
#include "sotto/simulate.h"

namespace sotto::python {


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
