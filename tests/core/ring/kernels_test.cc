#include "core/ring/kernels.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/error/errors.h"
#include "core/random/prg.h"

namespace sotto {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::uint64_t guard = 0xabcdabcdabcdabcd;

// Random words with the hard ones mixed in, `count` of them and a guard behind.
Words words(std::size_t count, std::uint64_t seed) {
  Words out(count);
  Prg(Seed::insecure_from_number(seed)).fill(out, 64);
  constexpr std::uint64_t hard[] = {
      0, 1, ~0ULL, 1ULL << 63, ~0ULL << 32, 0xffffffff, (1ULL << 63) - 1, 1ULL << 32};
  for (std::size_t i = 0; i < count; i += 3) out[i] = hard[(i / 3 + seed) % 8];
  out.push_back(guard);
  return out;
}

class EveryTable : public ::testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& table_ = *GetParam();
};

TEST_P(EveryTable, LanesEqualPlainArithmetic) {
  for (std::size_t n :
       {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 100, 1001}) {
    const Words a = words(n, 1);
    const Words b = words(n, 2);
    Words added = words(n, 3);
    Words subtracted = added;
    Words multiplied = added;
    Words scaled = added;
    const Words before = added;
    const std::uint64_t factor = 0x9e3779b97f4a7c15;
    table_.add(added.data(), a.data(), n);
    table_.subtract(subtracted.data(), a.data(), n);
    table_.multiply_add(multiplied.data(), a.data(), b.data(), n);
    table_.scale_add(scaled.data(), factor, a.data(), n);
    std::uint64_t product = 0;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(added[i], before[i] + a[i]) << n << " lanes, lane " << i;
      ASSERT_EQ(subtracted[i], before[i] - a[i]) << n << " lanes, lane " << i;
      ASSERT_EQ(multiplied[i], before[i] + a[i] * b[i]) << n << " lanes, lane " << i;
      ASSERT_EQ(scaled[i], before[i] + factor * a[i]) << n << " lanes, lane " << i;
      product += a[i] * b[i];
    }
    EXPECT_EQ(table_.dot(a.data(), b.data(), n), product) << n << " lanes";
    EXPECT_EQ(added[n], guard);
    EXPECT_EQ(subtracted[n], guard);
    EXPECT_EQ(multiplied[n], guard);
    EXPECT_EQ(scaled[n], guard);
  }
}

TEST_P(EveryTable, AddMayUseOneArrayTwice) {
  Words a = words(21, 4);
  const Words before = a;
  table_.add(a.data(), a.data(), 21);
  for (std::size_t i = 0; i < 21; ++i) EXPECT_EQ(a[i], 2 * before[i]);
}

void check_matmul(const Kernels& table, std::size_t m, std::size_t k, std::size_t n) {
  const Words a = words(m * k, 5);
  const Words b = words(k * n, 6);
  Words out = words(m * n, 7);
  Words expected = out;
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
      const Words matrix = words(rows * columns, 8);
      const Words vector = words(columns, 9);
      Words out = words(rows, 10);
      Words expected = out;
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j)
          expected[i] += matrix[i * columns + j] * vector[j];
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

TEST_P(EveryTable, MatrixTimesMatrixBeyondAllBlocks) {
  check_matmul(table_, 200, 300, 600);
  check_matmul(table_, 1, 300, 1100);
  check_matmul(table_, 300, 1, 300);
  check_matmul(table_, 192, 256, 512);
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryTable, ::testing::ValuesIn(available_kernels()),
                         [](const auto& instance) { return std::string(instance.param->name); });

RC_GTEST_PROP(KernelsProperty, ProductsEqualTheBaseline, ()) {
  const auto m = *rc::gen::inRange<std::size_t>(0, 40);
  const auto k = *rc::gen::inRange<std::size_t>(0, 150);
  const auto n = *rc::gen::inRange<std::size_t>(0, 80);
  const Words a = words(m * k, 11);
  const Words b = words(k * n, 12);
  Words expected = words(m * n, 13);
  const Words before = expected;
  kernels_named("baseline").matmul_add(expected.data(), a.data(), b.data(), m, k, n);
  for (const Kernels* table : available_kernels()) {
    Words out = before;
    table->matmul_add(out.data(), a.data(), b.data(), m, k, n);
    RC_ASSERT(out == expected);
  }
}

TEST(Kernels, AreFoundByName) {
  EXPECT_STREQ(available_kernels().front()->name, "baseline");
  for (const Kernels* table : available_kernels()) EXPECT_EQ(&kernels_named(table->name), table);
  EXPECT_EQ(&kernels_named(""), available_kernels().back());
}

TEST(Kernels, UnknownNameSaysWhatThereIs) {
  try {
    (void)kernels_named("sse9");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("SOTTO_CPU"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("sse9"), std::string::npos);
    for (const Kernels* table : available_kernels()) {
      EXPECT_NE(std::string(error.what()).find(table->name), std::string::npos);
    }
  }
}

// In a process of its own each, as the choice is made once.
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

}  // namespace
}  // namespace sotto
