// Masking a folded product would mask it by something that is not the dealer's mask.
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/io/mask.h"

sotto::Task<sotto::Masked> keep(sotto::Party& party, sotto::Folded value);

sotto::Task<sotto::Masked> keep(sotto::Party& party, sotto::Folded value) {
#ifdef WRONG
  return sotto::protocols::mask(party, value, "folded");  // refused
#else
  return sotto::protocols::mask(party, sotto::protocols::unfold(party, value), "folded");
#endif
}
