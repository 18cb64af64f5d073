// Nor can XOR shares.
#include "sotto/core/sharing/bool.h"

bool same(const sotto::Bool& x, const sotto::Bool& y);

bool same(const sotto::Bool& x, const sotto::Bool& y) {
#ifdef WRONG
  return x == y;  // refused
#else
  return x.width() == y.width();
#endif
}
