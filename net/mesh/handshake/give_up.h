// What is said when a peer has not come by the deadline of the set-up: which, where it was expected, and what to do.
// And what is said while a role stays for a peer, to tell it why the run fails.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace sotto::net {

// `peer` is its name, `why` the last failure, empty if none.
[[nodiscard]] std::string cannot_be_reached(const std::string& peer, const std::string& address,
                                            std::chrono::duration<double> tried, const std::string& why);
[[nodiscard]] std::string took_and_said_nothing(const std::string& peer, const std::string& address,
                                                std::chrono::duration<double> waited);
// `port` is this role's own; `dropped` what else came, in parentheses, or empty.
[[nodiscard]] std::string has_not_connected(const std::string& peer, const std::string& port,
                                            std::chrono::duration<double> waited, const std::string& dropped);
[[nodiscard]] std::string has_not_confirmed(const std::string& peer, std::chrono::duration<double> waited);
// To the user of a role that knows why the run fails, and stays for the peers that do not.
[[nodiscard]] std::string stays_to_tell(const std::string& cause, const std::vector<std::string>& peers,
                                        std::chrono::duration<double> longest);

}  // namespace sotto::net
