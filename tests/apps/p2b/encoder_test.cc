#include "sotto/apps/p2b/encoder.h"

#include "sotto/apps/kit/data/kmeans.h"
#include "sotto/apps/kit/data/seeded.h"
#include "tests/apps/kit/data/test_files.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

using ::testing::StartsWith;

double square_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// All points of the grid as contexts.
std::vector<double> all_contexts(const Grid& grid) {
  std::vector<double> contexts;
  for (const std::uint32_t n : grid.all_counts()) {
    contexts.push_back(static_cast<double>(n) / grid.units());
  }
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
    std::vector<double> rounded(context);
    round_to_grid(rounded, 1);
    double least = 9;
    for (std::uint32_t c = 0; c < 16; ++c) {
      least = std::min(least, square_distance(rounded, encoder.centroid(c)));
    }
    ASSERT_NEAR(square_distance(rounded, encoder.centroid(code)), least, 1e-12);
    EXPECT_EQ(encoder.encode(rounded), code);
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
  EXPECT_LT(moved, 0.05);  // all but converged
  // As good as the project's other k-means on the same points.
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
  // 3 decimals of 4 features: 168 million points.
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
  // Points of a code are nearer to each other than points of the grid are.
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
  EXPECT_THROW((void)fit_encoder({3, 1, 128, EncoderKind::kmeans, 1}), InputError);  // of 66
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
  // Ours, but a row is gone.
  EXPECT_THAT(refusal("1,0\n0,1\n0.5,0.5\n"), StartsWith("z.csv: the number of centroids: 3 is no power"));
  // The line about the encoder is no part of the column's name.
  EXPECT_THAT(refusal("1,0\na,1\n"), StartsWith("z.csv:3:1: not a number (column 'x_0')"));
  const Encoder encoder = fit_encoder({3, 1, 4, EncoderKind::kmeans, 1});
  EXPECT_THROW((void)encoder.encode(std::vector<double>{1, 0}), std::invalid_argument);
  EXPECT_THROW((void)encoder.centroid(4), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
