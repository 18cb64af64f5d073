#include <cstdio>

#include "sotto/protocol/ring/fixed_point.h"

int main() {
  const double value = sotto::decode(sotto::encode(1.5, 20), 20);
  std::printf("%g\n", value);
  return value == 1.5 ? 0 : 1;
}
