// Shared code of the numbered examples.
#pragma once

#include <cstdio>
#include <string>

#include "sotto/sotto.h"

// Returns the exit code: 0 if the two results differ by at most `error`.
inline int compared(const sotto::RunCost& run, const sotto::Matrix& private_result, const sotto::Matrix& plain,
                    double error) {
  const double difference = (private_result - plain).cwiseAbs().maxCoeff();
  std::printf("%s; %.2g from plain text\n", run.in_short().c_str(), difference);
  for (const sotto::Opened& opened : run.opened) {
    std::printf("opened: %s, of %u fraction bits\n", opened.name.c_str(), opened.bits);
  }
  return difference <= error ? 0 : 1;
}
