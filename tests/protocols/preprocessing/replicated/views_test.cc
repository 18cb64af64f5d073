// The view of one of three parties, or of one of two parties and their helper, over all keys and pieces of a small
// ring. The views must be alike for all secrets. The views differ if the sharing of zero or the helper's cover is left
// out, or if a counter is used twice. Each test runs once for each combination of keys and pieces, so the tests are
// named Statistical, like tests that take many samples.
#include "protocols/preprocessing/recorded/circuits.h"
#include "protocols/preprocessing/replicated/digit_table.h"
#include "protocols/preprocessing/replicated/helped_keys.h"
#include "protocols/preprocessing/replicated/replicated_bits.h"
#include "protocols/preprocessing/replicated/run_replicated.h"
#include "sotto/protocol/arithmetic/bilinear.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/sharing/share_access.h"
#include "tests/protocols/preprocessing/replicated/support.h"

namespace sotto::protocols::testing {
namespace {

class Enumeration {
 public:
  explicit Enumeration(Numbers bases) : bases_(std::move(bases)), digits_(bases_.size(), 0) {}
  [[nodiscard]] const Numbers& digits() const { return digits_; }
  bool advance() {
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      if (++digits_[i] < bases_[i]) return true;
      digits_[i] = 0;
    }
    return false;
  }

 private:
  Numbers bases_, digits_;
};

using KeyWords = std::array<Numbers, 3>;

enum class Flaw { none, no_zero, repeated_counter };

PairExpansion tabled(const Numbers& words, Flaw flaw) {
  return [words, flaw](std::uint64_t request, std::span<std::uint64_t> out, unsigned) {
    if (flaw == Flaw::repeated_counter) request = 0;
    for (std::uint64_t& word : out) word = flaw == Flaw::no_zero ? 0 : words.at(request);
  };
}

PairKeys keys_at(const Party& party, const KeyWords& words, Flaw flaw) {
  for (const NodeId self : leads) {
    if (party.is(self)) return PairKeys(self, tabled(words[self], flaw), tabled(words[next_of(self)], flaw));
  }
  return {};
}

std::array<std::uint64_t, 3> pieces_with(std::uint64_t secret, std::uint64_t second, std::uint64_t third, bool sum) {
  return {(sum ? secret - second - third : secret ^ second ^ third) & 3, second, third};
}

using Views = std::map<Numbers, std::size_t>;

// Adds the view of `spy` in a run: the words that the spy has before the run, then the words that it receives.
template <class Program>
void add_view(Views& views, NodeId spy, Numbers view, const Topology& topology, Program program) {
  SimulationOptions options;
  options.insecure_seed = 1;
  options.tap = [&](NodeId, NodeId to, std::uint64_t, const Bytes& frame) {
    if (to != spy) return;
    Numbers words((frame.size() - FrameHeader::size) / 8);
    std::memcpy(words.data(), frame.data() + FrameHeader::size, 8 * words.size());
    view.insert(view.end(), words.begin(), words.end());
  };
  (void)simulate(topology, program, options);
  ++views[view];
}

// Adds the pieces that the spy has. A party has two of the three pieces, and two of the three keys.
void see(Numbers& view, NodeId spy, const std::array<std::uint64_t, 3>& pieces) {
  view.push_back(pieces[spy]);
  view.push_back(pieces[next_of(spy)]);
}
void see(Numbers& view, NodeId spy, const KeyWords& keys) {
  view.insert(view.end(), keys[spy].begin(), keys[spy].end());
  view.insert(view.end(), keys[next_of(spy)].begin(), keys[next_of(spy)].end());
}

BitPieces bit_at(const PairKeys& keys, const std::array<std::uint64_t, 3>& pieces) {
  if (!keys.self()) return {1, {}, {}};
  return {1, Words{pieces[*keys.self()]}, Words{pieces[next_of(*keys.self())]}};
}

// Computes x & y, then x & x.
Task<Unit> two_ands(Party& party, KeyWords words, Flaw flaw, std::array<std::uint64_t, 3> x,
                    std::array<std::uint64_t, 3> y) {
  PairKeys keys = keys_at(party, words, flaw);
  BitPieces left = bit_at(keys, x);
  BitPieces right = bit_at(keys, y);
  (void)co_await and_bits(party, keys, left, right, "first");
  (void)co_await and_bits(party, keys, left, left, "second");
  co_return Unit{};
}

Views views_of_ands(NodeId spy, std::uint64_t x, std::uint64_t y, Flaw flaw) {
  Views views;
  Enumeration all({2, 2, 2, 2, 2, 2, 2, 2, 2, 2});
  do {
    const Numbers& d = all.digits();
    const auto xs = pieces_with(x, d[0], d[1], false);
    const auto ys = pieces_with(y, d[2], d[3], false);
    const KeyWords keys{{{d[4], d[5]}, {d[6], d[7]}, {d[8], d[9]}}};
    Numbers view;
    see(view, spy, xs);
    see(view, spy, ys);
    see(view, spy, keys);
    add_view(views, spy, view, three(), [&](Party& party) { return two_ands(party, keys, flaw, xs, ys); });
  } while (all.advance());
  return views;
}

TEST(ViewsStatistical, OfAndsAreAlikeForAllBits) {
  for (const NodeId spy : leads) {
    const Views first = views_of_ands(spy, 0, 0, Flaw::none);
    EXPECT_EQ(first, views_of_ands(spy, 0, 1, Flaw::none));
    EXPECT_EQ(first, views_of_ands(spy, 1, 0, Flaw::none));
    EXPECT_EQ(first, views_of_ands(spy, 1, 1, Flaw::none));
  }
}

TEST(ViewsStatistical, OfAndsTellWithoutSharingsOfZeroOrWithOneTwice) {
  for (const Flaw flaw : {Flaw::no_zero, Flaw::repeated_counter}) {
    EXPECT_NE(views_of_ands(0, 0, 0, flaw), views_of_ands(0, 1, 1, flaw));
  }
}

// Converts a bit to a number in Z/4.
Task<Unit> converted(Party& party, KeyWords words, Flaw flaw, NodeId lead, std::array<std::uint64_t, 3> bit) {
  PairKeys keys = keys_at(party, words, flaw);
  NumberPieces bits{bit_at(keys, bit)};
  RingWidths widths{2};
  (void)co_await bits_as_numbers(party, keys, lead, std::move(bits), std::move(widths), "conversion");
  co_return Unit{};
}

Views views_of_conversion(NodeId spy, NodeId lead, std::uint64_t bit, Flaw flaw) {
  Views views;
  Enumeration all({2, 2, 4, 4, 4});
  do {
    const Numbers& d = all.digits();
    const auto pieces = pieces_with(bit, d[0], d[1], false);
    KeyWords keys;
    keys.fill(Numbers(3, 0));
    keys[lead] = {d[2], d[3], 0};
    keys[next_of(lead)][2] = d[4];
    Numbers view;
    see(view, spy, pieces);
    see(view, spy, keys);
    add_view(views, spy, view, three(), [&](Party& party) { return converted(party, keys, flaw, lead, pieces); });
  } while (all.advance());
  return views;
}

TEST(ViewsStatistical, OfConversionsAreAlikeForBothBits) {
  for (const NodeId lead : leads) {
    for (const NodeId spy : leads) {
      EXPECT_EQ(views_of_conversion(spy, lead, 0, Flaw::none), views_of_conversion(spy, lead, 1, Flaw::none));
    }
    const NodeId second = next_of(lead);
    EXPECT_NE(views_of_conversion(second, lead, 0, Flaw::no_zero), views_of_conversion(second, lead, 1, Flaw::no_zero));
  }
}

// The product x y of numbers in Z/4, masked and opened by the protocol that all modes use. The shares of x y are local
// functions of two pieces. The two bits of Z/4 are the top bits of words in Z/2^64. The mask is t. Request 0 makes the
// sharing of zero that is added in the opening.
Task<Unit> masked_product(Party& party, KeyWords words, Flaw flaw, std::array<std::uint64_t, 3> x,
                          std::array<std::uint64_t, 3> y, std::array<std::uint64_t, 3> t) {
  PairKeys keys = keys_at(party, words, flaw);
  const auto at = [&](const std::array<std::uint64_t, 3>& pieces, unsigned raise) {
    WordPieces value{1, 64, {}, {}};
    if (keys.self()) {
      value.own = Words{pieces[*keys.self()] << raise};
      value.next = Words{pieces[next_of(*keys.self())] << raise};
    }
    return value;
  };
  const Elementwise map(Shape{1, 1}, Shape{1, 1});
  Words shares = local_product(map, at(x, 0), at(y, 0)).words;
  for (std::uint64_t& word : shares) word <<= 62;
  RecordedMaterial material;
  material.masks.push_back(at(t, 62));
  RecordedSide side(keys, std::move(material));
  Party online(party.rounds(), side);
  Arith product(Shape{1, 1}, 0, std::move(shares));
  (void)co_await mask(online, std::move(product), "product");
  co_return Unit{};
}

// The test enumerates only the values that the spy does not know. The spy's own keys and pieces of t are fixed: other
// values would only add a word to the view that the spy knows.
Views views_of_opening(NodeId spy, std::uint64_t x, std::uint64_t y, Flaw flaw) {
  Views views;
  const NodeId unknown = previous_of(spy);
  Enumeration all({4, 4, 4, 4, 4, 4});
  do {
    const Numbers& d = all.digits();
    const auto xs = pieces_with(x, d[0], d[1], true);
    const auto ys = pieces_with(y, d[2], d[3], true);
    std::array<std::uint64_t, 3> t{1, 2, 3};
    t[unknown] = d[4];
    KeyWords keys{{{std::uint64_t{1} << 62}, {std::uint64_t{3} << 62}, {std::uint64_t{2} << 62}}};
    keys[unknown][0] = d[5] << 62;
    Numbers view;
    see(view, spy, xs);
    see(view, spy, ys);
    add_view(views, spy, view, three(), [&](Party& party) { return masked_product(party, keys, flaw, xs, ys, t); });
  } while (all.advance());
  return views;
}

TEST(ViewsStatistical, OfMaskedProductsAreAlikeForAllOperands) {
  for (const NodeId spy : leads) {
    const Views first = views_of_opening(spy, 0, 0, Flaw::none);
    EXPECT_EQ(first, views_of_opening(spy, 1, 3, Flaw::none));
    EXPECT_EQ(first, views_of_opening(spy, 3, 3, Flaw::none));
  }
}

TEST(ViewsStatistical, OfMaskedProductsTellWithoutTheSharingOfZero) {
  for (const NodeId spy : leads) {
    EXPECT_NE(views_of_opening(spy, 0, 0, Flaw::no_zero), views_of_opening(spy, 1, 3, Flaw::no_zero));
  }
}

class HelpedWithoutCover final : public HelpedKeys {
 public:
  using HelpedKeys::HelpedKeys;

 protected:
  Words cover(std::size_t lanes, unsigned) override { return Words(lanes, 0); }
};

// Computes x y in Z/4. All three roles make the product, and the two parties mask and open it. Request 0 makes the
// words that cover the helper's message, and request 1 makes a sharing of zero.
Task<Unit> helped_product(Party& party, KeyWords words, bool is_covered, std::array<std::uint64_t, 3> x,
                          std::array<std::uint64_t, 3> y, std::array<std::uint64_t, 3> t) {
  PairKeys pairs = keys_at(party, words, Flaw::none);
  std::unique_ptr<HelpedKeys> keys = is_covered ? std::make_unique<HelpedKeys>(std::move(pairs))
                                                : std::make_unique<HelpedWithoutCover>(std::move(pairs));
  const auto at = [&](const std::array<std::uint64_t, 3>& pieces, unsigned raise) {
    WordPieces value{1, 64, {}, {}};
    if (const auto self = keys->self()) {
      value.own = Words{pieces[*self] << raise};
      value.next = Words{pieces[next_of(*self)] << raise};
    }
    return value;
  };
  const Elementwise map(Shape{1, 1}, Shape{1, 1});
  keys->note_product(map, 2, {}, {});
  if (keys->self()) keys->note_product_of(map, at(x, 0), at(y, 0));
  ProductShares made = co_await keys->make_products(party);
  Words shares = std::move(made.products[0].words);
  for (std::uint64_t& word : shares) word <<= 62;
  RecordedMaterial material;
  material.masks.push_back(at(t, 62));
  keys->to_shares(material);
  RecordedSide side(*keys, std::move(material));
  Party online(party.rounds(), side);
  Arith product(Shape{1, 1}, 0, std::move(shares));
  (void)co_await mask(online, std::move(product), "product");
  co_return Unit{};
}

Views views_of_helped_product(NodeId spy, std::uint64_t x, std::uint64_t y, bool is_covered) {
  Views views;
  Enumeration all({4, 4, 4, 4, 4, 4});
  do {
    const Numbers& d = all.digits();
    const auto xs = pieces_with(x, d[0], d[1], true);
    const auto ys = pieces_with(y, d[2], d[3], true);
    std::array<std::uint64_t, 3> t{1, 2, 3};
    t[previous_of(spy)] = d[4];
    const KeyWords keys{{{d[5], 0}, {0, std::uint64_t{3} << 62}, {0, 0}}};
    Numbers view;
    see(view, spy, xs);
    see(view, spy, ys);
    see(view, spy, keys);
    add_view(views, spy, view, Topology::with_helper(false, false),
             [&](Party& party) { return helped_product(party, keys, is_covered, xs, ys, t); });
  } while (all.advance());
  return views;
}

TEST(ViewsStatistical, OfProductsWithAHelperAreAlikeForAllOperands) {
  for (const NodeId spy : leads) {
    const Views first = views_of_helped_product(spy, 0, 0, true);
    EXPECT_EQ(first, views_of_helped_product(spy, 1, 3, true));
    EXPECT_EQ(first, views_of_helped_product(spy, 3, 3, true));
  }
}

TEST(ViewsStatistical, OfProductsTellPartyOneWithoutTheHelpersCover) {
  EXPECT_NE(views_of_helped_product(1, 0, 0, false), views_of_helped_product(1, 1, 3, false));
}

}  // namespace
}  // namespace sotto::protocols::testing
