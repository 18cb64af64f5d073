// A seed is moved, never copied: one holder wipes it.
#include <utility>

#include "sotto/core/random/seed.h"

sotto::Seed hand_on(sotto::Seed& seed);

sotto::Seed hand_on(sotto::Seed& seed) {
#ifdef WRONG
  return seed;  // refused
#else
  return std::move(seed);
#endif
}
