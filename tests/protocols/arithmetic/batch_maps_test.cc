#include "sotto/protocol/arithmetic/batch_maps.h"

#include "tests/protocols/arithmetic/map_definition.h"

namespace sotto::protocols {
namespace {

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
