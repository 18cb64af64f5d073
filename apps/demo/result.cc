#include "apps/demo/result.h"

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <string>

namespace sotto::apps::bandit::demo {
namespace {

std::vector<PlainPlays> play_plainly(const Digits& digits, std::uint64_t steps, double epsilon) {
  const PlainWorld world{[&](std::uint64_t step) { return digits.row(step); },
                         [&](std::uint64_t step, std::size_t arm) { return digits.reward(step, arm); },
                         BatchSchedule::even(steps), Digits::arms, epsilon};
  const std::array policies{PlainPolicy{"party 0", 0, Digits::columns_of_a_party},
                            PlainPolicy{"party 1", Digits::columns_of_a_party, Digits::columns_of_a_party},
                            PlainPolicy{"all", 0, Digits::columns}};
  std::random_device seeds;
  return play_in_plain_text(world, policies, usual_plays, [&] { return std::uint64_t{seeds()}; });
}

RoleCost cost_of(const std::string& role, const RoleFigures& figures) {
  return {role, figures.cpu_seconds, figures.peak_memory_bytes, figures.bytes_sent};
}

std::vector<RoleCost> costs_of(const DemoRun& run) {
  std::vector<RoleCost> costs{cost_of("dealer", run.dealer)};
  for (std::size_t party = 0; party < run.parties.size(); ++party) {
    costs.push_back(cost_of("party " + std::to_string(party), run.parties[party]));
  }
  costs.push_back(cost_of("actor", run.actor));
  return costs;
}

}  // namespace

DemoResult result_of(const DemoRun& run, const BanditPlan& plan, const Digits& digits) {
  const BanditParameters& parameters = plan.parameters;
  const auto steps = static_cast<double>(parameters.steps);
  DemoResult result;
  result.steps = parameters.steps;
  result.epsilon = used_epsilon(parameters.exploration);
  const auto points = std::span(run.actor.curve).first(run.actor.curve_points);
  result.reward_curve.assign(points.begin(), points.end());
  result.average_reward = points.back().average_reward;
  result.uniform_average_reward = 1 / static_cast<double>(Digits::arms);
  result.plays = play_plainly(digits, parameters.steps, result.epsilon);
  const RoleFigures& last = run.parties.back();
  result.rounds_per_step = static_cast<double>(last.step_rounds) / steps;
  for (const RoleFigures& party : run.parties) {
    result.bytes_per_step = std::max(result.bytes_per_step, static_cast<double>(party.step_bytes_sent) / steps);
  }
  result.dealt_bytes_per_step = static_cast<double>(run.dealer.step_dealt_bytes) / steps;
  result.online_seconds = last.online_seconds;
  result.dealer_seconds = run.dealer.cpu_seconds;
  result.eta_per_action = eta_per_action(Digits::arms, result.epsilon);
  result.eta_composed = eta_composed(Digits::arms, result.epsilon, parameters.steps);
  result.roles = costs_of(run);
  return result;
}

}  // namespace sotto::apps::bandit::demo
