// Shares cannot be compared: equal shares say nothing about equal values.
#include "sotto/core/sharing/arith.h"

bool same(const sotto::Arith& x, const sotto::Arith& y);

bool same(const sotto::Arith& x, const sotto::Arith& y) {
#ifdef WRONG
  return x == y;  // refused
#else
  return x.shape() == y.shape();
#endif
}
