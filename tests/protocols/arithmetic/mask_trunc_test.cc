#include "sotto/protocol/arithmetic/mask_trunc.h"

#include "sotto/protocol/arithmetic/product.h"
#include "tests/protocols/support.h"

namespace sotto::protocols::testing {
namespace {

class MaskTrunc : public ForParties {};
SOTTO_FOR_PARTIES(MaskTrunc);

Task<Numbers> truncated(Party& party, Numbers words, unsigned f) {
  return result_on_masked(party, Shape{1, words.size()}, f, words,
                          [&party, f](const Masked& x) { return mask_trunc(party, x.shares(party), f, "trunc"); });
}

Numbers edge_values() {
  const std::uint64_t edge = std::uint64_t{1} << 62;
  Numbers values{0, 1, ~std::uint64_t{0}, edge - 1, std::uint64_t{0} - edge, edge / 2, 12345678901234567u};
  std::mt19937_64 random(7);
  for (int i = 0; i < 300; ++i) {
    values.push_back((random() >> 1) - edge);
    values.push_back((random() >> (20 + random() % 40)) * (random() % 2 ? 1 : ~std::uint64_t{0}));
  }
  return values;
}

TEST_P(MaskTrunc, IsWithinOneUnitOnTheWholeRange) {
  const Numbers values = edge_values();
  for (const unsigned f : {1u, 10u, 20u, 30u, 61u}) {
    const Numbers result = run_and_agree(GetParam(), 3, [&](Party& party) { return truncated(party, values, f); });
    ASSERT_EQ(result.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t floor = as_signed(values[i]) >> f;
      const bool exact = (values[i] & ((std::uint64_t{1} << f) - 1)) == 0;
      const std::int64_t error = as_signed(result[i]) - floor;
      EXPECT_TRUE(error == 0 || (error == 1 && !exact)) << as_signed(values[i]) << " by " << f << ": " << error;
    }
  }
}

TEST_P(MaskTrunc, IsUnbiased) {
  // A remainder of 1/4 rounds up one time in four: 5,000 of 20,000 lanes, with a standard deviation of 61.
  const Numbers values(20000, (std::uint64_t{5} << 20) + (std::uint64_t{1} << 18));
  const Numbers result = run_and_agree(GetParam(), 3, [&](Party& party) { return truncated(party, values, 20); });
  std::size_t up = 0;
  for (const std::uint64_t word : result) up += word - 5;
  EXPECT_NEAR(static_cast<double>(up), 5000, 8 * 61);
}

// Opens (q - 3 p) x, where p is the truncated product of x and y, and q is the truncated square of p. With `pending`,
// mask_trunc() truncates each product while it is still a PendingProduct.
Task<Numbers> square_of_product(Party& party, Numbers x_words, Numbers y_words, bool pending) {
  const Shape shape{1, x_words.size()};
  auto [x, y] = co_await when_all(masked(party, shape, 20, x_words), masked(party, shape, 20, y_words));
  const auto product = [pending](Party& at, const Masked& a, const Masked& b, Label label) {
    return pending ? mask_trunc(at, pending_product<Elementwise>(at, a, b), 20, label)
                   : mask_trunc(at, elementwise(at, a, b), 20, label);
  };
  const Masked p = co_await product(party, x, y, "p");
  const Masked q = co_await product(party, p, p, "q");
  const Masked mixed = q - p.times(3);
  co_return co_await opened(party, elementwise(party, mixed, x));
}

TEST_P(MaskTrunc, FoldingSavesTheDealersTermOfAProduct) {
  const Numbers x(100, 5 << 20);
  const Topology topology(GetParam());
  const Ledger pending_cost = plan(topology, [&](Party& party) { return square_of_product(party, x, x, true); });
  const Ledger cost = plan(topology, [&](Party& party) { return square_of_product(party, x, x, false); });
  EXPECT_EQ(cost.total().dealt - pending_cost.total().dealt, 2 * 100 * 8u);
  EXPECT_EQ(cost.total().sent, pending_cost.total().sent);
}

void expect_right_products(std::size_t parties, bool pending) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-4, 4);
  Numbers x, y;
  for (int i = 0; i < 500; ++i) {
    x.push_back(fixed(uniform(random), 20));
    y.push_back(fixed(uniform(random), 20));
  }
  const Numbers result =
      run_and_agree(parties, 4, [&](Party& party) { return square_of_product(party, x, y, pending); });
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p = real(x[i], 20) * real(y[i], 20);
    EXPECT_NEAR(real(result[i], 40), (p * p - 3 * p) * real(x[i], 20), 5e-4);
  }
}

TEST_P(MaskTrunc, KeepsProductsOfTruncatedValuesRight) { expect_right_products(GetParam(), false); }
TEST_P(MaskTrunc, TakesPendingProducts) { expect_right_products(GetParam(), true); }

TEST(MaskTruncArguments, AreChecked) {
  expect_refused([](Party& party) { return truncated(party, Numbers{1}, 63); });
}

TEST(MaskTruncArguments, EmptyIsFine) {
  EXPECT_TRUE(run_and_agree(2, 3, [](Party& party) { return truncated(party, Numbers{}, 20); }).empty());
}

}  // namespace
}  // namespace sotto::protocols::testing
