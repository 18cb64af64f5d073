// What a role says to its own side of an event that it knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/live/order/entry.h"

namespace sotto::apps::live {

struct EventView {
  // The actor: "queued", "running", "decided", "baseline", "lost" (decided, and its arm is lost). A party: "waiting"
  // (its features are here), "used". The rewarder: "unknown" (a reward is here, its number is not), "decided", "closed"
  // (takes no reward any more).
  std::string state;
  LiveTime at = 0;                     // when it was last written down here; 0: it is in memory alone
  OrderNumber number = 0;              // of its decide; 0: none
  bool learned = false;                // its batch is
  std::optional<bool> active{};        // the actor
  std::optional<std::uint16_t> arm{};  // the actor: of what may be told
  std::optional<double> reward{};      // the rewarder: as it would be learned

  friend bool operator==(const EventView&, const EventView&) = default;
};

}  // namespace sotto::apps::live
