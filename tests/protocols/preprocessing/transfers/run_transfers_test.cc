// Programs of two parties without a dealer: each request against plain numbers, the dealer's online phase, rounds that do not
// grow with the steps, owners outside, refusals.
#include "sotto/core/party/topology.h"
#include "sotto/protocols/arithmetic/mask_trunc.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/arithmetic/triples.h"
#include "sotto/protocols/compare/argmax.h"
#include "sotto/protocols/compare/below_zero.h"
#include "sotto/protocols/compare/circuit.h"
#include "sotto/protocols/convert/arith_to_bool.h"
#include "sotto/protocols/convert/bool_to_arith.h"
#include "sotto/protocols/io/mask.h"
#include "sotto/protocols/io/open.h"
#include "sotto/protocols/lookup/table_lookup.h"
#include "tests/protocols/preprocessing/transfers/two_parties.h"

namespace sotto::protocols::testing {
namespace {

Numbers some_fixed(std::size_t count, double bound, unsigned f, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-bound, bound);
  Numbers words;
  for (std::size_t i = 0; i < count; ++i) words.push_back(fixed(uniform(random), f));
  return words;
}

// ---- Products. Carry terms on both sides, with factors: -1, 3, an even one and one of 20 bits. ----

Task<Numbers> products(Party& party, Numbers x_words, Numbers y_words) {
  const Shape shape{1, x_words.size()};
  const Input x_input = input_of(party, 0, shape, 20, x_words);
  const Input y_input = input_of(party, 1, shape, 20, y_words);
  auto [x, y] = co_await when_all(share_input(party, 0, x_input, "x"), share_input(party, 1, y_input, "y"));
  const Masked p = co_await mask_trunc(party, elementwise(party, x, y), 20, "p");
  PendingProduct square = pending_product<Elementwise>(party, p, p.times(-3));
  const Masked q = co_await mask_trunc(party, std::move(square), 20, "q");
  const Masked mixed = q - p.times(12) + y;
  const Masked again = co_await mask(party, mixed.shares(party), "again");
  Arith sum = row_dot(party, again, x) + row_dot(party, q.times(-4), p) + row_dot(party, y.times(6), p.times(1 << 12));
  co_return co_await opened(party, std::move(sum));
}

TEST(TwoParties, ProductsAndCutsAreRight) {
  const Numbers x = some_fixed(300, 2, 20, 1);
  const Numbers y = some_fixed(300, 2, 20, 2);
  const Numbers result = run_by_transfers([&](Party& party) { return products(party, x, y); });
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p = real(x[i], 20) * real(y[i], 20);
    const double q = -3 * p * p;
    sum += (q - 12 * p + real(y[i], 20)) * real(x[i], 20) - 4 * q * p + 6 * (1 << 12) * real(y[i], 20) * p;
  }
  ASSERT_EQ(result.size(), 1u);
  EXPECT_NEAR(real(result[0], 40), sum, 1.0);
}

// Exact: whole numbers, of every map whose rows differ in width.
Task<Numbers> matrix_products(Party& party, Numbers left, Numbers right, std::size_t rows, std::size_t inner,
                              std::size_t columns) {
  const Masked x = co_await masked(party, Shape{rows, inner}, 0, left);
  const Masked y = co_await masked(party, Shape{inner, columns}, 0, right);
  co_return co_await opened(party, matmul(party, x, y));
}

TEST(TwoParties, MatrixProductsAreRight) {
  for (const auto& [rows, inner, columns] : {std::tuple{1u, 1u, 1u}, std::tuple{3u, 5u, 2u}, std::tuple{90u, 3u, 4u}}) {
    const Numbers x = test_words(64, rows * inner, rows);
    const Numbers y = test_words(64, inner * columns, columns);
    const Numbers result = run_by_transfers(
        [&x, &y, r = rows, n = inner, c = columns](Party& party) { return matrix_products(party, x, y, r, n, c); });
    Numbers expected(rows * columns, 0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t k = 0; k < inner; ++k) expected[i * columns + j] += x[i * inner + k] * y[k * columns + j];
      }
    }
    EXPECT_EQ(result, expected);
  }
}

// Truncation at the edges of its range, as with a dealer (mask_trunc_test.cc).
Task<Numbers> truncated(Party& party, Numbers words, unsigned f) {
  return result_on_masked(party, Shape{1, words.size()}, f, words,
                          [&party, f](const Masked& x) { return mask_trunc(party, x.shares(party), f, "trunc"); });
}

TEST(TwoParties, TruncationsAreWithinOneUnit) {
  const std::uint64_t edge = std::uint64_t{1} << 62;
  Numbers values = test_words(64, 300, 5);
  for (std::uint64_t& value : values) value = (value >> 1) - edge;
  values.insert(values.end(), {0, 1, ~std::uint64_t{0}, edge - 1, std::uint64_t{0} - edge});
  for (const unsigned f : {1u, 20u, 30u, 61u}) {
    const Numbers result = run_by_transfers([&](Party& party) { return truncated(party, values, f); });
    ASSERT_EQ(result.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool exact = (values[i] & ones(f)) == 0;
      const std::int64_t error = as_signed(result[i]) - (as_signed(values[i]) >> f);
      EXPECT_TRUE(error == 0 || (error == 1 && !exact)) << as_signed(values[i]) << " by " << f << ": " << error;
    }
  }
}

// One product and one truncation a step: keys, triples, the adder, numbers, products, the confirmation, and that at the end.
Task<Numbers> powers(Party& party, Numbers words, unsigned steps) {
  const Masked x = co_await masked(party, Shape{1, words.size()}, 20, words);
  Masked power = x;
  for (unsigned i = 1; i < steps; ++i) power = co_await mask_trunc(party, elementwise(party, power, x), 20, "power");
  co_return co_await opened(party, power.shares(party));
}

TEST(TwoParties, MaterialOfManyStepsIsMadeAtOnce) {
  const Numbers words = some_fixed(20, 1.1, 20, 7);
  for (const unsigned steps : {2u, 9u}) {
    CostOfTwo cost;
    const Numbers result = run_by_transfers([&](Party& party) { return powers(party, words, steps); }, &cost);
    // The square of a party's own input takes no transfers.
    EXPECT_EQ(cost.preprocessing.rounds, 2 + 1 + 63 + 2 + (steps > 2 ? 2 : 0) + 1 + 1u);
    for (std::size_t i = 0; i < words.size(); ++i) {
      EXPECT_NEAR(real(result[i], 20), std::pow(real(words[i], 20), steps), 1e-3);
    }
  }
}

// ---- Bits and triples. ----

Task<Numbers> compared_by_circuit(Party& party, Numbers x_words, Numbers y_words) {
  const Shape shape{1, x_words.size()};
  auto [x, y] = co_await when_all(masked(party, shape, 0, x_words), masked(party, shape, 0, y_words));
  Arith less = co_await less_than_by_circuit(party, x.shares(party), y.shares(party), "less");
  co_return co_await opened(party, std::move(less));
}

TEST(TwoParties, CompareByCircuit) {
  const auto [x, y] = words_to_compare(60);
  const Numbers result = run_by_transfers([x = x, y = y](Party& party) { return compared_by_circuit(party, x, y); });
  ASSERT_EQ(result.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(result[i], as_signed(x[i] - y[i]) < 0 ? 1u : 0u);
}

Task<Numbers> there_and_back(Party& party, Numbers words, unsigned bits, unsigned ring_bits) {
  const Masked x = co_await masked(party, Shape{1, words.size()}, 0, words);
  Bool in_bits = co_await arith_to_bool(party, x.shares(party).in_ring(bits), "bits");
  Arith back = co_await bool_to_arith(party, std::move(in_bits), ring_bits, "back");
  co_return co_await opened(party, std::move(back));
}

TEST(TwoParties, ConvertToBitsAndBack) {
  for (const auto& [bits, ring_bits] : {std::pair{8u, 64u}, std::pair{20u, 7u}, std::pair{3u, 1u}}) {
    const Numbers words = test_words(bits, 600, bits);
    const Numbers result = run_by_transfers(
        [&words, b = bits, r = ring_bits](Party& party) { return there_and_back(party, words, b, r); });
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

TEST(TwoParties, MultiplyWithTriples) {
  for (const unsigned bits : {1u, 5u, 64u}) {
    const Numbers x = test_words(bits, 100, 1);
    const Numbers y = shuffled(test_words(bits, 100, 2), 3);
    const Numbers result = run_by_transfers([&](Party& party) { return multiplied(party, x, y, bits); });
    Numbers expected = x;
    for (std::size_t i = 0; i < x.size(); ++i) expected[i] = x[i] * y[i] & ones(bits);
    EXPECT_EQ(result, expected);
  }
}

// ---- Tables. ----

Task<Numbers> compared(Party& party, Numbers x_words, Numbers y_words, unsigned k) {
  const Shape shape{1, x_words.size()};
  auto [x, y] = co_await when_all(masked(party, shape, 0, x_words), masked(party, shape, 0, y_words));
  Arith less = co_await less_than(party, std::move(x), std::move(y), k, "less");
  co_return co_await opened(party, std::move(less));
}

TEST(TwoParties, CompareByTables) {
  for (const unsigned k : {2u, 3u, 8u, 29u, 63u}) {
    const auto [x, y] = words_to_compare(k);
    const Numbers result = run_by_transfers([&x = x, &y = y, k](Party& party) { return compared(party, x, y, k); });
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

TEST(TwoParties, LookUpPublicTables) {
  for (const unsigned index_bits : {1u, 4u, 7u}) {
    for (const unsigned ring_bits : {1u, 3u, 64u}) {
      const Numbers words = test_words(index_bits, 90, ring_bits);
      const Numbers result =
          run_by_transfers([&](Party& party) { return looked_up(party, words, index_bits, ring_bits); });
      ASSERT_EQ(result.size(), words.size());
      for (std::size_t i = 0; i < words.size(); ++i) {
        EXPECT_EQ(result[i], (words[i] * words[i] * words[i] + (std::uint64_t{i} << 40)) & ones(ring_bits));
      }
    }
  }
}

// Rows of scores, one argmax after the other.
Task<Numbers> best_of_rows(Party& party, Numbers scores, std::size_t arms, ArgmaxOptions options) {
  Numbers all;
  for (std::size_t at = 0; at < scores.size(); at += arms) {
    const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(at);
    const Numbers row(begin, begin + static_cast<std::ptrdiff_t>(arms));
    const Numbers one_hot = co_await result_on_masked(
        party, Shape{1, arms}, 40, row, [&party, options](Masked s) { return argmax(party, std::move(s), options); });
    all.insert(all.end(), one_hot.begin(), one_hot.end());
  }
  co_return all;
}

std::vector<std::size_t> winners_of(const Numbers& one_hots, std::size_t arms) {
  std::vector<std::size_t> result;
  for (std::size_t at = 0; at < one_hots.size(); at += arms) {
    const auto row = std::span(one_hots).subspan(at, arms);
    EXPECT_EQ(std::accumulate(row.begin(), row.end(), std::uint64_t{0}), 1u);
    result.push_back(static_cast<std::size_t>(std::find(row.begin(), row.end(), 1u) - row.begin()));
  }
  return result;
}

TEST(TwoParties, ArgmaxIsThatOfTheScores) {
  for (const std::size_t arms : {2u, 3u, 10u}) {
    constexpr std::size_t rows = 12;
    Numbers scores;
    std::vector<std::size_t> expected;
    std::mt19937_64 random(arms);
    for (std::size_t row = 0; row < rows; ++row) {
      // Apart by 8 units of 2^20: more than the shift of pieces rounds by.
      std::vector<std::int64_t> values(arms);
      std::iota(values.begin(), values.end(), -static_cast<std::int64_t>(arms / 2));
      std::shuffle(values.begin(), values.end(), random);
      for (const std::int64_t value : values) {
        scores.push_back((static_cast<std::uint64_t>(value) << 23) + (random() & ones(20)));
      }
      expected.push_back(static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin()));
    }
    const ArgmaxOptions options{20, 26, {}};
    const Numbers result = run_by_transfers([&](Party& party) { return best_of_rows(party, scores, arms, options); });
    EXPECT_EQ(winners_of(result, arms), expected);
  }
}

// How often each arm wins rows of 4 scores: exploring with the threshold, scores all alike or arm 2 ahead.
std::vector<double> counted_arms(std::uint64_t threshold, bool always, bool ahead, std::size_t arms = 4) {
  Numbers scores(400 * arms, std::uint64_t{1} << 30);
  for (std::size_t at = 2; ahead && at < scores.size(); at += arms) scores[at] <<= 1;
  const ArgmaxOptions options{20, 26, Exploration{threshold, always}};
  std::vector<double> counts(arms, 0);
  const Numbers result = run_by_transfers([&](Party& party) { return best_of_rows(party, scores, arms, options); });
  for (const std::size_t arm : winners_of(result, arms)) ++counts[arm];
  return counts;
}

// 400 events each, within 8 standard deviations.
TEST(TwoParties, ArgmaxBreaksTiesAndExploresUniformlyStatistical) {
  for (const double count : counted_arms(0, false, false)) EXPECT_NEAR(count, 100, 69);
  for (const double count : counted_arms(0, true, true)) EXPECT_NEAR(count, 100, 69);
  const std::vector<double> half = counted_arms(std::uint64_t{1} << 63, false, true);
  for (std::size_t arm = 0; arm < half.size(); ++arm) EXPECT_NEAR(half[arm], arm == 2 ? 250 : 50, arm == 2 ? 77 : 49);
  EXPECT_EQ(counted_arms(0, false, true)[2], 400);
  // Of candidates of two bits one is no arm.
  for (const double count : counted_arms(0, true, true, 3)) EXPECT_NEAR(count, 400.0 / 3, 76);
}

// ---- Owners and readers outside. ----

Task<Numbers> times_of_outside(Party& party, Numbers words) {
  const NodeId outside = party.topology().further_node();
  const Input of_outside = input_of(party, outside, Shape{1, words.size()}, 0, words);
  const Input of_party = input_of(party, 1, Shape{1, words.size()}, 0, words);
  auto [x, y] = co_await when_all(share_input(party, outside, of_outside, "x"), share_input(party, 1, of_party, "y"));
  const Public seen = co_await open_to(party, outside, elementwise(party, x, y), "squares");
  co_return words_of(seen);
}

TEST(TwoParties, ANodeOutsideOwnsInputsAndReads) {
  const Numbers words = test_words(64, 50, 4);
  const auto whole = [&](Party& party) {
    return run_transfers(party, Seed::from_os(), "test", [&](Party& at) { return times_of_outside(at, words); });
  };
  const auto run = simulate(Topology::without_dealer(2, true), whole);
  const Ledger planned = plan(Topology::without_dealer(2, true), whole);
  EXPECT_EQ(planned.total().sent, run.sent);
  EXPECT_EQ(planned.total().rounds, run.rounds);
  Numbers squares = words;
  for (std::uint64_t& word : squares) word *= word;
  EXPECT_EQ(run.nodes[2], squares);
  EXPECT_TRUE(run.nodes[0].empty());
  EXPECT_TRUE(run.nodes[1].empty());
}

// ---- Refusals. ----

Task<Numbers> one_input(Party& party) {
  const Numbers one(1, 1);
  const Input input = input_of(party, 0, Shape{1, 1}, 0, one);
  const Masked x = co_await share_input(party, 0, input, "input");
  co_return co_await opened(party, x.shares(party));
}

TEST(TwoParties, AreTwo) {
  run_two_in(two(), one_input);
  EXPECT_THROW(run_two_in(Topology::without_dealer(3, false), one_input), std::invalid_argument);
  EXPECT_THROW(run_two_in(Topology(2), one_input), std::invalid_argument);
}

// Asks for more, or for others, than when it was recorded.
Task<Numbers> changing(Party& party, std::size_t first, std::size_t second) {
  Numbers opened_words = co_await truncated(party, Numbers(first, 8), 2);
  if (second > 0) (void)co_await truncated(party, Numbers(second, 8), 2);
  co_return opened_words;
}

TEST(TwoParties, GetNothingTwice) {
  const auto run_changing = [](std::size_t first, std::size_t second) {
    // Where it is recorded, nobody is a party.
    run_two_in(two(), [=](Party& party) {
      return party.is(0) || party.is(1) ? changing(party, first, second) : changing(party, 4, 1);
    });
  };
  run_changing(4, 1);
  EXPECT_THROW(run_changing(4, 2), std::logic_error);
  EXPECT_THROW(run_changing(5, 1), std::logic_error);
}

// A party whose program is another draws other correlations, and is found before they are used.
TEST(TwoParties, FindAnotherProgramBeforeItRuns) {
  for (const NodeId astray : {NodeId{0}, NodeId{1}}) {
    const auto whole = [&](Party& party) {
      const std::size_t lanes = party.is(astray) ? 3 : 2;
      const auto program = [lanes](Party& at) -> Task<Numbers> {
        return result_of(at, mask(at, Arith(Shape{1, lanes}, 0, Words(at.holds_shares() ? lanes : 0, 1)), "mask"));
      };
      return run_transfers(party, Seed::from_os(), "test", program);
    };
    EXPECT_THAT(error_of<ProtocolError>([&] { (void)simulate(two(), whole); }),
                ::testing::HasSubstr("drew other correlations"));
  }
}

// The same of an owner outside, whose masks would be shifted.
TEST(TwoParties, FindAnOwnerOutsideWithAnotherProgram) {
  const Topology topology = Topology::without_dealer(2, true, true);
  for (const NodeId astray : {NodeId{2}, NodeId{3}}) {
    const auto whole = [&](Party& party) {
      const std::size_t inputs = party.is(astray) ? 2 : 1;
      const auto program = [inputs](Party& at) -> Task<Unit> {
        for (std::size_t i = 0; i < inputs; ++i) (void)at.preprocessing().input_mask(2, 1);
        co_return Unit{};
      };
      return run_transfers(party, Seed::from_os(), "test", program);
    };
    EXPECT_THAT(error_of<ProtocolError>([&] { (void)simulate(topology, whole); }),
                ::testing::HasSubstr(topology.name(astray) + " drew other correlations"));
  }
}

}  // namespace
}  // namespace sotto::protocols::testing
