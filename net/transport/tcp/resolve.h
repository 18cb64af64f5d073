// Resolves host names without blocking the caller, because the system's resolver may block for many seconds.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "sotto/protocol/transport/io.h"

namespace sotto::net {

struct Resolved {
  std::vector<std::string> hosts;  // in the resolver's order
  std::string failure;             // one phrase
};

// Calls `done` from within io.run_for(). `done` must refer to other objects by weak pointers, because a lookup may end
// late.
void resolve(Io& io, const std::string& host, std::function<void(Resolved)> done);

[[nodiscard]] Resolved resolve_now(const std::string& host,
                                   std::chrono::milliseconds at_most = std::chrono::seconds(10));

}  // namespace sotto::net
