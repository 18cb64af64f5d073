// The internals of secrets: the forms of a secret, and the conversions between forms.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/product.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/public.h"
#include "sotto/protocol/sharing/shape.h"
#include "sotto/secret.h"
#include "sotto/session.h"
#include "sotto/trace.h"

namespace sotto::detail {

// A description of the computation that made a secret.
//
// The digest of a result is computed from the digests of the operands, so the order in which a compiler evaluates local
// arithmetic changes no digest. The digest contains bounds and ends of ranges rounded to 24 significant bits, so the
// last bit of a computed number does not matter.
struct Origin {
  Digest digest{};             // zeros unless planning
  unsigned bits = exact_bits;  // smallest number of fraction bits after any rounding so far
  std::string text{};          // empty unless planning
};

struct SecretForm {
  std::variant<Arith, Masked> value;
  Origin origin{};
  // Empty until an operation needs a rounded form.
  std::optional<Masked> rounded{};
};

struct SecretAccess {
  static Secret make(Session& session, std::variant<Arith, Masked> value, double bound, const Origin& origin);
  static const Origin& origin(const Secret& x) { return x.form_->origin; }
  // Returns null unless a program is being planned.
  static Trace* trace(const Session& session) { return session.trace_; }
  static SecretForm& form(const Secret& x) { return *x.form_; }
  // Returns null if x is not masked.
  static const Masked* masked(const Secret& x) { return std::get_if<Masked>(&x.form_->value); }
  static Arith shares(const Secret& x);
  static Secret with_bound(Secret x, double bound);
  static std::vector<Product::Term>& terms(Product& product) { return product.terms_; }
  static std::vector<Product::Linear>& linear(Product& product) { return product.linear_; }
  using Map = Product::Map;
  using Term = Product::Term;
  using Linear = Product::Linear;
  static Product product(Map map, Secret x, Secret y, Shape shape, double bound) {
    return Product(map, std::move(x), std::move(y), shape, bound);
  }
};

// The largest number of bits of a word, which leaves room for signs and rounding in the ring of 64 bits.
inline constexpr int most_bits = 61;
// The product of two operands with this number of bits fits the ring, and so does a sum of many such products.
inline constexpr int operand_bits = 40;
// Two factors can be multiplied if all their carry terms have shifts of at most this number (see
// include/sotto/protocol/arithmetic/product.h).
inline constexpr unsigned fitting_shift = 32;
inline constexpr int least_significant = 12;
inline constexpr int most_significant = 22;
// The desired number of bits of a word after a multiplication by a public factor, which leaves room for later
// additions.
inline constexpr int comfortable_bits = 54;

// Returns ceil(log2(bound)). For a bound of 0, the result is far below all other results.
[[nodiscard]] int magnitude(double bound);
[[nodiscard]] inline int word_bits(double bound, unsigned bits) { return magnitude(bound) + static_cast<int>(bits); }
[[nodiscard]] inline int word_bits(const Secret& x) { return word_bits(x.bound(), x.bits()); }
// Throws BoundError if entries up to the bound do not fit a word.
void require_room(double bound, unsigned bits, const char* what);

// Returns the smaller of two numbers of fraction bits: the session's number, and the largest number that fits
// operand_bits.
[[nodiscard]] unsigned bits_for(const Session& session, double bound);

void require_same_session(const Secret& x, const Secret& y);

// The value is word / 2^bits.
struct PublicFactor {
  std::uint64_t word;
  unsigned bits;
};
// Rounds the factor to at most `significant` significant bits. Returns nothing if the factor is too small or too large
// for a word. Throws std::invalid_argument if the factor is not finite.
[[nodiscard]] std::optional<PublicFactor> factor_of(double factor, int significant);
// Returns the factor, rounded to 12 or more significant bits, for values whose words have `used` bits. The product has
// fewer than 62 bits. The factor keeps more than 12 significant bits only if the product then has at most `comfortable`
// bits. Returns nothing if the factor does not fit.
[[nodiscard]] std::optional<PublicFactor> factor_for(double factor, int used, int comfortable = comfortable_bits);

struct PublicFactors {
  std::vector<std::uint64_t> words;
  unsigned bits;
};
[[nodiscard]] PublicFactors factors_for(const Matrix& values, int used, const char* what);

// The numbers are NaN at roles that do not know the value.
[[nodiscard]] Matrix numbers_of(const Public& value);
[[nodiscard]] std::vector<std::uint64_t> encoded(const Matrix& values, unsigned bits);

[[nodiscard]] Secret raised(const Secret& x, unsigned bits);

struct Wanted {
  int word_bits = operand_bits;  // largest number of bits of a word
  unsigned shift = 64;           // largest shift of a carry term; 0: no carry terms
  unsigned bits = 64;            // largest number of fraction bits
};
[[nodiscard]] bool is_ready(const Secret& x, const Wanted& wanted);
// Returns the operand in a form that meets `wanted`. This needs no round if the operand has such a form, and otherwise
// 1 or 2 rounds. The operand stores the form for later uses. Throws BoundError if an operand with fraction bits would
// have fewer than 4 of them in this form.
[[nodiscard]] Task<Masked> ready(Secret x, Wanted wanted);
// Returns all operands in their forms. The operands share the rounds.
[[nodiscard]] Task<std::vector<Masked>> all_ready(std::vector<Secret> operands, std::vector<Wanted> wanted);

// Returns the product in shares, with all its fraction bits.
[[nodiscard]] Task<Secret> exact(Product product);

[[nodiscard]] Shape common_shape(Shape x, Shape y, const char* what);

class Derivation {
 public:
  Derivation(Session& session, std::string_view what);

  Derivation& from(const Secret& x);
  Derivation& by(std::uint64_t number);
  Derivation& by(std::span<const std::uint64_t> numbers);
  Derivation& by(std::span<const std::uint32_t> places);
  Derivation& by(Shape shape);
  Derivation& within(double number);
  // Adds the number, with 6 significant digits, to the text and to the digest.
  Derivation& with(std::string_view how, double number);
  Derivation& rounded_to(unsigned bits);

  [[nodiscard]] Origin origin() const;
  // Adds an operation that needs a round or randomness to the trace.
  [[nodiscard]] Origin operation(Shape shape);

 private:
  Trace* trace_;
  std::string what_;
  std::string operands_;
  std::string made_of_;
  unsigned bits_ = exact_bits;
};

[[nodiscard]] Origin origin_of_constant(Session& session, Shape shape, std::span<const std::uint64_t> words,
                                        unsigned bits, bool whole);

}  // namespace sotto::detail
