// Two ends of a byte stream within one machine that no port and no address belong to: what tests and examples join
// roles with that are threads of one process, or a process and its child. It is a socket pair of the system, so that it
// behaves as TCP does: bounded, with partial reads and writes.
#pragma once

#include <memory>
#include <utility>

#include "sotto/net/transport/stream.h"

namespace sotto::net {

// Throws ResourceError if the system has no descriptors left.
[[nodiscard]] std::pair<std::unique_ptr<ByteStream>, std::unique_ptr<ByteStream>> make_stream_pair();

}  // namespace sotto::net
