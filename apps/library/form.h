// The inside of secrets: their forms, and how one becomes another. For the sources of this folder.
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

// What a secret is made of, which its users do not see: for the sources of this folder.

// What a secret was computed from; a Derivation makes it.
//
// While a program is planned, each secret has a digest of its inputs, operations, shapes, bounds and public numbers,
// made of the digests of its operands: the order in which a compiler evaluates local arithmetic changes none. Bounds
// and ends of ranges count with 24 bits, so that the last bit of a computed one does not matter.
struct Origin {
  Digest digest{};             // zeros outside of a plan
  unsigned bits = exact_bits;  // the fewest fraction bits that something was rounded to
  std::string text{};          // "multiple by 0.5 (#2)", cut; empty outside of a plan
};

struct SecretForm {
  std::variant<Arith, Masked> value;
  Origin origin{};
  // The same rounded to fewer fraction bits, once it was needed.
  std::optional<Masked> rounded{};
};

struct SecretAccess {
  static Secret make(Session& session, std::variant<Arith, Masked> value, double bound, const Origin& origin);
  static const Origin& origin(const Secret& x) { return x.form_->origin; }
  // Null where nobody plans.
  static Trace* trace(const Session& session) { return session.trace_; }
  static SecretForm& form(const Secret& x) { return *x.form_; }
  // Null where it is not masked.
  static const Masked* masked(const Secret& x) { return std::get_if<Masked>(&x.form_->value); }
  // The value as additive shares.
  static Arith shares(const Secret& x);
  // The same entries, the form of which is known better now.
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

// What the ring holds with room for signs and rounding.
inline constexpr int most_bits = 61;
// Operands of products of their own: two fit the ring, and a sum of many.
inline constexpr int operand_bits = 40;
// The largest shift of a carry term beside which any other fits (include/sotto/protocol/arithmetic/product.h).
inline constexpr unsigned fitting_shift = 32;
// Of public factors.
inline constexpr int least_significant = 12;
inline constexpr int most_significant = 22;
// Of a word after a public factor: room to add to it.
inline constexpr int comfortable_bits = 54;

// ceil(log2(bound)); far below all others for 0.
[[nodiscard]] int magnitude(double bound);
// Bits of a word that holds entries up to the bound.
[[nodiscard]] inline int word_bits(double bound, unsigned bits) { return magnitude(bound) + static_cast<int>(bits); }
[[nodiscard]] inline int word_bits(const Secret& x) { return word_bits(x.bound(), x.bits()); }
// BoundError where they do not fit; `what` is the operation.
void require_room(double bound, unsigned bits, const char* what);

// Fraction bits that a result with this bound keeps: those of the session, or as many as operand_bits leave.
[[nodiscard]] unsigned bits_for(const Session& session, double bound);

// Throws std::invalid_argument.
void require_same_session(const Secret& x, const Secret& y);

// A public factor as word / 2^bits, rounded to as many significant bits as fit.
struct PublicFactor {
  std::uint64_t word;
  unsigned bits;
};
// At so many significant bits at most. Nothing where it is too small for a word. Throws std::invalid_argument on what
// is not finite.
[[nodiscard]] std::optional<PublicFactor> factor_of(double factor, int significant);
// For values whose words have `used` bits before: at least 12 significant bits, and fewer than 62 with them; more than
// 12 as long as all together are `comfortable` bits at most. Nothing where they do not fit.
[[nodiscard]] std::optional<PublicFactor> factor_for(double factor, int used, int comfortable = comfortable_bits);

// Common bits of factors that are at most `largest` in size, and the words.
struct PublicFactors {
  std::vector<std::uint64_t> words;
  unsigned bits;
};
[[nodiscard]] PublicFactors factors_for(const Matrix& values, int used, const char* what);

// What was opened, as numbers: NaN at roles that do not know it.
[[nodiscard]] Matrix numbers_of(const Public& value);
// Words of public numbers.
[[nodiscard]] std::vector<std::uint64_t> encoded(const Matrix& values, unsigned bits);

// More fraction bits, the same number.
[[nodiscard]] Secret raised(const Secret& x, unsigned bits);

// What an operand must be.
struct Wanted {
  int word_bits = operand_bits;  // at most; fraction bits are dropped
  unsigned shift = 64;           // of carry terms, at most; 0: none
  unsigned bits = 64;            // fraction bits, at most
};
// Whether it is so already.
[[nodiscard]] bool is_ready(const Secret& x, const Wanted& wanted);
// The operand as wanted: at once, or after 1 round. It is kept for the next time. BoundError where fewer than 4
// fraction bits would stay of what has some.
[[nodiscard]] Task<Masked> ready(Secret x, Wanted wanted);
// Several of them in one round.
[[nodiscard]] Task<std::vector<Masked>> all_ready(std::vector<Secret> operands, std::vector<Wanted> wanted);

// A product without an error: all fraction bits of both factors, as shares.
[[nodiscard]] Task<Secret> exact(Product product);

// The shape that two make together; std::invalid_argument where they do not fit.
[[nodiscard]] Shape common_shape(Shape x, Shape y, const char* what);

// How an operation makes the origin of its result.
class Derivation {
 public:
  Derivation(Session& session, std::string_view what);

  Derivation& from(const Secret& x);
  // A public number, as the operation has it.
  Derivation& by(std::uint64_t number);
  Derivation& by(std::span<const std::uint64_t> numbers);
  Derivation& by(std::span<const std::uint32_t> places);
  Derivation& by(Shape shape);
  // A bound or an end of a range.
  Derivation& within(double number);
  // Tells a number that by() or within() has.
  Derivation& told(std::string_view how, double number);
  Derivation& rounded_to(unsigned bits);

  // Of something local.
  [[nodiscard]] Origin origin() const;
  // Of what takes a round or randomness: an operation of the trace, with a result of this shape.
  [[nodiscard]] Origin operation(Shape shape);

 private:
  Trace* trace_;
  std::string what_;
  std::string operands_;
  std::string made_of_;
  unsigned bits_ = exact_bits;
};

// Of public numbers as words of `bits` fraction bits; whole ones lose nothing.
[[nodiscard]] Origin origin_of_constant(Session& session, Shape shape, std::span<const std::uint64_t> words,
                                        unsigned bits, bool whole);

}  // namespace sotto::detail
