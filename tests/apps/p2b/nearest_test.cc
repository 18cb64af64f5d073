#include "sotto/apps/p2b/nearest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sotto/apps/kit/data/seeded.h"

namespace sotto::apps {
namespace {

double square_distance(std::span<const double> centroid, std::span<const std::uint32_t> counts,
                       double units) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double gap = counts[i] / units - centroid[i];
    sum += gap * gap;
  }
  return sum;
}

RC_GTEST_PROP(P2bNearest, AllKernelsFindTheNearest, ()) {
  const auto d = *rc::gen::inRange<std::size_t>(1, 90);
  const auto k = *rc::gen::inRange<std::size_t>(1, 70);
  SeededDraws draws(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<double> centroids(k * d);
  for (double& value : centroids) value = draws.unit();
  std::vector<std::uint32_t> counts(d);
  for (std::uint32_t& count : counts) count = static_cast<std::uint32_t>(draws.below(11));
  const NearestCentroid baseline(centroids, d, 10, *available_nearest_kernels().front());
  const NearestCentroid::Found expected = baseline.find(counts);
  double least = 1e300;
  for (std::size_t c = 0; c < k; ++c) {
    least = std::min(least, square_distance(std::span(centroids).subspan(c * d, d), counts, 10));
  }
  RC_ASSERT(expected.code < k);
  const double found =
      square_distance(std::span(centroids).subspan(expected.code * d, d), counts, 10);
  RC_ASSERT(found <= least + 1e-9);
  double norm = 0;
  for (const std::uint32_t n : counts) norm += n / 10.0 * n / 10.0;
  RC_ASSERT(std::abs(norm + 2 * expected.score / 10 - found) < 1e-9);
  // To the last bit on every CPU.
  for (const NearestKernels* kernels : available_nearest_kernels()) {
    const NearestCentroid::Found same = NearestCentroid(centroids, d, 10, *kernels).find(counts);
    RC_ASSERT(same.code == expected.code);
    RC_ASSERT(same.score == expected.score);
  }
}

TEST(P2bNearest, TakesTheFirstAmongEquals) {
  // 40 copies of two centroids: blocks, lanes and the places beyond the last are all met.
  std::vector<double> centroids;
  for (int i = 0; i < 40; ++i) {
    centroids.insert(centroids.end(), {i % 2 == 0 ? 1.0 : 0.0, i % 2 == 0 ? 0.0 : 1.0});
  }
  for (const NearestKernels* kernels : available_nearest_kernels()) {
    const NearestCentroid nearest(centroids, 2, 10, *kernels);
    EXPECT_EQ(nearest.find(std::vector<std::uint32_t>{9, 1}).code, 0U);
    EXPECT_EQ(nearest.find(std::vector<std::uint32_t>{1, 9}).code, 1U);
    EXPECT_EQ(nearest.find(std::vector<std::uint32_t>{5, 5}).code, 0U);
  }
}

TEST(P2bNearest, RefusesShapesThatDoNotFit) {
  const std::vector<double> three(3);
  EXPECT_THROW(NearestCentroid(three, 2, 10), std::invalid_argument);
  EXPECT_THROW(NearestCentroid(three, 0, 10), std::invalid_argument);
  EXPECT_THROW(NearestCentroid(std::vector<double>(), 2, 10), std::invalid_argument);
  const NearestCentroid nearest(three, 3, 10);
  EXPECT_THROW((void)nearest.find(std::vector<std::uint32_t>{10}), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
