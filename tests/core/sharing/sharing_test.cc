// Shapes, scales, rings and widths of values; what they compute is tested with the protocols that make them.
#include "core/party/no_preprocessing.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/public.h"
#include "sotto/protocol/sharing/rearrange.h"
#include "sotto/protocol/sharing/share_access.h"
#include "tests/core/party/round_net.h"
#include "tests/properties.h"

namespace sotto {
namespace {

const Shape row{1, 3};

Arith arith(Words words, unsigned bits = 64, unsigned scale = 0) {
  const Shape shape{1, words.size()};
  return Arith(shape, scale, std::move(words), bits);
}

TEST(Arith, ChecksShapesScalesAndRings) {
  const Arith x(row, 20);
  EXPECT_THROW(x + Arith(Shape{3, 1}, 20), std::invalid_argument);
  EXPECT_THROW(x - Arith(row, 19), std::invalid_argument);
  EXPECT_THROW(x + Arith(row, 20, 8), std::invalid_argument);
  EXPECT_THROW(Arith(row, 0, 0), std::invalid_argument);
  EXPECT_THROW(Arith(row, 0, 65), std::invalid_argument);
  EXPECT_THROW(Arith(row, 0, Words(2, 0)), std::invalid_argument);
  EXPECT_THROW((void)x.reshaped(Shape{2, 2}), std::invalid_argument);
  EXPECT_THROW((void)Arith(row, 0, 8).in_ring(9), std::invalid_argument);
  EXPECT_THROW((void)Arith(row, 0, 60).scaled_up(5), std::invalid_argument);
  EXPECT_EQ(x.reshaped(Shape{3, 1}).shape(), (Shape{3, 1}));
}

TEST(Arith, StaysInItsRing) {
  EXPECT_EQ(ShareAccess::words(arith({250, 3}, 8) + arith({10, 4}, 8)), (Words{4, 7}));
  EXPECT_EQ(ShareAccess::words(arith({3}, 8) - arith({4}, 8)), Words{255});
  EXPECT_EQ(ShareAccess::words(arith({200}, 8).times(2)), Words{144});
  EXPECT_EQ(ShareAccess::words(arith({0x1ff}).in_ring(8)), Words{0xff});
  const Arith scaled = arith({0xff}, 8).scaled_up(4);
  EXPECT_EQ(ShareAccess::words(scaled), Words{0xff0});
  EXPECT_EQ(scaled.bits(), 12u);
  EXPECT_EQ(arith({1}, 64, 3).times(4, 2).scale(), 5u);
}

TEST(Arith, KeepsNothingWhereNothingIsHeld) {
  const Arith nothing(row, 20);
  const Arith sum = (nothing + nothing).times(5, 1).reshaped(Shape{3, 1});
  EXPECT_TRUE(ShareAccess::words(sum).empty());
  EXPECT_EQ(sum.lanes(), 3u);
  EXPECT_EQ(sum.scale(), 21u);
}

TEST(Masked, ChecksShapesAndScales) {
  const Masked x(row, 20, {}, {});
  EXPECT_THROW(x + Masked(Shape{3, 1}, 20, {}, {}), std::invalid_argument);
  EXPECT_THROW(x - Masked(row, 21, {}, {}), std::invalid_argument);
  EXPECT_THROW(Masked(row, 0, Words(2, 0), {}), std::invalid_argument);
  EXPECT_THROW(Masked(row, 0, {}, Mask{Words(4, 0)}), std::invalid_argument);
  EXPECT_THROW(Masked(row, 0, {}, {}, {Masked::CarryTerm{20, Words(1, 0), {}}}), std::invalid_argument);
  EXPECT_THROW((void)x.reshaped(Shape{1, 4}), std::invalid_argument);
}

TEST(Masked, JoinsTheCutsOfASum) {
  const Masked a(row, 0, {}, {}, {Masked::CarryTerm{20, {}, {}}});
  const Masked b(row, 0, {}, {}, {Masked::CarryTerm{30, {}, {}}});
  const Masked sum = a + b;
  EXPECT_EQ(sum.carry_terms().size(), 2u);
  EXPECT_EQ(sum.largest_carry_shift(), 30u);
  EXPECT_FALSE(sum.plain());
  EXPECT_TRUE(Masked(row, 0, {}, {}).plain());
}

// Without a dealer a larger factor would be read wrongly, and nobody would notice.
TEST(Masked, IsNoOperandAfterALongTruncationAndLargeFactors) {
  const auto cut_by = [](unsigned f) { return Masked(row, 0, {}, {}, {Masked::CarryTerm{f, {}, {}}}); };
  const auto minus = [](std::uint64_t size) { return 0 - size; };
  constexpr std::uint64_t limit = std::uint64_t{1} << (63 - 40);
  const auto fits = [](const Masked& value) {
    try {
      value.require_operand();
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  };
  EXPECT_TRUE(fits(cut_by(40)));
  EXPECT_TRUE(fits(cut_by(62).times(minus(1))));
  EXPECT_FALSE(fits(cut_by(62).times(2)));
  EXPECT_TRUE(fits(cut_by(40).times(limit - 1)));
  EXPECT_FALSE(fits(cut_by(40).times(limit)));
  EXPECT_TRUE(fits(cut_by(40).times(minus(limit - 1))));
  EXPECT_FALSE(fits(cut_by(40).times(minus(limit))));
  EXPECT_FALSE(fits(cut_by(40).times(limit / 2).times(2))) << "they multiply";
  EXPECT_FALSE(fits(cut_by(40).times(std::uint64_t{1} << 62).times(4).times(0).times(1) + cut_by(40).times(limit)));
  EXPECT_TRUE(fits(cut_by(32).times(minus(std::uint64_t{1} << 63)))) << "the low bits tell all of it";
  EXPECT_TRUE(fits(Masked(row, 0, {}, {}).times(limit)));
  // However they came: sums, other lanes, a factor a column.
  const Masked large = cut_by(33).times(std::uint64_t{1} << 30);
  const std::vector<std::uint64_t> factors{1, minus(std::uint64_t{1} << 30), 1};
  const Masked parts[] = {cut_by(33), large};
  EXPECT_FALSE(fits(cut_by(33) - large));
  EXPECT_FALSE(fits(large.reshaped(Shape{3, 1}).plus(1)));
  EXPECT_FALSE(fits(transposed(large)));
  EXPECT_FALSE(fits(joined(parts)));
  EXPECT_FALSE(fits(weighted(cut_by(33), factors)));
  EXPECT_TRUE(fits(weighted(cut_by(33), std::vector<std::uint64_t>{1, 2, minus(3)})));
}

TEST(Masked, BesideTakesPlainValuesOfAsManyRowsAndOneScale) {
  const Masked x(row, 20, Words{1, 2, 3}, Mask{Words{4, 5, 6}});
  const Masked parts[] = {x, x.times(2)};
  const Masked both = hstack(parts);
  EXPECT_EQ(both.shape(), (Shape{1, 6}));
  EXPECT_EQ(ShareAccess::words(both), (Words{1, 2, 3, 2, 4, 6}));
  EXPECT_EQ(ShareAccess::mask(both).words, (Words{4, 5, 6, 8, 10, 12}));
  EXPECT_THROW((void)hstack({}), std::invalid_argument);
  const Masked cut[] = {Masked(row, 20, {}, {}, {Masked::CarryTerm{20, {}, {}}})};
  EXPECT_THROW((void)hstack(cut), std::invalid_argument);
  const Masked tall[] = {x, Masked(Shape{2, 2}, 20, {}, {})};
  EXPECT_THROW((void)hstack(tall), std::invalid_argument);
  const Masked two_rows[] = {Masked(Shape{2, 1}, 20, Words{1, 2}, Mask{Words{3, 4}}),
                             Masked(Shape{2, 2}, 20, Words{5, 6, 7, 8}, Mask{Words{9, 10, 11, 12}})};
  EXPECT_EQ(ShareAccess::words(hstack(two_rows)), (Words{1, 5, 6, 2, 7, 8}));
  EXPECT_EQ(ShareAccess::mask(hstack(two_rows)).words, (Words{3, 9, 10, 4, 11, 12}));
  const Masked scales[] = {x, Masked(row, 19, {}, {})};
  EXPECT_THROW((void)hstack(scales), std::invalid_argument);
}

TEST(MaskedIndex, WindowsEndBelowTheCut) {
  const Masked cut(row, 0, {}, {}, {Masked::CarryTerm{20, {}, {}}});
  EXPECT_NO_THROW((void)MaskedIndex::bit_range(cut, 10, 34));
  EXPECT_THROW((void)MaskedIndex::bit_range(cut, 10, 35), std::invalid_argument);
  const Masked plain(row, 0, {}, {});
  EXPECT_NO_THROW((void)MaskedIndex::bit_range(plain, 0, 64));
  EXPECT_THROW((void)MaskedIndex::bit_range(plain, 1, 64), std::invalid_argument);
  EXPECT_THROW((void)MaskedIndex::bit_range(plain, 0, 0), std::invalid_argument);
  const MaskedIndex index = MaskedIndex::bit_range(plain, 4, 10);
  EXPECT_NO_THROW((void)index.digit(6, 4));
  EXPECT_THROW((void)index.digit(7, 4), std::invalid_argument);
  EXPECT_THROW(MaskedIndex(row, 65, {}, {}), std::invalid_argument);
}

PROPERTY(MaskedIndex, WindowIsTheShiftedValueOrOneMore) {
  const auto x = draw<std::uint64_t>();
  const auto m = draw<std::uint64_t>();
  const auto low = draw_in_range(0u, 60u);
  const auto bits = draw_in_range(1u, 64 - low + 1);
  const Shape one{1, 1};
  const MaskedIndex public_part = MaskedIndex::bit_range(Masked(one, 0, Words{x + m}, Mask{Words{0}}), low, bits);
  const MaskedIndex mask = MaskedIndex::bit_range(Masked(one, 0, {}, Mask{Words{m}}), low, bits);
  const std::uint64_t ring = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t value = (ShareAccess::words(public_part)[0] - ShareAccess::mask(mask).words[0]) & ring;
  const std::uint64_t floor = (x >> low) & ring;
  HOLDS(value == floor || (low > 0 && value == ((floor + 1) & ring)));
}

TEST(Bool, ChecksShapesAndWidths) {
  const Bool x(row, 8);
  EXPECT_THROW(x ^ Bool(Shape{3, 1}, 8), std::invalid_argument);
  EXPECT_THROW(x ^ Bool(row, 9), std::invalid_argument);
  EXPECT_THROW(Bool(row, 0), std::invalid_argument);
  EXPECT_THROW(Bool(row, 65), std::invalid_argument);
  EXPECT_THROW(Bool(row, 8, Words(2, 0)), std::invalid_argument);
  EXPECT_THROW((void)x.low(0), std::invalid_argument);
  EXPECT_THROW((void)x.low(9), std::invalid_argument);
  EXPECT_THROW((void)x.high(8), std::invalid_argument);
  EXPECT_THROW((void)x.raised(57), std::invalid_argument);
  EXPECT_THROW((void)Bool(row, 7).even_bits(), std::invalid_argument);
  EXPECT_THROW((void)Bool(row, 7).odd_bits(), std::invalid_argument);
  EXPECT_THROW((void)x.reshaped(Shape{1, 4}), std::invalid_argument);
}

PROPERTY(Bool, MovesBitsAsWordsDo) {
  const auto word = draw<std::uint64_t>();
  const auto other = draw<std::uint64_t>();
  const auto width = draw_in_range(1u, 65u);
  const std::uint64_t kept = word & ~std::uint64_t{0} >> (64 - width);
  const Shape one{1, 1};
  const Bool x(one, width, Words{word});
  const auto value = [](const Bool& b) { return ShareAccess::words(b)[0]; };
  HOLDS(value(x) == kept);
  HOLDS(value(x.masked_by(other)) == (kept & other));
  const Bool y(one, width, Words{other});
  HOLDS(value(x ^ y) == ((word ^ other) & ~std::uint64_t{0} >> (64 - width)));
  const auto low = draw_in_range(1u, width + 1);
  HOLDS(value(x.low(low)) == (kept & ~std::uint64_t{0} >> (64 - low)));
  const auto from = draw_in_range(0u, width);
  HOLDS(value(x.high(from)) == kept >> from);
  HOLDS(x.high(from).width() == width - from);
  const auto by = draw_in_range(0u, 64 - width + 1);
  HOLDS(value(x.raised(by)) == kept << by);
  if (width % 2 == 0) {
    std::uint64_t even = 0;
    std::uint64_t odd = 0;
    for (unsigned i = 0; i < width / 2; ++i) {
      even |= ((kept >> (2 * i)) & 1) << i;
      odd |= ((kept >> (2 * i + 1)) & 1) << i;
    }
    HOLDS(value(x.even_bits()) == even);
    HOLDS(value(x.odd_bits()) == odd);
  }
}

TEST(Bool, ComplementFlipsAtPartyZeroOnly) {
  NoPreprocessing none;
  for (const NodeId node : {NodeId{0}, NodeId{1}}) {
    Rounds rounds(Topology(2), node);
    const Party party(rounds, none);
    const Bool flipped = Bool(Shape{1, 1}, 4, Words{0b0101}).complement(party);
    EXPECT_EQ(ShareAccess::words(flipped), Words{node == 0 ? 0b1010u : 0b0101u});
  }
}

TEST(MaskedShares, PartyZeroHoldsThePublicPart) {
  NoPreprocessing none;
  const Masked x(Shape{1, 2}, 20, Words{100, 200}, Mask{Words{1, 2}});
  const std::vector<Words> expected{{99, 198}, {std::uint64_t{0} - 1, std::uint64_t{0} - 2}};
  for (const NodeId node : {NodeId{0}, NodeId{1}}) {
    Rounds rounds(Topology(2), node);
    const Party party(rounds, none);
    EXPECT_EQ(ShareAccess::words(x.shares(party)), expected[node]);
  }
  Rounds rounds(Topology(2), std::nullopt);
  const Party dealer(rounds, none);
  EXPECT_TRUE(ShareAccess::words(x.shares(dealer)).empty());
}

TEST(Public, HandsOverWhatItHas) {
  int visits = 0;
  Public(row, 0, Words{1, 2, 3}).if_known([&](const Words& words) {
    ++visits;
    EXPECT_EQ(words.size(), 3u);
  });
  Public(row, 0, Words{}).if_known([&](const Words&) { ++visits; });
  EXPECT_EQ(visits, 1);
  EXPECT_THROW(Public(row, 0, Words{1}), std::invalid_argument);
}

}  // namespace
}  // namespace sotto
