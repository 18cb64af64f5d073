#include "sotto/protocol/compare/ranks.h"

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/lookup/table_lookup.h"
#include "sotto/protocol/sharing/rearrange.h"
#include "sotto/protocol/sharing/shape.h"

namespace sotto::protocols {
namespace {

Arith counted_before(const Party& party, const ValueGroups& groups, const Arith& below, unsigned rank_bits) {
  std::vector<std::uint32_t> left, right;
  std::vector<std::uint64_t> pairs_as_right(groups.shape().lanes(), 0);
  groups.for_each_pair([&](std::size_t, std::size_t i, std::size_t j) {
    left.push_back(static_cast<std::uint32_t>(i));
    right.push_back(static_cast<std::uint32_t>(j));
    ++pairs_as_right[j];
  });
  Arith before = added_up(below, groups.shape(), left) - added_up(below, groups.shape(), right);
  before += Masked::constant(party, groups.shape(), 0, pairs_as_right).shares(party).in_ring(rank_bits);
  return before;
}

}  // namespace

Task<MaskedIndex> masked_ranks(Party& party, Masked values, unsigned comparison_bits) {
  const Shape shape = values.shape();
  if (shape.columns < 2 || shape.columns > most_ranked) {
    throw std::invalid_argument("an order of 2 to 256 values a row");
  }
  const ValueGroups groups{shape.rows, shape.columns, shape.columns};
  std::vector<std::uint32_t> left, right;
  groups.for_each_pair([&](std::size_t, std::size_t i, std::size_t j) {
    left.push_back(static_cast<std::uint32_t>(i));
    right.push_back(static_cast<std::uint32_t>(j));
  });
  const Shape pairs{1, left.size()};

  const Masked difference = rearranged(values, pairs, left) - rearranged(values, pairs, right);
  const auto rank_bits = static_cast<unsigned>(std::bit_width(shape.columns - 1));
  MaskedIndex compared = MaskedIndex::bit_range(difference, 0, comparison_bits);
  const ComparisonPlan plan = plan_comparison(comparison_bits, rank_bits);
  const Arith below = co_await below_zero(party, std::move(compared), plan, rank_bits, "order pairs");

  Arith before = counted_before(party, groups, below, rank_bits);
  co_return co_await mask_index(party, std::move(before), "ranks");
}

Arith at_rank(Party& party, const MaskedIndex& ranks, std::size_t first, std::size_t count) {
  if (count == 0 || first + count > ranks.shape().columns) throw std::invalid_argument("there is no such rank");
  const TableFunction in_range = [first, count](std::size_t, std::uint64_t rank) {
    return static_cast<std::uint64_t>(rank - first < count);
  };
  return table_lookup(party, ranks, 64, in_range);
}

}  // namespace sotto::protocols
