// Shares and masked values do not add up: a mask or shares() has to be asked for.
#include "sotto/core/sharing/masked.h"

sotto::Arith sum(const sotto::Arith& shares, const sotto::Masked& masked,
                 const sotto::Party& party);

sotto::Arith sum(const sotto::Arith& shares, const sotto::Masked& masked,
                 const sotto::Party& party) {
#ifdef WRONG
  return shares + masked;  // refused
#else
  return shares + masked.shares(party);
#endif
}
