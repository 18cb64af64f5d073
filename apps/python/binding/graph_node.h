// A node of a program of Python (graph.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sotto/matrix.h"
#include "sotto/protocol/sharing/shape.h"

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

}  // namespace sotto::python
