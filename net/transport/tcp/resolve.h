// Resolves host names without blocking the caller: the system's resolver blocks, for many seconds if no name server
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
  std::string failure;             // one phrase if there are no addresses, such as "Host not found"
};

// Calls `done` from within io.run_for(). A numeric address is not looked up. Nobody, not even the process, waits for a
// lookup that is unfinished when the Io ends. `done` must therefore hold its objects by weak pointers.
void resolve(Io& io, const std::string& host, std::function<void(Resolved)> done);

// Resolves a name and waits for the result, at most for `at_most`. Meant for the few names that are needed before
// anything can begin.
[[nodiscard]] Resolved resolve_now(const std::string& host,
                                   std::chrono::milliseconds at_most = std::chrono::seconds(10));

}  // namespace sotto::net
