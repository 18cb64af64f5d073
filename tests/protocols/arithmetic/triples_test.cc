#include "sotto/protocols/arithmetic/triples.h"

#include "sotto/protocols/arithmetic/product.h"
#include "tests/protocols/boolean/shared_bits.h"

namespace sotto::protocols::testing {
namespace {

class Triples : public ForParties {};
SOTTO_FOR_PARTIES(Triples);

Task<Numbers> by_triples(Party& party, unsigned bits, Numbers x, Numbers y) {
  Arith xs = shared_words(party, bits, x);
  Arith ys = shared_words(party, bits, y);
  Arith product = co_await multiply_with_triples(party, std::move(xs), std::move(ys), "triples");
  co_return co_await opened(party, std::move(product));
}

TEST_P(Triples, MultiplyInAnyRing) {
  for (const unsigned bits : {1u, 5u, 8u, 13u, 32u, 47u, 64u}) {
    for (const std::size_t lanes : {0u, 1u, 200u}) {
      const Numbers x = test_words(bits, lanes, 1);
      const Numbers y = shuffled(test_words(bits, lanes, 2), 3);
      const auto program = [&](Party& party) { return by_triples(party, bits, x, y); };
      const Numbers result = run_and_agree(GetParam(), program, 2);
      ASSERT_EQ(result.size(), lanes);
      for (std::size_t i = 0; i < lanes; ++i) EXPECT_EQ(result[i], (x[i] * y[i]) & ones(bits));
    }
  }
}

// The difference of the two ways to multiply.
Task<Numbers> difference(Party& party, Numbers x, Numbers y) {
  const Arith xs = shared_words(party, 64, x);
  const Arith ys = shared_words(party, 64, y);
  auto [with_triples, with_masks] = co_await when_all(
      multiply_with_triples(party, xs, ys, "triples"), multiply(party, xs, ys, "masks"));
  co_return co_await opened(party, with_triples - with_masks);
}

TEST_P(Triples, AgreeWithMaskedProducts) {
  const Numbers x = test_words(64, 300, 4);
  const Numbers y = shuffled(test_words(64, 300, 5), 6);
  const auto program = [&](Party& party) { return difference(party, x, y); };
  EXPECT_EQ(run_and_agree(GetParam(), program, 2), Numbers(300, 0));
}

TEST(TriplesArguments, AreChecked) {
  const auto rings = [](Party& party) {
    return multiply_with_triples(party, Arith(Shape{1, 1}, 0, 8), Arith(Shape{1, 1}, 0, 9), "x");
  };
  EXPECT_THROW((void)simulate(Topology(2), rings), std::invalid_argument);
  const auto shapes = [](Party& party) {
    return multiply_with_triples(party, Arith(Shape{1, 1}, 0), Arith(Shape{1, 2}, 0), "x");
  };
  EXPECT_THROW((void)simulate(Topology(2), shapes), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::protocols::testing
