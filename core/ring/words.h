// Storage of ring elements: a vector of 64-bit words from the thread's pool, uninitialised when it grows.
#pragma once

#include <cstdint>

#include "sotto/core/async/pool.h"

namespace sotto {

using Words = PoolVector<std::uint64_t>;

}  // namespace sotto
