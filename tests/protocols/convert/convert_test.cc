#include "sotto/protocol/convert/convert.h"
#include "sotto/protocol/boolean/adder.h"
#include "sotto/protocol/sharing/share_access.h"
#include "tests/protocols/boolean/shared_bits.h"

namespace sotto::protocols::testing {
namespace {

class Convert : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Parties, Convert, ::testing::Values(2, 3, 5, 8), ::testing::PrintToStringParamName());

TEST_P(Convert, ArithToBoolGivesTheBitsOfAnyRing) {
  for (const unsigned width : {1u, 2u, 5u, 20u, 63u, 64u}) {
    for (const std::size_t lanes : {0u, 1u, 60u}) {
      const Numbers words = test_words(width, lanes, width);
      const std::uint64_t levels = width == 1 ? 0 : carry_save_levels(GetParam());
      EXPECT_EQ(run_and_agree(GetParam(), levels + adder_rounds(width) + 1,
                              [&](Party& party) {
                                return result_of(party, arith_to_bool(party, shared_words(party, width, words), "A2B"));
                              }),
                words);
    }
  }
}

TEST_P(Convert, SignOfIsTheTopBit) {
  for (const unsigned width : {1u, 2u, 20u, 64u}) {
    const Numbers words = test_words(width, 60, width);
    const std::uint64_t levels = width == 1 ? 0 : carry_save_levels(GetParam());
    const Numbers result = run_and_agree(GetParam(), levels + top_bit_rounds(width) + 1, [&](Party& party) {
      return result_of(party, sign_of(party, shared_words(party, width, words), "sign"));
    });
    for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(result[i], words[i] >> (width - 1));
  }
}

Task<Numbers> to_words(Party& party, unsigned width, unsigned ring, Numbers words) {
  return result_of(party, bool_to_arith(party, shared_bits(party, width, words), ring, "B2A"));
}

TEST_P(Convert, BoolToArithGivesWordsAndBitsInAnyRing) {
  for (const unsigned width : {1u, 2u, 8u, 33u, 64u}) {
    for (const unsigned ring : {1u, 5u, 8u, 40u, 64u}) {
      for (const std::size_t lanes : {0u, 1u, 60u}) {
        const Numbers words = test_words(width, lanes, width);
        const Numbers result =
            run_and_agree(GetParam(), 2, [&](Party& party) { return to_words(party, width, ring, words); });
        ASSERT_EQ(result.size(), lanes);
        for (std::size_t i = 0; i < lanes; ++i) {
          EXPECT_EQ(result[i], words[i] & ones(ring)) << width << " bits in a ring of " << ring;
        }
      }
    }
  }
}

Task<Numbers> there_and_back(Party& party, Numbers words) {
  const Bool bits = co_await arith_to_bool(party, shared_words(party, 64, words), "A2B");
  Arith value = co_await bool_to_arith(party, bits, 64, "B2A");
  co_return co_await opened(party, std::move(value));
}

TEST_P(Convert, ThereAndBackIsTheIdentity) {
  const Numbers words = test_words(64, 200, 9);
  EXPECT_EQ(run_and_agree(GetParam(), carry_save_levels(GetParam()) + 9,
                          [&](Party& party) { return there_and_back(party, words); }),
            words);
}

TEST(ConvertCost, ABitIsDealtInItsRingAndAWordInTheTriangle) {
  const auto bit = [](Party& party) { return to_words(party, 1, 64, Numbers(80, 1)); };
  const auto word = [](Party& party) { return to_words(party, 64, 64, Numbers(80, 1)); };
  const std::uint64_t rest = 80 * 8 + 3 * FrameHeader::size;
  EXPECT_EQ(plan(Topology(2), bit).total().dealt, 80 * 8 + rest);
  EXPECT_EQ(plan(Topology(2), word).total().dealt, 80 * (64 * 65 / 2) / 8 + rest);
}

TEST(ConvertArguments, AreChecked) {
  expect_refused([](Party& party) { return to_words(party, 8, 65, Numbers(1, 1)); });
}

}  // namespace
}  // namespace sotto::protocols::testing
