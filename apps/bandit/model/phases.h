// The phases of a run in the ledger.
#pragma once

#include <string_view>

#include "sotto/protocol/party/ledger.h"

namespace sotto::apps::bandit {

inline constexpr std::string_view preprocessing_phase = "preprocessing";  // where there is no dealer
inline constexpr std::string_view restore_phase = "restore";
inline constexpr std::string_view step_phase = "step";        // or, in batches, these two
inline constexpr std::string_view refresh_phase = "refresh";  // between two of them
inline constexpr std::string_view decide_phase = "decide";
inline constexpr std::string_view learn_phase = "learn";
inline constexpr std::string_view evaluate_phase = "evaluate";  // of a log, after what is learned of it
inline constexpr std::string_view sums_phase = "sums";          // opened to the actor
inline constexpr std::string_view checkpoint_phase = "checkpoint";
inline constexpr std::string_view reveal_phase = "reveal";

// Whether steps are played in that phase, and what all steps cost, with the refreshes between them.
[[nodiscard]] constexpr bool plays_steps(std::string_view phase) {
  return phase == step_phase || phase == decide_phase || phase == learn_phase || phase == evaluate_phase;
}
[[nodiscard]] inline Cost cost_of_steps(const Ledger& ledger) {
  Cost cost;
  for (const Ledger::Phase& phase : ledger.phases()) {
    if (plays_steps(phase.name) || phase.name == refresh_phase) cost += phase.total;
  }
  return cost;
}

}  // namespace sotto::apps::bandit
