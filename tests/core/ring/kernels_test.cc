#include "core/ring/kernels.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "tests/framework.h"
#include "tests/properties.h"

namespace sotto {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Numbers = std::vector<std::uint64_t>;

constexpr std::uint64_t guard = 0xabcdabcdabcdabcd;

Numbers words(std::size_t count, std::uint64_t seed) {
  Numbers out(count);
  Prg(Seed::insecure_from_number(seed)).fill(out, 64);
  constexpr std::uint64_t hard[] = {0, 1, ~0ULL, 1ULL << 63, ~0ULL << 32, 0xffffffff, (1ULL << 63) - 1, 1ULL << 32};
  for (std::size_t i = 0; i < count; i += 3) out[i] = hard[(i / 3 + seed) % 8];
  out.push_back(guard);
  return out;
}

class EveryTable : public ::testing::TestWithParam<const Kernels*> {
 protected:
  // Checks the kernel on `before`: each lane becomes lane(i), and the guard behind the lanes does not change.
  template <class Kernel, class Lane>
  static void expect_lanes(const Numbers& before, Kernel kernel, Lane lane) {
    Numbers out = before;
    kernel(out.data());
    Numbers expected = before;
    for (std::size_t i = 0; i + 1 < expected.size(); ++i) expected[i] = lane(i);
    EXPECT_EQ(out, expected);
  }

  const Kernels& table_ = *GetParam();
};

TEST_P(EveryTable, LanesEqualPlainArithmetic) {
  for (std::size_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 100, 1001}) {
    const Numbers a = words(n, 1);
    const Numbers b = words(n, 2);
    const Numbers before = words(n, 3);
    const std::uint64_t factor = 0x9e3779b97f4a7c15;
    expect_lanes(
        before, [&](auto* out) { table_.add(out, a.data(), n); }, [&](auto i) { return before[i] + a[i]; });
    expect_lanes(
        before, [&](auto* out) { table_.subtract(out, a.data(), n); }, [&](auto i) { return before[i] - a[i]; });
    expect_lanes(
        before, [&](auto* out) { table_.multiply_add(out, a.data(), b.data(), n); },
        [&](auto i) { return before[i] + a[i] * b[i]; });
    expect_lanes(
        before, [&](auto* out) { table_.scale_add(out, factor, a.data(), n); },
        [&](auto i) { return before[i] + factor * a[i]; });
    std::uint64_t product = 0;
    for (std::size_t i = 0; i < n; ++i) product += a[i] * b[i];
    EXPECT_EQ(table_.dot(a.data(), b.data(), n), product) << n << " lanes";
  }
}

TEST_P(EveryTable, AddMayUseOneArrayTwice) {
  Numbers a = words(21, 4);
  const Numbers before = a;
  table_.add(a.data(), a.data(), 21);
  for (std::size_t i = 0; i < 21; ++i) EXPECT_EQ(a[i], 2 * before[i]);
}

void check_matmul(const Kernels& table, std::size_t m, std::size_t k, std::size_t n) {
  const Numbers a = words(m * k, 5);
  const Numbers b = words(k * n, 6);
  Numbers out = words(m * n, 7);
  Numbers expected = out;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) expected[i * n + j] += a[i * k + p] * b[p * n + j];
    }
  }
  table.matmul_add(out.data(), a.data(), b.data(), m, k, n);
  ASSERT_TRUE(out == expected) << m << " x " << k << " x " << n;
}

TEST_P(EveryTable, MatrixTimesVector) {
  for (std::size_t rows : {0, 1, 3, 4, 5, 8, 13, 20, 65}) {
    for (std::size_t columns : {0, 1, 4, 7, 8, 9, 20, 33, 64, 130}) {
      const Numbers matrix = words(rows * columns, 8);
      const Numbers vector = words(columns, 9);
      Numbers out = words(rows, 10);
      Numbers expected = out;
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) expected[i] += matrix[i * columns + j] * vector[j];
      }
      table_.matvec_add(out.data(), matrix.data(), vector.data(), rows, columns);
      ASSERT_EQ(out, expected) << rows << " x " << columns;
    }
  }
}

TEST_P(EveryTable, MatrixTimesMatrixOfOddShapes) {
  for (std::size_t m : {0, 1, 2, 5, 6, 7, 13, 97}) {
    for (std::size_t k : {0, 1, 3, 17, 129}) {
      for (std::size_t n : {0, 1, 7, 8, 9, 31, 32, 33, 70}) check_matmul(table_, m, k, n);
    }
  }
}

// At these sizes the kernel packs the matrix b, because b is large or because of the layout of its rows.
TEST_P(EveryTable, MatrixTimesMatrixPacked) {
  for (std::size_t m : {3, 4, 5, 11, 12, 13, 25, 193}) {
    check_matmul(table_, m, 257, 65);
    check_matmul(table_, m, 129, 130);
    check_matmul(table_, m, 255, 95);
    check_matmul(table_, m, 20, 1003);
  }
  for (std::size_t k : {0, 1, 3, 9}) check_matmul(table_, 65, k, 256);
}

TEST_P(EveryTable, MatrixTimesMatrixBeyondAllBlocks) {
  check_matmul(table_, 20, 17, 2100);
  check_matmul(table_, 200, 300, 600);
  check_matmul(table_, 1, 300, 1100);
  check_matmul(table_, 300, 1, 300);
  check_matmul(table_, 192, 256, 512);
}

TEST_P(EveryTable, LanesOfMaskedValuesEqualPlainArithmetic) {
  for (std::size_t n : {0, 1, 3, 7, 8, 9, 16, 17, 33, 100, 1001}) {
    const Numbers a = words(n, 1);
    const Numbers b = words(n, 2);
    const Numbers ma = words(n, 3);
    const Numbers mb = words(n, 4);
    const Numbers before = words(n, 5);
    const std::uint64_t factor = 0x9e3779b97f4a7c15;
    for (const std::uint64_t plus : {0, 1}) {
      expect_lanes(
          before, [&](auto* out) { table_.masked_multiply(out, a.data(), ma.data(), b.data(), mb.data(), plus, n); },
          [&](auto i) { return plus * a[i] * b[i] - a[i] * mb[i] - ma[i] * b[i]; });
      for (const std::uint64_t times : {factor, std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63}) {
        expect_lanes(
            before, [&](auto* out) { table_.masked_scale_add(out, times, a.data(), ma.data(), plus, n); },
            [&](auto i) { return before[i] + times * (plus * a[i] - ma[i]); });
      }
    }
    expect_lanes(
        before, [&](auto* out) { table_.multiply(out, a.data(), b.data(), n); }, [&](auto i) { return a[i] * b[i]; });
    expect_lanes(
        before, [&](auto* out) { table_.scale(out, factor, a.data(), n); }, [&](auto i) { return factor * a[i]; });
  }
}

TEST_P(EveryTable, TruncationsTakeTheMaskOff) {
  for (unsigned f = 1; f <= 62; ++f) {
    for (const std::size_t n : {1, 7, 8, 9, 40}) {
      const Numbers r = words(n, f);
      Numbers z = words(n, f + 100);
      for (std::size_t i = 0; i < n; ++i) z[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(z[i]) >> 2);
      Numbers mask = words(n, 6);
      Numbers top = words(n, 7);
      table_.truncation_mask(mask.data(), top.data(), r.data(), f, n);
      Numbers c(n + 1, guard);
      for (std::size_t i = 0; i < n; ++i) c[i] = z[i] + (std::uint64_t{1} << 62) + r[i];
      const Numbers opened = c;
      table_.truncate_opened(c.data(), mask.data(), top.data(), f, n);
      for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t floor = static_cast<std::int64_t>(z[i]) >> f;
        const auto result = static_cast<std::int64_t>(c[i] - mask[i]);
        ASSERT_TRUE(result == floor || result == floor + 1) << "f " << f << ", lane " << i;
        ASSERT_EQ(top[i], opened[i] >> 63);
      }
      EXPECT_EQ(c[n], guard);
      EXPECT_EQ(mask[n], guard);
      EXPECT_EQ(top[n], guard);
    }
  }
}

TEST_P(EveryTable, TrianglesAreSymmetricMatrices) {
  for (std::size_t d = 0; d <= 80; ++d) {
    const std::size_t entries = d * (d + 1) / 2;
    const Numbers triangle = words(entries, 8);
    const Numbers y = words(d, 9);
    const Numbers x = words(d, 10);
    const Numbers z = words(d, 14);
    const Numbers pairs = words(d * d, 11);
    Numbers matvec = words(d, 12);
    Numbers expected_matvec = matvec;
    Numbers of_pairs = matvec;
    Numbers expected_of_pairs = matvec;
    Numbers outer = words(entries, 13);
    Numbers expected_outer = outer;
    Numbers columns = outer;
    Numbers expected_columns = outer;
    Numbers sum = outer;
    Numbers expected_sum = outer;
    std::size_t entry = 0;
    std::size_t pair = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const std::size_t row = entry;
      for (std::size_t j = i; j < d; ++j, ++entry) {
        expected_matvec[i] += triangle[entry] * y[j];
        if (j > i) expected_matvec[j] += triangle[entry] * y[i];
        expected_of_pairs[i] += triangle[entry] * pairs[pair++];
        expected_outer[entry] += x[i] * y[j];
        expected_columns[entry] = y[j] * pairs[entry];
        expected_sum[entry] = x[i] * y[j] + y[i] * x[j] + z[i] * pairs[j] + pairs[i] * z[j];
      }
      for (std::size_t j = i + 1; j < d; ++j) expected_of_pairs[j] += triangle[row + j - i] * pairs[pair++];
    }
    table_.symmetric_matvec_add(matvec.data(), triangle.data(), y.data(), d);
    table_.symmetric_pairs_add(of_pairs.data(), triangle.data(), pairs.data(), d);
    table_.symmetric_outer_add(outer.data(), x.data(), y.data(), d);
    table_.symmetric_outer_sum(sum.data(), x.data(), y.data(), z.data(), pairs.data(), d);
    table_.triangle_columns(columns.data(), y.data(), pairs.data(), d);
    ASSERT_EQ(matvec, expected_matvec) << d;
    ASSERT_EQ(of_pairs, expected_of_pairs) << d;
    ASSERT_EQ(outer, expected_outer) << d;
    ASSERT_EQ(columns, expected_columns) << d;
    ASSERT_EQ(sum, expected_sum) << d;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryTable, ::testing::ValuesIn(available_kernels()),
                         [](const auto& instance) { return std::string(instance.param->name); });

TEST(Kernels, AreFoundByName) {
  EXPECT_STREQ(available_kernels().front()->name, "baseline");
  for (const Kernels* table : available_kernels()) EXPECT_EQ(&kernels_named(table->name), table);
  EXPECT_EQ(&kernels_named(""), available_kernels().back());
}

TEST(Kernels, MixedComesBeforeAvx512WhereThatSlowsTheCpuDown) {
  std::string names;
  for (const Kernels* table : available_kernels()) {
    names += std::string(table->name) + " ";
    EXPECT_EQ(std::string(table->companion), std::string(table->name) == "mixed" ? "avx2" : table->name);
  }
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq")) {
    const bool is_first_kind = !__builtin_cpu_supports("avx512vbmi2");
    EXPECT_EQ(names, is_first_kind ? "baseline avx2 avx512 mixed " : "baseline avx2 mixed avx512 ");
  }
#endif
}

TEST(Kernels, UnknownNameSaysWhatThereIs) {
  const std::string error = error_of<InputError>([] { (void)kernels_named("sse9"); });
  EXPECT_THAT(error, AllOf(HasSubstr("SOTTO_CPU"), HasSubstr("sse9")));
  for (const Kernels* table : available_kernels()) EXPECT_THAT(error, HasSubstr(table->name));
}

// Each case runs in a process of its own, because a process chooses its table of kernels only once.
TEST(KernelsDeathTest, EnvironmentChooses) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto exit_with_name = [](const char* wish) {
    ::setenv("SOTTO_CPU", wish, 1);
    try {
      std::exit(std::string(kernels().name) == wish ? 0 : 1);
    } catch (const InputError&) {
      std::exit(2);
    }
  };
  for (const Kernels* table : available_kernels()) {
    EXPECT_EXIT(exit_with_name(table->name), ::testing::ExitedWithCode(0), "");
  }
  EXPECT_EXIT(exit_with_name("abacus"), ::testing::ExitedWithCode(2), "");
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

TEST(FixedPoint, KnownAnswers) {
  EXPECT_EQ(encode(0.0, 20), 0U);
  EXPECT_EQ(encode(-0.0, 20), 0U);
  EXPECT_EQ(encode(1.0, 20), 1U << 20);
  EXPECT_EQ(encode(-1.0, 20), ~std::uint64_t{0} - (1U << 20) + 1);
  EXPECT_EQ(encode(0.5, 0), 1U);
  EXPECT_EQ(encode(-0.5, 0), ~std::uint64_t{0});
  EXPECT_EQ(encode(0.49, 0), 0U);
  EXPECT_EQ(encode(0x1p-63, 63), 1U);
  EXPECT_EQ(decode(~std::uint64_t{0}, 1), -0.5);
  EXPECT_EQ(decode(std::uint64_t{3} << 19, 20), 1.5);
  EXPECT_EQ(to_signed(std::uint64_t{1} << 63), std::numeric_limits<std::int64_t>::min());
}

TEST(FixedPoint, EdgesOfTheRange) {
  EXPECT_EQ(encode(-0x1p63, 0), std::uint64_t{1} << 63);
  EXPECT_EQ(encode(-0x1p43, 20), std::uint64_t{1} << 63);
  EXPECT_EQ(encode(std::nextafter(0x1p63, 0.0), 0), (std::uint64_t{1} << 63) - 1024);
  EXPECT_EQ(decode(std::uint64_t{1} << 63, 20), -0x1p43);
  for (const double bad : {0x1p63, 0x1p64, -0x1.0000000000001p63, infinity, -infinity, nan_value, 1e308}) {
    EXPECT_THROW((void)encode(bad, 0), std::invalid_argument) << bad;
    EXPECT_THROW((void)encode(bad, 20), std::invalid_argument) << bad;
    EXPECT_THROW((void)encode_unbiased(bad, 20, 0.5), std::invalid_argument) << bad;
  }
  EXPECT_THROW((void)encode(0x1p43, 20), std::invalid_argument);
  EXPECT_THROW((void)encode(0.0, 64), std::invalid_argument);
  EXPECT_THROW((void)decode(0, 64), std::invalid_argument);
}

TEST(FixedPoint, RingMask) {
  EXPECT_EQ(ring_mask(1), 1U);
  EXPECT_EQ(ring_mask(43), (std::uint64_t{1} << 43) - 1);
  EXPECT_EQ(ring_mask(64), ~std::uint64_t{0});
  EXPECT_THROW((void)ring_mask(0), std::invalid_argument);
  EXPECT_THROW((void)ring_mask(65), std::invalid_argument);
}

TEST(FixedPoint, UnbiasedRoundsUpExactlyWhenTheDrawSaysSo) {
  EXPECT_EQ(encode_unbiased(0.25, 0, 0.74), 0U);
  EXPECT_EQ(encode_unbiased(0.25, 0, 0.75), 1U);
  EXPECT_EQ(to_signed(encode_unbiased(-0.25, 0, 0.24)), -1);
  EXPECT_EQ(to_signed(encode_unbiased(-0.25, 0, 0.25)), 0);
  EXPECT_EQ(encode_unbiased(3.0, 0, std::nextafter(1.0, 0.0)), 3U);
  EXPECT_EQ(encode_unbiased(1.0, 20, 0.0), 1U << 20);
  for (const double bad : {-0.1, 1.0, 2.0, nan_value}) {
    EXPECT_THROW((void)encode_unbiased(0.5, 0, bad), std::invalid_argument) << bad;
  }
}

TEST(FixedPoint, UnbiasedHasTheRightMean) {
  for (const double value : {0.3, -0.3, 17.77, -123.456, 0.999}) {
    constexpr int draws = 10000;
    double sum = 0;
    for (int i = 0; i < draws; ++i) sum += decode(encode_unbiased(value, 3, (i + 0.5) / draws), 3);
    EXPECT_NEAR(sum / draws, value, 1.0 / draws);
  }
}

PROPERTY(FixedPointProperty, RoundTripIsWithinHalfAUnit) {
  const auto fraction_bits = draw_in_range<unsigned>(0, 41);
  const double value = draw_in_range<std::int64_t>(-(1LL << 52), 1LL << 52) * 0x1p-31;
  const double back = decode(encode(value, fraction_bits), fraction_bits);
  HOLDS(std::abs(back - value) <= std::ldexp(0.5, -static_cast<int>(fraction_bits)));
}

PROPERTY(FixedPointProperty, WordsOf53BitsComeBack) {
  const auto fraction_bits = draw_in_range<unsigned>(0, 64);
  const auto word = static_cast<std::uint64_t>(draw_in_range<std::int64_t>(-(1LL << 53), 1LL << 53));
  HOLDS(encode(decode(word, fraction_bits), fraction_bits) == word);
}

}  // namespace
}  // namespace sotto
