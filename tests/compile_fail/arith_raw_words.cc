// The words of a share are private: ShareAccess is the one way to them.
#include "sotto/core/sharing/arith.h"
#include "sotto/core/sharing/share_access.h"

sotto::Words words(const sotto::Arith& x);

sotto::Words words(const sotto::Arith& x) {
#ifdef WRONG
  return x.words_;  // refused
#else
  return sotto::ShareAccess::words(x);
#endif
}
