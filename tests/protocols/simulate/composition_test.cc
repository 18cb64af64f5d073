#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/arithmetic/triples.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/boolean/bit_and.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/compare/circuit.h"
#include "sotto/protocol/convert/arith_to_bool.h"
#include "sotto/protocol/convert/bool_to_arith.h"
#include "sotto/protocol/math/reciprocal.h"
#include "tests/protocols/boolean/shared_bits.h"

namespace sotto::protocols::testing {
namespace {

// when_all of two protocols costs the rounds of the longer one, and changes no result.

using Protocol = Task<Numbers> (*)(Party&);

constexpr std::uint64_t one = std::uint64_t{1} << 20;
const Numbers values{3 * one, 5 * one, 4 * one};
const Shape row{1, 3};

Task<Numbers> products(Party& party) {
  return result_of(party,
                   multiply(party, shared_words(party, 64, values), shared_words(party, 64, values), "products"));
}

Task<Numbers> triples(Party& party) {
  return result_of(
      party, multiply_with_triples(party, shared_words(party, 64, values), shared_words(party, 64, values), "triples"));
}

Task<Numbers> exact_truncations(Party& party) {
  return result_on_masked(party, row, 20, values,
                          [&party](const Masked& x) { return mask_trunc(party, x.shares(party), 20, "truncations"); });
}

Task<Numbers> comparisons(Party& party) {
  auto [x, y] = co_await when_all(masked(party, row, 20, values), masked(party, row, 20, shuffled(values, 1)));
  Arith less = co_await less_than(party, std::move(x), std::move(y), 30, "comparisons");
  co_return co_await opened(party, std::move(less));
}

Task<Numbers> circuits(Party& party) {
  return result_of(party, less_than_by_circuit(party, shared_words(party, 64, values),
                                               shared_words(party, 64, shuffled(values, 1)), "circuits"));
}

Task<Numbers> best_arm(Party& party) {
  return result_on_masked(party, row, 20, values, [&party](Masked x) {
    return argmax(party, std::move(x), ArgmaxOptions{0, 30, {}});
  });
}

Task<Numbers> conjunctions(Party& party) {
  return result_of(party, bit_and(party, shared_bits(party, 64, values), shared_bits(party, 64, shuffled(values, 1)),
                                  "conjunctions"));
}

const std::vector<Protocol> protocols{products, triples,  exact_truncations, comparisons,
                                      circuits, best_arm, conjunctions};

Task<Numbers> side_by_side(Party& party, Protocol first, Protocol second) {
  auto [a, b] = co_await when_all(first(party), second(party));
  a.insert(a.end(), b.begin(), b.end());
  co_return a;
}

std::uint64_t rounds_of(Protocol protocol, std::size_t parties) {
  return plan(Topology(parties), [&](Party& party) { return protocol(party); }).total().rounds;
}

class Composition : public ForParties {};
SOTTO_FOR_PARTIES(Composition);

TEST_P(Composition, CostsTheRoundsOfTheLonger) {
  for (const Protocol first : protocols) {
    const Numbers alone = simulate(Topology(GetParam()), first).nodes[0];
    for (const Protocol second : protocols) {
      const Numbers other = simulate(Topology(GetParam()), second).nodes[0];
      const std::uint64_t longer = std::max(rounds_of(first, GetParam()), rounds_of(second, GetParam()));
      Numbers expected = alone;
      expected.insert(expected.end(), other.begin(), other.end());
      EXPECT_EQ(run_and_agree(GetParam(), longer, [&](Party& party) { return side_by_side(party, first, second); }),
                expected);
    }
  }
}

Task<Numbers> many(Party& party, std::size_t count) {
  std::vector<Task<Numbers>> tasks;
  for (std::size_t i = 0; i < count; ++i) tasks.push_back(protocols[i % protocols.size()](party));
  const std::vector<Numbers> results = co_await when_all(std::move(tasks));
  Numbers all;
  for (const Numbers& result : results) all.insert(all.end(), result.begin(), result.end());
  co_return all;
}

TEST_P(Composition, OfManyCostsTheRoundsOfTheLongest) {
  Numbers expected;
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < 30; ++i) {
    const Protocol protocol = protocols[i % protocols.size()];
    const Numbers alone = simulate(Topology(GetParam()), protocol).nodes[0];
    expected.insert(expected.end(), alone.begin(), alone.end());
    longest = std::max(longest, rounds_of(protocol, GetParam()));
  }
  EXPECT_EQ(run_and_agree(GetParam(), longest, [&](Party& party) { return many(party, 30); }), expected);
}

// After the first steps a step asks the system for no storage of values or task frames.

using Step = Task<Numbers> (*)(Party&, Masked);

Task<Numbers> masked_step(Party& party, Masked x) {
  Arith square = elementwise(party, x, x);
  const Masked y = co_await mask_trunc(party, std::move(square), 20, "square");
  Arith product = co_await multiply(party, y.shares(party), x.shares(party), "product");
  co_return co_await opened(party, std::move(product));
}

Task<Numbers> compared_step(Party& party, Masked x) {
  const ArgmaxOptions options{0, 30, {}};
  const Masked y = x.plus(1);
  auto [less, best] = co_await when_all(less_than(party, x, y, 30, "less"), argmax(party, x, options));
  co_return co_await opened(party, less + best);
}

Task<Numbers> boolean_step(Party& party, Masked x) {
  Bool bits = co_await arith_to_bool(party, x.shares(party), "A2B");
  Arith back = co_await bool_to_arith(party, std::move(bits), 64, "B2A");
  Arith square = co_await multiply_with_triples(party, back, back, "triples");
  co_return co_await opened(party, std::move(square));
}

// How often the pool asked the system, after each step.
Task<Numbers> repeated(Party& party, Step step, int steps) {
  const Numbers words{3u << 20, 5u << 20, 4u << 20, 1u << 20};
  const Masked x = co_await masked(party, Shape{1, 4}, 20, words);
  Numbers requests;
  for (int i = 0; i < steps; ++i) {
    const Numbers result = co_await step(party, x);
    EXPECT_EQ(result.size(), party.holds_shares() ? 4u : 0u);
    requests.push_back(pool_system_requests());
  }
  co_return requests;
}

TEST(SteadyState, AStepAsksForNothingAfterTheFirstTen) {
  if (!pool_is_pooling()) GTEST_SKIP() << "sanitizers see each block";
  for (const Step step : {masked_step, compared_step, boolean_step}) {
    const auto run = simulate(Topology(3), [&](Party& party) { return repeated(party, step, 200); });
    EXPECT_EQ(run.nodes[0][199], run.nodes[0][10]);
  }
}

}  // namespace
}  // namespace sotto::protocols::testing
