// Bits of replicated numbers: planes, ANDs, carries, comparisons, openings, numbers again, one-hots; against plain
// words.
#include "protocols/preprocessing/recorded/circuits.h"
#include "protocols/preprocessing/replicated/and_bits.h"
#include "protocols/preprocessing/replicated/digit_table.h"

#include "protocols/preprocessing/recorded/one_hot.h"
#include "protocols/preprocessing/replicated/bit_conversion.h"
#include "protocols/preprocessing/replicated/bit_decomposition.h"
#include "tests/protocols/preprocessing/replicated/support.h"

namespace sotto::protocols::testing {
namespace {

using Sent = std::array<std::uint64_t, 3>;

Sent each(std::uint64_t bytes) { return {bytes, bytes, bytes}; }

TEST(BitPlanes, AreNumbersOnTheirSide) {
  for (const std::size_t lanes : {0u, 1u, 63u, 64u, 65u, 130u}) {
    for (const unsigned width : {1u, 5u, 33u, 64u}) {
      const Numbers numbers = test_words(width, lanes, width);
      const Words words(numbers.begin(), numbers.end());
      const Words planes = planes_of(words, width);
      ASSERT_EQ(planes.size(), plane_words(lanes) * width);
      for (unsigned b = 0; b < width; ++b) {
        for (std::size_t i = 0; i < 64 * plane_words(lanes); ++i) {
          const std::uint64_t bit = planes[b * plane_words(lanes) + i / 64] >> (i % 64) & 1;
          ASSERT_EQ(bit, i < lanes ? numbers[i] >> b & 1 : 0) << lanes << " " << b << " " << i;
        }
      }
      EXPECT_EQ(numbers_of(planes, lanes, width), words);
    }
  }
}

Task<NumberPieces> anded(Party& party, PairKeys& keys, Numbers x, Numbers y, unsigned width) {
  return and_each(party, keys, planes_of_known(keys, x, width, 1), planes_of_known(keys, y, width, 2), "and");
}

TEST(Circuits, AndIsThatOfTheBits) {
  for (const std::size_t lanes : {1u, 64u, 100u}) {
    const Numbers x = test_words(20, lanes, 1);
    const Numbers y = shuffled(test_words(20, lanes, 2), 3);
    const auto run = run_keyed([&](Party& party, PairKeys& keys) { return anded(party, keys, x, y, 20); });
    Numbers expected = x;
    for (std::size_t i = 0; i < lanes; ++i) expected[i] &= y[i];
    EXPECT_EQ(number_of(run.nodes), expected);
    EXPECT_EQ(run.rounds, 1u);
    EXPECT_EQ(run.sent, each(8 * plane_words(lanes) * 20));
  }
}

Task<NumberPieces> carried(Party& party, PairKeys& keys, Numbers x, Numbers y, bool carry) {
  BitPieces into = keys.zero_bits(x.size());
  if (carry) into = keys.complement(into);
  return carries(party, keys, planes_of_known(keys, x, 64, 1), planes_of_known(keys, y, 64, 2), std::move(into), 64,
                 "carries");
}

TEST(Circuits, CarriesAreThoseOfASum) {
  const Numbers x = test_words(64, 150, 1);
  const Numbers y = shuffled(test_words(64, 150, 2), 3);
  for (const bool carry : {false, true}) {
    const auto run = run_keyed([&](Party& party, PairKeys& keys) { return carried(party, keys, x, y, carry); });
    for (unsigned b = 0; b <= 64; ++b) {
      const Numbers plane = bits_of([&](NodeId i) -> const BitPieces& { return run.nodes[i][b]; });
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto low = [&](std::uint64_t word) { return b == 0 ? __uint128_t{0} : __uint128_t{word & ones(b)}; };
        EXPECT_EQ(plane[i], static_cast<std::uint64_t>((low(x[i]) + low(y[i]) + (carry ? 1 : 0)) >> b)) << b;
      }
    }
    EXPECT_EQ(run.rounds, 64u);
    EXPECT_EQ(run.sent, each(64 * 8 * plane_words(x.size())));
  }
}

Task<Words> compared(Party& party, PairKeys& keys, Numbers x, unsigned width, std::uint64_t threshold) {
  NumberPieces number = planes_of_known(keys, x, width, 1);
  BitPieces less = co_await below(party, keys, std::move(number), threshold, "comparison");
  co_return co_await open_bits(party, std::move(less), "bits");
}

void expect_comparison(const Numbers& x, unsigned width, std::uint64_t threshold) {
  const auto run = run_keyed([&](Party& party, PairKeys& keys) { return compared(party, keys, x, width, threshold); });
  for (const NodeId node : leads) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(run.nodes[node][i / 64] >> (i % 64) & 1, x[i] < threshold ? 1u : 0u) << x[i] << " < " << threshold;
    }
  }
  const unsigned ands = below_ands(threshold, width);
  EXPECT_EQ(run.rounds, ands + 1);
  EXPECT_EQ(run.sent, each((ands + 1) * 8 * plane_words(x.size())));
}

TEST(Circuits, BelowAPublicNumber) {
  Numbers all(32);
  std::iota(all.begin(), all.end(), 0);
  for (std::uint64_t threshold = 0; threshold < 32; ++threshold) expect_comparison(all, 5, threshold);
  Numbers words = test_words(64, 70, 4);
  for (const std::uint64_t threshold : {std::uint64_t{1}, std::uint64_t{1} << 63, ~std::uint64_t{0}, words[20]}) {
    expect_comparison(words, 64, threshold);
  }
  const auto beyond = [&](Party& party, PairKeys& keys) { return compared(party, keys, all, 5, 32); };
  EXPECT_THROW((void)simulate(three(), [&](Party& party) { return with_keys(party, beyond); }), std::invalid_argument);
}

// ---- Numbers that nobody knows. ----

Task<NumberPieces> decomposed(Party& party, PairKeys& keys, NodeId lead, const Numbers& x, unsigned bits, bool carry) {
  BitPieces into = keys.zero_bits(x.size());
  if (carry) into = keys.complement(into);
  return bits_of(party, keys, lead, pieces_of(keys, x, bits, Group::sum, 5), std::move(into), "bits");
}

TEST(BitDecomposition, IsThatOfTheNumber) {
  for (const unsigned bits : {1u, 2u, 26u, 64u}) {
    const Numbers x = test_words(bits, 70, bits);
    for (const NodeId lead : leads) {
      const bool carry = lead == 1;
      const auto run =
          run_keyed([&](Party& party, PairKeys& keys) { return decomposed(party, keys, lead, x, bits, carry); });
      Numbers expected = x;
      for (std::uint64_t& word : expected) word = (word + (carry ? 1 : 0)) & ones(bits);
      EXPECT_EQ(number_of(run.nodes), expected);
      EXPECT_EQ(run.rounds, bits);
      const std::uint64_t plane = 8 * plane_words(x.size());
      Sent sent = each((bits - 1) * plane);
      sent[lead] += bits * plane;
      EXPECT_EQ(run.sent, sent);
    }
  }
}

// ---- Numbers again. ----

// Bit b of each number in a ring of widths[b].
template <class T>
auto converted(Party& party, PairKeys& keys, NodeId lead, const Numbers& x, RingWidths widths, T protocol) {
  NumberPieces bits = planes_of_known(keys, x, static_cast<unsigned>(widths.size()), 7);
  return protocol(party, keys, lead, std::move(bits), std::move(widths), "conversion");
}

const RingWidths some_widths{1, 2, 31, 63, 64};

std::uint64_t parcel_bytes(std::size_t lanes) {
  std::uint64_t words = 0;
  for (const unsigned width : some_widths) words += (lanes * width + 63) / 64;
  return 8 * words;
}

TEST(BitConversion, GivesNumbersInAnyRing) {
  for (const std::size_t lanes : {1u, 64u, 200u}) {
    const Numbers x = test_words(5, lanes, 6);
    for (const NodeId lead : leads) {
      const auto run = run_keyed(
          [&](Party& party, PairKeys& keys) { return converted(party, keys, lead, x, some_widths, &bits_as_numbers); });
      for (std::size_t b = 0; b < some_widths.size(); ++b) {
        const auto held = [&](NodeId i) -> const WordPieces& { return run.nodes[i][b]; };
        const Numbers values = value_of(held, some_widths[b]);
        for (std::size_t i = 0; i < lanes; ++i) EXPECT_EQ(values[i], x[i] >> b & 1);
      }
      EXPECT_EQ(run.rounds, 2u);
      EXPECT_EQ(run.sent, each(parcel_bytes(lanes)));
    }
  }
}

TEST(BitConversion, GivesSharesInOneMessage) {
  const Numbers x = test_words(5, 100, 8);
  for (const NodeId lead : leads) {
    const auto run = run_keyed(
        [&](Party& party, PairKeys& keys) { return converted(party, keys, lead, x, some_widths, &bits_as_shares); });
    for (std::size_t b = 0; b < some_widths.size(); ++b) {
      EXPECT_EQ(run.nodes[lead][b].words, Words(x.size(), 0));
      const auto words = [&](NodeId i) { return run.nodes[i][b].words; };
      const Numbers values = combined({words(0), words(1), words(2)}, some_widths[b], Group::sum);
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(values[i], x[i] >> b & 1);
    }
    Sent sent{};
    sent[lead] = parcel_bytes(x.size());
    EXPECT_EQ(run.sent, sent);
    EXPECT_EQ(run.rounds, 1u);
  }
}

// ---- One-hots. ----

TEST(OneHot, HasAnAndForAllButTheImpliedEntries) {
  for (unsigned bits = 1; bits <= 6; ++bits) {
    Numbers digits(std::size_t{1} << bits);
    std::iota(digits.begin(), digits.end(), 0);
    digits.resize(digits.size() + 5, 1);
    const auto run = run_keyed([&](Party& party, PairKeys& keys) {
      return one_hot(party, keys, planes_of_known(keys, digits, bits, 3), "one-hot");
    });
    Numbers expected = digits;
    for (std::uint64_t& digit : expected) digit = std::uint64_t{1} << digit;
    EXPECT_EQ(number_of(run.nodes), expected);
    const std::uint64_t ands = (std::uint64_t{1} << bits) - bits - 1;
    EXPECT_EQ(run.rounds, one_hot_rounds(bits));
    EXPECT_EQ(run.sent, each(ands * 8 * plane_words(digits.size())));
  }
}

TEST(OneHot, TablesAreThoseOfTheDigits) {
  for (const unsigned bits : {1u, 3u, 6u}) {
    for (const unsigned width : {1u, 6u, 64u}) {
      const Numbers digits = test_words(bits, 70, width);
      for (const NodeId lead : leads) {
        const auto run = run_keyed([&](Party& party, PairKeys& keys) {
          return digit_table(party, keys, lead, planes_of_known(keys, digits, bits, 3), width, "table");
        });
        const std::size_t entries = digits.size() << bits;
        const auto words = [&](NodeId i) { return as_words(run.nodes[i], entries).words; };
        const Numbers tables = combined({words(0), words(1), words(2)}, width, Group::sum);
        ASSERT_EQ(tables.size(), entries);
        for (std::size_t i = 0; i < tables.size(); ++i) {
          EXPECT_EQ(tables[i], i % (1u << bits) == digits[i >> bits] ? 1u : 0u);
        }
        Sent sent{};
        sent[lead] = 8 * (((digits.size() << bits) * width + 63) / 64);
        EXPECT_EQ(run.sent, sent);
        EXPECT_EQ(run.rounds, 1u);
      }
    }
  }
}

TEST(OneHot, RefusesDigitsOfNoBits) {
  const auto none = [](Party& party, PairKeys& keys) { return one_hot(party, keys, NumberPieces{}, "one-hot"); };
  EXPECT_THROW((void)simulate(three(), [&](Party& party) { return with_keys(party, none); }), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::protocols::testing
