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

struct GraphNode {
  std::string op;
  std::vector<std::size_t> inputs;  // earlier nodes
  Shape shape{1, 1};
  std::vector<double> numbers;  // such as bounds
  Matrix constant;
  std::string name;
  std::optional<std::size_t> node;  // owner of an input, or receiver of an opening
  std::string line;                 // for messages
};

using Value = std::variant<std::monostate, Secret, Product>;
using Values = std::vector<Value>;

[[nodiscard]] const Secret& secret_of(const Value& value);

constexpr std::size_t any_number = 1000;

struct LocalOperation {
  std::size_t inputs;
  std::function<Value(Session&, const GraphNode&, const Values&)> compute;
};
// Operations without messages.
[[nodiscard]] const std::map<std::string, LocalOperation>& local_operations();

struct RoundsOperation {
  std::size_t inputs;
  std::function<Task<Secret>(const GraphNode&, const Values&)> begin;
};
// The operations with rounds, except inputs and openings.
[[nodiscard]] const std::map<std::string, RoundsOperation>& rounds_operations();

}  // namespace sotto::python
