#include "sotto/protocol/sharing/rearrange.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/ring/kernels.h"
#include "sotto/protocol/sharing/share_access.h"

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

Words added(const Words& words, std::size_t lanes, std::span<const std::uint32_t> into) {
  if (words.empty()) return {};
  Words result(lanes, 0);
  for (std::size_t i = 0; i < into.size(); ++i) result[into[i]] += words[i];
  return result;
}

template <class Value, class WordsOf>
Words one_after_another(std::span<const Value> parts, WordsOf words_of) {
  Words all;
  for (const Value& part : parts) {
    const Words& words = words_of(part);
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

void require_places(std::size_t lanes, Shape shape, std::span<const std::uint32_t> into) {
  if (into.size() != lanes) throw std::invalid_argument("a sum of lanes names a place for each lane");
  for (const std::uint32_t lane : into) {
    if (lane >= shape.lanes()) throw std::invalid_argument("a sum of lanes names a place that is not there");
  }
}

Arith matrix_product(const std::uint64_t* left, Shape x, const std::uint64_t* right, Shape y, bool known,
                     unsigned scale) {
  if (x.columns != y.rows) {
    throw std::invalid_argument("matrix product of shapes " + to_string(x) + " and " + to_string(y));
  }
  const Shape shape{x.rows, y.columns};
  if (!known) return Arith(shape, scale);
  Words words(shape.lanes(), 0);
  kernels().matmul_add(words.data(), left, right, x.rows, x.columns, y.columns);
  return Arith(shape, scale, std::move(words));
}

// The bits k of carry terms are not multiplied by factors.
template <class Change, class ChangeBits>
Masked changed(const Masked& value, Shape shape, Change change, ChangeBits change_bits,
               std::span<const std::uint64_t> factors = {}) {
  PoolVector<Masked::CarryTerm> terms;
  for (const Masked::CarryTerm& term : value.carry_terms()) {
    std::uint64_t largest = factors.empty() ? term.factor : 0;
    for (const std::uint64_t factor : factors) largest = std::max(largest, term.factor_after(factor));
    terms.push_back(Masked::CarryTerm{term.shift, change_bits(term.bits), CarryMask{change(term.g.words)}, largest});
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

Arith rearranged(const Arith& value, Shape shape, std::span<const std::uint32_t> from) {
  require_lanes(shape, from, value.lanes());
  return Arith(shape, value.scale(), taken(ShareAccess::words(value), from), value.bits());
}

Masked joined(std::span<const Masked> parts) {
  if (parts.empty()) throw std::invalid_argument("nothing to join");
  const Masked& first = parts.front();
  std::size_t lanes = 0;
  for (const Masked& part : parts) {
    require_same_scale(part.scale(), first.scale(), "joined values");
    bool alike = part.carry_terms().size() == first.carry_terms().size();
    for (std::size_t t = 0; alike && t < first.carry_terms().size(); ++t) {
      alike = part.carry_terms()[t].shift == first.carry_terms()[t].shift;
    }
    if (!alike) throw std::invalid_argument("only values with carry terms of the same shifts are joined");
    lanes += part.lanes();
  }
  const auto of_all = [&](auto words_of) { return one_after_another(parts, words_of); };
  PoolVector<Masked::CarryTerm> terms;
  for (std::size_t t = 0; t < first.carry_terms().size(); ++t) {
    std::uint64_t largest = 0;
    for (const Masked& part : parts) largest = std::max(largest, part.carry_terms()[t].factor);
    terms.push_back(Masked::CarryTerm{
        first.carry_terms()[t].shift, of_all([t](const Masked& m) -> const Words& { return m.carry_terms()[t].bits; }),
        CarryMask{of_all([t](const Masked& m) -> const Words& { return m.carry_terms()[t].g.words; })}, largest});
  }
  return Masked(
      Shape{1, lanes}, first.scale(), of_all([](const Masked& m) -> const Words& { return ShareAccess::words(m); }),
      Mask{of_all([](const Masked& m) -> const Words& { return ShareAccess::mask(m).words; })}, std::move(terms));
}

Arith joined(std::span<const Arith> parts) {
  if (parts.empty()) throw std::invalid_argument("nothing to join");
  std::size_t lanes = 0;
  for (const Arith& part : parts) {
    require_same_scale(part.scale(), parts.front().scale(), "joined values");
    if (part.bits() != parts.front().bits()) throw std::invalid_argument("only values of one ring are joined");
    lanes += part.lanes();
  }
  Words words = one_after_another(parts, [](const Arith& a) -> const Words& { return ShareAccess::words(a); });
  return Arith(Shape{1, lanes}, parts.front().scale(), std::move(words), parts.front().bits());
}

Masked added_up(const Masked& value, Shape shape, std::span<const std::uint32_t> into) {
  require_places(value.lanes(), shape, into);
  if (!value.plain()) throw std::invalid_argument("only lanes with plain masks add up");
  return Masked(shape, value.scale(), added(ShareAccess::words(value), shape.lanes(), into),
                Mask{added(ShareAccess::mask(value).words, shape.lanes(), into)});
}

Arith added_up(const Arith& value, Shape shape, std::span<const std::uint32_t> into) {
  require_places(value.lanes(), shape, into);
  Words sums = added(ShareAccess::words(value), shape.lanes(), into);
  return Arith(shape, value.scale(), std::move(sums)).in_ring(value.bits());
}

Arith weighted(const Arith& value, std::span<const std::uint64_t> factors, unsigned added_scale) {
  if (factors.size() != value.lanes()) throw std::invalid_argument("a public factor for each lane");
  if (value.bits() != 64) throw std::invalid_argument("only lanes in Z/2^64 take factors of their own");
  Words words = ShareAccess::words(value);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] *= factors[i];
  return Arith(value.shape(), value.scale() + added_scale, std::move(words));
}

Arith matrix_times(std::span<const std::uint64_t> matrix, Shape shape, const Arith& value, unsigned added_scale) {
  if (matrix.size() != shape.lanes()) throw std::invalid_argument("a public matrix has a word for each entry");
  const Words& words = ShareAccess::words(value);
  return matrix_product(matrix.data(), shape, words.data(), value.shape(), !words.empty(), value.scale() + added_scale);
}

Arith times_matrix(const Arith& value, std::span<const std::uint64_t> matrix, Shape shape, unsigned added_scale) {
  if (matrix.size() != shape.lanes()) throw std::invalid_argument("a public matrix has a word for each entry");
  const Words& words = ShareAccess::words(value);
  return matrix_product(words.data(), value.shape(), matrix.data(), shape, !words.empty(), value.scale() + added_scale);
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

Arith column_sums(const Arith& value) {
  const Words& words = ShareAccess::words(value);
  const std::size_t columns = value.shape().columns;
  Words sums(words.empty() ? 0 : columns);
  std::fill(sums.begin(), sums.end(), 0);
  for (std::size_t i = 0; i < words.size(); ++i) sums[i % columns] += words[i];
  return Arith(Shape{1, columns}, value.scale(), std::move(sums), value.bits());
}

Masked weighted(const Masked& value, std::span<const std::uint64_t> factors) {
  if (factors.size() != value.shape().columns) throw std::invalid_argument("a public factor for each column");
  const auto scale = [&](const Words& words) {
    Words result(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) result[i] = words[i] * factors[i % factors.size()];
    return result;
  };
  return changed(
      value, value.shape(), scale, [](const Words& bits) { return bits; }, factors);
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
