#include "sotto/protocol/arithmetic/bilinear.h"
#include "sotto/protocol/arithmetic/batch_maps.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/sharing/shape.h"
#include "tests/framework.h"

namespace sotto::protocols {

using Lanes = std::vector<std::uint64_t>;

inline constexpr std::uint64_t guard = 0xabcdabcdabcdabcd;

inline Lanes random_lanes(std::size_t count, std::uint64_t seed) {
  Lanes lanes(count);
  Prg(Seed::insecure_from_number(seed)).fill(lanes, 64);
  lanes.push_back(guard);
  return lanes;
}

template <class Map>
void expect_one_map(Shape left, Shape right) {
  SCOPED_TRACE(to_string(left) + " and " + to_string(right));
  const Map map(left, right);
  const Lanes x = random_lanes(left.lanes(), 1);
  const Lanes y = random_lanes(right.lanes(), 2);
  const Lanes pairs = random_lanes(map.pairs(), 3);
  const Lanes before = random_lanes(map.out.lanes(), 4);

  Lanes sum = before;
  Lanes by_left(map.out.lanes(), 0);
  by_left.push_back(guard);
  Lanes by_right = by_left;
  Lanes products = random_lanes(map.pairs(), 5);
  std::size_t pair = 0;
  map.for_each([&](std::size_t o, std::size_t i, std::size_t j) {
    sum.at(o) += x.at(i) * y.at(j);
    by_left.at(o) += x[i] * pairs.at(pair);
    by_right.at(o) += y[j] * pairs[pair];
    products.at(pair++) = x[i] * y[j];
  });
  ASSERT_EQ(pair, map.pairs());

  Lanes measured = before;
  map.add_product(measured.data(), x.data(), y.data());
  EXPECT_EQ(measured, sum);
  measured = before;
  map.left_pairs(measured.data(), x.data(), pairs.data());
  EXPECT_EQ(measured, by_left);
  measured = before;
  map.right_pairs(measured.data(), y.data(), pairs.data());
  EXPECT_EQ(measured, by_right);
  measured = random_lanes(map.pairs(), 6);
  map.pair_products(measured.data(), x.data(), y.data());
  EXPECT_EQ(measured, products);
}

namespace {

TEST(BilinearMaps, OfRowsAgreeWithTheirDefinition) {
  for (const std::size_t rows : {1, 2, 5, 10}) {
    for (const std::size_t columns : {1, 3, 8, 20, 33}) {
      for (const std::size_t right_rows : {rows, std::size_t{1}}) {
        expect_one_map<Elementwise>(Shape{rows, columns}, Shape{right_rows, columns});
        expect_one_map<RowDot>(Shape{rows, columns}, Shape{right_rows, columns});
        expect_one_map<RowScale>(Shape{rows, 1}, Shape{right_rows, columns});
      }
      expect_one_map<RowScale>(Shape{1, 1}, Shape{rows, columns});
    }
  }
}

TEST(BilinearMaps, OfSymmetricMatricesAgreeWithTheirDefinition) {
  for (const std::size_t rows : {1, 3}) {
    for (const std::size_t d : {1, 2, 7, 8, 9, 20, 65}) {
      for (const std::size_t right_rows : {rows, std::size_t{1}}) {
        expect_one_map<SymmetricMatVec>(Shape{rows, triangle(d)}, Shape{right_rows, d});
      }
      expect_one_map<SymmetricOuter>(Shape{rows, d}, Shape{rows, d});
    }
  }
}

TEST(BilinearMaps, TwoOuterProductsAtOnceAreTheSumOfBoth) {
  for (const std::size_t d : {1, 7, 8, 9, 20, 33}) {
    const Shape shape{3, d};
    const SymmetricOuter map(shape, shape);
    const Lanes a = random_lanes(shape.lanes(), 1);
    const Lanes b = random_lanes(shape.lanes(), 2);
    const Lanes p = random_lanes(shape.lanes(), 3);
    const Lanes q = random_lanes(shape.lanes(), 4);
    Lanes expected(map.out.lanes(), 0);
    expected.push_back(guard);
    map.add_product(expected.data(), a.data(), b.data());
    map.add_product(expected.data(), p.data(), q.data());
    Lanes sum = random_lanes(map.out.lanes(), 5);
    map.sum_of_products(sum.data(), a.data(), b.data(), p.data(), q.data());
    EXPECT_EQ(sum, expected) << d;
  }
}

TEST(BilinearMaps, OfMatricesAgreeWithTheirDefinition) {
  for (const std::size_t m : {1, 3, 8}) {
    for (const std::size_t k : {1, 5}) {
      for (const std::size_t n : {1, 4, 17}) expect_one_map<MatMul>(Shape{m, k}, Shape{k, n});
    }
  }
}

TEST(BatchMaps, AgreeWithTheirDefinition) {
  for (const std::size_t d : {1, 2, 7, 8, 9, 20, 33}) {
    for (const std::size_t rows : {1, 3, 10}) {
      expect_one_map<RowOuter>(Shape{rows, 1}, Shape{rows, d});
      expect_one_map<RowOuter>(Shape{rows, 4}, Shape{rows, d});
      expect_one_map<RowTriangles>(Shape{rows, d}, Shape{rows, d});
      for (const std::size_t arms : {1, 4}) expect_one_map<SumOfOuters>(Shape{rows, arms * d}, Shape{rows, d});
    }
    for (const std::size_t matrices : {1, 3}) {
      expect_one_map<BlockMatMul>(Shape{matrices, d * d}, Shape{matrices, d * d});
    }
  }
}

TEST(BatchMaps, RefuseShapesThatDoNotFit) {
  EXPECT_THROW(RowOuter(Shape{2, 3}, Shape{3, 3}), std::invalid_argument);
  EXPECT_THROW(RowTriangles(Shape{2, 3}, Shape{3, 3}), std::invalid_argument);
  EXPECT_THROW(SumOfOuters(Shape{2, 6}, Shape{3, 3}), std::invalid_argument);
  EXPECT_THROW(SumOfOuters(Shape{2, 7}, Shape{2, 3}), std::invalid_argument);
  EXPECT_THROW(BlockMatMul(Shape{2, 9}, Shape{3, 9}), std::invalid_argument);
  EXPECT_THROW(BlockMatMul(Shape{2, 8}, Shape{2, 8}), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::protocols
