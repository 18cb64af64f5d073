// Looks up a host name without keeping the caller: the system's resolver blocks, for many seconds
// where no name server answers, so that it is asked in a thread of its own.
//
// A look-up that nobody waits for any more is left to end by itself; it shares nothing but its own
// result with the caller, and does not keep the process from ending.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "sotto/net/transport/stream.h"

namespace sotto::net {

struct Found {
  std::vector<std::string> hosts;  // numeric addresses, IPv4 and IPv6, in the resolver's order
  std::string failure;             // one phrase, where there are none: "Name or service not known"
};

// Asks and waits, at most so long: for the few names that are needed before anything can begin.
[[nodiscard]] Found look_up_now(const std::string& host,
                                std::chrono::milliseconds at_most = std::chrono::seconds(10));

// True of "192.0.2.1" and "2001:db8::1", which need no look-up.
[[nodiscard]] bool is_numeric(const std::string& host);

class LookUp {
 public:
  // Starts at once. An address that is numeric already is not asked about.
  explicit LookUp(const std::string& host);

  [[nodiscard]] bool done() const;
  // Once done.
  [[nodiscard]] Found take();
  [[nodiscard]] Waitable wait_for() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace sotto::net
