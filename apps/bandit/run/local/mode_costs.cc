#include "apps/bandit/run/local/mode_costs.h"

#include <chrono>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/phases.h"
#include "apps/bandit/run/local/local.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

double seconds_on(const net::LinkConditions& link, const Cost& cost, const Topology& topology) {
  const double delay = std::chrono::duration<double>(link.delay + link.jitter / 2).count();
  const double bits = 8 * static_cast<double>(cost.sent_by_largest_party(topology));
  return static_cast<double>(cost.rounds) * delay + (link.bits_per_second > 0 ? bits / link.bits_per_second : 0);
}

}  // namespace

double nanoseconds_a_byte(const BanditParameters& parameters) {
  const bool selects_first = !parameters.in_batches() && parameters.update == StepUpdate::pulled_arm;
  const Cast& cast = cast_of(parameters.preprocessing);
  return selects_first ? cast.nanoseconds_selecting_first : cast.nanoseconds;
}

ModeCosts mode_costs(const BanditPlan& plan, const Ledger& ledger, const net::LinkConditions& link) {
  const RandomnessBy by = plan.parameters.preprocessing;
  const Topology& topology = ledger.topology();
  ModeCosts costs;
  costs.online = cost_of_steps(ledger);
  costs.ahead = ledger.of(preprocessing_phase);
  const std::uint64_t bytes =
      cast_of(by).has_dealer ? ledger.total().dealt : costs.ahead.sent_by_largest_party(topology);
  costs.work_seconds = 1e-9 * nanoseconds_a_byte(plan.parameters) * static_cast<double>(bytes);
  costs.link_seconds = seconds_on(link, costs.ahead, topology);
  return costs;
}

std::vector<ModeChoice> mode_choices(const BanditSettings& run, const BanditPlan& plan) {
  std::vector<ModeChoice> choices;
  for (const auto& [by, name] : names_of(RandomnessBy{})) {
    BanditSettings other = run;
    other.preprocessing = by;
    ModeChoice& choice = choices.emplace_back(ModeChoice{by, std::nullopt});
    try {
      require_randomness(other);
    } catch (const InputError& error) {
      choice.refused = error.what();
      continue;
    }
    BanditParameters parameters = plan.parameters;
    parameters.preprocessing = by;
    const BanditPlan of_mode = plan_bandit(std::move(parameters));
    choice.costs = mode_costs(of_mode, plan_costs(of_mode, {0, run.checkpoint_every}), run.link);
  }
  return choices;
}

FigureTable mode_table(const std::vector<ModeChoice>& choices, const Topology& topology) {
  FigureTable table(
      "modes", "Ways to make the randomness",
      "preprocessing; rounds: rounds online; bytes: a party sends, B; preprocessing_rounds: rounds ahead; "
      "preprocessing_bytes: a party sends ahead, B; dealt_bytes: dealt, B; "
      "preprocessing_seconds: seconds ahead; refused: not in this run");
  for (const ModeChoice& choice : choices) {
    if (!choice.costs) {
      table.add({name_of(choice.by), Cell(), Cell(), Cell(), Cell(), Cell(), Cell(), choice.refused});
      continue;
    }
    const ModeCosts& costs = *choice.costs;
    table.add({name_of(choice.by), costs.online.rounds, costs.online.sent_by_largest_party(topology),
               costs.ahead.rounds, costs.ahead.sent_by_largest_party(topology), costs.online.dealt, costs.seconds(),
               Cell()});
  }
  table.note(
      "Rounds and bytes are exact, and cover the whole run. Seconds are estimated from the bytes, for a reference "
      "machine with two cores that runs all roles, and from the delay and rate of the links where they are set. The "
      "dealer's seconds are its own, separate from the run's.");
  return table;
}

}  // namespace sotto::apps::bandit::run
