#include "sotto/apps/kit/learn/ridge.h"

#include "tests/apps/kit/learn/samples.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Exact;  // 113 bits: A loses nothing that a test could see
#else
using Exact = long double;
#endif

// Ridge regression by the definition, in numbers wider than those of the class.
class Reference {
 public:
  Reference(std::size_t d, double lambda) : d_(d), sums_(d * d), rewards_(d) {
    for (std::size_t i = 0; i < d; ++i) sums_[i * d + i] = lambda;
  }

  void learn(const double* x, double reward) {
    for (std::size_t i = 0; i < d_; ++i) {
      rewards_[i] += Exact(reward) * x[i];
      for (std::size_t j = 0; j <= i; ++j) sums_[i * d_ + j] += Exact(x[i]) * x[j];
    }
  }

  // L D L' = A, without square roots; to be called after learn() and before the others.
  void factorise() {
    factor_ = sums_;
    for (std::size_t k = 0; k < d_; ++k) {
      for (std::size_t i = k + 1; i < d_; ++i) {
        const Exact ratio = at(i, k) / at(k, k);
        for (std::size_t j = k + 1; j <= i; ++j) at(i, j) -= ratio * at(j, k);
      }
    }
    theta_ = solve(rewards_);
  }

  double mean(const double* x) const { return static_cast<double>(along(theta_, x)); }
  double width(const double* x) const {
    std::vector<Exact> wide(x, x + d_);
    return std::sqrt(static_cast<double>(along(solve(wide), x)));
  }

 private:
  Exact& at(std::size_t i, std::size_t j) { return factor_[i * d_ + j]; }
  Exact at(std::size_t i, std::size_t j) const { return factor_[i * d_ + j]; }

  std::vector<Exact> solve(std::vector<Exact> y) const {
    for (std::size_t k = 0; k < d_; ++k) {
      for (std::size_t i = k + 1; i < d_; ++i) y[i] -= at(i, k) / at(k, k) * y[k];
    }
    for (std::size_t k = 0; k < d_; ++k) y[k] /= at(k, k);
    for (std::size_t k = d_; k-- > 0;) {
      for (std::size_t i = k + 1; i < d_; ++i) y[k] -= at(i, k) / at(k, k) * y[i];
    }
    return y;
  }
  Exact along(const std::vector<Exact>& y, const double* x) const {
    Exact sum = 0;
    for (std::size_t i = 0; i < d_; ++i) sum += y[i] * x[i];
    return sum;
  }

  std::size_t d_;
  std::vector<Exact> sums_;
  std::vector<Exact> rewards_;
  std::vector<Exact> factor_;
  std::vector<Exact> theta_;
};

struct Probe {
  double mean;
  double width;
};

Probe probe(const Ridge& ridge, const double* x) {
  const std::size_t d = ridge.dimension();
  Doubles row(ridge.stride());
  std::copy_n(x, d, row.data());
  Doubles z(ridge.stride());
  ridge.project(z.data(), row.data(), 1);
  return {testing::dot(row.data(), ridge.theta(), d), std::sqrt(testing::dot(z.data(), z.data(), ridge.stride()))};
}

void learn(Ridge& ridge, const double* x, double reward) {
  Doubles row(ridge.stride());
  std::copy_n(x, ridge.dimension(), row.data());
  Doubles z(ridge.stride());
  ridge.project(z.data(), row.data(), 1);
  ridge.learn(row.data(), z.data(), reward);
}

struct Drift {
  std::string name;
  std::size_t d;
  double lambda;
  std::size_t different;  // contexts, which repeat; 0: all different
  std::uint64_t refresh_every;
};

class RidgeDriftTest : public ::testing::TestWithParam<Drift> {};

// The contexts that are learnt, and where the ridge is not tiny any others as well, have mean and width as an exact
// solution has them, to 1e-9.
TEST_P(RidgeDriftTest, StaysBelow1e9Over20000Samples) {
  const Drift& c = GetParam();
  constexpr std::uint64_t samples = 20'500;
  constexpr std::size_t probes = 6;
  StepStream stream(7, c.d);
  Ridge ridge(c.d, c.lambda, c.refresh_every, factor_kernels());
  Reference reference(c.d, c.lambda);
  const std::vector<double> repeated = testing::directions(stream, c.different, c.d);
  const std::vector<double> others = testing::directions(stream, probes, c.d);
  const std::vector<double> truth = testing::directions(stream, 1, c.d);

  for (std::uint64_t t = 1; t <= samples; ++t) {
    const std::vector<double> fresh = c.different == 0 ? testing::directions(stream, 1, c.d) : std::vector<double>{};
    const double* x = c.different == 0 ? fresh.data() : repeated.data() + stream.below(c.different) * c.d;
    const double reward = testing::dot(x, truth.data(), c.d) + testing::normals(stream, 1, 0.1).front();
    learn(ridge, x, reward);
    reference.learn(x, reward);
    if (t != 1 && t != 10 && t != 999 && t % 4100 != 0) continue;

    reference.factorise();
    const auto compare = [&](const double* at) {
      const Probe found = probe(ridge, at);
      const double width = reference.width(at);
      EXPECT_NEAR(found.width, width, 1e-9 * std::max(1.0, width)) << "sample " << t;
      EXPECT_NEAR(found.mean, reference.mean(at), 1e-9) << "sample " << t;
    };
    compare(x);
    const bool all_known = c.different == 0 && t >= 999;
    for (std::size_t i = 0; i < probes && (all_known || c.lambda >= 1e-2); ++i) compare(others.data() + i * c.d);
  }
  EXPECT_EQ(ridge.samples(), samples);
}

INSTANTIATE_TEST_SUITE_P(
    All, RidgeDriftTest,
    ::testing::Values(Drift{"Usual", 16, 1, 0, 1000}, Drift{"EveryStep", 5, 1, 0, 1},
                      Drift{"Never", 16, 1, 0, std::uint64_t{1} << 60}, Drift{"OddRefresh", 9, 0.5, 0, 77},
                      Drift{"OneDimension", 1, 1, 0, 1000}, Drift{"Repeated", 16, 1, 5, 1000},
                      Drift{"OneContext", 12, 1, 1, 1000}, Drift{"OneContextEveryStep", 12, 1, 1, 1},
                      Drift{"SmallRidge", 12, 1e-2, 3, 1000}, Drift{"TinyRidge", 12, 1e-9, 0, 1000},
                      Drift{"TinyRidgeRepeated", 12, 1e-9, 30, 500}, Drift{"TinyRidgeFewContexts", 12, 1e-6, 4, 1000},
                      Drift{"TinyRidgeOneContext", 12, 1e-9, 1, 100}, Drift{"LargeRidge", 12, 1e6, 0, 1000}),
    [](const auto& test) { return test.param.name; });

// The refresh forgets what crept in: after it, the inverse is that of the sums.
TEST(Ridge, InverseTimesSumsIsTheIdentity) {
  constexpr std::size_t d = 20;
  constexpr std::uint64_t samples = 3000;
  StepStream stream(3, 4);
  Ridge ridge(d, 2, samples, factor_kernels());
  std::vector<double> sums(d * d);
  for (std::size_t i = 0; i < d; ++i) sums[i * d + i] = 2;
  for (std::uint64_t t = 0; t < samples; ++t) {
    const std::vector<double> x = testing::directions(stream, 1, d);
    learn(ridge, x.data(), 1);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) sums[i * d + j] += x[i] * x[j];
    }
  }
  const std::vector<double> inverse = ridge.inverse();
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < d; ++k) sum += inverse[i * d + k] * sums[k * d + j];
      EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-12);
      EXPECT_EQ(inverse[i * d + j], inverse[j * d + i]);
    }
  }
}

TEST(Ridge, StartsFromTheRidgeAlone) {
  const Ridge ridge(3, 4, 1000, factor_kernels());
  EXPECT_EQ(ridge.inverse(), (std::vector<double>{0.25, 0, 0, 0, 0.25, 0, 0, 0, 0.25}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(ridge.theta()[i], 0);
}

}  // namespace
}  // namespace sotto::apps
