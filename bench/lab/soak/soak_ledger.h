// What a soak was told and what was acknowledged to it, by event; and what the model must be then.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/live/engine/live_programs.h"
#include "bench/lab/soak/event_fate.h"
#include "bench/lab/soak/soak_figures.h"

namespace sotto::apps::lab {

// Ten bytes an event: there are millions.
struct ToldEvent {
  enum class State : std::uint8_t { open, decided, baseline };
  std::uint32_t number = 0;  // of a decide
  State state = State::open;
  std::uint8_t arm = 0;
  std::uint8_t pushes_left = 0;  // that are not acknowledged
  bool rewarded = false;         // acknowledged, and in time
  bool active = false;
};

class SoakLedger {
 public:
  // `figures` must outlive this.
  SoakLedger(const SoakSettings& settings, SoakFigures& figures);

  [[nodiscard]] EventFate fate(std::uint64_t event) const;
  [[nodiscard]] ToldEvent& at(std::uint64_t event) { return events_.at(event); }
  [[nodiscard]] const ToldEvent& at(std::uint64_t event) const { return events_.at(event); }

  // An answer of the actor to an event's request: kept the first time, else compared. False where it is wrong.
  bool take_decision(std::uint64_t event, const nlohmann::json& answer);
  // The status of an answer is one of these; else it is noted as wrong.
  bool expect(const char* call, std::uint64_t event, const nlohmann::json& answer, std::initializer_list<int> statuses);
  void note_wrong(const std::string& what);

  // The exact sums over what was learned; W and w are left empty.
  [[nodiscard]] bandit::ModelWords expected(const bandit::BatchPlan& plan) const;
  // Into the figures: what became of the events.
  void count() const;

 private:
  const SoakSettings& settings_;
  SoakFigures& figures_;
  std::vector<ToldEvent> events_;
};

}  // namespace sotto::apps::lab
