// Programs of two parties without a dealer: products against plain numbers, rounds that do not grow with the steps,
// owners outside, refusals.
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/party/topology.h"
#include "tests/protocols/preprocessing/without_dealer.h"

namespace sotto::protocols::testing {
namespace {

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
  const Numbers x = random_fixed(300, 2, 20, 1);
  const Numbers y = random_fixed(300, 2, 20, 2);
  const Numbers result = run_without_dealer(RandomnessBy::ot, [&](Party& party) { return products(party, x, y); });
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
    const Numbers result = run_without_dealer(
        RandomnessBy::ot,
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

// One product and one truncation a step: keys, triples, the adder, numbers, products, the confirmation, and that at the
// end.
Task<Numbers> powers(Party& party, Numbers words, unsigned steps) {
  const Masked x = co_await masked(party, Shape{1, words.size()}, 20, words);
  Masked power = x;
  for (unsigned i = 1; i < steps; ++i) power = co_await mask_trunc(party, elementwise(party, power, x), 20, "power");
  co_return co_await opened(party, power.shares(party));
}

TEST(TwoParties, MaterialOfManyStepsIsMadeAtOnce) {
  const Numbers words = random_fixed(20, 1.1, 20, 7);
  for (const unsigned steps : {2u, 9u}) {
    CostWithoutDealer cost;
    const Numbers result = run_without_dealer(
        RandomnessBy::ot, [&](Party& party) { return powers(party, words, steps); }, &cost);
    // The square of a party's own input takes no transfers.
    EXPECT_EQ(cost.preprocessing.rounds, 2 + 1 + 63 + 2 + (steps > 2 ? 2 : 0) + 1 + 1u);
    for (std::size_t i = 0; i < words.size(); ++i) {
      EXPECT_NEAR(real(result[i], 20), std::pow(real(words[i], 20), steps), 1e-3);
    }
  }
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
  run_in(two(), RandomnessBy::ot, one_input);
  EXPECT_THROW(run_in(Topology::without_dealer(3, false), RandomnessBy::ot, one_input), std::invalid_argument);
  EXPECT_THROW(run_in(Topology(2), RandomnessBy::ot, one_input), std::invalid_argument);
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
