#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "tests/framework.h"
#include "tests/properties.h"
#include "tests/protocols/boolean/shared_bits.h"
#include "tests/protocols/support.h"

namespace sotto::protocols::testing {
namespace {

enum class MapKind { elementwise, row_dot, row_scale, matvec, outer, matmul };

struct Case {
  MapKind kind;
  Shape x, y;
  Numbers x_words, y_words;
  unsigned x_cut, y_cut;  // number of bits by which the operand is truncated; 0: a plain mask
};

Numbers reference(const Case& c) {
  const auto x = [&](std::size_t i, std::size_t j) { return c.x_words[i * c.x.columns + j]; };
  const auto y = [&](std::size_t i, std::size_t j) { return c.y_words[(c.y.rows == 1 ? 0 : i) * c.y.columns + j]; };
  Numbers out;
  switch (c.kind) {
    case MapKind::elementwise:
      for (std::size_t i = 0; i < c.x.rows; ++i) {
        for (std::size_t j = 0; j < c.x.columns; ++j) out.push_back(x(i, j) * y(i, j));
      }
      break;
    case MapKind::row_dot:
      for (std::size_t i = 0; i < c.x.rows; ++i) {
        std::uint64_t sum = 0;
        for (std::size_t j = 0; j < c.x.columns; ++j) sum += x(i, j) * y(i, j);
        out.push_back(sum);
      }
      break;
    case MapKind::row_scale:
      for (std::size_t i = 0; i < std::max(c.x.rows, c.y.rows); ++i) {
        for (std::size_t j = 0; j < c.y.columns; ++j) out.push_back(x(c.x.rows == 1 ? 0 : i, 0) * y(i, j));
      }
      break;
    case MapKind::matvec:
      for (std::size_t r = 0; r < c.x.rows; ++r) {
        const std::size_t d = c.y.columns;
        std::vector<Numbers> w(d, Numbers(d, 0));
        std::size_t entry = 0;
        for (std::size_t i = 0; i < d; ++i) {
          for (std::size_t j = i; j < d; ++j) w[i][j] = w[j][i] = x(r, entry++);
        }
        for (std::size_t i = 0; i < d; ++i) {
          std::uint64_t sum = 0;
          for (std::size_t j = 0; j < d; ++j) sum += w[i][j] * y(r, j);
          out.push_back(sum);
        }
      }
      break;
    case MapKind::outer:
      for (std::size_t r = 0; r < c.x.rows; ++r) {
        for (std::size_t i = 0; i < c.x.columns; ++i) {
          for (std::size_t j = i; j < c.x.columns; ++j) out.push_back(x(r, i) * y(r, j) + x(r, j) * y(r, i));
        }
      }
      break;
    case MapKind::matmul:
      for (std::size_t i = 0; i < c.x.rows; ++i) {
        for (std::size_t j = 0; j < c.y.columns; ++j) {
          std::uint64_t sum = 0;
          for (std::size_t k = 0; k < c.x.columns; ++k) sum += x(i, k) * c.y_words[k * c.y.columns + j];
          out.push_back(sum);
        }
      }
      break;
  }
  return out;
}

Arith product_of(Party& party, MapKind kind, const Masked& x, const Masked& y) {
  switch (kind) {
    case MapKind::elementwise:
      return elementwise(party, x, y);
    case MapKind::row_dot:
      return row_dot(party, x, y);
    case MapKind::row_scale:
      return row_scale(party, x, y);
    case MapKind::matvec:
      return symmetric_matvec(party, x, y);
    case MapKind::outer:
      return symmetric_outer(party, x, y);
    case MapKind::matmul:
      return matmul(party, x, y);
  }
  throw std::logic_error("no such map");
}

// An operand whose value is `words` and whose mask has a carry term. The operand is truncated from multiples of 2^cut,
// so the truncation is exact.
Task<Masked> operand(Party& party, Shape shape, Numbers words, unsigned cut) {
  for (std::uint64_t& word : words) word <<= cut;
  Masked plain = co_await masked(party, shape, cut, words);
  if (cut == 0) co_return plain;
  co_return co_await mask_trunc(party, plain.shares(party), cut, "operand");
}

Task<Numbers> evaluated(Party& party, Case c) {
  const Masked x = co_await operand(party, c.x, c.x_words, c.x_cut);
  const Masked y = co_await operand(party, c.y, c.y_words, c.y_cut);
  Arith product = product_of(party, c.kind, x, y);
  co_return co_await opened(party, std::move(product));
}

Numbers draw_words(std::size_t lanes, unsigned cut) {
  const auto words = draw_vector(lanes, draw<std::uint64_t>);
  Numbers result;
  for (const std::uint64_t word : words) {
    // The range of the truncation requires |word 2^cut| below 2^62.
    const std::uint64_t spread = word * 0x9e3779b97f4a7c15u;
    result.push_back(cut == 0 ? spread : static_cast<std::uint64_t>(as_signed(spread) >> (cut + 2)));
  }
  return result;
}

Case draw_case(MapKind kind) {
  const auto size = [] { return draw_in_range<std::size_t>(1, 5); };
  const std::size_t a = size();
  const std::size_t b = size();
  const std::size_t e = size();
  const std::size_t a_or_one = draw_one_of({a, std::size_t{1}});
  Case c{kind, Shape{a, b}, Shape{a_or_one, b}, {}, {}, 0, 0};
  if (kind == MapKind::row_scale) {
    const bool x_serves_all = draw<bool>();
    c.x = Shape{x_serves_all ? 1 : a, 1};
    c.y = Shape{x_serves_all ? a : a_or_one, b};
  }
  if (kind == MapKind::matvec) c.x = Shape{a, triangle(b)};
  if (kind == MapKind::outer) c.y = c.x;
  if (kind == MapKind::matmul) c.y = Shape{b, e};
  c.x_cut = draw_one_of({0u, 1u, 20u, 32u});
  c.y_cut = draw_one_of({0u, 1u, 30u, 32u});
  c.x_words = draw_words(c.x.lanes(), c.x_cut);
  c.y_words = draw_words(c.y.lanes(), c.y_cut);
  return c;
}

void check(MapKind kind) {
  const Case c = draw_case(kind);
  const std::size_t parties = draw_one_of<std::size_t>({2, 3, 5});
  const auto program = [&](Party& party) { return evaluated(party, c); };
  const auto run = simulate(Topology(parties), program);
  const Numbers expected = reference(c);
  for (std::size_t p = 0; p < parties; ++p) HOLDS(run.nodes[p] == expected);
  const Cost planned = plan(Topology(parties), program).total();
  HOLDS(planned.sent == run.sent);
  HOLDS(planned.dealt == run.dealt);
}

PROPERTY(Product, Elementwise) { check(MapKind::elementwise); }
PROPERTY(Product, RowDot) { check(MapKind::row_dot); }
PROPERTY(Product, RowScale) { check(MapKind::row_scale); }
PROPERTY(Product, SymmetricMatVec) { check(MapKind::matvec); }
PROPERTY(Product, SymmetricOuter) { check(MapKind::outer); }
PROPERTY(Product, MatMul) { check(MapKind::matmul); }

Task<Numbers> joined(Party& party, Numbers a, Numbers b, Numbers c) {
  const Shape shape{1, a.size()};
  auto [x, y, z] =
      co_await when_all(operand(party, shape, a, 20), operand(party, shape, b, 30), operand(party, shape, c, 0));
  const Masked left = x.times(3) - y + z.times(5);
  const Masked right = y.times(7).plus(11) + x;
  Arith product = elementwise(party, left, right);
  co_return co_await opened(party, std::move(product));
}

PROPERTY(Product, OfSumsWithSeveralCuts) {
  const Numbers a = draw_words(6, 20);
  const Numbers b = draw_words(6, 30);
  const Numbers c = draw_words(6, 0);
  const auto run = simulate(Topology(3), [&](Party& party) { return joined(party, a, b, c); });
  for (std::size_t i = 0; i < 6; ++i) {
    HOLDS(run.nodes[0][i] == (3 * a[i] - b[i] + 5 * c[i]) * (7 * b[i] + 11 + a[i]));
  }
}

TEST(ProductArguments, ShapesAreChecked) {
  const Shape a{2, 3};
  EXPECT_THROW(Elementwise(a, Shape{3, 3}), std::invalid_argument);
  EXPECT_THROW(RowDot(a, Shape{2, 4}), std::invalid_argument);
  EXPECT_THROW(RowScale(a, a), std::invalid_argument);
  EXPECT_THROW(RowScale(Shape{3, 1}, a), std::invalid_argument);
  EXPECT_THROW(SymmetricMatVec(a, Shape{2, 3}), std::invalid_argument);
  EXPECT_THROW(SymmetricMatVec(Shape{2, 6}, Shape{3, 3}), std::invalid_argument);
  EXPECT_THROW(SymmetricOuter(a, Shape{1, 3}), std::invalid_argument);
  EXPECT_THROW(MatMul(a, a), std::invalid_argument);
}

TEST(ProductArguments, CutsThatDoNotVanishAreRefused) {
  const auto with_cuts = [](Party& party, unsigned x_cut, unsigned y_cut) -> Task<Numbers> {
    const Shape one{1, 1};
    const Numbers zero(1, 0);
    const Masked x = co_await operand(party, one, zero, x_cut);
    const Masked y = co_await operand(party, one, zero, y_cut);
    co_return co_await opened(party, elementwise(party, x, y));
  };
  EXPECT_NO_THROW((void)simulate(Topology(2), [&](Party& party) { return with_cuts(party, 34, 30); }));
  expect_refused([&](Party& party) { return with_cuts(party, 35, 30); });
  EXPECT_NO_THROW((void)simulate(Topology(2), [&](Party& party) { return with_cuts(party, 62, 0); }));
}

TEST(ProductArguments, LargeFactorsOfALongTruncationAreRefused) {
  const auto times = [](Party& party, std::uint64_t factor) -> Task<Numbers> {
    const Shape one{1, 1};
    const Numbers zero(1, 0);
    const Masked x = co_await operand(party, one, zero, 40);
    const Masked y = co_await operand(party, one, zero, 0);
    co_return co_await opened(party, elementwise(party, x.times(factor), y));
  };
  EXPECT_NO_THROW((void)simulate(Topology(2), [&](Party& party) { return times(party, (1 << 23) - 1); }));
  expect_refused([&](Party& party) { return times(party, 1 << 23); });
}

Task<Numbers> offset(Party& party, Numbers words) {
  const Masked x = co_await masked(party, Shape{1, 4}, 0, words);
  co_return co_await opened(party, plus(party, x.shares(party).in_ring(8), 255));
}

TEST(Plus, AddsAConstantInTheRing) {
  const auto program = [](Party& party) { return offset(party, Numbers{0, 1, 2, 256}); };
  EXPECT_EQ(simulate(Topology(3), program).nodes[1], (Numbers{255, 0, 1, 255}));
}

class Triples : public ForParties {};
SOTTO_FOR_PARTIES(Triples);

TEST_P(Triples, MultiplyInAnyRing) {
  for (const unsigned bits : {1u, 5u, 8u, 13u, 32u, 47u, 64u}) {
    for (const std::size_t lanes : {0u, 1u, 200u}) {
      const Numbers x = test_words(bits, lanes, 1);
      const Numbers y = shuffled(test_words(bits, lanes, 2), 3);
      const Numbers result = run_and_agree(GetParam(), 2, [&](Party& party) {
        return result_of(
            party, multiply_with_triples(party, shared_words(party, bits, x), shared_words(party, bits, y), "triples"));
      });
      ASSERT_EQ(result.size(), lanes);
      for (std::size_t i = 0; i < lanes; ++i) EXPECT_EQ(result[i], (x[i] * y[i]) & ones(bits));
    }
  }
}

TEST(TriplesArguments, AreChecked) {
  expect_refused([](Party& party) {
    return multiply_with_triples(party, Arith(Shape{1, 1}, 0, 8), Arith(Shape{1, 1}, 0, 9), "x");
  });
  expect_refused([](Party& party) {
    return multiply_with_triples(party, Arith(Shape{1, 1}, 0), Arith(Shape{1, 2}, 0), "x");
  });
}

// Tests with large samples are in the suite Statistical, which runs under sanitizers leave out.

constexpr unsigned f = 20;

Task<Numbers> truncated(Party& party, const Numbers& words) {
  return result_on_masked(party, Shape{1, words.size()}, f, words,
                          [&party](const Masked& x) { return mask_trunc(party, x.shares(party), f, "truncation"); });
}

// Values within 2^bits of either end of [-2^62, 2^62).
void fill_with_edges(Numbers& values, std::mt19937_64& random) {
  const std::uint64_t edge = std::uint64_t{1} << 62;
  for (std::uint64_t& value : values) {
    const std::uint64_t inside = random() >> (24 + random() % 40);
    value = random() % 2 == 0 ? edge - 1 - inside : std::uint64_t{0} - edge + inside;
  }
}

// The values z are close to -2^62 or 2^62. The project's truncation never wraps for them. The usual local truncation
// fails with probability |z| / 2^63, which is about 1/2 here.
TEST(Statistical, TenMillionTruncationsAtTheEdgeNeverWrap) {
  constexpr std::size_t slice = 100'000;
  const std::size_t slices = samples(100);
  std::mt19937_64 random(2020);
  Numbers values(slice);
  std::size_t wrong = 0;
  double rounding = 0;  // sum of the errors; each error is below one unit, and the mean is zero
  for (std::size_t s = 0; s < slices; ++s) {
    fill_with_edges(values, random);
    const auto program = [&](Party& party) { return truncated(party, values); };
    SimulationOptions options;
    options.insecure_seed = s;
    const auto run = simulate(Topology(2), program, std::move(options));
    ASSERT_EQ(run.nodes[0].size(), slice);
    for (std::size_t i = 0; i < slice; ++i) {
      const std::uint64_t remainder = values[i] & ((std::uint64_t{1} << f) - 1);
      const std::int64_t error = as_signed(run.nodes[0][i]) - (as_signed(values[i]) >> f);
      if (error != 0 && !(error == 1 && remainder != 0)) ++wrong;
      rounding += static_cast<double>(error) - std::ldexp(static_cast<double>(remainder), -20);
    }
  }
  EXPECT_EQ(wrong, 0u);
  // The variance is at most 1/4 per lane.
  EXPECT_LT(std::abs(rounding), 6 * std::sqrt(static_cast<double>(slices * slice)) / 2);
}

}  // namespace
}  // namespace sotto::protocols::testing
