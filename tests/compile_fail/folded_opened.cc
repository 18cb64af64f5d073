// A folded product lacks a term of masks: opening it would tell about other masks. It has to be
// unfolded first.
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/io/open.h"

sotto::Task<sotto::Public> reveal(sotto::Party& party, sotto::Folded value);

sotto::Task<sotto::Public> reveal(sotto::Party& party, sotto::Folded value) {
#ifdef WRONG
  return sotto::protocols::open(party, value, "folded");  // refused
#else
  return sotto::protocols::open(party, sotto::protocols::unfold(party, value), "folded");
#endif
}
