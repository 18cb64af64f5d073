// Pads of truncations against signed shifts of plain integers, on random pads and on those at the edges.
#include "protocols/preprocessing/replicated/truncation_masks.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/protocols/preprocessing/replicated/support.h"

namespace sotto::protocols::testing {
namespace {

// r is in additive shares.
Numbers pads_of(const std::vector<TruncationMasks>& nodes, unsigned width) {
  return combined({nodes[0].r.own, nodes[1].r.own, nodes[2].r.own}, width, Group::sum);
}

// r, mu and h of all lanes against the definition.
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

// One tile of lanes and a part, a few whole words, no whole word.
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
      // The declared bytes, in words.
      const auto packed = [lanes](unsigned bits) { return (lanes * bits + 63) / 64; };
      const std::uint64_t all_three = (form.width - 1) * packed(1) + lanes;
      const std::uint64_t others = all_three + packed(form.f);
      std::array<std::uint64_t, 3> sent{8 * others, 8 * others, 8 * others};
      sent[lead] = 8 * (all_three + lanes + 2 * packed(65 - form.width + form.f));
      EXPECT_EQ(run.sent, sent);
    }
  }
}

// Of three tiles of lanes each bit of r is 1 in about half of the lanes, and in each tile other lanes than in the
// others.
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

// Keys whose first request is given, all further words are of a generator of their own.
PairExpansion beginning_with(NodeId key, Words first) {
  return [=](std::uint64_t request, std::span<std::uint64_t> out, unsigned bits) {
    if (request == 0) return void(std::copy(first.begin(), first.end(), out.begin()));
    std::mt19937_64 random(1000 * request + key);
    for (std::uint64_t& word : out) word = random() & ones(bits);
  };
}

// The planes of numbers of one tile of lanes, bit by bit (lane_tiles.h).
Words planes_of_tile(const Numbers& numbers, unsigned width) {
  const std::size_t words = plane_words(numbers.size());
  Words planes(width * words, 0);
  for (std::size_t lane = 0; lane < numbers.size(); ++lane) {
    for (unsigned b = 0; b < width; ++b) planes[b * words + lane % words] |= (numbers[lane] >> b & 1) << (lane / words);
  }
  return planes;
}

// What the key of each party begins with.
Task<TruncationMasks> of_given_bits(Party& party, std::array<Words, 3> planes, NodeId lead, std::size_t lanes,
                                    Form form) {
  PairKeys keys;
  for (const NodeId self : leads) {
    if (!party.is(self)) continue;
    keys = PairKeys(self, beginning_with(self, planes[self]), beginning_with(next_of(self), planes[next_of(self)]));
  }
  co_return co_await truncation_masks(party, keys, lead, lanes, form.f, form.width, "truncation");
}

// Summands that are edges of the ring themselves, and r as well: each edge meets each other.
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
