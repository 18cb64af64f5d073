// The internals of secrets: the forms of a secret, and the conversions between forms. Only the source files of this
// folder include this header.
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

// The parts of a secret that users of the library do not see.

// The origin of a secret: a description of the computation that made the secret. A Derivation makes an Origin.
//
// While a program is planned, each secret has a digest of its inputs, operations, shapes, bounds and public numbers.
// The digest of a result is made of the digests of the operands. Therefore the order in which a compiler evaluates
// local arithmetic changes no digest. In the digest, bounds and ends of ranges are rounded to 24 significant bits, so
// that the last bit of a computed number does not matter.
struct Origin {
  Digest digest{};             // all zeros unless a program is being planned
  unsigned bits = exact_bits;  // the fewest fraction bits that any value in the computation was rounded to
  std::string text{};          // such as "multiple by 0.5 (#2)", of limited length; empty unless a program is planned
};

struct SecretForm {
  std::variant<Arith, Masked> value;
  Origin origin{};
  // The secret's value rounded to fewer fraction bits; absent until an operation needs this form.
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
  // The value of x as additive shares.
  static Arith shares(const Secret& x);
  // The secret x with another bound on the same entries.
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
// The number of bits of an operand's words. A product of two such operands fits the ring, and so does a sum of many
// such products.
inline constexpr int operand_bits = 40;
// If the carry terms of two factors have at most this shift each, the factors can be multiplied
// (include/sotto/protocol/arithmetic/product.h).
inline constexpr unsigned fitting_shift = 32;
// The smallest and the largest number of significant bits of a public factor.
inline constexpr int least_significant = 12;
inline constexpr int most_significant = 22;
// The number of bits of a word after it is multiplied by a public factor, with room for later additions.
inline constexpr int comfortable_bits = 54;

// ceil(log2(bound)). For a bound of 0, the result is a number far below all other results.
[[nodiscard]] int magnitude(double bound);
// The number of bits of a word that holds entries up to the bound.
[[nodiscard]] inline int word_bits(double bound, unsigned bits) { return magnitude(bound) + static_cast<int>(bits); }
[[nodiscard]] inline int word_bits(const Secret& x) { return word_bits(x.bound(), x.bits()); }
// Throws BoundError if entries up to the bound do not fit a word. `what` names the operation.
void require_room(double bound, unsigned bits, const char* what);

// The number of fraction bits of a result with this bound: the session's number of fraction bits, or as many as fit a
// word of operand_bits bits.
[[nodiscard]] unsigned bits_for(const Session& session, double bound);

// Throws std::invalid_argument if x and y are of different sessions.
void require_same_session(const Secret& x, const Secret& y);

// A public factor, rounded, as word / 2^bits.
struct PublicFactor {
  std::uint64_t word;
  unsigned bits;
};
// The factor, rounded to at most `significant` significant bits. Returns nothing if the factor is too small or too
// large for a word. Throws std::invalid_argument if the factor is not finite.
[[nodiscard]] std::optional<PublicFactor> factor_of(double factor, int significant);
// The public factor in a form that can multiply values whose words have `used` bits. The factor is rounded to at least
// 12 significant bits, and the product has fewer than 62 bits. A rounded factor has more than 12 significant bits only
// if the product has at most `comfortable` bits. Returns nothing if the factor does not fit.
[[nodiscard]] std::optional<PublicFactor> factor_for(double factor, int used, int comfortable = comfortable_bits);

// The words of several public factors, and the number of fraction bits of every word.
struct PublicFactors {
  std::vector<std::uint64_t> words;
  unsigned bits;
};
[[nodiscard]] PublicFactors factors_for(const Matrix& values, int used, const char* what);

// An opened value as real numbers. The numbers are NaN at roles that do not know the value.
[[nodiscard]] Matrix numbers_of(const Public& value);
// The words of public numbers, with `bits` fraction bits.
[[nodiscard]] std::vector<std::uint64_t> encoded(const Matrix& values, unsigned bits);

// The secret x with more fraction bits and the same value.
[[nodiscard]] Secret raised(const Secret& x, unsigned bits);

// The requirements for an operand.
struct Wanted {
  int word_bits = operand_bits;  // maximum number of bits of a word; fraction bits are dropped to reach it
  unsigned shift = 64;           // maximum shift of carry terms; 0: no carry terms
  unsigned bits = 64;            // maximum number of fraction bits
};
// Whether x already meets `wanted`.
[[nodiscard]] bool is_ready(const Secret& x, const Wanted& wanted);
// Returns the operand in a form that meets `wanted`, without a round if there is such a form. Making the form takes 1
// round, or 2 rounds if the rounded value must be masked again. The form is stored, so that the next use of the operand
// takes no round. Throws BoundError if an operand with fraction bits would keep fewer than 4 of them.
[[nodiscard]] Task<Masked> ready(Secret x, Wanted wanted);
// Applies ready() to several operands at once, so that the operands share the rounds.
[[nodiscard]] Task<std::vector<Masked>> all_ready(std::vector<Secret> operands, std::vector<Wanted> wanted);

// Computes a product without rounding. The result is in shares, and has all fraction bits of both factors.
[[nodiscard]] Task<Secret> exact(Product product);

// The shape of the result of an entrywise operation on two operands. Throws std::invalid_argument if the shapes of the
// operands do not fit.
[[nodiscard]] Shape common_shape(Shape x, Shape y, const char* what);

// Makes the origin of an operation's result.
class Derivation {
 public:
  Derivation(Session& session, std::string_view what);

  Derivation& from(const Secret& x);
  // Adds a public number of the operation to the digest.
  Derivation& by(std::uint64_t number);
  Derivation& by(std::span<const std::uint64_t> numbers);
  Derivation& by(std::span<const std::uint32_t> places);
  Derivation& by(Shape shape);
  // Adds a bound or an end of a range to the digest.
  Derivation& within(double number);
  // Adds a number only to the text. Call by() or within() to add the number to the digest.
  Derivation& with(std::string_view how, double number);
  Derivation& rounded_to(unsigned bits);

  // The origin of a local operation's result.
  [[nodiscard]] Origin origin() const;
  // The origin of the result of an operation that takes a round or randomness. Adds the operation, with a result of
  // this shape, to the trace.
  [[nodiscard]] Origin operation(Shape shape);

 private:
  Trace* trace_;
  std::string what_;
  std::string operands_;
  std::string made_of_;
  unsigned bits_ = exact_bits;
};

// The origin of public numbers that are encoded as words with `bits` fraction bits. Whole numbers are exact.
[[nodiscard]] Origin origin_of_constant(Session& session, Shape shape, std::span<const std::uint64_t> words,
                                        unsigned bits, bool whole);

}  // namespace sotto::detail
