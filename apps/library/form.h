// The internals of secrets: their forms, and the conversions between them. For the source files of this folder.
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

// The parts of a secret, which its users do not see.

// The origin of a secret: its computation. A Derivation makes it.
//
// While a program is planned, each secret has a digest of its inputs, operations, shapes, bounds and public numbers.
// The digest is made of the digests of the operands. So a compiler's order of evaluation of local arithmetic changes no
// digest. Bounds and ends of ranges count with 24 bits, so that the last bit of a computed number does not matter.
struct Origin {
  Digest digest{};             // zeros outside of a plan
  unsigned bits = exact_bits;  // the fewest fraction bits that any value in the computation was rounded to
  std::string text{};          // "multiple by 0.5 (#2)", cut to a maximum length; empty outside of a plan
};

struct SecretForm {
  std::variant<Arith, Masked> value;
  Origin origin{};
  // The secret's value rounded to fewer fraction bits, once an operation has needed that form.
  std::optional<Masked> rounded{};
};

struct SecretAccess {
  static Secret make(Session& session, std::variant<Arith, Masked> value, double bound, const Origin& origin);
  static const Origin& origin(const Secret& x) { return x.form_->origin; }
  // Null unless a program is being planned.
  static Trace* trace(const Session& session) { return session.trace_; }
  static SecretForm& form(const Secret& x) { return *x.form_; }
  // Null if x is not masked.
  static const Masked* masked(const Secret& x) { return std::get_if<Masked>(&x.form_->value); }
  // The value as additive shares.
  static Arith shares(const Secret& x);
  // The same entries with a tighter bound on them.
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

// The maximum number of bits of a word in the ring, with room for signs and rounding.
inline constexpr int most_bits = 61;
// Bits of an operand. A product of two such operands fits the ring, and so does a sum of many products.
inline constexpr int operand_bits = 40;
// The largest shift of a carry term that fits next to any other carry term
// (include/sotto/protocol/arithmetic/product.h).
inline constexpr unsigned fitting_shift = 32;
// Significant bits of public factors.
inline constexpr int least_significant = 12;
inline constexpr int most_significant = 22;
// Bits of a word after a public factor, with room for additions to it.
inline constexpr int comfortable_bits = 54;

// ceil(log2(bound)). For a bound of 0, a number far below all others.
[[nodiscard]] int magnitude(double bound);
// The number of bits of a word that holds entries up to the bound.
[[nodiscard]] inline int word_bits(double bound, unsigned bits) { return magnitude(bound) + static_cast<int>(bits); }
[[nodiscard]] inline int word_bits(const Secret& x) { return word_bits(x.bound(), x.bits()); }
// Throws BoundError if the entries do not fit. `what` is the operation.
void require_room(double bound, unsigned bits, const char* what);

// The fraction bits that a result with this bound keeps: those of the session, or as many as operand_bits leave room
// for.
[[nodiscard]] unsigned bits_for(const Session& session, double bound);

// Throws std::invalid_argument if x and y are of different sessions.
void require_same_session(const Secret& x, const Secret& y);

// A public factor as word / 2^bits, rounded to as many significant bits as fit.
struct PublicFactor {
  std::uint64_t word;
  unsigned bits;
};
// The factor with at most `significant` significant bits. Nothing if the factor is too small for a word. Throws
// std::invalid_argument if the factor is not finite.
[[nodiscard]] std::optional<PublicFactor> factor_of(double factor, int significant);
// The factor for values whose words have `used` bits. It has at least 12 significant bits, and together with `used`
// fewer than 62 bits. It has more than 12 significant bits as long as the total is at most `comfortable` bits. Nothing
// if the factor does not fit.
[[nodiscard]] std::optional<PublicFactor> factor_for(double factor, int used, int comfortable = comfortable_bits);

// The words of factors that are at most `largest` in size, and their common fraction bits.
struct PublicFactors {
  std::vector<std::uint64_t> words;
  unsigned bits;
};
[[nodiscard]] PublicFactors factors_for(const Matrix& values, int used, const char* what);

// An opened value as numbers. The numbers are NaN at roles that do not know the value.
[[nodiscard]] Matrix numbers_of(const Public& value);
// The words of public numbers.
[[nodiscard]] std::vector<std::uint64_t> encoded(const Matrix& values, unsigned bits);

// The value of x with more fraction bits.
[[nodiscard]] Secret raised(const Secret& x, unsigned bits);

// The requirements for an operand.
struct Wanted {
  int word_bits = operand_bits;  // maximum number of bits of a word; fraction bits are dropped to reach it
  unsigned shift = 64;           // maximum shift of carry terms; 0: no carry terms
  unsigned bits = 64;            // maximum number of fraction bits
};
// Whether x already meets `wanted`.
[[nodiscard]] bool is_ready(const Secret& x, const Wanted& wanted);
// The operand in a form that meets `wanted`: at once, or after 1 round. The form is stored, so that the next use takes
// no round. Throws BoundError if an operand with fraction bits would keep fewer than 4 of them.
[[nodiscard]] Task<Masked> ready(Secret x, Wanted wanted);
// Makes several operands ready, in one round.
[[nodiscard]] Task<std::vector<Masked>> all_ready(std::vector<Secret> operands, std::vector<Wanted> wanted);

// A product without rounding: it has all fraction bits of both factors, as shares.
[[nodiscard]] Task<Secret> exact(Product product);

// The common shape of two operands. Throws std::invalid_argument if the shapes do not fit.
[[nodiscard]] Shape common_shape(Shape x, Shape y, const char* what);

// Makes the origin of an operation's result.
class Derivation {
 public:
  Derivation(Session& session, std::string_view what);

  Derivation& from(const Secret& x);
  // A public number of the operation.
  Derivation& by(std::uint64_t number);
  Derivation& by(std::span<const std::uint64_t> numbers);
  Derivation& by(std::span<const std::uint32_t> places);
  Derivation& by(Shape shape);
  // A bound or an end of a range.
  Derivation& within(double number);
  // Adds to the text a number that by() or within() already has.
  Derivation& with(std::string_view how, double number);
  Derivation& rounded_to(unsigned bits);

  // The origin of a local operation's result.
  [[nodiscard]] Origin origin() const;
  // The origin of the result of an operation that takes a round or randomness. It is an operation of the trace, with a
  // result of this shape.
  [[nodiscard]] Origin operation(Shape shape);

 private:
  Trace* trace_;
  std::string what_;
  std::string operands_;
  std::string made_of_;
  unsigned bits_ = exact_bits;
};

// The origin of public numbers as words of `bits` fraction bits. Whole numbers lose nothing.
[[nodiscard]] Origin origin_of_constant(Session& session, Shape shape, std::span<const std::uint64_t> words,
                                        unsigned bits, bool whole);

}  // namespace sotto::detail
