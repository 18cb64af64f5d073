#include "sotto/protocol/lookup/table_lookup.h"

#include "sotto/protocol/io/mask.h"
#include "tests/protocols/boolean/shared_bits.h"

namespace sotto::protocols::testing {
namespace {

class LookUp : public ForParties {};
SOTTO_FOR_PARTIES(LookUp);

std::uint64_t entry(std::size_t lane, std::uint64_t value) {
  return (value + 1) * 0x9e3779b97f4a7c15u + lane * 0xbf58476d1ce4e5b9u;
}

Task<Numbers> looked_up(Party& party, unsigned index_bits, unsigned ring_bits, Numbers words) {
  const MaskedIndex index = co_await mask_index(party, shared_words(party, index_bits, words), "index");
  Arith entries = table_lookup(party, index, ring_bits, entry);
  co_return co_await opened(party, std::move(entries));
}

TEST_P(LookUp, GivesTheEntryOfEveryIndexInAnyRing) {
  for (const unsigned index_bits : {1u, 2u, 5u, 8u}) {
    for (const unsigned ring_bits : {1u, 5u, 7u, 8u, 20u, 64u}) {
      Numbers words;
      for (std::uint64_t value = 0; value < (1u << index_bits); ++value) words.push_back(value);
      const Numbers result =
          run_and_agree(GetParam(), 2, [&](Party& party) { return looked_up(party, index_bits, ring_bits, words); });
      for (std::size_t i = 0; i < words.size(); ++i) {
        EXPECT_EQ(result[i], entry(i, words[i]) & ones(ring_bits)) << index_bits << " " << ring_bits;
      }
    }
  }
}

// Tables are dealt and used tile by tile. There are more lanes than one tile has, and some lanes are left over.
TEST_P(LookUp, OfManyLanes) {
  for (const unsigned index_bits : {1u, 3u, 9u}) {
    for (const unsigned ring_bits : {1u, 3u, 11u, 33u, 64u}) {
      const Numbers words = test_words(index_bits, 4096 / (1u << index_bits) * 3 + 5, ring_bits);
      const Numbers result =
          run_and_agree(GetParam(), 2, [&](Party& party) { return looked_up(party, index_bits, ring_bits, words); });
      for (std::size_t i = 0; i < words.size(); ++i) {
        ASSERT_EQ(result[i], entry(i, words[i]) & ones(ring_bits)) << index_bits << " " << ring_bits;
      }
    }
  }
}

TEST_P(LookUp, OfNothingOrOneLane) {
  for (const std::size_t lanes : {0u, 1u}) {
    const Numbers words(lanes, 3);
    const Numbers result = run_and_agree(GetParam(), 2, [&](Party& party) { return looked_up(party, 3, 64, words); });
    ASSERT_EQ(result.size(), lanes);
    if (lanes == 1) {
      EXPECT_EQ(result[0], entry(0, 3));
    }
  }
}

TEST(LookUpCost, DealsATableALane) {
  const auto program = [](Party& party) { return looked_up(party, 5, 7, Numbers(8, 0)); };
  const std::uint64_t opening = 8 * 7 / 8;
  EXPECT_EQ(plan(Topology(2), program).total().dealt, 8 * 32 * 7 / 8 + opening + 3 * FrameHeader::size);
}

Task<Numbers> windowed(Party& party, Numbers words, unsigned low) {
  const Shape shape{1, words.size()};
  const Masked x = co_await masked(party, shape, 0, words);
  const MaskedIndex window = MaskedIndex::bit_range(x, low, 8);
  Arith same = table_lookup(party, window, 8, [](std::size_t, std::uint64_t value) { return value; });
  co_return co_await opened(party, std::move(same));
}

TEST_P(LookUp, TakesAnyWindowOfAMaskedValue) {
  const Numbers words = test_words(64, 200, 1);
  for (const unsigned low : {0u, 1u, 20u, 56u}) {
    const Numbers result = run_and_agree(GetParam(), 2, [&](Party& party) { return windowed(party, words, low); });
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::uint64_t more = (result[i] - (words[i] >> low)) & 0xff;
      EXPECT_LE(more, low == 0 ? 0u : 1u);
    }
  }
}

TEST(LookUpArguments, TablesOfMoreThan16BitsAreRefused) {
  expect_refused([](Party& party) { return looked_up(party, 17, 8, Numbers(1, 0)); });
}

}  // namespace
}  // namespace sotto::protocols::testing
