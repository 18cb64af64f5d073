#include "sotto/protocol/math/pieces.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/lookup/table_lookup.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

Arith coefficient(Party& party, const MaskedIndex& piece, const Pieces& pieces, std::size_t k) {
  const TableFunction entry = [&](std::size_t, std::uint64_t i) {
    return static_cast<std::uint64_t>(pieces.coefficients[i][k]) & ring_mask(pieces.rings[k]);
  };
  const unsigned raise = 64 - pieces.rings[k];
  return table_lookup(party, piece, pieces.rings[k], entry, pieces.exceeds)
      .scaled_up(raise)
      .times(1, pieces.coefficient_bits + raise);
}

constexpr unsigned fewest_index_bits = 3;
constexpr unsigned most_index_bits = 12;
constexpr unsigned most_word_bits = 60;
constexpr unsigned least_ring = 34;  // in bits; the carry term of a coefficient then has 30 bits
constexpr int samples_a_piece = 16;

using Parabola = std::array<double, 3>;

Parabola fitted(const std::function<double(double)>& f, double low, double high) {
  const double middle = (low + high) / 2;
  const double half = (high - low) / 2;
  if (!(half > 0)) return {f(middle), 0, 0};
  const double step = half * std::sqrt(3.0) / 2;
  const double at_left = f(middle - step);
  const double at_middle = f(middle);
  const double at_right = f(middle + step);
  const double slope = (at_right - at_left) / (2 * step);
  const double curve = (at_right - 2 * at_middle + at_left) / (2 * step * step);
  return {at_middle - slope * middle + curve * middle * middle, slope - 2 * curve * middle, curve};
}

double value_of(const Parabola& c, double x) { return c[0] + x * (c[1] + x * c[2]); }

// The parabola is fitted to a range that begins `exceeds` widths to the left of the piece and ends at the right end of
// the piece.
struct Piece {
  Parabola parabola;
  double size;
  double error;
  double allowed;
};

std::optional<std::vector<Piece>> fit_of(const std::function<double(double)>& f, double least, double most,
                                         double width, std::size_t count, double error, unsigned exceeds) {
  std::vector<Piece> pieces;
  pieces.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double place = least + static_cast<double>(i) * width;
    const double low = std::clamp(place - exceeds * width, least, most);
    const double high = std::clamp(place + width, least, most);
    Piece piece{fitted(f, low, high), std::max(std::abs(low), std::abs(high)), 0, 0};
    double smallest = std::abs(f(low));
    for (int s = 0; s <= samples_a_piece; ++s) {
      const double x = low + (high - low) * s / samples_a_piece;
      const double value = f(x);
      smallest = std::min(smallest, std::abs(value));
      piece.error = std::max(piece.error, std::abs(value_of(piece.parabola, x) - value));
    }
    piece.allowed = error * std::max(1.0, smallest);
    if (!(piece.error <= piece.allowed)) return std::nullopt;
    pieces.push_back(piece);
  }
  return pieces;
}

unsigned signed_bits(double size) {
  return size <= 0 ? 1 : static_cast<unsigned>(std::max(1, static_cast<int>(std::ceil(std::log2(size))) + 1));
}

struct Sizes {
  double x = 1;
  double terms = 0;
  Parabola coefficients{0, 0, 0};
};
Sizes sizes_of(const std::vector<Piece>& fit) {
  Sizes sizes;
  for (const Piece& piece : fit) {
    const Parabola& c = piece.parabola;
    sizes.x = std::max(sizes.x, piece.size);
    sizes.terms = std::max(sizes.terms, std::abs(c[0]) + piece.size * (std::abs(c[1]) + piece.size * std::abs(c[2])));
    for (std::size_t k = 0; k < 3; ++k) sizes.coefficients[k] = std::max(sizes.coefficients[k], std::abs(c[k]));
  }
  return sizes;
}

std::optional<Pieces> in_words(const std::vector<Piece>& fit, Pieces pieces, double error) {
  const Sizes sizes = sizes_of(fit);
  const unsigned taken = pieces.fraction_bits + signed_bits(sizes.terms);
  if (taken + 8 > most_word_bits) return std::nullopt;
  if (signed_bits(sizes.x * sizes.x) + 2 * pieces.fraction_bits > most_word_bits) return std::nullopt;
  // Each bit of a coefficient must be dealt, so a coefficient has no more bits than the precision of the result needs.
  const unsigned shown = pieces.result_bits + 1 + signed_bits(1 + sizes.x + sizes.x * sizes.x);
  pieces.coefficient_bits = std::min(most_word_bits - taken, shown);
  const double unit = std::ldexp(1.0, -static_cast<int>(pieces.coefficient_bits));
  pieces.rings[0] = 64 - pieces.fraction_bits;
  if (signed_bits(sizes.coefficients[0]) + pieces.coefficient_bits + 1 > pieces.rings[0]) return std::nullopt;
  for (std::size_t k = 1; k < 3; ++k) {
    pieces.rings[k] = std::max(least_ring, signed_bits(sizes.coefficients[k]) + pieces.coefficient_bits + 1);
    if (pieces.rings[k] > most_word_bits) return std::nullopt;
  }
  const double square_unit = std::ldexp(1.0, -static_cast<int>(pieces.fraction_bits));
  const double result_unit = std::ldexp(1.0, -static_cast<int>(pieces.result_bits));
  for (const Piece& piece : fit) {
    const double rounding = unit / 2 * (1 + piece.size + piece.size * piece.size);
    const double all = piece.error + rounding + std::abs(piece.parabola[2]) * square_unit + result_unit;
    pieces.error = std::max(pieces.error, all * error / piece.allowed);
    std::array<std::int64_t, 3> words{};
    for (std::size_t k = 0; k < 3; ++k) words[k] = std::llround(piece.parabola[k] / unit);
    pieces.coefficients.push_back(words);
  }
  if (!(pieces.error <= error)) return std::nullopt;
  return pieces;
}

}  // namespace

Task<Masked> evaluate(Party& party, Masked x, std::shared_ptr<const Pieces> pieces) {
  const unsigned f = pieces->fraction_bits;
  if (x.scale() != f) throw std::invalid_argument("pieces for other fraction bits than the value has");

  const Masked above = x.plus(std::uint64_t{0} - encode(pieces->least, f));
  const MaskedIndex piece = MaskedIndex::bit_range(above, f - pieces->piece_bits, pieces->index_bits);
  const Arith constant = coefficient(party, piece, *pieces, 0);
  Arith linear = coefficient(party, piece, *pieces, 1);
  Arith square = coefficient(party, piece, *pieces, 2);
  PendingProduct xx = pending_product<Elementwise>(party, x, x);
  auto [c1, c2, x2] = co_await when_all(mask_trunc(party, std::move(linear), 64 - pieces->rings[1], "c1"),
                                        mask_trunc(party, std::move(square), 64 - pieces->rings[2], "c2"),
                                        mask_trunc(party, std::move(xx), f, "x squared"));

  PendingProduct sum = pending_product<Elementwise>(party, c1, x);
  sum += pending_product<Elementwise>(party, c2, x2);
  sum += constant;
  const unsigned drop = pieces->coefficient_bits + f - pieces->result_bits;
  co_return co_await mask_trunc(party, std::move(sum), drop, "parabola");
}

Pieces plan_pieces(const std::function<double(double)>& f, double least, double most, unsigned fraction_bits,
                   unsigned result_bits, double error, bool has_dealer) {
  const bool sound = std::isfinite(least) && std::isfinite(most) && least < most && fraction_bits >= 4 &&
                     fraction_bits <= 30 && result_bits >= 1 && result_bits <= 40 && error > 0;
  if (!sound) throw std::invalid_argument("pieces of a range, of numbers with 4 to 30 fraction bits, with some error");
  // `lowest` is a whole number of units of x, so that every role cuts the range in the same way.
  const double lowest =
      std::ldexp(std::floor(std::ldexp(least, static_cast<int>(fraction_bits))), -static_cast<int>(fraction_bits));
  const unsigned exceeds = piece_exceeds(has_dealer);
  for (unsigned index_bits = fewest_index_bits; index_bits <= most_index_bits; ++index_bits) {
    const std::size_t count = std::size_t{1} << index_bits;
    for (unsigned piece_bits = fraction_bits + 1; piece_bits-- > 0;) {
      const double width = std::ldexp(1.0, -static_cast<int>(piece_bits));
      if (std::floor((most - lowest) / width) + 1 + exceeds > static_cast<double>(count)) continue;
      const auto fit = fit_of(f, lowest, most, width, count, error, exceeds);
      if (!fit) break;
      Pieces pieces{lowest, fraction_bits, piece_bits, index_bits, 0, result_bits, {}, {}, 0, exceeds};
      if (auto plan = in_words(*fit, std::move(pieces), error)) return *plan;
      break;
    }
  }
  throw std::invalid_argument("no 2^12 parabolas come as close to this function on this range at these fraction bits");
}

}  // namespace sotto::protocols
