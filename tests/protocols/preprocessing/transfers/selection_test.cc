// Sums of what an outside owner's bits select, by transfers and with a dealer, against plain sums; what it costs.
#include "sotto/protocol/arithmetic/selection.h"
#include "protocols/preprocessing/replicated/run_replicated.h"
#include "sotto/protocol/arithmetic/batch_maps.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/io/mask.h"
#include "tests/protocols/preprocessing/without_dealer.h"

namespace sotto::protocols::testing {
namespace {

struct Selected {
  std::size_t rows, events, columns;
  Numbers bits;  // by row; of each word the lowest counts
  Numbers y;
};

Selected some_selection(std::size_t rows, std::size_t events, std::size_t columns) {
  std::mt19937_64 random(rows + 100 * events);
  Selected s{rows, events, columns, {}, {}};
  for (std::size_t i = 0; i < rows * events; ++i) s.bits.push_back(random());
  for (std::size_t i = 0; i < events * columns; ++i) s.y.push_back(random());
  return s;
}

Numbers expected_sums(const Selected& s) {
  Numbers sums(s.rows * s.columns, 0);
  for (std::size_t r = 0; r < s.rows; ++r) {
    for (std::size_t e = 0; e < s.events; ++e) {
      if ((s.bits[r * s.events + e] & 1) == 0) continue;
      for (std::size_t c = 0; c < s.columns; ++c) sums[r * s.columns + c] += s.y[e * s.columns + c];
    }
  }
  return sums;
}

// y is masked by nobody's choice, as sums of products are.
Task<Numbers> selected(Party& party, NodeId owner, Selected s) {
  const Input bits = input_of(party, owner, Shape{s.rows, s.events}, 0, s.bits);
  const Masked input = co_await masked(party, Shape{s.events, s.columns}, 0, s.y);
  auto [b, y] = co_await when_all(share_bits(party, owner, bits, "bits"), mask(party, input.shares(party), "y"));
  co_return co_await opened(party, select(party, MatMul(b.shape, y.shape()), b, y));
}

// The same with bits that no role knows: the lowest ones of words in shares.
Task<Numbers> selected_by_shares(Party& party, Selected s) {
  const Masked words = co_await masked(party, Shape{s.rows, s.events}, 0, s.bits);
  const Masked input = co_await masked(party, Shape{s.events, s.columns}, 0, s.y);
  const Arith shares = words.shares(party);
  auto [b, y] = co_await when_all(mask_bits(party, shares, "bits"), mask(party, input.shares(party), "y"));
  co_return co_await opened(party, select(party, MatMul(b.shape, y.shape()), b, y));
}

TEST(Selection, IsThatOfBitsInShares) {
  for (const auto& [rows, events, columns] : {std::tuple{1, 1, 1}, {3, 5, 70}, {10, 33, 20}}) {
    const Selected s = some_selection(rows, events, columns);
    EXPECT_EQ(run_without_dealer(RandomnessBy::ot, [&](Party& party) { return selected_by_shares(party, s); }),
              expected_sums(s));
  }
}

TEST(Selection, IsThatOfThePlainBits) {
  for (const auto& [rows, events, columns] : {std::tuple{1, 1, 1}, {3, 5, 70}, {10, 33, 20}}) {
    const Selected s = some_selection(rows, events, columns);
    // A party's bits, and those of a node outside.
    EXPECT_EQ(run_without_dealer(RandomnessBy::ot, [&](Party& party) { return selected(party, 1, s); }),
              expected_sums(s));
    const Topology outside = Topology::without_dealer(2, true);
    const auto whole = [&](Party& party) {
      return run_transfers(party, Seed::from_os(), "test", [&](Party& at) { return selected(at, 2, s); });
    };
    const auto run = simulate(outside, whole);
    EXPECT_EQ(plan(outside, whole).total().sent, run.sent);
    EXPECT_EQ(run.nodes[0], expected_sums(s));
    EXPECT_EQ(run.nodes[1], expected_sums(s));
  }
}

class SelectionOf : public ForParties {};
SOTTO_FOR_PARTIES(SelectionOf);

TEST_P(SelectionOf, PartiesWithADealerIsTheSame) {
  const Selected s = some_selection(4, 9, 6);
  EXPECT_EQ(run_and_agree(GetParam(), 3, [&](Party& party) { return selected(party, 1, s); }), expected_sums(s));
  EXPECT_EQ(run_and_agree(GetParam(), 4, [&](Party& party) { return selected_by_shares(party, s); }), expected_sums(s));
}

// A bit takes a transfer for each 64 columns, of 16 / k bytes one way, and 8 bytes a column the other; a bit as a
// number one transfer and 63 bits. Beside that the parties confirm, and open y.
TEST(Selection, CostsEightBytesAWord) {
  const auto sent = [](std::size_t events) {
    CostWithoutDealer cost{};
    const Selected s = some_selection(10, events, 210);
    (void)run_without_dealer(
        RandomnessBy::ot, [&](Party& party) { return selected(party, 0, s); }, &cost);
    return cost.preprocessing.sent[0] + cost.preprocessing.sent[1];
  };
  const double an_event = static_cast<double>(sent(24) - sent(8)) / 16;
  EXPECT_NEAR(an_event, 2 * 10 * (4 * 4 + 210 * 8) + 10 * (4 + 8), 8);
}

TEST(Selection, RefusesWhatDoesNotFit) {
  const Selected s = some_selection(2, 3, 4);
  Selected more = s;
  more.bits.push_back(1);
  expect_refused([&](Party& party) { return selected(party, 1, more); });
  const auto program = [&](Party& party) -> Task<Numbers> {
    const Input bits = input_of(party, 0, Shape{2, 3}, 0, s.bits);
    const MaskedBits b = co_await share_bits(party, 0, bits, "bits");
    const Masked y = co_await masked(party, Shape{4, 3}, 0, s.y);
    co_return co_await opened(party, select(party, MatMul(Shape{2, 4}, y.shape()), b, y));
  };
  expect_refused(program);
  expect_refused([&](Party& party) -> Task<Numbers> {
    const Masked words = co_await masked(party, Shape{2, 3}, 0, s.bits);
    const MaskedBits bits = co_await mask_bits(party, words.shares(party).in_ring(8), "bits");
    co_return Numbers(bits.words.begin(), bits.words.end());
  });
  // Three parties without a dealer multiply by masked words.
  const auto of_three = [&](Party& party) {
    return run_replicated(party, Seed::from_os(), "test", [&](Party& at) { return selected(at, 1, s); });
  };
  EXPECT_THROW((void)simulate(Topology::without_dealer(3, false), of_three), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::protocols::testing
