#include "protocols/preprocessing/transfers/bit_triples.h"
#include "protocols/preprocessing/transfers/transfer_pair.h"
#include "protocols/preprocessing/transfers/transfer_products.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/core/transfer/two_sides.h"
#include "tests/framework.h"
#include "tests/protocols/preprocessing/without_dealer.h"

namespace sotto::protocols {
namespace {

constexpr std::array<std::byte, 16> session = {std::byte{5}};
constexpr std::uint64_t set_up_bytes = 16384;

Topology two_parties(bool further = false) { return Topology::without_dealer(2, further); }

// Checks the payload that each party sent, without the headers of its frames to the other party.
template <class Run>
void expect_payload(const Run& run, std::uint64_t rounds, std::uint64_t bytes) {
  EXPECT_EQ(run.rounds, rounds);
  for (NodeId party = 0; party < 2; ++party) EXPECT_EQ(run.sent[party], bytes + rounds * FrameHeader::size);
  EXPECT_EQ(run.dealt, 0);
}

template <class Program>
auto run_as_planned(Program program, std::uint64_t rounds, std::uint64_t bytes, bool further = false) {
  auto run = simulate(two_parties(further), program);
  const Ledger planned = plan(two_parties(further), program);
  EXPECT_EQ(planned.total(), run.ledger.total());
  EXPECT_EQ(planned.total().sent, run.sent);
  expect_payload(run, rounds, bytes);
  return run;
}

std::uint64_t whole_words(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

Words words_of(const std::vector<std::uint64_t>& numbers) { return {numbers.begin(), numbers.end()}; }

Words share_of(const Party& party, const std::vector<std::uint64_t>& numbers, bool by_xor = false) {
  const auto of_0 = sotto::testing::random_words(numbers.size(), numbers.size());
  if (party.is(0)) return words_of(of_0);
  Words rest;
  if (!party.is(1)) return rest;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    rest.push_back(by_xor ? numbers[i] ^ of_0[i] : numbers[i] - of_0[i]);
  }
  return rest;
}

Task<Words> pair_alone(Party& party, unsigned k) {
  const TransferPair pair = co_await agree_on_transfers(party, k, session);
  const bool computes = party.is(0) || party.is(1);
  EXPECT_EQ(pair.sender.has_value(), computes);
  EXPECT_EQ(pair.receiver.has_value(), computes);
  co_return Words{};
}

TEST(TransferPair, CostsWhatItDeclares) {
  for (const unsigned k : {2U, 4U, 8U}) {
    (void)run_as_planned([&](Party& party) { return pair_alone(party, k); }, 2, set_up_bytes);
  }
}

TEST(TransferPair, IsOfTwoParties) {
  EXPECT_THROW((void)simulate(Topology::without_dealer(3, false), [](Party& party) { return pair_alone(party, 4); }),
               std::invalid_argument);
  for (const unsigned k : {0U, 1U, 3U, 16U}) {
    EXPECT_THROW((void)simulate(two_parties(), [&](Party& party) { return pair_alone(party, k); }),
                 std::invalid_argument);
  }
}

TEST(TransferPair, RefusesAHostileSetUp) {
  for (const NodeId hostile : {NodeId{0}, NodeId{1}}) {
    SimulationOptions options;
    options.tap = [&](NodeId from, NodeId, std::uint64_t round, Bytes& frame) {
      if (from == hostile && round == 0) std::fill(frame.begin() + FrameHeader::size, frame.end(), std::byte{0xff});
    };
    const std::string name = "party " + std::to_string(hostile);
    EXPECT_EQ(error_of<ProtocolError>([&] {
                (void)simulate(
                    two_parties(), [](Party& party) { return pair_alone(party, 4); }, options);
              }),
              name + " sent no element of the group in the set-up of oblivious transfers");
  }
}

Task<BitTriples> some_triples(Party& party, unsigned k, std::size_t words) {
  TransferPair pair = co_await agree_on_transfers(party, k, session);
  (void)co_await make_bit_triples(party, pair, 1);
  co_return co_await make_bit_triples(party, pair, words);
}

TEST(BitTriples, MultiplyBits) {
  for (const unsigned k : {2U, 4U, 8U}) {
    for (const std::size_t words : {std::size_t{1}, std::size_t{200}}) {
      const auto run = run_as_planned([&](Party& party) { return some_triples(party, k, words); }, 4,
                                      set_up_bytes + 64 * 16 / k * (1 + words), k == 4);
      const BitTriples& of_0 = run.nodes[0];
      const BitTriples& of_1 = run.nodes[1];
      for (std::size_t i = 0; i < words; ++i) {
        ASSERT_EQ(of_0.c[i] ^ of_1.c[i], (of_0.a[i] ^ of_1.a[i]) & (of_0.b[i] ^ of_1.b[i])) << k << " " << i;
      }
      if (k == 4) {
        EXPECT_TRUE(run.nodes[2].a.empty());
      }
    }
  }
}

// The shares of one party are fair coins for any shares of the other party, within 5 standard deviations.
TEST(BitTriplesStatistical, AreBalanced) {
  constexpr std::size_t words = 4096;
  const auto run = simulate(two_parties(), [](Party& party) { return some_triples(party, 8, words); });
  for (NodeId party = 0; party < 2; ++party) {
    for (const Words* share : {&run.nodes[party].a, &run.nodes[party].b, &run.nodes[party].c}) {
      std::int64_t ones = 0;
      for (const std::uint64_t word : *share) ones += std::popcount(word);
      EXPECT_LT(std::abs(2 * ones - static_cast<std::int64_t>(64 * words)), 5 * 512);
    }
  }
}

Task<Words> and_of(Party& party, std::size_t words, const std::vector<std::uint64_t>& x,
                   const std::vector<std::uint64_t>& y) {
  TransferPair pair = co_await agree_on_transfers(party, 4, session);
  BitTriples triples = co_await make_bit_triples(party, pair, words);
  co_return co_await and_with_triples(party, std::move(triples), words, share_of(party, x, true),
                                      share_of(party, y, true));
}

TEST(BitTriples, MakeAnds) {
  static_assert(!std::is_copy_constructible_v<BitTriples>);
  for (const std::size_t words : {std::size_t{1}, std::size_t{77}}) {
    auto x = sotto::testing::random_words(words, 21);
    auto y = sotto::testing::random_words(words, 22);
    x[0] = ~std::uint64_t{0};
    y[words - 1] = 0;
    const auto run = run_as_planned([&](Party& party) { return and_of(party, words, x, y); }, 4,
                                    set_up_bytes + 64 * 4 * words + 2 * 8 * words, true);
    for (std::size_t i = 0; i < words; ++i) EXPECT_EQ(run.nodes[0][i] ^ run.nodes[1][i], x[i] & y[i]) << i;
    EXPECT_TRUE(run.nodes[2].empty());
  }
  const auto one = sotto::testing::random_words(1, 23);
  const auto two = sotto::testing::random_words(2, 24);
  EXPECT_THROW((void)simulate(two_parties(), [&](Party& party) { return and_of(party, 1, one, two); }),
               std::invalid_argument);
  EXPECT_THROW((void)simulate(two_parties(), [&](Party& party) { return and_of(party, 2, one, one); }),
               std::invalid_argument);
}

Task<Words> used_twice(Party& party) {
  TransferPair pair = co_await agree_on_transfers(party, 4, session);
  BitTriples triples = co_await make_bit_triples(party, pair, 1);
  const Words x(party.is(0) || party.is(1) ? 1 : 0, 1);
  (void)co_await and_with_triples(party, std::move(triples), 1, x, x);
  co_return co_await and_with_triples(party, std::move(triples), 1, x, x);  // NOLINT(bugprone-use-after-move)
}

TEST(BitTriples, ServeOnce) { EXPECT_THROW((void)simulate(two_parties(), used_twice), std::invalid_argument); }

struct Factors {
  std::vector<std::uint64_t> x, y;
};

Factors random_factors(const RingProducts& products) {
  return {sotto::testing::random_words(products.count * products.width, 11),
          sotto::testing::random_words(products.count, 12)};
}

Task<Words> product_of(Party& party, unsigned k, RingProducts products, const Factors& factors) {
  TransferPair pair = co_await agree_on_transfers(party, k, session);
  co_return co_await transfer_products(party, pair, products, share_of(party, factors.x), share_of(party, factors.y));
}

Task<Words> bit_product_of(Party& party, unsigned k, RingProducts products, const Factors& factors) {
  TransferPair pair = co_await agree_on_transfers(party, k, session);
  co_return co_await transfer_bit_products(party, pair, products, share_of(party, factors.y, true),
                                           share_of(party, factors.x));
}

std::uint64_t declared(unsigned k, const RingProducts& products) {
  return set_up_bytes + whole_words(product_request_bytes(k, products)) + whole_words(product_reply_bytes(products));
}

TEST(TransferProducts, MultiplySharedWords) {
  for (const RingProducts& products : {RingProducts{20}, RingProducts{3, 7}, RingProducts{50, 1, 46, 46},
                                       RingProducts{9, 2, 1, 1}, RingProducts{1100}}) {
    const Factors factors = random_factors(products);
    const auto run =
        run_as_planned([&](Party& party) { return product_of(party, 4, products, factors); }, 4, declared(4, products));
    for (std::size_t i = 0; i < factors.x.size(); ++i) {
      ASSERT_EQ((run.nodes[0][i] + run.nodes[1][i]) & ring_mask(products.bits),
                (factors.x[i] * factors.y[i / products.width]) & ring_mask(products.bits))
          << products.bits << " " << i;
    }
  }
}

TEST(TransferProducts, OfNoneAreNothing) {
  const Factors none;
  const auto run = simulate(two_parties(), [&](Party& party) { return product_of(party, 4, {0}, none); });
  EXPECT_TRUE(run.nodes[0].empty() && run.nodes[1].empty());
}

TEST(TransferProducts, MultiplySharedBits) {
  for (const RingProducts& products :
       {RingProducts{20, 1, 64, 1}, RingProducts{10, 210, 64, 1}, RingProducts{33, 5, 20, 1}}) {
    const Factors factors = random_factors(products);
    const auto run = run_as_planned([&](Party& party) { return bit_product_of(party, 8, products, factors); }, 4,
                                    declared(8, products), true);
    for (std::size_t i = 0; i < factors.x.size(); ++i) {
      ASSERT_EQ((run.nodes[0][i] + run.nodes[1][i]) & ring_mask(products.bits),
                (factors.x[i] * (factors.y[i / products.width] & 1)) & ring_mask(products.bits))
          << products.bits << " " << i;
    }
    EXPECT_TRUE(run.nodes[2].empty());
  }
}

TEST(TransferProducts, RefuseWhatDoesNotFit) {
  const Factors factors = random_factors({4});
  for (const RingProducts& bad : {RingProducts{3}, RingProducts{4, 2}, RingProducts{4, 1, 64, 1}}) {
    EXPECT_THROW((void)simulate(two_parties(), [&](Party& party) { return product_of(party, 4, bad, factors); }),
                 std::invalid_argument);
  }
  EXPECT_THROW((void)simulate(two_parties(), [&](Party& party) { return bit_product_of(party, 4, {4}, factors); }),
               std::invalid_argument);
}

Task<Words> out_of_step(Party& party) {
  TransferPair pair = co_await agree_on_transfers(party, 4, session);
  (void)co_await make_bit_triples(party, pair, party.is(0) ? 2 : 3);
  co_return Words{};
}

TEST(TransferPair, OutOfStepFailsTheDigest) { EXPECT_THROW((void)simulate(two_parties(), out_of_step), ProtocolError); }

}  // namespace
}  // namespace sotto::protocols

namespace sotto::protocols::testing {

namespace {

// Both operands have carry terms with factors: -1, 3, an even factor and a factor of 20 bits.
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

// The results are exact, because the factors are whole numbers. The rows have different widths.
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

// Makes one product and one truncation per step. The material is made before the online phase, in rounds for keys,
// triples, the adder, numbers, products and a confirmation. The run ends with a second confirmation.
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
    EXPECT_EQ(cost.preprocessing.rounds, 2 + 1 + 63 + 2 + (steps > 2 ? 2 : 0) + 1 + 1u);
    for (std::size_t i = 0; i < words.size(); ++i) {
      EXPECT_NEAR(real(result[i], 20), std::pow(real(words[i], 20), steps), 1e-3);
    }
  }
}

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

// A wrong program at an owner outside the parties would shift the owner's masks.
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
