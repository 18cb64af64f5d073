// Processes that measure together: forks of this process, each of which runs one function and returns numbers.
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

// Runs all processes at once and returns the numbers of each. This process must have one thread. The processes are in
// process groups of their own, so that Ctrl-C reaches only the parent, and they die with the parent. If one throws or
// is killed, the others are killed, and Error names it. Throws Interrupted once `interrupted` is set, and ResourceError
// if the system starts no more processes.
[[nodiscard]] std::vector<std::vector<double>> run_processes(const std::vector<MeasuringProcess>& processes,
                                                             const std::atomic<bool>& interrupted);

// Connected TCP sockets on loopback for processes that measure together. They have the options of real links
// (include/sotto/protocol/transport/stream.h), and the system's default buffers. They are made before the processes are
// forked, and the processes inherit them.

// Returns both ends of a connection; the sockets are blocking. Throws ResourceError.
[[nodiscard]] std::pair<Descriptor, Descriptor> loopback_pair();

// A connection between every two of `nodes` processes.
class LoopbackMesh {
 public:
  explicit LoopbackMesh(std::size_t nodes);
  // The socket at `self` of its connection with `peer`; `peer` is another node.
  [[nodiscard]] int socket(std::size_t self, std::size_t peer) const { return sockets_[self * nodes_ + peer].get(); }

 private:
  std::size_t nodes_;
  std::vector<Descriptor> sockets_;
};

}  // namespace sotto::apps::lab
