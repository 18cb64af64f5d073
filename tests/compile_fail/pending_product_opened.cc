// A pending product lacks a term of masks: opening it would tell about other masks. It has to be
// materialized first.
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/io/open.h"

sotto::Task<sotto::Public> reveal(sotto::Party& party, sotto::PendingProduct value);

sotto::Task<sotto::Public> reveal(sotto::Party& party, sotto::PendingProduct value) {
#ifdef WRONG
  return sotto::protocols::open(party, value, "pending");  // refused
#else
  return sotto::protocols::open(party, sotto::protocols::materialize(party, value), "pending");
#endif
}
