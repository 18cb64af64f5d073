#include "sotto/protocol/sharing/rearrange.h"

#include "sotto/protocol/sharing/share_access.h"
#include "tests/framework.h"

namespace sotto {
namespace {

const Shape two_by_three{2, 3};

// Words, mask and a carry term, so that a test sees all three moved alike.
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

// Two matrices of 3 x 3 as triangles 11 12 13 22 23 33.
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

  // V + V' of a matrix that is not symmetric.
  const PendingProduct product(Shape{2, 9}, 5, Words{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 1, 0, 0, 0, 2, 0, 0});
  const PendingProduct sum = lanes.both_halves(product);
  EXPECT_EQ(sum.shape(), (Shape{2, 6}));
  EXPECT_EQ(ShareAccess::words(sum), (Words{2, 6, 10, 10, 14, 18, 0, 0, 3, 0, 0, 0}));
}

}  // namespace
}  // namespace sotto
