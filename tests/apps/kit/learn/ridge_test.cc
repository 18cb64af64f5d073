#include "apps/kit/learn/ridge.h"
#include "apps/kit/learn/doubles.h"
#include "apps/kit/learn/factor_kernels.h"
#include "tests/apps/kit/learn/samples.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"

namespace sotto::apps {
namespace {

using Square = Eigen::MatrixXd;

const std::vector<std::size_t> sizes = {1, 2, 7, 8, 9, 16, 31, 40, 100};

// Rows of padded(d) doubles, as the kernels require them.
Doubles laid_out(const Square& rows) {
  const auto stride = padded(static_cast<std::size_t>(rows.cols()));
  Doubles values(padded(static_cast<std::size_t>(rows.rows())) * stride);
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    for (Eigen::Index c = 0; c < rows.cols(); ++c) {
      values[static_cast<std::size_t>(r) * stride + static_cast<std::size_t>(c)] = rows(r, c);
    }
  }
  return values;
}

Square random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  StepStream stream(seed, 0);
  Square matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  const std::vector<double> values = testing::normals(stream, rows * columns);
  std::copy(values.begin(), values.end(), matrix.data());
  return matrix;
}

Square random_triangle(std::size_t d, std::uint64_t seed) {
  return random_matrix(d, d, seed).triangularView<Eigen::Upper>();
}

Doubles factor_of(const Square& triangle) {
  const auto d = static_cast<std::size_t>(triangle.rows());
  Doubles factor(factor_size(padded(d)));
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i <= j; ++i) {
      factor[factor_column(j) + i] = triangle(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
  }
  return factor;
}

Square triangle_of(const Doubles& factor, std::size_t d) {
  const auto size = static_cast<Eigen::Index>(d);
  Square triangle = Square::Zero(size, size);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < d && i < padded(j + 1); ++i) {
      triangle(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = factor[factor_column(j) + i];
    }
  }
  return triangle;
}

class FactorKernelsTest : public ::testing::TestWithParam<const FactorKernels*> {
 protected:
  const FactorKernels& kernels = *GetParam();
};

TEST_P(FactorKernelsTest, ColumnsFollowOneAnotherInGroups) {
  EXPECT_EQ(factor_column(0), 0u);
  EXPECT_EQ(factor_column(1), 8u);
  EXPECT_EQ(factor_column(8), 64u);
  EXPECT_EQ(factor_column(9), 80u);
  EXPECT_EQ(factor_size(16), 64u + 128u);
}

TEST_P(FactorKernelsTest, CopyTellsWhetherAllIsFinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const std::size_t n : sizes) {
    Doubles in(n + 1);
    for (std::size_t i = 0; i < n; ++i) in[i + 1] = static_cast<double>(i) - 3.5;
    Doubles out(padded(n));
    EXPECT_TRUE(kernels.copy_finite(out.data(), in.data() + 1, n));  // not aligned
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], in[i + 1]);
    for (std::size_t i = 0; i < n; ++i) {
      for (const double bad : {infinity, -infinity, std::nan("")}) {
        const double good = std::exchange(in[i + 1], bad);
        EXPECT_FALSE(kernels.copy_finite(out.data(), in.data() + 1, n)) << i << " of " << n;
        in[i + 1] = good;
      }
    }
    in[1] = std::numeric_limits<double>::max();
    in[n] = -std::numeric_limits<double>::max();
    EXPECT_TRUE(kernels.copy_finite(out.data(), in.data() + 1, n));
  }
}

TEST_P(FactorKernelsTest, DotSumsProducts) {
  for (const std::size_t d : sizes) {
    const Square rows = random_matrix(2, d, d);
    const Doubles laid = laid_out(rows);
    EXPECT_NEAR(kernels.dot(laid.data(), laid.data() + padded(d), padded(d)), rows.row(0).dot(rows.row(1)), 1e-12);
  }
}

TEST_P(FactorKernelsTest, ProjectMultipliesRowsByTheFactor) {
  for (const std::size_t d : sizes) {
    for (const std::size_t rows : {1u, 2u, 3u, 5u, 6u, 7u, 13u, 20u}) {
      const Square x = random_matrix(rows, d, d);
      const Square s = random_triangle(d, 1000 + d);
      const Square expected = x * s;
      const Doubles in = laid_out(x);
      const Doubles factor = factor_of(s);
      Doubles out(padded(rows) * padded(d));
      kernels.project(out.data(), in.data(), factor.data(), rows, padded(d));
      const Doubles wanted = laid_out(expected);
      for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], wanted[i], 1e-12);
    }
  }
}

TEST_P(FactorKernelsTest, GramAddsToTheLowerTriangle) {
  for (const std::size_t rows : sizes) {
    for (const std::size_t d : {1u, 8u, 21u}) {
      const Square x = random_matrix(rows, d, rows);
      const Doubles in = laid_out(x);
      const std::size_t stride = padded(rows);
      Doubles out(stride * stride);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = 2;
      kernels.gram_add(out.data(), stride, in.data(), stride, padded(d));
      const Square gram = x * x.transpose();
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          ASSERT_NEAR(out[i * stride + j] - 2, gram(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)), 1e-12);
        }
      }
    }
  }
}

TEST_P(FactorKernelsTest, ShrinkIsARankOneUpdateOfTheInverse) {
  for (const std::size_t d : sizes) {
    const Square s = random_triangle(d, d);
    const Eigen::VectorXd f = random_matrix(d, 1, 2000 + d);
    Doubles factor = factor_of(s);
    const Doubles weights = laid_out(f.transpose());
    Doubles gain(padded(d));
    Doubles work(2 * padded(d));
    kernels.shrink(factor.data(), gain.data(), weights.data(), work.data(), padded(d));

    const Eigen::VectorXd expected_gain = s * f;
    const Square expected = s * s.transpose() - expected_gain * expected_gain.transpose() / (1 + f.squaredNorm());
    const Square shrunk = triangle_of(factor, d);
    EXPECT_TRUE(shrunk.isUpperTriangular(0)) << d;
    EXPECT_LT((shrunk * shrunk.transpose() - expected).cwiseAbs().maxCoeff(), 1e-11) << d;
    for (std::size_t i = 0; i < d; ++i) EXPECT_NEAR(gain[i], expected_gain(static_cast<Eigen::Index>(i)), 1e-12);
  }
}

TEST_P(FactorKernelsTest, ShrinkByNothingChangesNothing) {
  const Square s = random_triangle(20, 5);
  Doubles factor = factor_of(s);
  const Doubles nothing(padded(20));
  Doubles gain(padded(20));
  Doubles work(2 * padded(20));
  kernels.shrink(factor.data(), gain.data(), nothing.data(), work.data(), padded(20));
  EXPECT_EQ(triangle_of(factor, 20), s);
}

TEST_P(FactorKernelsTest, MultiplyTakesPanels) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (const std::size_t columns : sizes) {
    for (const std::size_t rows : {0u, 1u, 2u, 3u, 5u, 8u, 11u, 70u}) {
      for (const std::size_t depth : {1u, 4u, 21u}) {
        const RowMajor x = random_matrix(rows, depth, rows);
        const Square b = random_matrix(depth, columns, columns);
        Doubles panels(depth * padded(columns));
        for (std::size_t p = 0; p < depth; ++p) {
          for (std::size_t c = 0; c < columns; ++c) {
            panels[(c / 8 * depth + p) * 8 + c % 8] = b(static_cast<Eigen::Index>(p), static_cast<Eigen::Index>(c));
          }
        }
        std::vector<double> out(rows * columns + 1, 7);
        kernels.multiply(out.data(), x.data(), panels.data(), rows, depth, columns);
        const RowMajor expected = x * b;
        for (std::size_t i = 0; i < rows * columns; ++i) ASSERT_NEAR(out[i], expected.data()[i], 1e-12);
        EXPECT_EQ(out.back(), 7);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, FactorKernelsTest, ::testing::ValuesIn(available_factor_kernels()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST(FactorKernels, TheTableFollowsThoseOfTheRing) {
  const auto tables = available_factor_kernels();
  EXPECT_STREQ(tables.front()->name, "baseline");
  EXPECT_NE(std::find(tables.begin(), tables.end(), &factor_kernels()), tables.end());
}

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Exact;  // 113 bits: the rounding errors of A are too small for a test to detect
#else
using Exact = long double;
#endif

// Ridge regression by the definition, with wider floating-point numbers than the tested class uses.
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
  std::size_t different;
  std::uint64_t refresh_every;
};

class RidgeDriftTest : public ::testing::TestWithParam<Drift> {};

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
