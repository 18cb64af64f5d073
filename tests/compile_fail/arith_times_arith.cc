// A product of shares is a protocol, so that its round shows as a co_await.
#include "sotto/core/sharing/arith.h"

sotto::Arith product(const sotto::Arith& x, const sotto::Arith& y);

sotto::Arith product(const sotto::Arith& x, const sotto::Arith& y) {
#ifdef WRONG
  return x * y;  // refused
#else
  return x + y;
#endif
}
