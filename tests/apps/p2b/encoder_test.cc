#include "apps/p2b/encoder.h"
#include "apps/kit/learn/seeded.h"
#include "apps/p2b/grid.h"
#include "apps/prepare/data/reduction.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::p2b {

using namespace sotto::apps::prepare;
namespace {

TEST(P2bGrid, CountsItsPointsExactly) {
  EXPECT_EQ(states(1, 10).text, "92378");
  EXPECT_EQ(states(1, 10).exact, 92378);
  EXPECT_EQ(states(1, 3).text, "66");
  EXPECT_EQ(states(2, 10).text, "4263421511271");
  EXPECT_EQ(states(1, 1).text, "1");
  EXPECT_EQ(states(6, 2).text, "1000001");
  // The binomial coefficient C(119, 19), which another program computed from Pascal's triangle.
  EXPECT_EQ(states(2, 20).text, "4910371215196105953021");
  EXPECT_FALSE(states(2, 20).exact);
  EXPECT_NEAR(states(2, 20).value / 4910371215196105953021.0, 1, 1e-15);
}

TEST(P2bGrid, CountsAsManyAsItLists) {
  for (std::size_t d = 1; d <= 6; ++d) {
    const Grid grid(d, 1);
    const std::vector<std::uint32_t> all = grid.all_counts();
    ASSERT_EQ(all.size(), *grid.states().exact * d);
    std::set<std::vector<std::uint32_t>> seen;
    for (std::size_t i = 0; i < all.size() / d; ++i) {
      const std::span<const std::uint32_t> counts = std::span(all).subspan(i * d, d);
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0U), 10U);
      EXPECT_EQ(grid.rank(counts), i);
      seen.emplace(counts.begin(), counts.end());
    }
    EXPECT_EQ(seen.size(), *grid.states().exact);
  }
}

TEST(P2bGrid, RefusesWhatIsNoGrid) {
  EXPECT_THROW((void)states(0, 10), InputError);
  EXPECT_THROW((void)states(most_decimals + 1, 10), InputError);
  EXPECT_THROW((void)states(1, 0), InputError);
  EXPECT_THROW(Grid(most_dimension + 1, 1), InputError);
  const Grid large(10, 2);
  EXPECT_FALSE(large.ranked());
  EXPECT_THROW((void)large.all_counts(), std::invalid_argument);
  const Grid small(2, 1);
  EXPECT_THROW((void)small.rank(std::vector<std::uint32_t>{4, 5}), std::invalid_argument);
  EXPECT_THROW((void)small.rank(std::vector<std::uint32_t>{11, 0}), std::invalid_argument);
}

std::vector<double> rounded(const std::vector<double>& context, unsigned decimals) {
  std::vector<std::uint32_t> counts(context.size());
  to_counts(context, decimals, counts);
  std::vector<double> point;
  for (const std::uint32_t count : counts) point.push_back(count / static_cast<double>(grid_units(decimals)));
  return point;
}

TEST(P2bGrid, RoundsToTheLargestRemainders) {
  EXPECT_EQ(rounded({0.26, 0.26, 0.48}, 1), (std::vector<double>{0.3, 0.2, 0.5}));
  EXPECT_EQ(rounded({1, 1, 1}, 1), (std::vector<double>{0.4, 0.3, 0.3}));
  EXPECT_EQ(rounded({2, 6}, 1), (std::vector<double>{0.3, 0.7}));
  EXPECT_EQ(rounded({0, 0, 0, 0}, 2), (std::vector<double>{0.25, 0.25, 0.25, 0.25}));
  EXPECT_EQ(rounded({1e300, 1e300}, 1), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(rounded({1.7e308, 0, 1.7e308, 1.7e308}, 1), (std::vector<double>{0.4, 0, 0.3, 0.3}));
  EXPECT_EQ(rounded({5e-324, 0}, 1), (std::vector<double>{1, 0}));
  EXPECT_EQ(rounded({5e-324, 2e-323}, 1), (std::vector<double>{0.2, 0.8}));
}

TEST(P2bGrid, TakesNegativeFeaturesAsZeroAndCountsThem) {
  std::vector<std::uint32_t> counts(4);
  EXPECT_EQ(to_counts(std::vector<double>{-1, 0.5, -0.0, 0.5}, 1, counts), 1U);
  EXPECT_THAT(counts, ElementsAre(0, 5, 0, 5));
  EXPECT_THROW((void)rounded({std::nan(""), 1}, 1), InputError);
  EXPECT_THROW((void)rounded({std::numeric_limits<double>::infinity(), 1}, 1), InputError);
}

PROPERTY(P2bGrid, RoundingKeepsTheSumAndIsNear) {
  const auto d = draw_in_range<std::size_t>(1, 100);
  const auto decimals = draw_in_range(1U, most_decimals + 1);
  SeededDraws draws(draw<std::uint64_t>());
  std::vector<double> context(d);
  for (double& value : context) value = draws.below(3) == 0 ? 0 : draws.unit();
  context[draws.below(d)] += 0.1;
  const double sum = std::accumulate(context.begin(), context.end(), 0.0);
  std::vector<std::uint32_t> counts(d);
  to_counts(context, decimals, counts);
  const double units = grid_units(decimals);
  HOLDS(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) == grid_units(decimals));
  for (std::size_t i = 0; i < d; ++i) {
    HOLDS(std::abs(counts[i] - context[i] / sum * units) < 1 + 1e-6);
  }
  const std::vector<double> point = rounded(context, decimals);
  HOLDS(rounded(point, decimals) == point);
}

TEST(P2bGrid, DrawsUniformPointsStatistical) {
  const Grid grid(4, 1);
  SeededDraws draws(1);
  std::vector<double> seen(*grid.states().exact);
  std::vector<std::uint32_t> counts(4);
  constexpr int samples = 200'000;
  for (int i = 0; i < samples; ++i) {
    grid.draw(draws, counts);
    seen[grid.rank(counts)] += 1;
  }
  const double expected = samples / static_cast<double>(seen.size());
  double chi = 0;
  for (const double n : seen) chi += (n - expected) * (n - expected) / expected;
  EXPECT_LT(chi, 285 + 6 * std::sqrt(2 * 285.0));
}

double square_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

std::vector<double> all_contexts(const Grid& grid) {
  std::vector<double> contexts;
  for (const std::uint32_t n : grid.all_counts()) contexts.push_back(static_cast<double>(n) / grid.units());
  return contexts;
}

double inertia(const Encoder& encoder, std::span<const double> contexts) {
  double sum = 0;
  const std::size_t d = encoder.dimension();
  for (std::size_t at = 0; at < contexts.size(); at += d) {
    const auto context = contexts.subspan(at, d);
    sum += square_distance(context, encoder.centroid(encoder.encode(context)));
  }
  return sum;
}

TEST(P2bEncoder, FindsTheNearestCentroidOfTheRoundedContext) {
  const Encoder encoder = fit_encoder({4, 1, 16, EncoderKind::kmeans, 3});
  SeededDraws draws(1);
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> context(4);
    for (double& value : context) value = draws.unit();
    const std::uint32_t code = encoder.encode(context);
    const std::vector<double> point = rounded(context, 1);
    double least = 9;
    for (std::uint32_t c = 0; c < 16; ++c) least = std::min(least, square_distance(point, encoder.centroid(c)));
    ASSERT_NEAR(square_distance(point, encoder.centroid(code)), least, 1e-12);
    EXPECT_EQ(encoder.encode(point), code);
  }
}

TEST(P2bEncoder, CentroidsAreTheMeansOfTheirPoints) {
  const Encoder encoder = fit_encoder({5, 1, 32, EncoderKind::kmeans, 1});
  const std::vector<double> contexts = all_contexts(encoder.grid());
  std::vector<double> sums(32 * 5);
  std::vector<double> sizes(32);
  for (std::size_t at = 0; at < contexts.size(); at += 5) {
    const std::uint32_t code = encoder.encode(std::span(contexts).subspan(at, 5));
    sizes[code] += 1;
    for (std::size_t i = 0; i < 5; ++i) sums[code * 5 + i] += contexts[at + i];
  }
  double moved = 0;
  for (std::uint32_t code = 0; code < 32; ++code) {
    ASSERT_GT(sizes[code], 0);
    double sum = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      moved = std::max(moved, std::abs(sums[code * 5 + i] / sizes[code] - encoder.centroid(code)[i]));
      sum += encoder.centroid(code)[i];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  EXPECT_LT(moved, 0.05);
  const KMeans other = fit_kmeans(contexts, 5, 32, 1);
  EXPECT_LT(inertia(encoder, contexts), 1.1 * other.inertia);
}

TEST(P2bEncoder, IsTheSameForTheSameSeed) {
  for (const EncoderKind kind : {EncoderKind::kmeans, EncoderKind::lsh}) {
    for (const unsigned decimals : {1U, 3U}) {
      const EncoderSettings settings{6, decimals, 16, kind, 5};
      const Encoder first = fit_encoder(settings);
      const Encoder second = fit_encoder(settings);
      EXPECT_TRUE(std::equal(first.centroids().begin(), first.centroids().end(), second.centroids().begin(),
                             second.centroids().end()));
      EXPECT_EQ(first.fingerprint(), second.fingerprint());
      EncoderSettings changed = settings;
      changed.seed = 6;
      EXPECT_NE(first.fingerprint(), fit_encoder(changed).fingerprint());
    }
  }
}

TEST(P2bEncoder, MiniBatchesComeNearToAllPoints) {
  // With 3 decimals and 4 features, the grid has 168 million points.
  const Encoder sampled = fit_encoder({4, 3, 16, EncoderKind::kmeans, 1});
  const Encoder listed = fit_encoder({4, 1, 16, EncoderKind::kmeans, 1});
  SeededDraws draws(1);
  const Grid grid(4, 3);
  std::vector<double> contexts;
  std::vector<std::uint32_t> counts(4);
  for (int i = 0; i < 5000; ++i) {
    grid.draw(draws, counts);
    for (const std::uint32_t n : counts) contexts.push_back(n / 1000.0);
  }
  EXPECT_LT(inertia(sampled, contexts), 1.1 * inertia(listed, contexts));
  for (std::uint32_t code = 0; code < 16; ++code) {
    const auto centroid = sampled.centroid(code);
    EXPECT_NEAR(std::accumulate(centroid.begin(), centroid.end(), 0.0), 1, 1e-9);
  }
}

TEST(P2bEncoder, HashingSplitsTheGridAndKeepsNeighboursTogether) {
  const Encoder encoder = fit_encoder({8, 1, 64, EncoderKind::lsh, 2});
  const std::vector<double> contexts = all_contexts(encoder.grid());
  std::vector<double> sums(64 * 8);
  std::vector<double> sizes(64);
  for (std::size_t at = 0; at < contexts.size(); at += 8) {
    const std::uint32_t code = encoder.encode(std::span(contexts).subspan(at, 8));
    ASSERT_LT(code, 64U);
    sizes[code] += 1;
    for (std::size_t i = 0; i < 8; ++i) sums[code * 8 + i] += contexts[at + i];
  }
  const double points = static_cast<double>(contexts.size()) / 8;
  EXPECT_LT(*std::max_element(sizes.begin(), sizes.end()), points / 4);
  EXPECT_GT(std::count_if(sizes.begin(), sizes.end(), [](double n) { return n > 0; }), 32);
  for (std::uint32_t code = 0; code < 64; ++code) {
    for (std::size_t i = 0; i < 8; ++i) {
      const double expected = sizes[code] > 0 ? sums[code * 8 + i] / sizes[code] : 1.0 / 8;
      ASSERT_NEAR(encoder.centroid(code)[i], expected, 1e-12);
    }
  }
  const std::vector<double> centre(8, 1.0 / 8);
  double all = 0;
  for (std::size_t at = 0; at < contexts.size(); at += 8) {
    all += square_distance(std::span(contexts).subspan(at, 8), centre);
  }
  EXPECT_LT(inertia(encoder, contexts), 0.8 * all);
}

TEST(P2bEncoder, TheTableHoldsTheSameCodes) {
  for (const EncoderKind kind : {EncoderKind::kmeans, EncoderKind::lsh}) {
    const Encoder plain = fit_encoder({5, 1, 32, kind, 1});
    Encoder tabled = fit_encoder({5, 1, 32, kind, 1});
    tabled.prepare_table();
    const std::vector<std::uint32_t> all = plain.grid().all_counts();
    for (std::size_t at = 0; at < all.size(); at += 5) {
      const auto counts = std::span(all).subspan(at, 5);
      ASSERT_EQ(tabled.encode_counts(counts), plain.encode_counts(counts));
    }
    SeededDraws draws(1);
    for (int i = 0; i < 1000; ++i) {
      std::vector<double> context(5);
      for (double& value : context) value = draws.unit();
      ASSERT_EQ(tabled.encode(context), plain.encode(context));
    }
  }
}

TEST(P2bEncoder, FilesComeBackTheSame) {
  const TestFolder folder;
  for (const EncoderKind kind : {EncoderKind::kmeans, EncoderKind::lsh}) {
    const Encoder encoder = fit_encoder({3, 2, 8, kind, 77});
    write_encoder(folder.path() / "e.csv", encoder);
    const Encoder back = read_encoder(folder.path() / "e.csv");
    EXPECT_EQ(back.fingerprint(), encoder.fingerprint());
    EXPECT_EQ(back.settings().kind, kind);
    EXPECT_EQ(back.settings().decimals, 2U);
    EXPECT_EQ(back.settings().seed, 77U);
    const std::vector<double> context{0.213, 0.5, 0.287};
    EXPECT_EQ(back.encode(context), encoder.encode(context));
  }
}

TEST(P2bEncoder, ReadsPlainCentroids) {
  const TestFolder folder;
  for (const char* text : {"1,0,0\n0,1,0\n0,0,1\n", "a,b,c\n1,0,0\n0,1,0\n0,0,1\n"}) {
    const Encoder encoder = read_encoder(folder.put("c.csv", text));
    EXPECT_EQ(encoder.codes(), 3U);
    EXPECT_EQ(encoder.encode(std::vector<double>{0.1, 0.2, 0.7}), 2U);
    EXPECT_EQ(encoder.encode(std::vector<double>{0.34, 0.33, 0.33}), 0U);
  }
}

TEST(P2bEncoder, RefusesSettingsAndFilesThatAreNone) {
  EXPECT_THROW((void)fit_encoder({10, 1, 33, EncoderKind::kmeans, 1}), InputError);
  EXPECT_THROW((void)fit_encoder({10, 1, 0, EncoderKind::kmeans, 1}), InputError);
  EXPECT_THROW((void)fit_encoder({3, 1, 128, EncoderKind::kmeans, 1}), InputError);
  EXPECT_THROW((void)fit_encoder({0, 1, 2, EncoderKind::kmeans, 1}), InputError);
  EXPECT_THROW((void)fit_encoder({3, 7, 2, EncoderKind::kmeans, 1}), InputError);
  EXPECT_THROW((void)parse_encoder_kind("pca", "--kind"), InputError);
  const TestFolder folder;
  EXPECT_THROW((void)read_encoder(folder.path() / "none.csv"), InputError);
  EXPECT_THROW((void)read_encoder(folder.put("x.csv", "# sotto p2b kmeans decimals=: x_0\n1\n2\n")), InputError);
  EXPECT_THROW((void)read_encoder(folder.put("y.csv", "# sotto p2b svd decimals=1 seed=1: x_0\n1\n2\n")), InputError);
  const auto refusal = [&](const std::string& rows) {
    const auto path = folder.put("z.csv", "# sotto p2b kmeans decimals=1 seed=1: x_0,x_1\n" + rows);
    return message_of<InputError>(folder, [&] { (void)read_encoder(path); });
  };
  EXPECT_THAT(refusal("1,0\n0,1\n0.5,0.5\n"), StartsWith("z.csv: the number of centroids: 3 is no power"));
  EXPECT_THAT(refusal("1,0\na,1\n"), StartsWith("z.csv:3:1: not a number (column 'x_0')"));
  const Encoder encoder = fit_encoder({3, 1, 4, EncoderKind::kmeans, 1});
  EXPECT_THROW((void)encoder.encode(std::vector<double>{1, 0}), std::invalid_argument);
  EXPECT_THROW((void)encoder.centroid(4), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps::p2b
