// Nor by a comparison.
#include "sotto/core/sharing/public.h"

bool same(const sotto::Public& opened);

bool same(const sotto::Public& opened) {
#ifdef WRONG
  return opened == 1;  // refused
#else
  return opened.lanes() == 1;
#endif
}
