#include "apps/python/binding/operations.h"
#include "sotto/functions.h"

namespace sotto::python {

const std::map<std::string, RoundsOperation>& rounds_operations() {
  using N = const GraphNode&;
  using V = const Values&;
  static const std::map<std::string, RoundsOperation> table{
      {"rounded", {1, [](N, V in) { return rounded(std::get<Product>(in[0])); }}},
      {"less", {2, [](N, V in) { return less(secret_of(in[0]), secret_of(in[1])); }}},
      {"equal", {2, [](N, V in) { return equal(secret_of(in[0]), secret_of(in[1])); }}},
      {"select", {3, [](N, V in) { return select(secret_of(in[0]), secret_of(in[1]), secret_of(in[2])); }}},
      {"max", {2, [](N, V in) { return max(secret_of(in[0]), secret_of(in[1])); }}},
      {"min", {2, [](N, V in) { return min(secret_of(in[0]), secret_of(in[1])); }}},
      {"abs", {1, [](N, V in) { return abs(secret_of(in[0])); }}},
      {"clamp", {1, [](N n, V in) { return clamp(secret_of(in[0]), n.numbers.at(0), n.numbers.at(1)); }}},
      {"row_argmax", {1, [](N, V in) { return row_argmax(secret_of(in[0])); }}},
      {"row_max", {1, [](N, V in) { return row_max(secret_of(in[0])); }}},
      {"row_min", {1, [](N, V in) { return row_min(secret_of(in[0])); }}},
      {"row_sort", {1, [](N, V in) { return row_sort(secret_of(in[0])); }}},
      {"row_top", {1, [](N n, V in) { return row_top(secret_of(in[0]), static_cast<std::size_t>(n.numbers.at(0))); }}},
      {"row_softmax", {1, [](N, V in) { return row_softmax(secret_of(in[0])); }}},
      {"reciprocal", {1, [](N n, V in) { return reciprocal(secret_of(in[0]), n.numbers.at(0)); }}},
      {"divide", {2, [](N n, V in) { return divide(secret_of(in[0]), secret_of(in[1]), n.numbers.at(0)); }}},
      {"sqrt", {1, [](N, V in) { return sqrt(secret_of(in[0])); }}},
      {"inverse_sqrt", {1, [](N n, V in) { return inverse_sqrt(secret_of(in[0]), n.numbers.at(0)); }}},
      {"log", {1, [](N n, V in) { return log(secret_of(in[0]), n.numbers.at(0)); }}},
      {"exp", {1, [](N n, V in) { return exp(secret_of(in[0]), n.numbers.at(0)); }}},
      {"sigmoid", {1, [](N, V in) { return sigmoid(secret_of(in[0])); }}},
      {"tanh", {1, [](N, V in) { return tanh(secret_of(in[0])); }}},
      {"polynomial", {1, [](N n, V in) { return polynomial(secret_of(in[0]), n.numbers); }}},
  };
  return table;
}

}  // namespace sotto::python
