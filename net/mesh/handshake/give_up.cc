#include "sotto/net/mesh/handshake/give_up.h"

#include <fmt/format.h>

#include <algorithm>

namespace sotto::net {

std::string cannot_be_reached(const std::string& peer, const std::string& address, std::chrono::duration<double> tried,
                              const std::string& why) {
  return fmt::format("{} cannot be reached at {}, tried for {:.3g} s: {}; start it, or check its address", peer,
                     address, tried.count(), why.empty() ? "no answer" : why);
}

std::string took_and_said_nothing(const std::string& peer, const std::string& address,
                                  std::chrono::duration<double> waited) {
  return fmt::format(
      "{} at {} took the connection but has said nothing for {:.3g} s: it hangs, or another program holds the port",
      peer, address, waited.count());
}

std::string has_not_connected(const std::string& peer, const std::string& port, std::chrono::duration<double> waited,
                              const std::string& dropped) {
  return fmt::format("{} has not connected to {} for {:.3g} s: start it, or check the address that it was given{}",
                     peer, port, waited.count(), dropped);
}

std::string has_not_confirmed(const std::string& peer, std::chrono::duration<double> waited) {
  return fmt::format("{} did not complete the handshake within {:.3g} s: one of its own peers is missing", peer,
                     waited.count());
}

std::string stays_to_tell(const std::string& cause, const std::vector<std::string>& peers,
                          std::chrono::duration<double> longest) {
  return fmt::format("{}; stays up to {:.0f} s to tell {}, too (Ctrl-C ends it now)", cause,
                     std::max(longest.count(), 1.0), fmt::join(peers, ", "));
}

}  // namespace sotto::net
