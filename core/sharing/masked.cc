#include "sotto/protocol/sharing/masked.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/ring/kernels.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto {
namespace {

void require_size(const Words& words, Shape shape) {
  if (!words.empty() && words.size() != shape.lanes()) {
    throw std::invalid_argument("the number of words differs from the number of lanes");
  }
}

void add_scaled(Words& to, const Words& from, std::uint64_t factor) {
  kernels().scale_add(to.data(), factor, from.data(), to.size());
}

// Only g is scaled. The bit k stays a bit, and the parties' shares of m already contain k g.
Masked::CarryTerm scaled(const Masked::CarryTerm& term, std::uint64_t factor) {
  Masked::CarryTerm result = term;
  for (std::uint64_t& word : result.g.words) word *= factor;
  result.factor = term.factor_after(factor);
  return result;
}

Words shifted(const Words& words, unsigned low, unsigned bits) {
  const std::uint64_t ring = ring_mask(bits);
  Words result(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) result[i] = (words[i] >> low) & ring;
  return result;
}

}  // namespace

Masked::Masked(Shape shape, unsigned scale, Words words, Mask mask, PoolVector<CarryTerm> carry_terms)
    : shape_(shape),
      scale_(scale),
      words_(std::move(words)),
      mask_(std::move(mask)),
      carry_terms_(std::move(carry_terms)) {
  require_size(words_, shape);
  require_size(mask_.words, shape);
  for (const CarryTerm& term : carry_terms_) {
    require_size(term.bits, shape);
    require_size(term.g.words, shape);
  }
}

Masked Masked::constant(const Party& party, Shape shape, unsigned scale, std::span<const std::uint64_t> words) {
  if (words.size() != shape.lanes()) throw std::invalid_argument("a constant needs a word a lane");
  return Masked(shape, scale, party.holds_shares() ? Words(words.begin(), words.end()) : Words{},
                party.preprocessing().mask_of_zeros(words.size()));
}

unsigned Masked::largest_carry_shift() const noexcept {
  unsigned largest = 0;
  for (const CarryTerm& term : carry_terms_) largest = std::max(largest, term.shift);
  return largest;
}

std::uint64_t Masked::CarryTerm::factor_after(std::uint64_t other) const {
  const std::uint64_t size = to_signed(other) < 0 ? 0 - other : other;
  std::uint64_t product = 0;
  return __builtin_mul_overflow(factor, size, &product) ? ~std::uint64_t{0} : product;
}

void Masked::require_operand() const {
  constexpr unsigned any_factor = 32;  // up to f = 32, the 64 - f bits below g hold the f bits of the factor that count
  for (const CarryTerm& term : carry_terms_) {
    if (term.shift <= any_factor || term.factor < std::uint64_t{1} << (63 - term.shift)) continue;
    throw std::invalid_argument(
        fmt::format("a factor of a product was truncated by {} bits and then multiplied by public numbers of 2^{} and "
                    "more: multiply before truncating, or truncate by at most {} bits",
                    term.shift, 63 - term.shift, any_factor));
  }
}

Masked& Masked::add_multiple(const Masked& other, std::uint64_t factor) {
  require_same_shape(shape_, other.shape_, "sum of masked values");
  require_same_scale(scale_, other.scale_, "sum of masked values");
  add_scaled(words_, other.words_, factor);
  add_scaled(mask_.words, other.mask_.words, factor);
  for (const CarryTerm& term : other.carry_terms_) carry_terms_.push_back(scaled(term, factor));
  return *this;
}

Masked Masked::times(std::uint64_t factor, unsigned added_scale) const {
  Masked result(shape_, scale_ + added_scale, words_, mask_, {});
  for (std::uint64_t& word : result.words_) word *= factor;
  for (std::uint64_t& word : result.mask_.words) word *= factor;
  for (const CarryTerm& term : carry_terms_) result.carry_terms_.push_back(scaled(term, factor));
  return result;
}

Masked Masked::plus(std::uint64_t constant) const {
  Masked result = *this;
  for (std::uint64_t& word : result.words_) word += constant;
  return result;
}

Masked Masked::reshaped(Shape shape) const {
  if (shape.lanes() != lanes()) throw std::invalid_argument("another shape must have as many lanes");
  Masked result = *this;
  result.shape_ = shape;
  return result;
}

Arith Masked::shares(const Party& party) const {
  if (!party.holds_shares()) return Arith(shape_, scale_);
  Words shares(mask_.words.size());
  const bool first = party.adds_constants();
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = (first ? words_[i] : 0) - mask_.words[i];
  return Arith(shape_, scale_, std::move(shares));
}

Masked hstack(std::span<const Masked> parts) {
  if (parts.empty()) throw std::invalid_argument("nothing to put side by side");
  Shape shape{parts.front().shape().rows, 0};
  for (const Masked& part : parts) {
    if (!part.plain() || part.shape().rows != shape.rows) {
      throw std::invalid_argument("only plain masks of as many rows go side by side");
    }
    require_same_scale(part.scale(), parts.front().scale(), "values side by side");
    shape.columns += part.shape().columns;
  }
  const auto stacked = [&](auto words_of) {
    Words result(words_of(parts.front()).empty() ? 0 : shape.lanes());
    std::size_t first = 0;
    for (const Masked& part : parts) {
      const Words& words = words_of(part);
      const std::size_t columns = part.shape().columns;
      for (std::size_t row = 0; row < shape.rows && !words.empty(); ++row) {
        std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(row * columns), columns,
                    result.begin() + static_cast<std::ptrdiff_t>(row * shape.columns + first));
      }
      first += columns;
    }
    return result;
  };
  return Masked(shape, parts.front().scale(),
                stacked([](const Masked& m) -> const Words& { return ShareAccess::words(m); }),
                Mask{stacked([](const Masked& m) -> const Words& { return ShareAccess::mask(m).words; })});
}

MaskedIndex::MaskedIndex(Shape shape, unsigned bits, Words words, IndexMask mask)
    : shape_(shape), bits_(bits), words_(std::move(words)), mask_(std::move(mask)) {
  require_size(words_, shape);
  require_size(mask_.words, shape);
  if (bits < 1 || bits > 64) throw std::invalid_argument("an index has 1 to 64 bits");
}

MaskedIndex MaskedIndex::bit_range(const Masked& value, unsigned low, unsigned bits) {
  if (bits < 1 || low + bits > 64 - value.largest_carry_shift()) {
    throw std::invalid_argument("the range reaches bits that a truncation left to a public carry term");
  }
  const Words& words = ShareAccess::words(value);
  const bool at_dealer = words.empty();
  return MaskedIndex(value.shape(), bits, shifted(words, low, bits),
                     IndexMask{at_dealer ? shifted(ShareAccess::mask(value).words, low, bits) : Words{}});
}

MaskedIndex MaskedIndex::digit(unsigned low, unsigned bits) const {
  if (bits < 1 || low + bits > bits_) throw std::invalid_argument("no such digit in this index");
  return MaskedIndex(shape_, bits, shifted(words_, low, bits), IndexMask{shifted(mask_.words, low, bits)});
}

}  // namespace sotto
