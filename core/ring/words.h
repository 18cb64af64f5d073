// Storage of ring elements: a vector of 64-bit words from the thread's pool, uninitialised when it
// grows.
#pragma once

#include <cstdint>
#include <vector>

#include "core/async/pool.h"

namespace sotto {

using Words = std::vector<std::uint64_t, PoolAllocator<std::uint64_t>>;

}  // namespace sotto
