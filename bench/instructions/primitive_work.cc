#include <fmt/format.h>

#include <cmath>

#include "sotto/bench/instructions/work.h"
#include "sotto/core/async/when_all.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/protocols/arithmetic/mask_trunc.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/compare/argmax.h"
#include "sotto/protocols/compare/below_zero.h"
#include "sotto/protocols/convert/arith_to_bool.h"
#include "sotto/protocols/convert/bool_to_arith.h"
#include "sotto/protocols/io/share_input.h"
#include "sotto/protocols/math/exp.h"
#include "sotto/protocols/math/reciprocal.h"

// Not the programs of bench/lab/measure/primitives_programs.h: those copy their inputs before each repetition, and the copies
// would be counted.
namespace sotto::instructions {
namespace {

using namespace protocols;

constexpr unsigned fraction_bits = 20;

// From -0.5 to 0.5, plus `centre`, at party 0.
Task<Masked> numbers(Party& party, Shape shape, double centre = 0) {
  const auto fill = [centre](std::span<std::uint64_t> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = encode(centre - 0.5 + 0.001 * static_cast<double>(i % 1000), fraction_bits);
    }
  };
  Input input = input_at(party, 0, shape, fraction_bits, fill);
  co_return co_await share_input(party, 0, std::move(input), "numbers");
}

Task<Unit> multiply_often(Party& party, std::size_t lanes, std::uint64_t often) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  const Arith shares = x.shares(party);
  for (std::uint64_t i = 0; i < often; ++i) {
    (void)co_await multiply(party, shares, shares, "product");
  }
  co_return Unit{};
}

Task<Unit> truncate_often(Party& party, std::size_t lanes, std::uint64_t often) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  const Arith product = elementwise(party, x, x);
  for (std::uint64_t i = 0; i < often; ++i) {
    (void)co_await mask_trunc(party, product, fraction_bits, "truncation");
  }
  co_return Unit{};
}

Task<Unit> compare_often(Party& party, std::size_t lanes, std::uint64_t often) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  const Masked y = co_await numbers(party, Shape{1, lanes});
  for (std::uint64_t i = 0; i < often; ++i) {
    (void)co_await less_than(party, x, y, 24, "comparison");
  }
  co_return Unit{};
}

Task<Unit> argmax_often(Party& party, std::size_t arms, std::uint64_t often) {
  const Masked scores = co_await numbers(party, Shape{1, arms});
  const ArgmaxOptions options{0, 24, {}};
  for (std::uint64_t i = 0; i < often; ++i) (void)co_await argmax(party, scores, options);
  co_return Unit{};
}

Task<Unit> divide_often(Party& party, std::size_t lanes, std::uint64_t often) {
  const Masked divisor = co_await numbers(party, Shape{lanes, 1}, 1.5);
  const ReciprocalPlan plan = plan_reciprocal(2, std::ldexp(1.0, -14));
  for (std::uint64_t i = 0; i < often; ++i) (void)co_await divide(party, divisor, divisor, plan);
  co_return Unit{};
}

Task<Unit> exp_often(Party& party, std::size_t lanes, std::uint64_t often) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  for (std::uint64_t i = 0; i < often; ++i) (void)co_await protocols::exp(party, x);
  co_return Unit{};
}

Task<Unit> to_bool_often(Party& party, std::size_t lanes, std::uint64_t often) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  const Arith shares = x.shares(party);
  for (std::uint64_t i = 0; i < often; ++i) (void)co_await arith_to_bool(party, shares, "bits");
  co_return Unit{};
}

Task<Unit> to_arith_often(Party& party, std::size_t lanes, std::uint64_t often) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  const Bool bits = co_await arith_to_bool(party, x.shares(party), "bits");
  for (std::uint64_t i = 0; i < often; ++i) {
    (void)co_await bool_to_arith(party, bits, 64, "words");
  }
  co_return Unit{};
}

// size^2 entries, truncated: the product alone sends nothing.
Task<Unit> matmul_often(Party& party, std::size_t size, std::uint64_t often) {
  const Masked x = co_await numbers(party, Shape{size, size});
  for (std::uint64_t i = 0; i < often; ++i) {
    Arith product = matmul(party, x, x);
    (void)co_await mask_trunc(party, std::move(product), fraction_bits, "matrix product");
  }
  co_return Unit{};
}

using Often = Task<Unit> (*)(Party&, std::size_t, std::uint64_t);

struct Primitive {
  const char* name;  // {} is the size
  Often often;
  std::vector<std::size_t> sizes;
};

const Primitive primitives[] = {
    {"multiply, {} lanes", multiply_often, {1, 1000}},     {"mask_trunc, {} lanes", truncate_often, {1, 1000}},
    {"less_than, {} lanes", compare_often, {1, 1000}},     {"argmax, {} arms", argmax_often, {10, 1000}},
    {"divide, {} lanes", divide_often, {1, 1000}},         {"exp, {} lanes", exp_often, {1, 1000}},
    {"arith_to_bool, {} lanes", to_bool_often, {1, 1000}}, {"bool_to_arith, {} lanes", to_arith_often, {1, 1000}},
    {"matmul, {0} x {0}", matmul_often, {1, 32}},
};

}  // namespace

std::vector<Work> primitive_work() {
  std::vector<Work> all;
  for (const Primitive& primitive : primitives) {
    for (const std::size_t size : primitive.sizes) {
      const std::uint64_t repetitions = size < 100 ? 20 : 2;
      all.push_back(make_work(fmt::format(fmt::runtime(primitive.name), size), Topology(2), repetitions,
                              [often = primitive.often, size](Party& party, std::uint64_t repeated) {
                                return often(party, size, repeated);
                              }));
    }
  }
  return all;
}

}  // namespace sotto::instructions
