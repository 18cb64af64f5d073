#include "sotto/protocol/arithmetic/selection.h"

#include "sotto/protocol/boolean/bits.h"
#include "tests/framework.h"
#include "tests/properties.h"
#include "tests/protocols/boolean/shared_bits.h"
#include "tests/protocols/support.h"

namespace sotto::protocols::testing {
namespace {

struct BitProduct {
  Shape left, right;
  Numbers x, y;
};

BitProduct some_product(std::size_t rows, std::size_t inner, std::size_t columns) {
  std::mt19937_64 random(rows + 10 * inner + 100 * columns);
  BitProduct p{{rows, inner}, {inner, columns}, Numbers(rows * inner), Numbers(inner * columns)};
  for (std::uint64_t& word : p.x) word = random();
  for (std::uint64_t& word : p.y) word = random() & 1;
  return p;
}

Numbers expected(const BitProduct& p) {
  Numbers sums(p.left.rows * p.right.columns, 0);
  for (std::size_t r = 0; r < p.left.rows; ++r) {
    for (std::size_t i = 0; i < p.left.columns; ++i) {
      for (std::size_t c = 0; c < p.right.columns; ++c) {
        sums[r * p.right.columns + c] += (p.x[r * p.left.columns + i] & 1) * p.y[i * p.right.columns + c];
      }
    }
  }
  return sums;
}

constexpr std::uint64_t rounds_of_both = 2;
Task<Numbers> multiplied(Party& party, NodeId owner, BitProduct p) {
  const Input x = input_of(party, owner, p.left, 0, p.x);
  Bool shared = shared_bits(party, 1, p.y).reshaped(p.right);
  auto [left, right] = co_await when_all(share_bits(party, owner, x, "x"), mask_bits(party, std::move(shared), "y"));
  co_return co_await opened(party, both(party, MatMul(left.shape, right.shape), left, right));
}

class BitsOfBoth : public ForParties {};
SOTTO_FOR_PARTIES(BitsOfBoth);

TEST_P(BitsOfBoth, AreMultipliedAsNumbers) {
  for (const auto& [rows, inner, columns] : {std::tuple{1, 1, 1}, {3, 5, 2}, {12, 130, 1}, {2, 64, 3}}) {
    const BitProduct p = some_product(rows, inner, columns);
    EXPECT_EQ(run_and_agree(GetParam(), rounds_of_both, [&](Party& party) { return multiplied(party, 1, p); }),
              expected(p));
  }
}

// Bits that are all 1 on both sides give the largest sum.
TEST_P(BitsOfBoth, AddUp) {
  const BitProduct p{{2, 300}, {300, 1}, Numbers(600, 1), Numbers(300, 1)};
  EXPECT_EQ(run_and_agree(GetParam(), rounds_of_both, [&](Party& party) { return multiplied(party, 0, p); }),
            Numbers(2, 300));
}

Task<Numbers> xor_shared(Party& party, NodeId owner, BitProduct p) {
  const MaskedBits bits = co_await share_bits(party, owner, input_of(party, owner, p.left, 0, p.x), "x");
  co_return co_await opened(party, xor_of_rows(xor_shares_of(party, bits)));
}

TEST_P(BitsOfBoth, AreXorSharesToo) {
  const BitProduct p = some_product(7, 9, 1);
  Numbers parities(7, 0);
  for (std::size_t i = 0; i < p.x.size(); ++i) parities[i / 9] ^= p.x[i] & 1;
  EXPECT_EQ(run_and_agree(GetParam(), rounds_of_both, [&](Party& party) { return xor_shared(party, 1, p); }), parities);
}

Task<Numbers> lowest(Party& party, Numbers words, unsigned bits) {
  const Masked shared = co_await masked(party, Shape{1, words.size()}, 0, words);
  co_return co_await opened(party, lowest_bits(shared.shares(party).in_ring(bits)));
}

TEST_P(BitsOfBoth, AreTheLowestOfWords) {
  const Numbers words = test_words(64, 40, 3);
  Numbers low;
  for (const std::uint64_t word : words) low.push_back(word & 1);
  for (const unsigned bits : {1u, 8u, 64u}) {
    EXPECT_EQ(run_and_agree(GetParam(), rounds_of_both, [&](Party& party) { return lowest(party, words, bits); }), low);
  }
}

// One bit per lane is opened, packed into words of 64 bits. The dealer deals 64 bits per lane, and 64 bits per pair of
// a row and a column.
TEST(BitsOfBothCost, IsABitALane) {
  const auto cost = [](std::size_t inner) {
    const BitProduct p = some_product(3, inner, 1);
    return plan(Topology(2), [&](Party& party) { return multiplied(party, 1, p); }).total();
  };
  const auto less = cost(64);
  const auto more = cost(64 * 11);
  EXPECT_EQ(more.sent[0] - less.sent[0], 10 * 8u);
  // Party 1 also sends the bits of the three rows of its own input.
  EXPECT_EQ(more.sent[1] - less.sent[1], 10 * 8u * 4);
  // For each lane of the inner size, the dealer deals one word for each of 3 rows, 1 column and 3 pairs.
  EXPECT_EQ(more.dealt - less.dealt, 640 * (3 + 1 + 3) * 8u);
}

TEST(BitsOfBoth, RefuseWhatDoesNotFit) {
  expect_refused([](Party& party) { return mask_bits(party, Bool(Shape{1, 2}, 2), "two bits wide"); });
  const Numbers two{1, 0};
  const Numbers three{1, 0, 1};
  expect_refused([&](Party& party) -> Task<Numbers> {
    const MaskedBits x = co_await mask_bits(party, shared_bits(party, 1, two), "x");
    const MaskedBits y = co_await mask_bits(party, shared_bits(party, 1, three), "y");
    co_return co_await opened(party, both(party, MatMul(Shape{1, 2}, Shape{2, 1}), x, y));
  });
}

}  // namespace
}  // namespace sotto::protocols::testing
