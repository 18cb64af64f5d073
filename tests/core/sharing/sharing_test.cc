#include "core/party/no_preprocessing.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/public.h"
#include "sotto/protocol/sharing/rearrange.h"
#include "sotto/protocol/sharing/share_access.h"
#include "tests/core/party/round_net.h"
#include "tests/framework.h"
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

// A factor above the limit is refused, because parties without a dealer would read it wrongly and would not notice.
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

const Shape two_by_three{2, 3};

Masked value_of(Shape shape, Words words, Words mask, Words carry) {
  return Masked(shape, 5, std::move(words), Mask{std::move(mask)},
                {Masked::CarryTerm{7, {}, CarryMask{std::move(carry)}}});
}

Masked six() {
  return value_of(two_by_three, {1, 2, 3, 4, 5, 6}, {10, 20, 30, 40, 50, 60}, {100, 200, 300, 400, 500, 600});
}

void expect_value(const Masked& value, Shape shape, const Words& words, std::uint64_t mask_times = 10) {
  Words mask, carry;
  for (const std::uint64_t word : words) mask.push_back(mask_times * word);
  for (const std::uint64_t word : words) carry.push_back(mask_times * mask_times * word);
  EXPECT_EQ(value.shape(), shape);
  EXPECT_EQ(value.scale(), 5u);
  EXPECT_EQ(ShareAccess::words(value), words);
  EXPECT_EQ(ShareAccess::mask(value).words, mask);
  ASSERT_EQ(value.carry_terms().size(), 1u);
  EXPECT_EQ(value.carry_terms()[0].shift, 7u);
  EXPECT_EQ(value.carry_terms()[0].g.words, carry);
}

TEST(Rearranged, TakesLanesAgainAndAgain) {
  const std::uint32_t from[] = {5, 5, 0, 2};
  expect_value(rearranged(six(), Shape{4, 1}, from), Shape{4, 1}, {6, 6, 1, 3});
  const std::uint32_t beyond[] = {6};
  EXPECT_THROW((void)rearranged(six(), Shape{1, 1}, beyond), std::invalid_argument);
  EXPECT_THROW((void)rearranged(six(), Shape{2, 1}, beyond), std::invalid_argument);
}

TEST(Rearranged, LeavesEmptyWhatARoleDoesNotHold) {
  const std::uint32_t from[] = {2, 0};
  const Masked at_dealer = rearranged(value_of(two_by_three, {}, {1, 2, 3, 4, 5, 6}, {}), Shape{1, 2}, from);
  EXPECT_TRUE(ShareAccess::words(at_dealer).empty());
  EXPECT_EQ(ShareAccess::mask(at_dealer).words, (Words{3, 1}));
  EXPECT_TRUE(at_dealer.carry_terms()[0].g.words.empty());
}

TEST(Joined, PutsLanesOneAfterAnother) {
  const std::vector<Masked> parts{six(), six()};
  expect_value(joined(std::span<const Masked>(parts)), Shape{1, 12}, {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6});
  const std::vector<Arith> shares{Arith(Shape{1, 2}, 3, Words{1, 2}), Arith(Shape{1, 1}, 3, Words{3})};
  EXPECT_EQ(ShareAccess::words(joined(std::span<const Arith>(shares))), (Words{1, 2, 3}));
  const std::vector<Masked> other{six(), Masked(two_by_three, 5, {}, {})};
  EXPECT_THROW((void)joined(std::span<const Masked>(other)), std::invalid_argument);
  const std::vector<Arith> scales{Arith(Shape{1, 1}, 3), Arith(Shape{1, 1}, 4)};
  EXPECT_THROW((void)joined(std::span<const Arith>(scales)), std::invalid_argument);
  EXPECT_THROW((void)joined(std::span<const Arith>()), std::invalid_argument);
}

TEST(AddedUp, GivesSumsOfLanes) {
  const std::uint32_t into[] = {0, 0, 0, 1, 1, 1};
  const Arith shares(two_by_three, 3, Words{1, 2, 3, 4, 5, 6});
  EXPECT_EQ(ShareAccess::words(added_up(shares, Shape{2, 1}, into)), (Words{6, 15}));
  const Arith small(two_by_three, 0, Words{1, 2, 3, 0, 1, 2}, 2);
  EXPECT_EQ(ShareAccess::words(added_up(small, Shape{2, 1}, into)), (Words{2, 3}));
  const Masked plain(two_by_three, 5, {1, 2, 3, 4, 5, 6}, Mask{{1, 1, 1, 2, 2, 2}});
  EXPECT_EQ(ShareAccess::mask(added_up(plain, Shape{2, 1}, into)).words, (Words{3, 6}));
  EXPECT_THROW((void)added_up(six(), Shape{2, 1}, into), std::invalid_argument);
  EXPECT_THROW((void)added_up(shares, Shape{1, 1}, into), std::invalid_argument);
}

TEST(PublicMatrices, MultiplyShares) {
  const Arith shares(two_by_three, 3, Words{1, 2, 3, 4, 5, 6});
  const std::uint64_t left[] = {1, 10};
  const Arith above = matrix_times(left, Shape{1, 2}, shares, 4);
  EXPECT_EQ(ShareAccess::words(above), (Words{41, 52, 63}));
  EXPECT_EQ(above.scale(), 7u);
  const std::uint64_t right[] = {1, 1, 1};
  EXPECT_EQ(ShareAccess::words(times_matrix(shares, right, Shape{3, 1}, 0)), (Words{6, 15}));
  EXPECT_THROW((void)times_matrix(shares, left, Shape{2, 1}, 0), std::invalid_argument);
  const std::uint64_t each[] = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(ShareAccess::words(weighted(shares, each, 1)), (Words{1, 4, 9, 16, 25, 36}));
  EXPECT_THROW((void)weighted(shares, left, 1), std::invalid_argument);
}

TEST(PendingProducts, AddUpWhatStandsForNothing) {
  const Shape shape{1, 2};
  PendingProduct sum(shape, 3, {});
  sum += PendingProduct(shape, 3, Words{1, 2});
  sum += PendingProduct(shape, 3, {});
  sum += PendingProduct(shape, 3, Words{3, 4});
  EXPECT_EQ(ShareAccess::words(sum), (Words{4, 6}));
  EXPECT_THROW(sum += PendingProduct(shape, 4, {}), std::invalid_argument);
}

TEST(Weighted, MultipliesColumns) {
  const std::uint64_t factors[] = {1, 2, 0};
  const Masked value = weighted(six(), factors);
  EXPECT_EQ(ShareAccess::words(value), (Words{1, 4, 0, 4, 10, 0}));
  EXPECT_EQ(ShareAccess::mask(value).words, (Words{10, 40, 0, 40, 100, 0}));
  const std::uint64_t two[] = {1, 2};
  EXPECT_THROW((void)weighted(six(), two), std::invalid_argument);
}

TEST(Transposed, ExchangesRowsAndColumns) {
  expect_value(transposed(six()), Shape{3, 2}, {1, 4, 2, 5, 3, 6});
  expect_value(transposed(transposed(six())), two_by_three, {1, 2, 3, 4, 5, 6});
}

TEST(SumOfLanes, AddsPairs) {
  const PendingProduct product(two_by_three, 5, Words{1, 2, 3, 4, 5, 6});
  const std::uint32_t upper[] = {0, 1};
  const std::uint32_t mirror[] = {0, 5};
  EXPECT_EQ(ShareAccess::words(sum_of_lanes(product, Shape{1, 2}, upper, mirror)), (Words{2, 8}));
  EXPECT_THROW((void)sum_of_lanes(product, Shape{1, 1}, upper, mirror), std::invalid_argument);
  const std::uint32_t beyond[] = {0, 6};
  EXPECT_THROW((void)sum_of_lanes(product, Shape{1, 2}, upper, beyond), std::invalid_argument);
}

// The test gives each 3 x 3 matrix as its upper triangle 11 12 13 22 23 33.
TEST(SymmetricLanes, GoFromTrianglesToWholeMatricesAndBack) {
  const SymmetricLanes lanes(2, 3);
  Words triangles(12), mask(12), carry(12);
  for (std::size_t i = 0; i < 12; ++i) {
    triangles[i] = i + 1;
    mask[i] = 10 * triangles[i];
    carry[i] = 100 * triangles[i];
  }
  const Masked value = value_of(Shape{2, 6}, triangles, mask, carry);
  const Masked whole = lanes.whole(value);
  expect_value(whole, Shape{2, 9}, {1, 2, 3, 2, 4, 5, 3, 5, 6, 7, 8, 9, 8, 10, 11, 9, 11, 12});
  EXPECT_EQ(ShareAccess::words(lanes.doubled(value)), (Words{1, 4, 6, 4, 10, 6, 7, 16, 18, 10, 22, 12}));

  const PendingProduct product(Shape{2, 9}, 5, Words{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 1, 0, 0, 0, 2, 0, 0});
  const PendingProduct sum = lanes.both_halves(product);
  EXPECT_EQ(sum.shape(), (Shape{2, 6}));
  EXPECT_EQ(ShareAccess::words(sum), (Words{2, 6, 10, 10, 14, 18, 0, 0, 3, 0, 0, 0}));
}

}  // namespace
}  // namespace sotto
