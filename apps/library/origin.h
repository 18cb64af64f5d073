// Origin: what a secret was computed from. For the sources of this folder; derivation.h makes it.
//
// While a program is planned, each secret has a digest of its inputs, operations, shapes, bounds and public numbers,
// made of the digests of its operands: the order in which a compiler evaluates local arithmetic changes none. Bounds
// and ends of ranges count with 24 bits, so that the last bit of a computed one does not matter.
#pragma once

#include <string>

#include "sotto/session.h"
#include "sotto/trace.h"

namespace sotto::detail {

struct Origin {
  Digest digest{};             // zeros outside of a plan
  unsigned bits = exact_bits;  // the fewest fraction bits that something was rounded to
  std::string text{};          // "multiple by 0.5 (#2)", cut; empty outside of a plan
};

}  // namespace sotto::detail
