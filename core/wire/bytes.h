// Storage of frames and chunks: bytes from the thread's pool, uninitialised when it grows.
#pragma once

#include <cstddef>

#include "sotto/core/async/pool.h"

namespace sotto {

using Bytes = PoolVector<std::byte>;

}  // namespace sotto
