#include "sotto/core/sharing/rearrange.h"

#include <stdexcept>
#include <utility>

#include "sotto/core/sharing/share_access.h"

namespace sotto {
namespace {

void require_lanes(Shape shape, std::span<const std::uint32_t> from, std::size_t lanes) {
  if (from.size() != shape.lanes()) throw std::invalid_argument("a rearrangement names a lane for each lane");
  for (const std::uint32_t lane : from) {
    if (lane >= lanes) throw std::invalid_argument("a rearrangement names a lane that is not there");
  }
}

Words taken(const Words& words, std::span<const std::uint32_t> from) {
  if (words.empty()) return {};
  Words result(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) result[i] = words[from[i]];
  return result;
}

// The lanes of all that a role holds of a value: D, its mask, and its carry terms, whose bits k take no factors.
template <class Change, class ChangeBits>
Masked changed(const Masked& value, Shape shape, Change change, ChangeBits change_bits) {
  PoolVector<Masked::CarryTerm> terms;
  for (const Masked::CarryTerm& term : value.carry_terms()) {
    terms.push_back(Masked::CarryTerm{term.shift, change_bits(term.bits), CarryMask{change(term.g.words)}});
  }
  return Masked(shape, value.scale(), change(ShareAccess::words(value)), Mask{change(ShareAccess::mask(value).words)},
                std::move(terms));
}

}  // namespace

Masked rearranged(const Masked& value, Shape shape, std::span<const std::uint32_t> from) {
  require_lanes(shape, from, value.lanes());
  const auto take = [&](const Words& words) { return taken(words, from); };
  return changed(value, shape, take, take);
}

PendingProduct sum_of_lanes(const PendingProduct& value, Shape shape, std::span<const std::uint32_t> upper,
                            std::span<const std::uint32_t> mirror) {
  require_lanes(shape, upper, value.lanes());
  require_lanes(shape, mirror, value.lanes());
  const Words& words = ShareAccess::words(value);
  Words sums(words.empty() ? 0 : upper.size());
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = words[upper[i]] + words[mirror[i]];
  return PendingProduct(shape, value.scale(), std::move(sums));
}

Masked weighted(const Masked& value, std::span<const std::uint64_t> factors) {
  if (factors.size() != value.shape().columns) throw std::invalid_argument("a public factor for each column");
  const auto scale = [&](const Words& words) {
    Words result(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) result[i] = words[i] * factors[i % factors.size()];
    return result;
  };
  return changed(value, value.shape(), scale, [](const Words& bits) { return bits; });
}

Masked transposed(const Masked& value) {
  const Shape from = value.shape();
  std::vector<std::uint32_t> lanes(from.lanes());
  for (std::size_t i = 0; i < from.rows; ++i) {
    for (std::size_t j = 0; j < from.columns; ++j) {
      lanes[j * from.rows + i] = static_cast<std::uint32_t>(i * from.columns + j);
    }
  }
  return rearranged(value, Shape{from.columns, from.rows}, lanes);
}

SymmetricLanes::SymmetricLanes(std::size_t matrices, std::size_t d)
    : triangles_{matrices, d * (d + 1) / 2}, whole_{matrices, d * d}, to_whole_(matrices * d * d) {
  for (std::size_t r = 0; r < matrices; ++r) {
    std::size_t entry = r * triangles_.columns;
    const auto at = [&](std::size_t i, std::size_t j) { return static_cast<std::uint32_t>((r * d + i) * d + j); };
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = i; j < d; ++j, ++entry) {
        to_whole_[at(i, j)] = to_whole_[at(j, i)] = static_cast<std::uint32_t>(entry);
        upper_.push_back(at(i, j));
        mirror_.push_back(at(j, i));
        if (r == 0) weights_.push_back(i == j ? 1 : 2);
      }
    }
  }
}

Masked SymmetricLanes::whole(const Masked& triangles) const { return rearranged(triangles, whole_, to_whole_); }

PendingProduct SymmetricLanes::both_halves(const PendingProduct& whole) const {
  return sum_of_lanes(whole, triangles_, upper_, mirror_);
}

Masked SymmetricLanes::doubled(const Masked& triangles) const { return weighted(triangles, weights_); }

}  // namespace sotto
