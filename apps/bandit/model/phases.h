// The phases of a run in the ledger.
#pragma once

#include <cstdint>
#include <string_view>

#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/party/ledger.h"

namespace sotto::apps::bandit {

inline constexpr std::string_view preprocessing_phase = "preprocessing";  // only without a dealer
inline constexpr std::string_view restore_phase = "restore";
inline constexpr std::string_view step_phase = "step";        // of single steps; a run in batches has decide and learn
inline constexpr std::string_view refresh_phase = "refresh";  // between two steps
inline constexpr std::string_view decide_phase = "decide";
inline constexpr std::string_view learn_phase = "learn";
inline constexpr std::string_view solve_phase = "solve";        // of a log, after all its events are summed
inline constexpr std::string_view evaluate_phase = "evaluate";  // of a log, after the learned events
inline constexpr std::string_view counts_phase = "counts";      // checked, noised and opened to the actor
inline constexpr std::string_view checkpoint_phase = "checkpoint";
inline constexpr std::string_view reveal_phase = "reveal";

// plays_steps: whether the run plays steps in the phase `phase`. cost_of_steps: the cost of all steps, including the
// refreshes between steps.
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

// Stretches tells after how many steps or batches a run begins a new stretch of the randomness that is made ahead
// (include/sotto/protocol/preprocessing/run_with_randomness.h). With a dealer, no new stretch ever begins. The lengths
// of stretches depend only on run parameters, and are the same at every role.

class Stretches {
 public:
  explicit Stretches(const BanditParameters& parameters);

  // Each function adds the next piece of work to the current stretch. If the stretch has no room for it, a new stretch
  // begins with that piece, and the function returns true. For the first piece of the run each function returns false.
  [[nodiscard]] bool begins_with_step() { return begins_with(of_step_); }
  [[nodiscard]] bool begins_with_decisions(std::uint64_t events) { return begins_with(events * of_event_); }
  [[nodiscard]] bool begins_with_training() { return begins_with(of_lessons_); }

 private:
  [[nodiscard]] bool begins_with(std::uint64_t lanes);

  bool dealt_;
  // Approximate numbers of lanes of prepared randomness.
  std::uint64_t of_step_ = 0;
  std::uint64_t of_event_ = 0;
  std::uint64_t of_lessons_ = 0;
  std::uint64_t so_far_ = 0;
};

}  // namespace sotto::apps::bandit
