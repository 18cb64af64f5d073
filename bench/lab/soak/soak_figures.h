// What a soak is asked for, and what it came to (soak.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sotto::apps::lab {

struct SoakSettings {
  std::uint64_t decisions = 10'000;
  std::uint64_t kills = 20;  // of roles, by SIGKILL
  std::uint64_t seed = 1;    // of what happens to events, and of who is killed when
  std::size_t parties = 2;
  std::size_t arms = 4;
  std::size_t on_their_way = 2048;  // events that are asked at once
  std::vector<std::string> roles;   // that are killed: "party_0", "actor", ...; empty: all
};

struct SoakFigures {
  double seconds = 0;          // from the first call to the drained service
  double longest_silence = 0;  // seconds without a decision
  std::uint64_t kills = 0;
  std::uint64_t pairs = 0;  // of two roles at once, each counts as two kills
  std::uint64_t epochs = 0;
  std::uint64_t numbers = 0;
  std::uint64_t decided = 0;
  std::uint64_t baselines = 0;
  std::uint64_t missing_rows = 0;  // decided with a party's default row
  std::uint64_t learned = 0;       // events with their arms in the model
  std::uint64_t not_activated = 0;
  std::uint64_t rewards = 0;  // acknowledged, each event's once
  std::uint64_t late_rewards = 0;
  std::uint64_t repeated = 0;  // decisions that were rolled back after the actor had seen their arms
  std::uint64_t calls = 0;     // that were answered; lines, of lists
  std::uint64_t calls_again = 0;
  std::uint64_t silent = 0;   // requests without an answer within a minute: the machine is busy, or a role hangs
  std::uint64_t checked = 0;  // acknowledged calls, at the end
  std::uint64_t wrong = 0;
  std::vector<std::string> faults;  // what was wrong, the first of them
  bool model_is_right = false;

  [[nodiscard]] bool passed() const { return wrong == 0 && model_is_right; }
};

}  // namespace sotto::apps::lab
