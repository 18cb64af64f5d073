// The phases of a run in the ledger.
#pragma once

#include <cstdint>
#include <string_view>

#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/party/ledger.h"

namespace sotto::apps::bandit {

inline constexpr std::string_view preprocessing_phase = "preprocessing";  // only without a dealer
inline constexpr std::string_view restore_phase = "restore";
inline constexpr std::string_view step_phase = "step";
inline constexpr std::string_view refresh_phase = "refresh";  // between two steps
inline constexpr std::string_view decide_phase = "decide";
inline constexpr std::string_view learn_phase = "learn";
inline constexpr std::string_view solve_phase = "solve";
inline constexpr std::string_view evaluate_phase = "evaluate";
inline constexpr std::string_view counts_phase = "counts";
inline constexpr std::string_view checkpoint_phase = "checkpoint";
inline constexpr std::string_view reveal_phase = "reveal";

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

// Decides where a new stretch of prepared randomness begins
// (include/sotto/protocol/preprocessing/run_with_randomness.h). Stretches depend only on run parameters, and are the
// same at every role.

class Stretches {
 public:
  explicit Stretches(const BanditParameters& parameters);

  // Each function returns true if a new stretch begins with the named piece of work.
  [[nodiscard]] bool begins_with_step() { return begins_with(of_step_); }
  [[nodiscard]] bool begins_with_decisions(std::uint64_t events) { return begins_with(events * of_event_); }
  [[nodiscard]] bool begins_with_training() { return begins_with(of_lessons_); }

 private:
  [[nodiscard]] bool begins_with(std::uint64_t lanes);

  bool dealt_;
  std::uint64_t of_step_ = 0;
  std::uint64_t of_event_ = 0;
  std::uint64_t of_lessons_ = 0;
  std::uint64_t so_far_ = 0;
};

}  // namespace sotto::apps::bandit
