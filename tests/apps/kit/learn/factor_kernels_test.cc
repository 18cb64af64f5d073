#include "sotto/apps/kit/learn/factor_kernels.h"

#include <Eigen/Core>

#include "sotto/apps/kit/learn/doubles.h"
#include "tests/apps/kit/learn/samples.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

using Square = Eigen::MatrixXd;

const std::vector<std::size_t> sizes = {1, 2, 7, 8, 9, 16, 31, 40, 100};

// Rows of padded(d) doubles, as the kernels want them.
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

}  // namespace
}  // namespace sotto::apps
