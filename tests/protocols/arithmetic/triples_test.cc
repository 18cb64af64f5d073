#include "sotto/protocol/arithmetic/triples.h"

#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "tests/protocols/boolean/shared_bits.h"
#include "tests/protocols/support.h"
#include "tests/samples.h"

namespace sotto::protocols::testing {
namespace {

class Triples : public ForParties {};
SOTTO_FOR_PARTIES(Triples);

TEST_P(Triples, MultiplyInAnyRing) {
  for (const unsigned bits : {1u, 5u, 8u, 13u, 32u, 47u, 64u}) {
    for (const std::size_t lanes : {0u, 1u, 200u}) {
      const Numbers x = test_words(bits, lanes, 1);
      const Numbers y = shuffled(test_words(bits, lanes, 2), 3);
      const Numbers result = run_and_agree(GetParam(), 2, [&](Party& party) {
        return result_of(
            party, multiply_with_triples(party, shared_words(party, bits, x), shared_words(party, bits, y), "triples"));
      });
      ASSERT_EQ(result.size(), lanes);
      for (std::size_t i = 0; i < lanes; ++i) EXPECT_EQ(result[i], (x[i] * y[i]) & ones(bits));
    }
  }
}

TEST(TriplesArguments, AreChecked) {
  expect_refused([](Party& party) {
    return multiply_with_triples(party, Arith(Shape{1, 1}, 0, 8), Arith(Shape{1, 1}, 0, 9), "x");
  });
  expect_refused([](Party& party) {
    return multiply_with_triples(party, Arith(Shape{1, 1}, 0), Arith(Shape{1, 2}, 0), "x");
  });
}

// Large samples: kept apart by name, so that runs under sanitizers can leave them out.

constexpr unsigned f = 20;

Task<Numbers> truncated(Party& party, const Numbers& words) {
  return result_on_masked(party, Shape{1, words.size()}, f, words,
                          [&party](const Masked& x) { return mask_trunc(party, x.shares(party), f, "truncation"); });
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
  const std::size_t slices = samples(100);
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
  // Variance at most 1/4 a lane.
  EXPECT_LT(std::abs(rounding), 6 * std::sqrt(static_cast<double>(slices * slice)) / 2);
}

}  // namespace
}  // namespace sotto::protocols::testing
