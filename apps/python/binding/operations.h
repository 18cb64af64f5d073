// The operations of a graph (graph.h), by name.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sotto/matrix.h"
#include "sotto/product.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/sharing/shape.h"
#include "sotto/secret.h"
#include "sotto/session.h"

namespace sotto::python {

// A node of the graph of a Python program (graph.h).

struct GraphNode {
  std::string op;                   // name of the operation
  std::vector<std::size_t> inputs;  // numbers of earlier nodes
  Shape shape{1, 1};                // shape of the result
  std::vector<double> numbers;      // numbers that the operation takes: bounds, places, coefficients
  Matrix constant;                  // public numbers
  std::string name;                 // name of an opening
  std::optional<std::size_t> node;  // the owner of an input; the only receiver of an opening
  std::string line;                 // line of the program's source, for messages
};

// The value of a node: nothing yet, a secret, or a product that is not rounded.
using Value = std::variant<std::monostate, Secret, Product>;
using Values = std::vector<Value>;

// Throws std::invalid_argument if the value is no secret.
[[nodiscard]] const Secret& secret_of(const Value& value);

constexpr std::size_t any_number = 1000;  // as `inputs` of an operation: any number of inputs, at least one

struct LocalOperation {
  std::size_t inputs;
  std::function<Value(Session&, const GraphNode&, const Values&)> compute;
};
// The operations that send no messages.
[[nodiscard]] const std::map<std::string, LocalOperation>& local_operations();

struct RoundsOperation {
  std::size_t inputs;
  std::function<Task<Secret>(const GraphNode&, const Values&)> begin;
};
// The operations that take rounds, except inputs and openings.
[[nodiscard]] const std::map<std::string, RoundsOperation>& rounds_operations();

}  // namespace sotto::python
