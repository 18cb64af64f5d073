// How fast this CPU does what a step is made of, inside one process: random expansion, products of ring matrices,
// copying.
#pragma once

#include <string>
#include <vector>

namespace sotto::apps::lab {

struct KernelSpeed {
  std::string what;
  std::string unit;             // "GB/s", "G multiply-adds/s"
  std::vector<double> batches;  // in that unit
};

// Each batch takes about `seconds_of_a_batch`, or one repetition where that takes longer.
[[nodiscard]] std::vector<KernelSpeed> kernel_speeds(double seconds_of_a_batch, std::size_t batches);

}  // namespace sotto::apps::lab
