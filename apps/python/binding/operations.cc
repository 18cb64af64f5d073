#include <stdexcept>
#include <type_traits>

#include "apps/python/binding/operations.h"
#include "sotto/functions.h"

namespace sotto::python {

const Secret& secret_of(const Value& value) {
  if (const auto* const known = std::get_if<Secret>(&value)) return *known;
  throw std::invalid_argument("a product is used before it is rounded");
}

namespace {

std::size_t count_of(double number) { return static_cast<std::size_t>(number); }

template <class F>
Value of_two(const Values& in, F f) {
  return std::visit(
      [&](const auto& x, const auto& y) -> Value {
        if constexpr (std::is_same_v<decltype(x), const std::monostate&> ||
                      std::is_same_v<decltype(y), const std::monostate&>) {
          throw std::logic_error("an operation before its inputs");
        } else {
          return f(x, y);
        }
      },
      in[0], in[1]);
}

std::vector<Secret> all_of(const Values& in) {
  std::vector<Secret> secrets;
  secrets.reserve(in.size());
  for (const Value& value : in) secrets.push_back(secret_of(value));
  return secrets;
}

Value scaled(const Value& value, double factor) {
  if (const auto* const product = std::get_if<Product>(&value)) return *product * factor;
  return secret_of(value) * factor;
}

Value within(const Value& value, double bound) {
  if (const auto* const product = std::get_if<Product>(&value)) return Product(*product).within(bound);
  return secret_of(value).within(bound);
}

}  // namespace

const std::map<std::string, LocalOperation>& local_operations() {
  using N = const GraphNode&;
  using V = const Values&;
  static const std::map<std::string, LocalOperation> table{
      {"constant", {0, [](Session& s, N node, V) -> Value { return s.constant(node.constant); }}},
      {"negative", {1, [](Session&, N, V in) -> Value { return scaled(in[0], -1); }}},
      {"scale", {1, [](Session&, N node, V in) -> Value { return scaled(in[0], node.numbers.at(0)); }}},
      {"within", {1, [](Session&, N node, V in) -> Value { return within(in[0], node.numbers.at(0)); }}},
      {"add",
       {2, [](Session&, N, V in) { return of_two(in, [](const auto& x, const auto& y) -> Value { return x + y; }); }}},
      {"subtract",
       {2, [](Session&, N, V in) { return of_two(in, [](const auto& x, const auto& y) -> Value { return x - y; }); }}},
      {"add_public", {1, [](Session&, N node, V in) -> Value { return secret_of(in[0]) + node.constant; }}},
      {"multiply_public", {1, [](Session&, N node, V in) -> Value { return secret_of(in[0]) * node.constant; }}},
      {"multiply", {2, [](Session&, N, V in) -> Value { return secret_of(in[0]) * secret_of(in[1]); }}},
      {"matmul", {2, [](Session&, N, V in) -> Value { return matmul(secret_of(in[0]), secret_of(in[1])); }}},
      {"matmul_left", {1, [](Session&, N node, V in) -> Value { return matmul(node.constant, secret_of(in[0])); }}},
      {"matmul_right", {1, [](Session&, N node, V in) -> Value { return matmul(secret_of(in[0]), node.constant); }}},
      {"row_dot", {2, [](Session&, N, V in) -> Value { return row_dot(secret_of(in[0]), secret_of(in[1])); }}},
      {"transpose", {1, [](Session&, N, V in) -> Value { return transpose(secret_of(in[0])); }}},
      {"rows",
       {1,
        [](Session&, N n, V in) -> Value {
          return rows(secret_of(in[0]), count_of(n.numbers.at(0)), count_of(n.numbers.at(1)));
        }}},
      {"columns",
       {1,
        [](Session&, N n, V in) -> Value {
          return columns(secret_of(in[0]), count_of(n.numbers.at(0)), count_of(n.numbers.at(1)));
        }}},
      {"reshape", {1, [](Session&, N node, V in) -> Value { return reshape(secret_of(in[0]), node.shape); }}},
      {"broadcast", {1, [](Session&, N node, V in) -> Value { return broadcast(secret_of(in[0]), node.shape); }}},
      {"hstack", {any_number, [](Session&, N, V in) -> Value { return hstack(all_of(in)); }}},
      {"vstack", {any_number, [](Session&, N, V in) -> Value { return vstack(all_of(in)); }}},
      {"sum", {1, [](Session&, N, V in) -> Value { return sum(secret_of(in[0])); }}},
      {"row_sums", {1, [](Session&, N, V in) -> Value { return row_sums(secret_of(in[0])); }}},
      {"column_sums", {1, [](Session&, N, V in) -> Value { return column_sums(secret_of(in[0])); }}},
      {"mean", {1, [](Session&, N, V in) -> Value { return mean(secret_of(in[0])); }}},
      {"row_means", {1, [](Session&, N, V in) -> Value { return row_means(secret_of(in[0])); }}},
      {"column_means", {1, [](Session&, N, V in) -> Value { return column_means(secret_of(in[0])); }}},
  };
  return table;
}

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
