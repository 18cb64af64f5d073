#include "sotto/protocol/arithmetic/one_hots.h"

#include "sotto/protocol/arithmetic/selection.h"
#include "sotto/protocol/io/open.h"
#include "tests/framework.h"
#include "tests/properties.h"
#include "tests/protocols/support.h"

namespace sotto::protocols::testing {
namespace {

// The words of a role. Only the lowest bit of each word is used.
struct BroughtRows {
  Shape shape;
  OneHots groups;
  Numbers words;
};

// One-hots with a randomly chosen 1 in each group. All bits of the words except the lowest are random.
BroughtRows one_hots_of(Shape shape, OneHots groups, std::mt19937_64& random) {
  BroughtRows rows{shape, groups, Numbers(shape.lanes())};
  for (std::uint64_t& word : rows.words) word = random() & ~std::uint64_t{1};
  const bool by_row = groups == OneHots::rows;
  for (std::size_t group = 0; group < (by_row ? shape.rows : shape.columns); ++group) {
    const std::size_t place = random() % (by_row ? shape.columns : shape.rows);
    rows.words[by_row ? group * shape.columns + place : place * shape.columns + group] |= 1;
  }
  return rows;
}

bool are_one_hots(const BroughtRows& rows) {
  const bool by_row = rows.groups == OneHots::rows;
  Numbers sums(by_row ? rows.shape.rows : rows.shape.columns, 0);
  for (std::size_t i = 0; i < rows.words.size(); ++i) {
    sums[by_row ? i / rows.shape.columns : i % rows.shape.columns] += rows.words[i] & 1;
  }
  return std::all_of(sums.begin(), sums.end(), [](std::uint64_t sum) { return sum == 1; });
}

constexpr std::uint64_t rounds = 4;
Task<Numbers> checked(Party& party, NodeId owner, BroughtRows rows, Numbers coins) {
  const Input input = input_of(party, owner, rows.shape, 0, rows.words);
  const MaskedBits bits = co_await share_bits(party, owner, input, "bits");
  const Masked shared = co_await masked(party, Shape{1, coins.size()}, 0, coins);
  const Public drawn = co_await open(party, shared.shares(party), "coins");
  co_return co_await opened(party, one_hot_excess(party, bits, rows.groups, drawn, "test"));
}

class OneHotsOf : public ForParties {};
SOTTO_FOR_PARTIES(OneHotsOf);

TEST_P(OneHotsOf, PartiesAreToldFromOtherBits) {
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < 40; ++i) {
    const Shape shape{1 + random() % 7, 1 + random() % 7};
    const OneHots groups = i % 2 == 0 ? OneHots::rows : OneHots::columns;
    BroughtRows rows = one_hots_of(shape, groups, random);
    // Half of the cases have some flipped bits. After two flips in one group, the group may be a one-hot again.
    for (std::size_t flips = i % 4 < 2 ? 0 : 1 + random() % 3; flips > 0; --flips) {
      rows.words[random() % rows.words.size()] ^= 1;
    }
    const Numbers coins{random(), random()};
    const Numbers excess =
        run_and_agree(GetParam(), rounds, [&](Party& party) { return checked(party, 1, rows, coins); });
    EXPECT_EQ(excess.front() == 0, are_one_hots(rows)) << to_string(shape);
  }
}

// Each group has a factor of its own, so an extra bit in one group and a missing bit in another group do not cancel.
TEST(OneHots, DoNotMakeUpForEachOther) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 50; ++i) {
    const BroughtRows rows{{2, 3}, OneHots::rows, {1, 1, 0, 0, 0, 0}};
    const Numbers coins{random(), random()};
    EXPECT_NE(run_and_agree(2, rounds, [&](Party& party) { return checked(party, 1, rows, coins); }).front(), 0u);
  }
}

// A group with 128 set bits has 127 bits too many. The check opens this excess times a random factor, and the factor is
// the first word that the Prg makes from the coins.
TEST(OneHots, AreWeighedByTheExpansionOfTheCoins) {
  const Numbers coins{5, 7};
  const Seed seed = Seed::from_bytes(std::as_bytes(std::span(coins)).first<Seed::size>());
  const std::uint64_t factor = Prg(seed.derive("test")).next();
  const BroughtRows rows{{1, 128}, OneHots::rows, Numbers(128, 1)};
  EXPECT_EQ(run_and_agree(3, rounds, [&](Party& party) { return checked(party, 0, rows, coins); }),
            Numbers{127 * factor});
}

TEST(OneHots, AreCheckedWithTwoWords) {
  const BroughtRows rows{{1, 2}, OneHots::rows, {1, 0}};
  expect_refused([&](Party& party) { return checked(party, 1, rows, {1, 2, 3}); });
  expect_refused([&](Party& party) { return checked(party, 1, rows, {1}); });
}

TEST(OneHots, CostNothing) {
  const auto program = [](bool checks) {
    return [checks](Party& party) -> Task<Numbers> {
      const MaskedBits bits = co_await share_bits(party, 1, input_of(party, 1, Shape{4, 5}, 0, Numbers(20)), "bits");
      const Masked shared = co_await masked(party, Shape{1, 2}, 0, Numbers(2, 1));
      const Public drawn = co_await open(party, shared.shares(party), "coins");
      if (checks) (void)one_hot_excess(party, bits, OneHots::columns, drawn, "test");
      co_return Numbers{};
    };
  };
  EXPECT_EQ(plan(Topology(3), program(true)).total(), plan(Topology(3), program(false)).total());
}

}  // namespace
}  // namespace sotto::protocols::testing
