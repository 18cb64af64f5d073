#include "sotto/protocol/boolean/adder.h"
#include "sotto/protocol/boolean/bits.h"
#include "tests/protocols/boolean/shared_bits.h"

namespace sotto::protocols::testing {
namespace {

class Adder : public ForParties {};
SOTTO_FOR_PARTIES(Adder);

void make_pairs(unsigned width, Numbers& x, Numbers& y) {
  const Numbers edges = test_words(width, 7, 0);
  for (const std::uint64_t a : edges) {
    for (const std::uint64_t b : edges) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  const Numbers random_x = test_words(width, 100, width);
  const Numbers random_y = shuffled(test_words(width, 100, width + 1), 5);
  x.insert(x.end(), random_x.begin(), random_x.end());
  y.insert(y.end(), random_y.begin(), random_y.end());
}

TEST_P(Adder, AgreesWithIntegersOfAnyWidth) {
  for (const unsigned width : {1u, 2u, 3u, 4u, 5u, 8u, 17u, 32u, 33u, 63u, 64u}) {
    Numbers x, y;
    make_pairs(width, x, y);
    const Numbers result = run_and_agree(GetParam(), adder_rounds(width) + 1, [&](Party& party) {
      return result_of(party, add(party, shared_bits(party, width, x), shared_bits(party, width, y), "add"));
    });
    ASSERT_EQ(result.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(result[i], (x[i] + y[i]) & ones(width)) << width << ": " << x[i] << " " << y[i];
    }
  }
}

TEST_P(Adder, TopBitOfASumNeedsNoSum) {
  for (const unsigned width : {1u, 2u, 3u, 4u, 5u, 8u, 17u, 32u, 33u, 63u, 64u}) {
    Numbers x, y;
    make_pairs(width, x, y);
    const Numbers result = run_and_agree(GetParam(), top_bit_rounds(width) + 1, [&](Party& party) {
      return result_of(party, top_bit_of_sum(party, shared_bits(party, width, x), shared_bits(party, width, y), "top"));
    });
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(result[i], ((x[i] + y[i]) >> (width - 1)) & 1) << width << ": " << x[i] << " " << y[i];
    }
  }
}

TEST(AdderCost, IsSevenRoundsFor64Bits) {
  EXPECT_EQ(adder_rounds(64), 7u);
  EXPECT_EQ(top_bit_rounds(64), 7u);
  EXPECT_EQ(adder_rounds(1), 0u);
  const unsigned levels[] = {0, 0, 1, 2, 3, 3, 4, 4};  // for 1 to 8 summands
  for (std::size_t n = 1; n <= 8; ++n) EXPECT_EQ(carry_save_levels(n), levels[n - 1]) << n;
}

TEST(AdderCost, TopBitSendsUnderAThird) {
  const Numbers x(64, 1);
  const auto whole = [&](Party& party) {
    return result_of(party, add(party, shared_bits(party, 64, x), shared_bits(party, 64, x), "add"));
  };
  const auto top = [&](Party& party) {
    return result_of(party, top_bit_of_sum(party, shared_bits(party, 64, x), shared_bits(party, 64, x), "top"));
  };
  EXPECT_LT(plan(Topology(2), top).total().sent[0] * 3, plan(Topology(2), whole).total().sent[0]);
}

Task<Numbers> carry_saved(Party& party, unsigned width, std::vector<Numbers> summands, bool first) {
  std::vector<Bool> values;
  for (const Numbers& summand : summands) values.push_back(shared_bits(party, width, summand));
  const auto two = co_await carry_save(party, std::move(values), "carry-save");
  if (first) co_return co_await opened(party, two.first);
  co_return co_await opened(party, two.second);
}

TEST_P(Adder, CarrySaveKeepsTheSum) {
  for (const unsigned width : {1u, 2u, 9u, 64u}) {
    for (std::size_t count = 1; count <= 8; ++count) {
      std::vector<Numbers> summands;
      Numbers expected(20, 0);
      for (std::size_t s = 0; s < count; ++s) {
        summands.push_back(shuffled(test_words(width, 20, s), s));
        for (std::size_t i = 0; i < 20; ++i) expected[i] += summands[s][i];
      }
      const std::uint64_t rounds = (width == 1 ? 0 : carry_save_levels(count)) + 1;
      const Numbers a =
          run_and_agree(GetParam(), rounds, [&](Party& party) { return carry_saved(party, width, summands, true); });
      const Numbers b =
          run_and_agree(GetParam(), rounds, [&](Party& party) { return carry_saved(party, width, summands, false); });
      for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ((a[i] + b[i]) & ones(width), expected[i] & ones(width)) << width << " " << count;
      }
    }
  }
}

TEST(CarrySave, RefusesNothing) {
  expect_refused([](Party& party) { return carry_save(party, std::vector<Bool>{}, "none"); });
}

class BitAnd : public ForParties {};
SOTTO_FOR_PARTIES(BitAnd);

TEST_P(BitAnd, AgreesWithWordsOfAnyWidth) {
  for (const unsigned width : {1u, 2u, 7u, 8u, 31u, 33u, 63u, 64u}) {
    for (const std::size_t lanes : {0u, 1u, 7u, 300u}) {
      const Numbers x = test_words(width, lanes, 1);
      const Numbers y = shuffled(test_words(width, lanes, 2), 3);
      const Numbers result = run_and_agree(GetParam(), 2, [&](Party& party) {
        return result_of(party, bit_and(party, shared_bits(party, width, x), shared_bits(party, width, y), "and"));
      });
      ASSERT_EQ(result.size(), lanes);
      for (std::size_t i = 0; i < lanes; ++i) EXPECT_EQ(result[i], x[i] & y[i]) << width;
    }
  }
}

TEST_P(BitAnd, SendsTwoBitsAnAndAndDealsOne) {
  const std::size_t lanes = 640;
  const Numbers x = test_words(1, lanes, 1);
  const auto program = [&](Party& party) {
    return result_of(party, bit_and(party, shared_bits(party, 1, x), shared_bits(party, 1, x), "and"));
  };
  const Ledger ledger = plan(Topology(GetParam()), program);
  const std::uint64_t frames = 2 * FrameHeader::size + 2 * lanes / 8 + lanes / 8;
  EXPECT_EQ(ledger.total().sent[0], (GetParam() - 1) * frames);
  // The dealer sends three chunks: one before the AND, one before the opening, and the last one. The dealer deals one
  // bit per lane for the AND, and one bit per lane for the fresh shares of the opening.
  EXPECT_EQ(ledger.total().dealt, 2 * (lanes / 8) + 3 * FrameHeader::size);
}

TEST(BitAndArguments, AreChecked) {
  expect_refused([](Party& party) { return bit_and(party, Bool(Shape{1, 1}, 3), Bool(Shape{1, 1}, 4), "and"); });
  expect_refused([](Party& party) { return bit_and(party, Bool(Shape{1, 1}, 3), Bool(Shape{1, 2}, 3), "and"); });
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
