// A label is a literal: the digest of a round must not depend on what a role knows.
#include "sotto/core/wire/label.h"

std::uint64_t hash(const char* text);

std::uint64_t hash([[maybe_unused]] const char* text) {
#ifdef WRONG
  return sotto::Label(text).hash();  // refused
#else
  return sotto::Label("scores").hash();
#endif
}
