// Shares are not printed, by accident or otherwise.
#include <ostream>

#include "sotto/core/sharing/arith.h"

void print(std::ostream& out, const sotto::Arith& x);

void print(std::ostream& out, const sotto::Arith& x) {
#ifdef WRONG
  out << x;  // refused
#else
  out << sotto::to_string(x.shape());
#endif
}
