// The log of what the service decided, from the actor's store and a file of rewards.
//
// The log has the events whose arm the service chose, whose caller got this arm, and which accept no more rewards. It
// leaves out baselines, events that were never activated, events of mode apprentice, and events from before
// LiveSettings::archive was set. The probability of the played arm depends on a bit that only the parties have, in
// shares (apps/live/roles/archive.h). So the log has two probabilities for each event: that of the best arm, and that
// of each other allowed arm.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "apps/live/order/entry.h"
#include "apps/live/rows/live_rows.h"
#include "apps/live/settings/live_settings.h"

namespace sotto::apps::live {

// A CSV with the columns `event` and `reward`. Throws InputError that names file:line if a cell is no id or no number
// from -1 to 1, or if an event is in the file twice.
using EventRewards = std::map<EventId, double>;
[[nodiscard]] EventRewards read_rewards(const std::filesystem::path& file);

struct DecidedLog {
  std::string log;     // log.csv: id, arm, arm_name, reward, best_probability, least_probability
  std::string events;  // events.csv: event
  std::size_t count = 0;
  std::size_t without_reward = 0;  // events that got the service's default reward, or were left out
  std::size_t other_rewards = 0;   // rewards of events that are not in the log
};

// The events that were decided at `since` or later, in the order of the service. `epsilon` is the service's probability
// of exploring, above 0.
[[nodiscard]] DecidedLog decided_log(const LiveSettings& settings, double epsilon, LiveRows& rows,
                                     const EventRewards& rewards, LiveTime since);

}  // namespace sotto::apps::live
