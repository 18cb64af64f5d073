// What a role holds of a correlation (include/sotto/protocol/party/preprocessing.h), typed by what may be done with it.
//
//                  a compute party     the dealer          fit for
//     Mask         its share of m      m, without carry    operands of products, sums, multiples by public numbers
//                                      terms
//     Additive     its share           the value           openings and local sums only
//     BitMask      its XOR share       the bits            openings by XOR; the same bits also come as numbers
//     IndexMask    nothing             m                   tables at a public position
//     CarryMask    nothing             g = 2^(64-f) h      cuts of a truncated operand
//
// Everybody else holds nothing: no words. Each is a type of its own, as another backend than the dealer's may hold more
// of a Mask, or shares of what nobody but the dealer knows here.
#pragma once

#include "sotto/protocol/async/pool.h"

namespace sotto {

// The mask of a value that enters products.
struct Mask {
  Words words;
};

// Shares of a correlation that enters openings and local sums.
struct Additive {
  Words words;
};

// Random bits, shared by XOR.
struct BitMask {
  Words words;
};

// The mask of an index, which only who writes the tables knows.
struct IndexMask {
  Words words;
};

// The g of a carry term (include/sotto/protocol/sharing/masked.h), a multiple of 2^(64-f).
struct CarryMask {
  Words words;
};

}  // namespace sotto
