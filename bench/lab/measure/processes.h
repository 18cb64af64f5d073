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

// Runs all processes at once and returns the numbers of each process. The calling process must have only one thread.
// Each process is in its own process group, so that Ctrl-C reaches only the parent. The processes are killed when the
// parent dies. If one process throws or is killed, all others are killed, and the thrown Error names the process that
// failed. Throws Interrupted once `interrupted` is set, and ResourceError if the system cannot start another process.
[[nodiscard]] std::vector<std::vector<double>> run_processes(const std::vector<MeasuringProcess>& processes,
                                                             const std::atomic<bool>& interrupted);

// Connected TCP sockets on loopback for processes that measure together. The sockets have the options of real links
// (include/sotto/protocol/transport/stream.h), and the system's default buffers. The sockets are made before the
// processes are forked, and the processes inherit the sockets.

// Returns both ends of a connection; the sockets are blocking. Throws ResourceError.
[[nodiscard]] std::pair<Descriptor, Descriptor> loopback_pair();

// A connection between every two of `nodes` processes.
class LoopbackMesh {
 public:
  explicit LoopbackMesh(std::size_t nodes);
  // The socket with which node `self` reaches node `peer`, which must be another node.
  [[nodiscard]] int socket(std::size_t self, std::size_t peer) const { return sockets_[self * nodes_ + peer].get(); }

 private:
  std::size_t nodes_;
  std::vector<Descriptor> sockets_;
};

}  // namespace sotto::apps::lab
