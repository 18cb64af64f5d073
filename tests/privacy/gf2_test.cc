#include "tests/privacy/gf2.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sotto/core/random/prg.h"
#include "sotto/core/random/seed.h"

namespace sotto::privacy {
namespace {

BitRows uniform(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Prg prg(Seed::insecure_from_number(seed));
  BitRows bits(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t column = 0; column < columns; ++column) bits.put(i, column, prg.next());
  }
  return bits;
}

void add(BitRows& rows, std::size_t to, std::size_t from) {
  for (std::size_t word = 0; word < rows.row(to).size(); ++word) {
    rows.row(to)[word] ^= rows.row(from)[word];
  }
}

void clear(BitRows& rows, std::size_t row) {
  for (std::uint64_t& word : rows.row(row)) word = 0;
}

TEST(Gf2, FindsNoRelationAmongUniformRows) {
  for (const std::size_t rows : {1u, 2u, 63u, 64u, 65u, 300u}) {
    EXPECT_EQ(relation(uniform(rows, rows + 63, rows)), std::nullopt) << rows;
  }
  EXPECT_EQ(relation(BitRows(0, 64)), std::nullopt);
}

TEST(Gf2, FindsUnitVectorsIndependentInAnyOrder) {
  BitRows bits(200, 200);
  for (std::size_t i = 0; i < 200; ++i) bits.put(i, (i * 77 + 5) % 200, 1);
  EXPECT_EQ(relation(bits), std::nullopt);
}

TEST(Gf2, NamesTheOnlyRowsThatAddUpToZero) {
  for (const auto& planted : std::vector<std::vector<std::size_t>>{
           {7}, {0, 299}, {3, 64, 128}, {1, 2, 3, 4, 5, 6, 7, 8, 150}}) {
    BitRows bits = uniform(300, 363, 1);
    clear(bits, planted.front());
    for (std::size_t i = 1; i < planted.size(); ++i) add(bits, planted.front(), planted[i]);
    EXPECT_EQ(relation(bits), planted);
  }
}

TEST(Gf2, NamesASumOfAllRows) {
  BitRows bits = uniform(130, 193, 2);
  std::vector<std::size_t> all(130);
  std::iota(all.begin(), all.end(), std::size_t{0});
  clear(bits, 129);
  for (std::size_t i = 0; i < 129; ++i) add(bits, 129, i);
  EXPECT_EQ(relation(bits), all);
}

TEST(Gf2, FindsThatMoreRowsThanColumnsAreDependent) {
  const auto found = relation(uniform(70, 69, 3));
  ASSERT_TRUE(found.has_value());
  BitRows bits = uniform(70, 69, 3);
  for (std::size_t i = 1; i < found->size(); ++i) add(bits, found->front(), (*found)[i]);
  for (const std::uint64_t word : bits.row(found->front())) EXPECT_EQ(word, 0u);
}

}  // namespace
}  // namespace sotto::privacy
