#include "sotto/protocols/arithmetic/triples.h"
#include "sotto/protocols/arithmetic/mask_trunc.h"
#include "sotto/protocols/arithmetic/product.h"
#include "tests/protocols/boolean/shared_bits.h"
#include "tests/protocols/support.h"

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
  auto [with_triples, with_masks] =
      co_await when_all(multiply_with_triples(party, xs, ys, "triples"), multiply(party, xs, ys, "masks"));
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

// Large samples: kept apart by name, so that runs under sanitizers can leave them out.

constexpr unsigned f = 20;

Shape row_of(const Numbers& words) { return Shape{1, words.size()}; }

Task<Numbers> truncated(Party& party, const Numbers& words) {
  const Masked x = co_await masked(party, row_of(words), f, words);
  const Masked y = co_await mask_trunc(party, x.shares(party), f, "truncation");
  co_return co_await opened(party, y.shares(party));
}

// Values within 2^bits of either end of [-2^62, 2^62).
void fill_with_edges(Numbers& values, std::mt19937_64& random) {
  const std::uint64_t edge = std::uint64_t{1} << 62;
  for (std::uint64_t& value : values) {
    const std::uint64_t inside = random() >> (24 + random() % 40);  // below 2^40 and less
    value = random() % 2 == 0 ? edge - 1 - inside : std::uint64_t{0} - edge + inside;
  }
}

// The usual local truncation fails with probability |z| / 2^63, that is one time in two here.
TEST(Statistical, TenMillionTruncationsAtTheEdgeNeverWrap) {
  constexpr std::size_t slice = 100'000;
  constexpr std::size_t slices = 100;
  std::mt19937_64 random(2020);
  Numbers values(slice);
  std::size_t wrong = 0;
  double rounding = 0;  // sum of the errors: each below one unit, zero in the mean
  for (std::size_t s = 0; s < slices; ++s) {
    fill_with_edges(values, random);
    const auto program = [&](Party& party) { return truncated(party, values); };
    SimulationOptions options;
    options.insecure_seed = s;
    const auto run = simulate(Topology(2), program, std::move(options));
    ASSERT_EQ(run.nodes[0].size(), slice);
    for (std::size_t i = 0; i < slice; ++i) {
      const std::uint64_t remainder = values[i] & ((std::uint64_t{1} << f) - 1);
      const std::int64_t error = as_signed(run.nodes[0][i]) - (as_signed(values[i]) >> f);
      if (error != 0 && !(error == 1 && remainder != 0)) ++wrong;
      rounding += static_cast<double>(error) - std::ldexp(static_cast<double>(remainder), -20);
    }
  }
  EXPECT_EQ(wrong, 0u);
  // Variance at most 1/4 a lane: a standard deviation of at most 1582 for ten million.
  EXPECT_LT(std::abs(rounding), 6 * 1582);
}

}  // namespace
}  // namespace sotto::protocols::testing
