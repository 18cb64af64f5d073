// The view of each role in a run of two parties without a dealer. The words that a party receives are uniform for any
// secret. The words that a node outside receives depend only on the number that is opened to it. If the masks are left
// out, the words that a party receives are not uniform. If the sharing of zero is left out, the words that a node
// outside receives depend on other data.
#include <map>

#include "protocols/preprocessing/transfers/transfer_pair.h"
#include "protocols/preprocessing/transfers/two_party_circuits.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/protocols/preprocessing/without_dealer.h"

namespace sotto::protocols::testing {
namespace {

// How often each bit of a word is 1, round by round, in units of standard deviations.
struct Received {
  std::array<std::uint64_t, 64> ones{};
  std::uint64_t words = 0;

  void add(const Bytes& frame) {
    Numbers payload((frame.size() - FrameHeader::size) / 8);
    std::memcpy(payload.data(), frame.data() + FrameHeader::size, 8 * payload.size());
    words += payload.size();
    for (const std::uint64_t word : payload) {
      for (unsigned bit = 0; bit < 64; ++bit) ones[bit] += word >> bit & 1;
    }
  }
  [[nodiscard]] double largest_deviation() const {
    double largest = 0;
    const auto n = static_cast<double>(words);
    for (const std::uint64_t count : ones) {
      largest = std::max(largest, std::abs(static_cast<double>(count) - n / 2) / std::sqrt(n / 4));
    }
    return largest;
  }
};

// The views by round, after the set-up. The set-up is left out because its group elements are not uniform words.
using RoundViews = std::map<std::uint64_t, Received>;

template <class Program>
std::array<RoundViews, 2> received_by_both(Program program) {
  std::array<RoundViews, 2> received;
  SimulationOptions options;
  options.tap = [&](NodeId, NodeId to, std::uint64_t round, const Bytes& frame) {
    if (round >= 2) received.at(to)[round].add(frame);
  };
  (void)simulate(
      two(), [&](Party& party) { return run_transfers(party, Seed::from_os(), "test", program); }, options);
  return received;
}

// Computes a product, its truncation, products of values with carry terms, and a comparison. The lanes fill all words.
// Nothing is opened.
Task<Numbers> nothing_told(Party& party, Numbers words) {
  const Shape shape{1, words.size()};
  const Input of_0 = input_of(party, 0, shape, 20, words);
  const Input of_1 = input_of(party, 1, shape, 20, words);
  auto [x, y] = co_await when_all(share_input(party, 0, of_0, "x"), share_input(party, 1, of_1, "y"));
  const Masked p = co_await mask_trunc(party, elementwise(party, x, y), 20, "p");
  Arith square = elementwise(party, p, p);
  (void)co_await mask(party, std::move(square), "square");
  (void)co_await less_than(party, std::move(x), std::move(y), 62, "less");
  co_return Numbers{};
}

double largest_deviation(const RoundViews& rounds) {
  double largest = 0;
  for (const auto& [round, received] : rounds) {
    if (received.words >= 60) largest = std::max(largest, received.largest_deviation());
  }
  return largest;
}

// The limit is 7 standard deviations. Over all bits, rounds, parties and secrets, a larger deviation has a probability
// below 1e-6.
TEST(ViewsOfTwoStatistical, WhatAPartyReceivesIsUniformForAnySecret) {
  for (const std::uint64_t secret : {std::uint64_t{0}, std::uint64_t{1} << 20, ~std::uint64_t{0} << 20}) {
    const Numbers words(1024, secret);
    const auto received = received_by_both([&](Party& party) { return nothing_told(party, words); });
    for (const RoundViews& view : received) EXPECT_LT(largest_deviation(view), 7) << "secret " << secret;
  }
}

Task<Numbers> told(Party& party, Numbers words) {
  Words mine;
  if (party.is(0) || party.is(1)) mine.assign(words.begin(), words.end());
  (void)co_await exchange_words(party, std::move(mine), words.size(), "told");
  co_return co_await nothing_told(party, words);
}

TEST(ViewsOfTwoStatistical, UnmaskedWordsAreNot) {
  const Numbers words(1024, std::uint64_t{1} << 20);
  const auto received = received_by_both([&](Party& party) { return told(party, words); });
  for (const RoundViews& view : received) EXPECT_GT(largest_deviation(view), 7);
}

// The view of a node outside, enumerated in Z/4 over all sharings of zero and both shares.

// A source of pieces whose sharings of zero come from a table. The test asks this source only for sharings of zero.
class TabledZeros final : public PieceProtocols {
 public:
  TabledZeros(std::optional<NodeId> self, std::uint64_t zero) : PieceProtocols(self), zero_(zero) {}
  [[nodiscard]] Words zero(std::size_t lanes, unsigned bits, Group) override {
    if (!self()) return {};
    return Words(lanes, (*self() == 0 ? zero_ : 0 - zero_) & ones(bits));
  }

  [[nodiscard]] unsigned pieces() const override { return 1; }
  [[nodiscard]] WordPieces uniform(std::size_t lanes, unsigned bits) override { return none_.uniform(lanes, bits); }
  [[nodiscard]] InputPieces input(NodeId owner, std::size_t lanes) override { return none_.input(owner, lanes); }
  [[nodiscard]] BitPieces complement(BitPieces bits) const override { return bits; }
  [[nodiscard]] Task<BitPieces> and_bits(Party& party, BitPieces x, BitPieces y, Label label) override {
    return none_.and_bits(party, std::move(x), std::move(y), label);
  }
  [[nodiscard]] Task<Words> open_bits(Party& party, BitPieces bits, Label label) override {
    return none_.open_bits(party, std::move(bits), label);
  }
  [[nodiscard]] Task<PoolVector<Additive>> bits_as_shares(Party& party, std::size_t turn, NumberPieces bits,
                                                          RingWidths widths, Label label) override {
    return none_.bits_as_shares(party, turn, std::move(bits), std::move(widths), label);
  }
  [[nodiscard]] Task<NumberPieces> bits_of(Party& party, std::size_t turn, WordPieces number, BitPieces carry,
                                           Label label) override {
    return none_.bits_of(party, turn, std::move(number), std::move(carry), label);
  }
  [[nodiscard]] Task<TableShares> digit_table(Party& party, std::size_t turn, NumberPieces digit, unsigned bits,
                                              Label label) override {
    return none_.digit_table(party, turn, std::move(digit), bits, label);
  }
  [[nodiscard]] Task<TruncationMasks> truncation_masks(Party& party, std::size_t turn, std::size_t lanes, unsigned f,
                                                       Label label) override {
    return none_.truncation_masks(party, turn, lanes, f, label);
  }
  [[nodiscard]] Task<void> make_ready(Party& party, const DryRun& run) override { return none_.make_ready(party, run); }
  void note_product(const BilinearMap&, unsigned, const Holders&, const Holders&) override {}
  void note_cut(const BilinearMap&, Operand, unsigned, const Holders&) override {}
  void note_triples(std::size_t, unsigned, Group) override {}
  void note_product_of(const BilinearMap&, const WordPieces&, const WordPieces&) override {}
  void note_cut_of(const BilinearMap&, Operand, unsigned, const Words&, const WordPieces&, const WordPieces&) override {
  }
  [[nodiscard]] Task<ProductShares> make_products(Party& party) override { return none_.make_products(party); }
  [[nodiscard]] Additive finished_product(const BilinearMap&, Additive product) const override { return product; }
  [[nodiscard]] Triples triples(std::size_t, unsigned, Group) override { return {}; }
  [[nodiscard]] std::uint64_t digest() const noexcept override { return 0; }
  [[nodiscard]] Task<void> confirm_same_requests(Party& party) override { return none_.confirm_same_requests(party); }

 private:
  std::uint64_t zero_;
  AndCounter none_;
};

Task<Unit> told_outside(Party& party, std::array<std::uint64_t, 2> shares, std::uint64_t zero) {
  std::optional<NodeId> self;
  if (party.is(0)) self = NodeId{0};
  if (party.is(1)) self = NodeId{1};
  TabledZeros pieces(self, zero);
  RecordedSide side(pieces, RecordedMaterial());
  Party online(party.rounds(), side);
  Arith value(Shape{1, 1}, 0, self ? Words{shares.at(*self)} : Words{}, 2);
  (void)co_await open_to(online, party.topology().further_node(), std::move(value), "value");
  co_return Unit{};
}

using Views = std::map<std::string, std::size_t>;

// Without `with_zeros`, only one sharing of zero is used.
Views views_outside(std::array<std::uint64_t, 2> shares, bool with_zeros) {
  Views views;
  for (std::uint64_t zero = 0; zero < 4; ++zero) {
    std::string view;
    SimulationOptions options;
    options.tap = [&](NodeId, NodeId to, std::uint64_t, const Bytes& frame) {
      if (to != 2) return;
      for (std::size_t i = FrameHeader::size; i < frame.size(); ++i) view += static_cast<char>(frame[i]);
    };
    (void)simulate(
        Topology::without_dealer(2, true),
        [&](Party& party) { return told_outside(party, shares, with_zeros ? zero : 0); }, options);
    ++views[view];
  }
  return views;
}

TEST(ViewsOfTwo, OutsideAreThoseOfTheOpenedNumber) {
  for (std::uint64_t number = 0; number < 4; ++number) {
    const Views first = views_outside({number, 0}, true);
    for (std::uint64_t share = 1; share < 4; ++share) {
      EXPECT_EQ(views_outside({(number - share) & 3, share}, true), first);
    }
  }
}

TEST(ViewsOfTwo, OutsideShowSharesWithoutSharingsOfZero) {
  EXPECT_NE(views_outside({0, 3}, false), views_outside({2, 1}, false));
}

}  // namespace
}  // namespace sotto::protocols::testing
