#include "tests/protocols/preprocessing/without_dealer.h"

#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/convert/convert.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/lookup/table_lookup.h"

namespace sotto::protocols::testing {
namespace {

class OwnRandomness : public ::testing::TestWithParam<RandomnessBy> {
 protected:
  template <class Program>
  [[nodiscard]] Numbers run(Program program) const {
    return run_without_dealer(GetParam(), program);
  }
  // Counts how often each arm wins in 400 rows that explore with the threshold. All scores are equal, or arm 2 has the
  // best score.
  [[nodiscard]] std::vector<double> counted_arms(std::uint64_t threshold, bool always, bool ahead,
                                                 std::size_t arms = 4) const {
    Numbers scores(100 * arms, std::uint64_t{1} << 30);
    for (std::size_t at = 2; ahead && at < scores.size(); at += arms) scores[at] <<= 1;
    const ArgmaxOptions options{20, 26, Exploration{threshold, always}};
    std::vector<double> counts(arms, 0);
    for (int times = 0; times < 4; ++times) {
      const Numbers result = run([&](Party& party) { return best_of_rows(party, scores, arms, options); });
      for (const std::size_t arm : arms_of(result, arms)) ++counts[arm];
    }
    return counts;
  }
  // Each role in turn runs a program that differs from the other roles' program.
  template <class Program>
  void expect_found(const Program& program_of) const {
    const Topology topology = makers(GetParam());
    for (NodeId astray = 0; astray < topology.nodes(); ++astray) {
      const auto whole = [&](Party& party) {
        return on_own_randomness(GetParam(), program_of(party.is(astray)))(party);
      };
      EXPECT_THAT(error_of<ProtocolError>([&] { (void)simulate(topology, whole); }),
                  ::testing::HasSubstr("drew other correlations"));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, OwnRandomness,
                         ::testing::Values(RandomnessBy::replicated, RandomnessBy::ot, RandomnessBy::helper),
                         name_of_mode);

// Truncates values at the edges of the range, as mask_trunc_test.cc does with a dealer.
Task<Numbers> truncated(Party& party, Numbers words, unsigned f) {
  return result_on_masked(party, Shape{1, words.size()}, f, words,
                          [&party, f](const Masked& x) { return mask_trunc(party, x.shares(party), f, "trunc"); });
}

TEST_P(OwnRandomness, TruncationsAreWithinOneUnit) {
  const std::uint64_t edge = std::uint64_t{1} << 62;
  Numbers values = test_words(64, 300, 5);
  for (std::uint64_t& value : values) value = (value >> 1) - edge;
  values.insert(values.end(), {0, 1, ~std::uint64_t{0}, edge - 1, std::uint64_t{0} - edge});
  for (const unsigned f : {1u, 20u, 30u, 61u}) {
    const Numbers result = run([&](Party& party) { return truncated(party, values, f); });
    ASSERT_EQ(result.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool exact = (values[i] & ones(f)) == 0;
      const std::int64_t error = as_signed(result[i]) - (as_signed(values[i]) >> f);
      EXPECT_TRUE(error == 0 || (error == 1 && !exact)) << as_signed(values[i]) << " by " << f << ": " << error;
    }
  }
}

Task<Numbers> compared_by_circuit(Party& party, Numbers x_words, Numbers y_words) {
  const Shape shape{1, x_words.size()};
  auto [x, y] = co_await when_all(masked(party, shape, 0, x_words), masked(party, shape, 0, y_words));
  Arith less = co_await less_than_by_circuit(party, x.shares(party), y.shares(party), "less");
  co_return co_await opened(party, std::move(less));
}

TEST_P(OwnRandomness, CompareByCircuit) {
  const auto [x, y] = words_to_compare(60);
  const Numbers result = run([x = x, y = y](Party& party) { return compared_by_circuit(party, x, y); });
  ASSERT_EQ(result.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(result[i], as_signed(x[i] - y[i]) < 0 ? 1u : 0u);
}

Task<Numbers> there_and_back(Party& party, Numbers words, unsigned bits, unsigned ring_bits) {
  const Masked x = co_await masked(party, Shape{1, words.size()}, 0, words);
  Bool in_bits = co_await arith_to_bool(party, x.shares(party).in_ring(bits), "bits");
  Arith back = co_await bool_to_arith(party, std::move(in_bits), ring_bits, "back");
  co_return co_await opened(party, std::move(back));
}

TEST_P(OwnRandomness, ConvertToBitsAndBack) {
  for (const auto& [bits, ring_bits] : {std::pair{8u, 64u}, std::pair{20u, 7u}, std::pair{3u, 1u}}) {
    const Numbers words = test_words(bits, 600, bits);
    const Numbers result =
        run([&words, b = bits, r = ring_bits](Party& party) { return there_and_back(party, words, b, r); });
    Numbers expected = words;
    for (std::uint64_t& word : expected) word &= ones(ring_bits);
    EXPECT_EQ(result, expected);
  }
}

Task<Numbers> multiplied(Party& party, Numbers x_words, Numbers y_words, unsigned bits) {
  const Shape shape{1, x_words.size()};
  auto [x, y] = co_await when_all(masked(party, shape, 0, x_words), masked(party, shape, 0, y_words));
  Arith z = co_await multiply_with_triples(party, x.shares(party).in_ring(bits), y.shares(party).in_ring(bits), "z");
  co_return co_await opened(party, std::move(z));
}

TEST_P(OwnRandomness, MultiplyWithTriples) {
  for (const unsigned bits : {1u, 5u, 64u}) {
    const Numbers x = test_words(bits, 100, 1);
    const Numbers y = shuffled(test_words(bits, 100, 2), 3);
    const Numbers result = run([&](Party& party) { return multiplied(party, x, y, bits); });
    Numbers expected = x;
    for (std::size_t i = 0; i < x.size(); ++i) expected[i] = x[i] * y[i] & ones(bits);
    EXPECT_EQ(result, expected);
  }
}

TEST_P(OwnRandomness, CompareByTables) {
  for (const unsigned k : {2u, 3u, 8u, 29u, 63u}) {
    const auto [x, y] = words_to_compare(k);
    const Numbers result = run([&x = x, &y = y, k](Party& party) { return compared(party, x, y, k); });
    ASSERT_EQ(result.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(result[i], as_signed(x[i] - y[i]) < 0 ? 1u : 0u) << k << " bits: " << as_signed(x[i] - y[i]);
    }
  }
}

Task<Numbers> looked_up(Party& party, Numbers words, unsigned index_bits, unsigned ring_bits) {
  const Masked x = co_await masked(party, Shape{1, words.size()}, 0, words);
  const MaskedIndex index = co_await mask_index(party, x.shares(party).in_ring(index_bits), "index");
  Arith cubes = table_lookup(party, index, ring_bits, [](std::size_t lane, std::uint64_t value) {
    return value * value * value + (std::uint64_t{lane} << 40);
  });
  co_return co_await opened(party, std::move(cubes));
}

TEST_P(OwnRandomness, LookUpPublicTables) {
  for (const unsigned index_bits : {1u, 4u, 7u}) {
    for (const unsigned ring_bits : {1u, 3u, 64u}) {
      const Numbers words = test_words(index_bits, 90, ring_bits);
      const Numbers result = run([&](Party& party) { return looked_up(party, words, index_bits, ring_bits); });
      ASSERT_EQ(result.size(), words.size());
      for (std::size_t i = 0; i < words.size(); ++i) {
        EXPECT_EQ(result[i], (words[i] * words[i] * words[i] + (std::uint64_t{i} << 40)) & ones(ring_bits));
      }
    }
  }
}

TEST_P(OwnRandomness, ArgmaxIsThatOfTheScores) {
  for (const std::size_t arms : {2u, 3u, 10u}) {
    constexpr std::size_t rows = 12;
    Numbers scores;
    std::vector<std::size_t> expected;
    std::mt19937_64 random(arms);
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<std::int64_t> values(arms);
      std::iota(values.begin(), values.end(), -static_cast<std::int64_t>(arms / 2));
      std::shuffle(values.begin(), values.end(), random);
      for (const std::int64_t value : values) {
        scores.push_back((static_cast<std::uint64_t>(value) << 23) + (random() & ones(20)));
      }
      expected.push_back(static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin()));
    }
    const ArgmaxOptions options{20, 26, {}};
    const Numbers result = run([&](Party& party) { return best_of_rows(party, scores, arms, options); });
    EXPECT_EQ(arms_of(result, arms), expected);
  }
}

// Each case counts 400 events and allows 8 standard deviations.
TEST_P(OwnRandomness, ArgmaxBreaksTiesAndExploresUniformlyStatistical) {
  for (const double count : counted_arms(0, false, false)) EXPECT_NEAR(count, 100, 69);
  for (const double count : counted_arms(0, true, true)) EXPECT_NEAR(count, 100, 69);
  const std::vector<double> half = counted_arms(std::uint64_t{1} << 63, false, true);
  for (std::size_t arm = 0; arm < half.size(); ++arm) EXPECT_NEAR(half[arm], arm == 2 ? 250 : 50, arm == 2 ? 77 : 49);
  EXPECT_EQ(counted_arms(0, false, true)[2], 400);
  // A random arm is drawn as two bits. With 3 arms, one of the four values of these bits is no arm and must be
  // rejected.
  for (const double count : counted_arms(0, true, true, 3)) EXPECT_NEAR(count, 400.0 / 3, 76);
}

Task<Numbers> changing(Party& party, std::size_t first, std::size_t second) {
  Numbers opened_words = co_await truncated(party, Numbers(first, 8), 2);
  if (second > 0) (void)co_await truncated(party, Numbers(second, 8), 2);
  co_return opened_words;
}

TEST_P(OwnRandomness, IsGivenOutOnce) {
  const auto run_changing = [](std::size_t first, std::size_t second) {
    // During recording, party.is() is false for every node, so a party can run another program than the recorded
    // program.
    run_in(makers(GetParam()), GetParam(), [=](Party& party) {
      for (NodeId node = 0; node < party.topology().nodes(); ++node) {
        if (party.is(node)) return changing(party, first, second);
      }
      return changing(party, 4, 1);
    });
  };
  run_changing(4, 1);
  EXPECT_THROW(run_changing(4, 2), std::logic_error);
  EXPECT_THROW(run_changing(5, 1), std::logic_error);
}

// A party whose program differs draws different correlations, and is found before the correlations are used.
TEST_P(OwnRandomness, FindsAnotherProgramBeforeItRuns) {
  expect_found([](bool is_astray) {
    const std::size_t lanes = is_astray ? 3 : 2;
    return [lanes](Party& at) -> Task<Numbers> {
      return result_of(at, mask(at, Arith(Shape{1, lanes}, 0, Words(at.holds_shares() ? lanes : 0, 1)), "mask"));
    };
  });
}

}  // namespace
}  // namespace sotto::protocols::testing
