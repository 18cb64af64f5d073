// Set-up, triples and products by oblivious transfers between two parties: results, declared cost, hostile peers.
#include "protocols/preprocessing/transfers/bit_triples.h"
#include "protocols/preprocessing/transfers/transfer_pair.h"
#include "protocols/preprocessing/transfers/transfer_products.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/core/transfer/two_sides.h"
#include "tests/framework.h"

namespace sotto::protocols {
namespace {

constexpr std::array<std::byte, 16> session = {std::byte{5}};
constexpr std::uint64_t set_up_bytes = 16384;

Topology two_parties(bool further = false) { return Topology::without_dealer(2, further); }

// Payload that each party sent, without the headers of its frames to the other.
template <class Run>
void expect_payload(const Run& run, std::uint64_t rounds, std::uint64_t bytes) {
  EXPECT_EQ(run.rounds, rounds);
  for (NodeId party = 0; party < 2; ++party) EXPECT_EQ(run.sent[party], bytes + rounds * FrameHeader::size);
  EXPECT_EQ(run.dealt, 0);
}

// A run costs what its plan says.
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

// This party's share of the numbers; none at other roles.
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

// What any of the two sends in any round of the set-up is judged by the other.
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

// Shares of one party are fair coins, whatever the other holds: within 5 standard deviations.
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

// Triples that served once are gone.
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

// Roles that do not ask for the same number fail the digest of the round.
Task<Words> out_of_step(Party& party) {
  TransferPair pair = co_await agree_on_transfers(party, 4, session);
  (void)co_await make_bit_triples(party, pair, party.is(0) ? 2 : 3);
  co_return Words{};
}

TEST(TransferPair, OutOfStepFailsTheDigest) { EXPECT_THROW((void)simulate(two_parties(), out_of_step), ProtocolError); }

}  // namespace
}  // namespace sotto::protocols
