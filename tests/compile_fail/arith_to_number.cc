// A share is no number.
#include <cstdint>

#include "sotto/core/sharing/arith.h"

std::uint64_t number(const sotto::Arith& x);

std::uint64_t number(const sotto::Arith& x) {
#ifdef WRONG
  return static_cast<std::uint64_t>(x);  // refused
#else
  return x.lanes();
#endif
}
