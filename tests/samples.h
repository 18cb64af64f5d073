// How many samples a statistical test takes. A tenth of them finds what is wrong by a few standard deviations or by a
// unit; all are for rare faults: scripts/test --all sets SOTTO_ALL_SAMPLES. Properties take a quarter of their inputs
// likewise: they draw others each time.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace sotto {

[[nodiscard]] inline bool takes_all_samples() { return std::getenv("SOTTO_ALL_SAMPLES") != nullptr; }
[[nodiscard]] inline std::size_t samples(std::size_t all) { return takes_all_samples() ? all : all / 10; }

}  // namespace sotto
