#include "sotto/protocols/boolean/bit_and.h"

#include "sotto/protocols/boolean/packed_bits.h"
#include "tests/protocols/boolean/shared_bits.h"

namespace sotto::protocols::testing {
namespace {

class BitAnd : public ForParties {};
SOTTO_FOR_PARTIES(BitAnd);

Task<Numbers> conjunction(Party& party, unsigned width, Numbers x, Numbers y) {
  Bool xs = shared_bits(party, width, x);
  Bool ys = shared_bits(party, width, y);
  Bool product = co_await bit_and(party, std::move(xs), std::move(ys), "and");
  co_return co_await opened(party, std::move(product));
}

TEST_P(BitAnd, AgreesWithWordsOfAnyWidth) {
  for (const unsigned width : {1u, 2u, 7u, 8u, 31u, 33u, 63u, 64u}) {
    for (const std::size_t lanes : {0u, 1u, 7u, 300u}) {
      const Numbers x = test_words(width, lanes, 1);
      const Numbers y = shuffled(test_words(width, lanes, 2), 3);
      const auto program = [&](Party& party) { return conjunction(party, width, x, y); };
      const Numbers result = run_and_agree(GetParam(), program, 2);
      ASSERT_EQ(result.size(), lanes);
      for (std::size_t i = 0; i < lanes; ++i) EXPECT_EQ(result[i], x[i] & y[i]) << width;
    }
  }
}

TEST_P(BitAnd, SendsTwoBitsAnAndAndDealsOne) {
  const std::size_t lanes = 640;
  const Numbers x = test_words(1, lanes, 1);
  const auto program = [&](Party& party) { return conjunction(party, 1, x, x); };
  const Ledger ledger = plan(Topology(GetParam()), program);
  const std::uint64_t frames = 2 * FrameHeader::size + 2 * lanes / 8 + lanes / 8;
  EXPECT_EQ(ledger.total().sent[0], (GetParam() - 1) * frames);
  // Three chunks: before the AND, before the opening, and the last one.
  // The opening is dealt as much as the AND: fresh shares.
  EXPECT_EQ(ledger.total().dealt, 2 * (lanes / 8) + 3 * FrameHeader::size);
}

TEST(BitAndArguments, AreChecked) {
  const auto widths = [](Party& party) -> Task<Bool> {
    return bit_and(party, Bool(Shape{1, 1}, 3), Bool(Shape{1, 1}, 4), "and");
  };
  EXPECT_THROW((void)simulate(Topology(2), widths), std::invalid_argument);
  const auto shapes = [](Party& party) -> Task<Bool> {
    return bit_and(party, Bool(Shape{1, 1}, 3), Bool(Shape{1, 2}, 3), "and");
  };
  EXPECT_THROW((void)simulate(Topology(2), shapes), std::invalid_argument);
}

TEST(PackedBits, ComeBackAsTheyWere) {
  for (unsigned width = 1; width <= 64; ++width) {
    for (const std::size_t lanes : {1u, 2u, 63u, 64u, 65u}) {
      const Numbers numbers = test_words(width, lanes, width);
      const Words words(numbers.begin(), numbers.end());
      const Words packed = pack_bits(words, width);
      EXPECT_EQ(packed.size(), (lanes * width + 63) / 64);
      EXPECT_EQ(unpack_bits(packed, lanes, width), words);
    }
  }
  EXPECT_TRUE(pack_bits({}, 5).empty());
  EXPECT_TRUE(unpack_bits({}, 100, 5).empty());
}

}  // namespace
}  // namespace sotto::protocols::testing
