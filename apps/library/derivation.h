// How an operation makes the origin of its result (origin.h). For the sources of this folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "apps/library/origin.h"
#include "sotto/protocol/sharing/shape.h"
#include "sotto/session.h"
#include "sotto/trace.h"

namespace sotto::detail {

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
