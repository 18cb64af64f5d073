#include "core/transfer/ring_products.h"

#include "sotto/protocol/ring/fixed_point.h"
#include "tests/core/transfer/two_sides.h"
#include "tests/framework.h"
#include "tests/properties.h"

namespace sotto {
namespace {

using Words = std::vector<std::uint64_t>;
using Bytes = std::vector<std::byte>;

struct Played {
  Words of_sender, of_receiver;
  Bytes request, reply;
};

Played play(testing::TwoSides& sides, const RingProducts& products, const Words& x, const Words& y) {
  const std::size_t lanes = products.count * products.width;
  Played played{Words(lanes), Words(lanes), Bytes(product_request_bytes(sides.sender.k(), products)),
                Bytes(product_reply_bytes(products))};
  request_products(sides.receiver, products, y, played.of_receiver, played.request);
  reply_products(sides.sender, products, x, played.request, played.of_sender, played.reply);
  finish_products(products, y, played.reply, played.of_receiver);
  return played;
}

void expect_products(const Played& played, const RingProducts& products, const Words& x, const Words& y) {
  const std::uint64_t mask = ring_mask(products.bits);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t factor = y[i / products.width] & ring_mask(products.choice_bits);
    ASSERT_EQ((played.of_sender[i] + played.of_receiver[i]) & mask, (x[i] * factor) & mask)
        << products.bits << " " << products.choice_bits << " " << products.width << " " << i;
    ASSERT_LE(played.of_sender[i], mask);
    ASSERT_LE(played.of_receiver[i], mask);
  }
}

TEST(RingProducts, MultiplyInRingsOfAllWidths) {
  testing::TwoSides sides = testing::set_up(8);
  for (const unsigned bits : {1U, 2U, 7U, 8U, 43U, 46U, 63U, 64U}) {
    for (const unsigned choice_bits : {1U, bits / 2 + 1, bits}) {
      const RingProducts products{37, 1, bits, std::min(choice_bits, bits)};
      const Words x = testing::random_words(37, bits);
      const Words y = testing::random_words(37, 100 + choice_bits);
      expect_products(play(sides, products, x, y), products, x, y);
    }
  }
}

TEST(RingProducts, MultiplyBoundaries) {
  testing::TwoSides sides = testing::set_up(2);
  const Words ends = {0, 1, 2, std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{0} - 1};
  Words x;
  Words y;
  for (const std::uint64_t a : ends) {
    for (const std::uint64_t b : ends) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  const RingProducts products{x.size()};
  expect_products(play(sides, products, x, y), products, x, y);
}

TEST(RingProducts, MultiplyRowsAndManyParts) {
  testing::TwoSides sides = testing::set_up(4);
  for (const RingProducts& products :
       {RingProducts{5, 3, 64, 64}, RingProducts{2500, 1, 64, 64}, RingProducts{30, 210, 64, 1},
        RingProducts{20, 5000, 20, 2}, RingProducts{0, 1, 64, 64}, RingProducts{70000, 1, 10, 1}}) {
    const Words x = testing::random_words(products.count * products.width, 1);
    const Words y = testing::random_words(products.count, 2);
    expect_products(play(sides, products, x, y), products, x, y);
  }
}

TEST(RingProducts, DeclareTheirBytes) {
  // For a product of words, the reply has 260 bytes, and the request has 64 transfers of 16 / k bytes each.
  EXPECT_EQ(product_reply_bytes({1000}), 260000);
  EXPECT_EQ(product_request_bytes(4, {1000}), 64 * 4 * 1000);
  EXPECT_EQ(product_request_bytes(8, {1000}), 64 * 2 * 1000);
  EXPECT_EQ(product_reply_bytes({1000, 1, 46, 46}), 46 * 47 / 2 * 1000 / 8);
  EXPECT_EQ(product_reply_bytes({8, 210, 64, 1}), 8 * 210 * 8);
  EXPECT_EQ(product_request_bytes(4, {8, 210, 64, 1}), 32);
}

TEST(RingProducts, RefuseWhatDoesNotFit) {
  testing::TwoSides sides = testing::set_up(4);
  Words three(3);
  Words four(4);
  const RingProducts products{3};
  Bytes request(product_request_bytes(4, products));
  Bytes reply(product_reply_bytes(products));
  Bytes longer(reply.size() + 1);
  EXPECT_THROW(request_products(sides.receiver, products, four, three, request), std::invalid_argument);
  EXPECT_THROW(request_products(sides.receiver, products, three, four, request), std::invalid_argument);
  EXPECT_THROW(request_products(sides.receiver, products, three, three, reply), std::invalid_argument);
  EXPECT_THROW(reply_products(sides.sender, products, four, request, three, reply), std::invalid_argument);
  EXPECT_THROW(reply_products(sides.sender, products, three, reply, three, reply), std::invalid_argument);
  EXPECT_THROW(reply_products(sides.sender, products, three, request, three, longer), std::invalid_argument);
  EXPECT_THROW(finish_products(products, three, longer, three), std::invalid_argument);
  EXPECT_THROW(finish_products(products, three, {}, three), std::invalid_argument);
  for (const RingProducts& bad : {RingProducts{3, 0}, RingProducts{3, 1, 0, 0}, RingProducts{3, 1, 65, 1},
                                  RingProducts{3, 1, 8, 9}, RingProducts{3, 1, 8, 0}}) {
    EXPECT_THROW((void)product_reply_bytes(bad), std::invalid_argument);
    EXPECT_THROW((void)product_request_bytes(4, bad), std::invalid_argument);
  }
}

void expect_balanced(const Bytes& message) {
  std::int64_t ones = 0;
  for (const std::byte b : message) ones += std::popcount(std::to_integer<unsigned>(b));
  const auto bits = static_cast<std::int64_t>(8 * message.size());
  EXPECT_LT(std::abs(2 * ones - bits), 5 * std::sqrt(static_cast<double>(bits)));
}

// Both messages and the shares of either side are uniform, whatever the factors are. The counts of bits are within 5
// standard deviations.
TEST(RingProductsStatistical, MessagesAndSharesAreBalanced) {
  testing::TwoSides sides = testing::set_up(4);
  constexpr std::size_t count = 1 << 12;
  for (const std::uint64_t factor : {std::uint64_t{0}, std::uint64_t{3}, ~std::uint64_t{0}}) {
    const RingProducts products{count};
    const Played played = play(sides, products, Words(count, factor), Words(count, factor));
    expect_balanced(played.request);
    expect_balanced(played.reply);
    for (const Words& shares : {played.of_sender, played.of_receiver}) {
      for (unsigned bit = 0; bit < 64; ++bit) {
        std::int64_t ones = 0;
        for (const std::uint64_t share : shares) ones += static_cast<std::int64_t>(share >> bit & 1);
        EXPECT_LT(std::abs(2 * ones - static_cast<std::int64_t>(count)), 5 * 64) << factor << " " << bit;
      }
    }
  }
}

}  // namespace
}  // namespace sotto
