#pragma once

#include <fmt/format.h>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/model/step/step_plan.h"
#include "apps/bandit/run/role/earlier_model.h"
#include "apps/bandit/run/sites/site.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"

namespace sotto::apps::bandit::run::testing {

// The inputs of one role. Inputs that the role does not need are empty.
struct LoggedRole final : BanditSite {
  std::unique_ptr<PartySite> rows;     // set at a party
  std::unique_ptr<LogSite> log;        // set at the actor
  std::unique_ptr<OwnNoise> noise;     // set at a party of an evaluation
  std::unique_ptr<KeptBestSite> best;  // set at a party, if the log's probabilities depend on the best arm
};

// The contexts are in the unit ball, with two features at each party. An arm is likely to pay if the context points in
// the arm's direction.
struct LoggedWorld {
  LoggedWorld(std::size_t parties_of, std::size_t arms_of, std::size_t events_of, unsigned seed = 5,
              double explores = 1, double units = 1, bool by_best_of = false)
      : parties(parties_of), arms(arms_of), events(events_of), by_best(by_best_of), log(made(seed, explores, units)) {}

  [[nodiscard]] BanditParameters parameters() const {
    BanditParameters p;
    p.columns.assign(parties, 2);
    p.arms = arms;
    p.steps = events;
    p.binary_rewards = log.binary_rewards();
    p.task = BanditTask::learn;
    return p;
  }
  [[nodiscard]] std::span<const double> context(std::uint64_t event) const {
    return std::span(contexts).subspan(event * 2 * parties, 2 * parties);
  }
  [[nodiscard]] std::vector<std::uint64_t> words(const BanditPlan& plan, std::uint64_t event) const {
    std::vector<std::uint64_t> words;
    for (const double x : context(event)) words.push_back(sotto::encode(x, plan.context_bits));
    return words;
  }
  [[nodiscard]] LogTurns turns(std::vector<std::uint64_t> rows, std::uint64_t first, std::size_t cells,
                               const WeightRule& rule = {}) const {
    LogTurns turns;
    turns.rows = std::move(rows);
    turns.learned = first;
    turns.weights = log_weights(log, turns.rows, first, rule);
    Prg rounding(Seed::insecure_from_number(9));
    turns.cells = log_cells(log, turns.rows, first, turns.weights, cells,
                            [&] { return std::ldexp(static_cast<double>(rounding.next() >> 11), -53); });
    return turns;
  }
  // The shares of a party, by row. Their XOR over all parties is `best`.
  [[nodiscard]] std::vector<std::uint8_t> best_shares(std::size_t party) const {
    std::vector<std::uint8_t> shares(best.begin(), best.end());
    for (std::size_t other = 1; other < parties; ++other) {
      std::mt19937_64 random(other);
      for (std::size_t row = 0; row < events; ++row) {
        const std::uint8_t own = random() % 2;
        if (party == other) shares[row] = own;
        if (party == 0) shares[row] ^= own;
      }
    }
    return shares;
  }
  [[nodiscard]] double chance(std::uint64_t event, std::size_t arm) const {
    return .5 + .4 * context(event)[arm % (2 * parties)];
  }

  // The site of the role with number `role`: a party, the actor, or another role, which has no inputs. If `privacy` is
  // empty, no party adds noise.
  [[nodiscard]] std::unique_ptr<LoggedRole> site(const BanditPlan& plan, std::size_t role, LogTurns turns = {},
                                                 const std::optional<CountPrivacy>& privacy = {}) const {
    auto site = std::make_unique<LoggedRole>();
    if (turns.rows.empty()) turns.rows = rows_in_turn(events, 0, false);
    const std::vector<std::uint64_t> plan_turns = turns.rows;
    if (role < parties) {
      Table table;
      table.columns = {"x", "y"};
      table.rows = events;
      for (std::uint64_t t = 0; t < events; ++t) {
        for (std::size_t i = 0; i < 2; ++i) table.values.push_back(context(t)[2 * role + i]);
      }
      site->rows = std::make_unique<PartySite>(table, plan.context_bits, std::move(turns.rows));
      site->add(*site->rows);
      if (!plan.evaluation) return site;
      site->noise = std::make_unique<OwnNoise>(privacy, Coins::insecure(17 + role), nullptr, by_best);
      site->add(*site->noise);
      if (!by_best) return site;
      site->best = std::make_unique<KeptBestSite>(best_shares(role), plan_turns);
      site->add(*site->best);
      return site;
    }
    if (role > parties) return site;
    turns.reward_bits = plan.reward_bits;
    site->log = std::make_unique<LogSite>(log, std::move(turns), Seed::insecure_from_number(3), nullptr);
    site->add(*site->log);
    return site;
  }

  std::size_t parties;
  std::size_t arms;
  std::size_t events;
  bool by_best;
  std::vector<double> contexts;
  std::vector<bool> best;  // for each row, whether its arm was the usual arm, which is the best arm of the play
  EventLog log;

 private:
  // The arm is drawn at random with probability `explores`; otherwise the context determines the arm. Rewards are 0 or
  // `units`.
  EventLog made(unsigned seed, double explores, double units) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    const std::size_t d = 2 * parties;
    std::string text = by_best ? "arm,reward,best_probability,least_probability\n" : "arm,reward,propensity\n";
    const double least = explores / static_cast<double>(arms);
    const std::string both = fmt::format("{},{}", least + 1 - explores, least);
    for (std::uint64_t t = 0; t < events; ++t) {
      for (const double x : unit_vector(random, d, .99)) contexts.push_back(x);
      const std::size_t usual = context(t)[0] > 0 ? 0 : arms - 1;
      const std::size_t arm = uniform(random) < explores ? random() % arms : usual;
      const double propensity = least + (arm == usual ? 1 - explores : 0);
      const bool earns = uniform(random) < chance(t, arm);
      best.push_back(arm == usual);
      text += fmt::format("{},{},{}\n", arm, earns ? units : 0, by_best ? both : fmt::format("{}", propensity));
    }
    const TestFolder folder;
    return EventLog::read(folder.put("log.csv", text), {arms, units});
  }
};

}  // namespace sotto::apps::bandit::run::testing
