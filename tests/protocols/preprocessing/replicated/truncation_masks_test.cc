// Pads of truncations against signed shifts of plain integers, on random pads and on those at the edges.
#include "sotto/protocols/preprocessing/replicated/truncation_masks.h"

#include "tests/protocols/preprocessing/replicated/support.h"

namespace sotto::protocols::testing {
namespace {

// r, mu and h of all lanes against the definition.
void expect_truncation(const std::vector<TruncationMasks>& nodes, unsigned f, unsigned width) {
  const Numbers r = value_of([&](NodeId i) -> const WordPieces& { return nodes[i].r; }, width);
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

TEST(TruncationMasks, AreSignedShiftsOfUniformPads) {
  constexpr std::size_t lanes = 100;
  for (const Form form : forms) {
    for (const NodeId lead : leads) {
      const auto run = run_keyed([&](Party& party, PairKeys& keys) {
        return truncation_masks(party, keys, lead, lanes, form.f, form.width, "truncation");
      });
      expect_truncation(run.nodes, form.f, form.width);
      EXPECT_EQ(run.rounds, form.width + 2);
      // The declared bytes, in words: planes are of 2 words here.
      const auto packed = [](unsigned bits) { return (lanes * bits + 63) / 64; };
      const std::uint64_t adder = (form.width - 1) * 2;
      const std::uint64_t pieces = lanes + packed(form.f);
      const std::uint64_t told = form.width * 2 + lanes + lanes + 2 * packed(65 - form.width + form.f);
      std::array<std::uint64_t, 3> sent{8 * (adder + pieces), 8 * (adder + pieces), 8 * (adder + pieces)};
      sent[lead] = 8 * (adder + told);
      EXPECT_EQ(run.sent, sent);
    }
  }
}

// Keys whose first request is given, all further words are of a generator of their own.
PairExpansion beginning_with(NodeId key, Words first) {
  return [=](std::uint64_t request, std::span<std::uint64_t> out, unsigned bits) {
    if (request == 0) return void(std::copy(first.begin(), first.end(), out.begin()));
    std::mt19937_64 random(1000 * request + key);
    for (std::uint64_t& word : out) word = random() & ones(bits);
  };
}

Task<TruncationMasks> of_given_pieces(Party& party, std::array<Words, 3> pieces, NodeId lead, Form form) {
  PairKeys keys;
  for (const NodeId self : leads) {
    if (!party.is(self)) continue;
    keys = PairKeys(self, beginning_with(self, pieces[self]), beginning_with(next_of(self), pieces[next_of(self)]));
  }
  co_return co_await truncation_masks(party, keys, lead, pieces[0].size(), form.f, form.width, "truncation");
}

// Pieces that are edges of the ring themselves, and r as well: each edge meets each other.
TEST(TruncationMasks, HoldAtTheEdges) {
  for (const Form form : forms) {
    const std::uint64_t top = std::uint64_t{1} << (form.width - 1);
    const Numbers edges{
        0, 1, (std::uint64_t{1} << form.f) - 1, std::uint64_t{1} << form.f, top - 1, top, ones(form.width)};
    std::array<Words, 3> pieces;
    for (const std::uint64_t a : edges) {
      for (const std::uint64_t b : edges) {
        for (const std::uint64_t r : edges) {
          pieces[0].push_back(a);
          pieces[1].push_back(b);
          pieces[2].push_back((r - a - b) & ones(form.width));
        }
      }
    }
    for (const NodeId lead : leads) {
      const auto run = simulate(three(), [&](Party& party) { return of_given_pieces(party, pieces, lead, form); });
      const Numbers r = value_of([&](NodeId i) -> const WordPieces& { return run.nodes[i].r; }, form.width);
      EXPECT_EQ(r[4], edges[4]);
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
