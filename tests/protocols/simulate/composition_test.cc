// when_all of two protocols costs the rounds of the longer one, and changes no result.
#include "sotto/protocols/arithmetic/mask_trunc.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/arithmetic/triples.h"
#include "sotto/protocols/boolean/bit_and.h"
#include "sotto/protocols/compare/argmax.h"
#include "sotto/protocols/compare/below_zero.h"
#include "sotto/protocols/compare/circuit.h"
#include "sotto/protocols/math/reciprocal.h"
#include "tests/protocols/boolean/shared_bits.h"

namespace sotto::protocols::testing {
namespace {

using Protocol = Task<Numbers> (*)(Party&);

constexpr std::uint64_t one = std::uint64_t{1} << 20;
const Numbers values{3 * one, 5 * one, 4 * one};
const Shape row{1, 3};

Task<Numbers> products(Party& party) {
  Arith product = co_await multiply(party, shared_words(party, 64, values),
                                    shared_words(party, 64, values), "products");
  co_return co_await opened(party, std::move(product));
}

Task<Numbers> triples(Party& party) {
  Arith product = co_await multiply_with_triples(party, shared_words(party, 64, values),
                                                 shared_words(party, 64, values), "triples");
  co_return co_await opened(party, std::move(product));
}

Task<Numbers> exact_truncations(Party& party) {
  const Masked x = co_await masked(party, row, 20, values);
  const Masked y = co_await mask_trunc(party, x.shares(party), 20, "truncations");
  co_return co_await opened(party, y.shares(party));
}

Task<Numbers> comparisons(Party& party) {
  auto [x, y] = co_await when_all(masked(party, row, 20, values),
                                  masked(party, row, 20, shuffled(values, 1)));
  Arith less = co_await less_than(party, std::move(x), std::move(y), 30, "comparisons");
  co_return co_await opened(party, std::move(less));
}

Task<Numbers> circuits(Party& party) {
  Arith less =
      co_await less_than_by_circuit(party, shared_words(party, 64, values),
                                    shared_words(party, 64, shuffled(values, 1)), "circuits");
  co_return co_await opened(party, std::move(less));
}

Task<Numbers> best_arm(Party& party) {
  const Masked scores = co_await masked(party, row, 20, values);
  const ArgmaxOptions options{0, 30, {}};
  Arith one_hot = co_await argmax(party, scores, options);
  co_return co_await opened(party, std::move(one_hot));
}

Task<Numbers> conjunctions(Party& party) {
  Bool product = co_await bit_and(party, shared_bits(party, 64, values),
                                  shared_bits(party, 64, shuffled(values, 1)), "conjunctions");
  co_return co_await opened(party, std::move(product));
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
      const auto program = [&](Party& party) { return side_by_side(party, first, second); };
      const std::uint64_t longer =
          std::max(rounds_of(first, GetParam()), rounds_of(second, GetParam()));
      Numbers expected = alone;
      expected.insert(expected.end(), other.begin(), other.end());
      EXPECT_EQ(run_and_agree(GetParam(), program, longer), expected);
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
  const auto program = [&](Party& party) { return many(party, 30); };
  EXPECT_EQ(run_and_agree(GetParam(), program, longest), expected);
}

}  // namespace
}  // namespace sotto::protocols::testing
