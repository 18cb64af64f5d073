#include "sotto/product.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "apps/library/form.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"

namespace sotto {
namespace {

using Access = detail::SecretAccess;
using Map = Access::Map;
using Term = Access::Term;

constexpr int product_bits = 60;           // largest number of bits of the words of a term
constexpr unsigned operand_fraction = 30;  // largest number of fraction bits of an operand
// A bilinear map multiplies pairs of entries. If it has more than many_pairs pairs, and at least many_an_entry pairs
// per entry of an operand, the parties mask this operand again. For smaller maps, the dealer deals the bits of a
// truncation for each pair.
constexpr std::size_t many_pairs = std::size_t{1} << 16;
constexpr std::size_t many_an_entry = 16;

std::unique_ptr<BilinearMap> map_of(Map map, Shape x, Shape y) {
  switch (map) {
    case Map::matmul:
      return std::make_unique<protocols::MatMul>(x, y);
    case Map::row_dot:
      return std::make_unique<protocols::RowDot>(x, y);
    case Map::row_scale:
      return std::make_unique<protocols::RowScale>(x, y);
    case Map::elementwise:
      break;
  }
  return std::make_unique<protocols::Elementwise>(x, y);
}

std::size_t inner_of(const Term& term) {
  return term.map == Map::matmul || term.map == Map::row_dot ? term.x.columns() : 1;
}

unsigned shift_after(const Secret& x, const detail::Wanted& wanted) {
  const int words = detail::word_bits(x) - wanted.word_bits;
  const int bits = static_cast<int>(x.bits()) - static_cast<int>(wanted.bits);
  const int drop = std::max({words, bits, 0});
  if (drop > 0) return static_cast<unsigned>(drop);
  const Masked* const masked = Access::masked(x);
  return masked == nullptr ? 0 : masked->largest_carry_shift();
}

struct Operands {
  detail::Wanted x, y;
};

Operands operands_of(const Term& term) {
  Operands wanted;
  const int room = product_bits - detail::magnitude(static_cast<double>(inner_of(term)));
  const int half = room / 2;
  const int x = std::max(detail::word_bits(term.x), 0);
  const int y = std::max(detail::word_bits(term.y), 0);
  wanted.x.word_bits = x + y <= room ? room : (y > half ? half : room - y);
  wanted.y.word_bits = x + y <= room ? room : (x > half ? half : room - x);
  wanted.x.bits = wanted.y.bits = operand_fraction;
  const unsigned shift_x = shift_after(term.x, wanted.x);
  const unsigned shift_y = shift_after(term.y, wanted.y);
  if (shift_x + shift_y > 64) wanted.x.shift = wanted.y.shift = detail::fitting_shift;
  const std::size_t pairs = map_of(term.map, term.x.shape(), term.y.shape())->pairs();
  const auto too_many = [&](const Secret& operand) {
    return pairs > many_pairs && pairs >= many_an_entry * operand.shape().lanes();
  };
  if (shift_x > 0 && too_many(term.x)) wanted.x.shift = 0;
  if (shift_y > 0 && too_many(term.y)) wanted.y.shift = 0;
  return wanted;
}

// Integer factors that bring all terms to the same number of fraction bits, `bits`.
struct Scaling {
  unsigned bits;
  std::vector<std::uint64_t> words;  // factors of the terms, then of the linear parts
};

// `bits` has the number of fraction bits of each value before its factor. Returns nothing if a factor or the result
// does not fit a word.
std::optional<Scaling> scaling_at(std::span<const double> factors, std::span<const unsigned> bits, double bound,
                                  int significant) {
  std::vector<detail::PublicFactor> rounded;
  unsigned common = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const auto factor = detail::factor_of(factors[i], significant);
    if (!factor) return std::nullopt;
    rounded.push_back(*factor);
    common = std::max(common, bits[i] + factor->bits);
  }
  if (common > 62 || detail::word_bits(bound, common) > detail::most_bits) return std::nullopt;
  Scaling scaling{common, {}};
  for (std::size_t i = 0; i < factors.size(); ++i) {
    scaling.words.push_back(rounded[i].word << (common - bits[i] - rounded[i].bits));
  }
  return scaling;
}

std::optional<Scaling> scaling_of(std::span<const double> factors, std::span<const unsigned> bits, double bound) {
  for (int significant = detail::most_significant; significant >= detail::least_significant; --significant) {
    if (auto scaling = scaling_at(factors, bits, bound, significant)) return scaling;
  }
  return std::nullopt;
}

// If all factors have the same absolute value above 0, returns this value, otherwise 1. The rounded sum can be
// multiplied by this number later.
double common_factor(const std::vector<Term>& terms, const std::vector<Access::Linear>& linear) {
  const double size = std::abs(terms.front().factor);
  const bool alike =
      std::all_of(terms.begin(), terms.end(), [&](const Term& term) { return std::abs(term.factor) == size; }) &&
      std::all_of(linear.begin(), linear.end(), [&](const auto& part) { return std::abs(part.factor) == size; });
  return alike && size > 0 ? size : 1;
}

struct Summed {
  PendingProduct value;
  double later;
};

Summed summed(Party& party, std::span<const Masked> operands, const std::vector<Term>& terms,
              const std::vector<Access::Linear>& linear, Shape shape, double bound) {
  std::vector<double> factors;
  std::vector<unsigned> bits;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    factors.push_back(terms[i].factor);
    bits.push_back(operands[2 * i].scale() + operands[2 * i + 1].scale());
  }
  for (const auto& part : linear) {
    factors.push_back(part.factor);
    bits.push_back(part.x.bits());
  }
  double later = 1;
  std::optional<Scaling> scaling = scaling_of(factors, bits, bound);
  if (!scaling) {
    later = common_factor(terms, linear);
    for (double& factor : factors) factor /= later;
    scaling = scaling_of(factors, bits, bound / later);
  }
  if (!scaling) {
    detail::require_room(bound / later, *std::max_element(bits.begin(), bits.end()), "a product");
    throw BoundError(
        "a product: its public factors do not fit together with the bounds of its parts; await the parts separately");
  }
  std::optional<PendingProduct> sum;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Masked& x = operands[2 * i];
    const Masked& y = operands[2 * i + 1];
    const auto map = map_of(terms[i].map, x.shape(), y.shape());
    PendingProduct term =
        protocols::pending_product_of(party, *map, x, y).times(scaling->words[i], scaling->bits - bits[i]);
    if (sum) {
      *sum += term;
    } else {
      sum = std::move(term);
    }
  }
  for (std::size_t i = 0; i < linear.size(); ++i) {
    const std::size_t at = terms.size() + i;
    const Secret whole = broadcast(linear[i].x, shape);
    *sum += Access::shares(whole).times(scaling->words[at], scaling->bits - bits[at]);
  }
  return Summed{std::move(*sum), later};
}

detail::Derivation derivation(Session& session, std::span<const Masked> operands, const std::vector<Term>& terms,
                              const std::vector<Access::Linear>& linear) {
  detail::Derivation made(session, "product");
  const auto operand = [&](const Secret& x, const Masked& ready) {
    made.from(x);
    if (ready.scale() < x.bits()) made.rounded_to(ready.scale());
  };
  for (std::size_t i = 0; i < terms.size(); ++i) {
    operand(terms[i].x, operands[2 * i]);
    operand(terms[i].y, operands[2 * i + 1]);
    made.by(static_cast<std::uint64_t>(terms[i].map)).within(terms[i].factor);
  }
  for (const auto& part : linear) made.from(part.x).within(part.factor);
  return made;
}

// Evaluates the product in 1 or 2 rounds, or in no round if nothing must be masked or rounded.
Task<Secret> evaluated(Product product, bool rounds) {
  Session& session = product.session();
  Party& party = session.party();
  const std::vector<Term> terms = std::move(Access::terms(product));
  const std::vector<Access::Linear> linear = std::move(Access::linear(product));
  std::vector<Secret> factors;
  std::vector<detail::Wanted> wanted;
  for (const Term& term : terms) {
    const Operands operands = operands_of(term);
    factors.push_back(term.x);
    wanted.push_back(operands.x);
    factors.push_back(term.y);
    wanted.push_back(operands.y);
  }
  const std::vector<Masked> operands = co_await detail::all_ready(std::move(factors), std::move(wanted));

  Summed sum = summed(party, operands, terms, linear, product.shape(), product.bound());
  const double bound = product.bound() / sum.later;
  const unsigned bits = detail::bits_for(session, bound);
  const unsigned drop = rounds && sum.value.scale() > bits ? sum.value.scale() - bits : 0;
  detail::Derivation made = derivation(session, operands, terms, linear);
  if (drop > 0) made.rounded_to(bits);
  const detail::Origin origin = made.within(bound).by(drop).operation(product.shape());
  Secret result;
  if (drop > 0) {
    Masked masked = co_await protocols::mask_trunc(party, std::move(sum.value), drop, "product");
    result = Access::make(session, std::move(masked), bound, origin);
  } else {
    result = Access::make(session, protocols::materialize(party, std::move(sum.value)), bound, origin);
  }
  if (sum.later != 1) result = result * sum.later;
  co_return result;
}

}  // namespace

Product::Product(Map map, Secret x, Secret y, Shape shape, double bound)
    : shape_(shape), bound_(bound), terms_{Term{std::move(x), std::move(y), map, 1}} {}

Session& Product::session() const { return terms_.front().x.session(); }

Product& Product::operator+=(const Product& other) {
  detail::require_same_session(terms_.front().x, other.terms_.front().x);
  require_same_shape(shape_, other.shape_, "sum of products");
  terms_.insert(terms_.end(), other.terms_.begin(), other.terms_.end());
  linear_.insert(linear_.end(), other.linear_.begin(), other.linear_.end());
  bound_ += other.bound_;
  return *this;
}

Product& Product::operator*=(double factor) {
  if (!std::isfinite(factor)) throw std::invalid_argument("a public number is not finite");
  for (Term& term : terms_) term.factor *= factor;
  for (Linear& part : linear_) part.factor *= factor;
  bound_ *= std::abs(factor);
  return *this;
}

Product& Product::plus(const Secret& other, double factor) {
  detail::require_same_session(terms_.front().x, other);
  if (!(detail::common_shape(shape_, other.shape(), "a sum") == shape_)) {
    throw std::invalid_argument("a product and something larger: broadcast the factors first");
  }
  linear_.push_back(Linear{other, factor});
  bound_ += std::abs(factor) * other.bound();
  return *this;
}

Product Product::within(double bound) && {
  if (!(std::isfinite(bound) && bound >= 0)) throw std::invalid_argument("a bound is a number of at least 0");
  bound_ = std::min(bound, bound_);
  return std::move(*this);
}

Product::Awaiter Product::operator co_await() const { return Awaiter(rounded(*this)); }

Product operator*(const Secret& x, const Secret& y) {
  detail::require_same_session(x, y);
  const Shape shape = detail::common_shape(x.shape(), y.shape(), "a product");
  const double bound = x.bound() * y.bound();
  const auto by = [&](Map map, const Secret& a, const Secret& b) { return Access::product(map, a, b, shape, bound); };
  if (x.shape() == shape && x.columns() == y.columns() && (y.rows() == 1 || y.rows() == x.rows())) {
    return by(Map::elementwise, x, y);
  }
  if (y.shape() == shape && x.columns() == y.columns()) return by(Map::elementwise, y, x);
  if (x.columns() == 1) return by(Map::row_scale, x, y);
  if (y.columns() == 1) return by(Map::row_scale, y, x);
  return by(Map::elementwise, broadcast(x, shape), broadcast(y, shape));
}

Product matmul(const Secret& x, const Secret& y) {
  detail::require_same_session(x, y);
  const Shape shape = protocols::MatMul(x.shape(), y.shape()).out;
  return Access::product(Map::matmul, x, y, shape, x.bound() * y.bound() * static_cast<double>(x.columns()));
}

Product row_dot(const Secret& x, const Secret& y) {
  detail::require_same_session(x, y);
  const Shape shape = protocols::RowDot(x.shape(), y.shape()).out;
  return Access::product(Map::row_dot, x, y, shape, x.bound() * y.bound() * static_cast<double>(x.columns()));
}

Task<Secret> rounded(Product product) { return evaluated(std::move(product), true); }

Task<Secret> rounded(Secret x) {
  const detail::Wanted wanted{.bits = detail::bits_for(x.session(), x.bound())};
  if (x.bits() <= wanted.bits) co_return x;
  Masked value = co_await detail::ready(x, wanted);
  const auto origin = detail::Derivation(x.session(), "rounded").from(x).rounded_to(wanted.bits).origin();
  co_return Access::make(x.session(), std::move(value), x.bound(), origin);
}

Task<Secret> detail::exact(Product product) { return evaluated(std::move(product), false); }

}  // namespace sotto
