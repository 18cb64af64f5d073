// Results of runs for tests to report, change and compare.
#pragma once

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/program/randomness_account.h"
#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/result/views.h"
#include "tests/apps/support.h"

namespace sotto::apps::bandit::run {

inline BanditResult small_result() {
  BanditResult result;
  result.version = "0.1.0";
  result.command = "sotto bandit --party a.csv --party b.csv --environment l.csv";
  result.steps = 2;
  result.arms = 10;
  result.features = 3;
  result.parties = 2;
  result.epsilon = .1;
  result.eta_per_action = eta_per_action(10, .1);
  result.eta_composed = eta_composed(10, .1, 2);
  result.inputs = {{"party 0", "a.csv", 2, 1}, {"party 1", "b.csv", 1, .5}};
  result.average_reward = .5;
  result.reward_curve = {{1, 0, {}}, {2, .5, {}}};
  result.plaintext_average_reward = 1;
  result.plaintext_plays = 1;
  result.plaintext_curve = {{1, 1, {}}, {2, 1, {}}};
  result.rounds_per_step = 7;
  result.bytes_per_step = 30'412;
  result.dealt_bytes_per_step = 78'900;
  result.online_seconds = .25;
  result.dealer_seconds = .125;
  result.seconds_per_step = 81.34e-6;
  result.phases = {{"setup", .1, 0, 0, 0}, {"online", .25, 14, 60'000, 160'000}};
  result.step_rounds = {{1, {"share contexts", "W b"}, 400, {}}, {2, {"scores"}, 80, 1e-6}};
  result.roles = {{"party 0", .25, 8'000'000}, {"dealer", .125, 6'000'000}};
  return result;
}

inline void make_failed(BanditResult& result, const std::string& error) {
  result.status = RunStatus::failed;
  result.error = error;
}

inline void make_unbounded(BanditResult& result) {
  result.epsilon = 0;
  result.eta_per_action = eta_per_action(10, 0);
  result.eta_composed = eta_composed(10, 0, 2);
}

inline void make_emulated(BanditResult& result) {
  result.link = net::LinkConditions{std::chrono::milliseconds(20), {}, 100'000'000};
  result.link_model = LinkModel{.14, .002, 0, .0004, .143};
}

inline void make_batches(BanditResult& result) {
  BanditParameters parameters;
  parameters.columns = {2, 1};
  parameters.arms = result.arms;
  parameters.steps = 60'000;
  parameters.batch = result.batch = 256;
  parameters.reward_lag = result.reward_lag = 1000;
  result.batches = plan_bandit(parameters).batches;
  result.rounds_per_step = 18.0 / 256;
  result.events_per_second = 12'345;
  result.dealer_seconds_per_event = 35e-6;
  for (RoundCost& round : result.step_rounds) round.phase = "decide";
}

inline PlaintextComparison small_comparison() {
  PlaintextFollower follower(1, 2, 1, .1);
  follower.decided(std::vector<double>{1}, 1);
  return follower.comparison();
}

inline BanditResult make_dealerless(BanditResult result) {
  result.parties = 3;
  result.preprocessing = RandomnessBy::replicated;
  result.randomness = randomness_account(result.preprocessing, bandit_topology(3, false, result.preprocessing));
  result.views = bandit_views({.party_names = {"a.csv", "b.csv", "c.csv"}, .preprocessing = result.preprocessing});
  result.dealt_bytes_per_step.reset();
  result.dealer_seconds.reset();
  result.preprocessing_rounds_per_step = 1.5;
  result.preprocessing_bytes_per_step = 70'000;
  result.preprocessing_seconds = .5;
  return result;
}

inline BanditResult result_of_a_run() {
  BanditResult result = small_result();
  result.steps = 60'000;
  result.features = 20;
  result.eta_composed = eta_composed(10, .1, 60'000);
  result.average_reward = .7675;
  result.plaintext_average_reward = .7681;
  result.online_seconds = 2.61;
  result.dealer_seconds = 4.4;
  return result;
}

}  // namespace sotto::apps::bandit::run
