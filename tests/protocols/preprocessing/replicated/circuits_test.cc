#include <algorithm>
#include <cmath>
#include <set>

#include "protocols/preprocessing/recorded/circuits.h"
#include "protocols/preprocessing/replicated/digit_table.h"
#include "protocols/preprocessing/replicated/replicated_bits.h"
#include "protocols/preprocessing/replicated/truncation_masks.h"
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

Numbers pads_of(const std::vector<TruncationMasks>& nodes, unsigned width) {
  return combined({nodes[0].r.own, nodes[1].r.own, nodes[2].r.own}, width, Group::sum);
}

void expect_truncation(const std::vector<TruncationMasks>& nodes, unsigned f, unsigned width) {
  const Numbers r = pads_of(nodes, width);
  const Numbers mu = value_of([&](NodeId i) -> const WordPieces& { return nodes[i].mu; }, 64);
  const Numbers h = value_of([&](NodeId i) -> const WordPieces& { return nodes[i].h; }, f);
  for (std::size_t i = 0; i < r.size(); ++i) {
    const auto as_signed = static_cast<std::int64_t>(r[i] << (64 - width)) >> (64 - width);
    EXPECT_EQ(mu[i], static_cast<std::uint64_t>(as_signed >> f)) << "r = " << r[i];
    EXPECT_EQ(h[i], r[i] >> (width - 1)) << "r = " << r[i];
  }
}

struct Form {
  unsigned f;
  unsigned width;
};
constexpr std::array<Form, 8> forms{{{1, 64}, {10, 64}, {20, 64}, {30, 64}, {62, 64}, {10, 43}, {1, 3}, {29, 31}}};

// The numbers of lanes: one tile and part of another; a few whole words; less than one word.
constexpr std::array<std::size_t, 3> lanes_led_by{600, 192, 37};

TEST(TruncationMasks, AreSignedShiftsOfUniformPads) {
  for (const Form form : forms) {
    for (const NodeId lead : leads) {
      const std::size_t lanes = lanes_led_by[lead];
      const auto run = run_keyed([&](Party& party, PairKeys& keys) {
        return truncation_masks(party, keys, lead, lanes, form.f, form.width, "truncation");
      });
      expect_truncation(run.nodes, form.f, form.width);
      EXPECT_EQ(run.rounds, form.width + 1);
      const auto packed = [lanes](unsigned bits) { return (lanes * bits + 63) / 64; };
      const std::uint64_t all_three = (form.width - 1) * packed(1) + lanes;
      const std::uint64_t others = all_three + packed(form.f);
      std::array<std::uint64_t, 3> sent{8 * others, 8 * others, 8 * others};
      sent[lead] = 8 * (all_three + lanes + 2 * packed(65 - form.width + form.f));
      EXPECT_EQ(run.sent, sent);
    }
  }
}

// Over three tiles, each bit of r is 1 in about half of the lanes.
TEST(TruncationMasks, ArePadsOfEvenBits) {
  constexpr std::size_t lanes = 3 * 512;
  const auto run = run_keyed(
      [](Party& party, PairKeys& keys) { return truncation_masks(party, keys, 0, lanes, 20, 64, "truncation"); });
  const Numbers r = pads_of(run.nodes, 64);
  for (unsigned bit = 0; bit < 64; ++bit) {
    const auto ones = std::count_if(r.begin(), r.end(), [bit](std::uint64_t word) { return (word >> bit & 1) != 0; });
    EXPECT_NEAR(static_cast<double>(ones), lanes / 2.0, 8 * std::sqrt(lanes / 4.0)) << "bit " << bit;
  }
  EXPECT_EQ(std::set<std::uint64_t>(r.begin(), r.end()).size(), lanes);
}

PairExpansion beginning_with(NodeId key, Words first) {
  return [=](std::uint64_t request, std::span<std::uint64_t> out, unsigned bits) {
    if (request == 0) return void(std::copy(first.begin(), first.end(), out.begin()));
    std::mt19937_64 random(1000 * request + key);
    for (std::uint64_t& word : out) word = random() & ones(bits);
  };
}

Words planes_of_tile(const Numbers& numbers, unsigned width) {
  const std::size_t words = plane_words(numbers.size());
  Words planes(width * words, 0);
  for (std::size_t lane = 0; lane < numbers.size(); ++lane) {
    for (unsigned b = 0; b < width; ++b) planes[b * words + lane % words] |= (numbers[lane] >> b & 1) << (lane / words);
  }
  return planes;
}

Task<TruncationMasks> of_given_bits(Party& party, std::array<Words, 3> planes, NodeId lead, std::size_t lanes,
                                    Form form) {
  PairKeys keys;
  for (const NodeId self : leads) {
    if (!party.is(self)) continue;
    keys = PairKeys(self, beginning_with(self, planes[self]), beginning_with(next_of(self), planes[next_of(self)]));
  }
  co_return co_await truncation_masks(party, keys, lead, lanes, form.f, form.width, "truncation");
}

// The summands are edge values of the ring, and r is an edge value too. All pairs of edge values occur.
TEST(TruncationMasks, HoldAtTheEdges) {
  for (const Form form : forms) {
    const std::uint64_t top = std::uint64_t{1} << (form.width - 1);
    const Numbers edges{
        0, 1, (std::uint64_t{1} << form.f) - 1, std::uint64_t{1} << form.f, top - 1, top, ones(form.width)};
    Numbers of_key;
    Numbers u;
    Numbers v;
    for (const std::uint64_t a : edges) {
      for (const std::uint64_t b : edges) {
        for (const std::uint64_t r : edges) {
          of_key.push_back(a);
          u.push_back(b);
          v.push_back((r - b) & ones(form.width));
        }
      }
    }
    const std::size_t lanes = u.size();
    for (const NodeId lead : leads) {
      std::array<Words, 3> planes;
      planes[lead] = planes_of_tile(of_key, form.width);
      planes[next_of(lead)] = planes_of_tile(u, form.width);
      for (std::size_t i = 0; i < planes[lead].size(); ++i) planes[next_of(lead)][i] ^= planes[lead][i];
      planes[previous_of(lead)] = planes_of_tile(v, form.width);
      const auto run = simulate(three(), [&](Party& party) { return of_given_bits(party, planes, lead, lanes, form); });
      const Numbers r = pads_of(run.nodes, form.width);
      for (std::size_t i = 0; i < lanes; ++i) EXPECT_EQ(r[i], edges[i % edges.size()]);
      expect_truncation(run.nodes, form.f, form.width);
    }
  }
}

TEST(TruncationMasks, RefuseOtherForms) {
  for (const Form form : {Form{0, 64}, Form{63, 64}, Form{1, 2}, Form{10, 65}}) {
    const auto body = [&](Party& party, PairKeys& keys) {
      return truncation_masks(party, keys, 0, 3, form.f, form.width, "truncation");
    };
    EXPECT_THROW((void)simulate(three(), [&](Party& party) { return with_keys(party, body); }), std::invalid_argument);
  }
}

}  // namespace
}  // namespace sotto::protocols::testing
