// Resolves host names without keeping the caller: the system's resolver blocks, for many seconds where no name server
// answers.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "sotto/protocol/transport/io.h"

namespace sotto::net {

struct Resolved {
  std::vector<std::string> hosts;  // numeric addresses, IPv4 and IPv6, in the resolver's order
  std::string failure;             // one phrase, where there are none: "Host not found"
};

// Calls `done` from within io.run_for(). An address that is numeric already is not asked about. Nobody waits for a name
// that is still asked about when the Io ends, nor does the process: `done` must hold what it touches by a weak pointer.
void resolve(Io& io, const std::string& host, std::function<void(Resolved)> done);

// Asks and waits, at most so long: for the few names that are needed before anything can begin.
[[nodiscard]] Resolved resolve_now(const std::string& host,
                                   std::chrono::milliseconds at_most = std::chrono::seconds(10));

}  // namespace sotto::net
