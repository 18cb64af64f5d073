// Connected TCP sockets on loopback for processes that measure together, set up as the real links are: set for frames
// (net/transport/descriptor_stream.h), buffers as the system gives them. Made before the processes are forked, which inherit
// them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sotto/core/system/descriptor.h"

namespace sotto::apps {

// Both ends of a connection, blocking. Throws ResourceError.
[[nodiscard]] std::pair<Descriptor, Descriptor> loopback_pair();

// A connection between every two of `nodes` processes.
class LoopbackMesh {
 public:
  explicit LoopbackMesh(std::size_t nodes);
  // The end at `self` of its connection with `peer`, which is another node.
  [[nodiscard]] int socket(std::size_t self, std::size_t peer) const { return sockets_[self * nodes_ + peer].get(); }

 private:
  std::size_t nodes_;
  std::vector<Descriptor> sockets_;
};

}  // namespace sotto::apps
