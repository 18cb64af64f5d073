// Processes that measure together: forks of this one, each of which runs one function and hands back numbers.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/system/descriptor.h"

namespace sotto::apps::lab {

struct MeasuringProcess {
  std::string name;
  std::function<std::vector<double>()> body;
};

// Runs all of them at once and returns what each handed back. This process must have one thread. They are in process
// groups of their own, so that Ctrl-C reaches the parent alone, and die with it. When one throws or is killed the
// others are killed, and Error names it; Interrupted once `interrupted` is set. ResourceError where the system starts
// no more processes.
[[nodiscard]] std::vector<std::vector<double>> run_processes(const std::vector<MeasuringProcess>& processes,
                                                             const std::atomic<bool>& interrupted);

// Connected TCP sockets on loopback for processes that measure together, set up as the real links are: set for frames
// (include/sotto/protocol/transport/stream.h), buffers as the system gives them. Made before the processes
// are forked, which inherit them.

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

}  // namespace sotto::apps::lab
