#include "sotto/protocol/arithmetic/bilinear.h"

#include "tests/protocols/arithmetic/map_definition.h"

namespace sotto::protocols {
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

}  // namespace
}  // namespace sotto::protocols
