// An opened value does not steer the program: not every role has it.
#include "sotto/core/sharing/public.h"

int branch(const sotto::Public& opened);

int branch(const sotto::Public& opened) {
#ifdef WRONG
  if (opened) return 1;  // refused
#else
  if (opened.lanes() > 0) return 1;
#endif
  return 0;
}
