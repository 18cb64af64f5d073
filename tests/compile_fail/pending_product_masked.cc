// Masking a folded product would mask it by something that is not the dealer's mask.
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/io/mask.h"

sotto::Task<sotto::Masked> keep(sotto::Party& party, sotto::PendingProduct value);

sotto::Task<sotto::Masked> keep(sotto::Party& party, sotto::PendingProduct value) {
#ifdef WRONG
  return sotto::protocols::mask(party, value, "pending");  // refused
#else
  return sotto::protocols::mask(party, sotto::protocols::materialize(party, value), "pending");
#endif
}
