// Steps of the bandit. The secret is the features of one party, or the rewards.
#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/batch/decide.h"
#include "apps/bandit/model/batch/learn.h"
#include "apps/bandit/model/batch/lift.h"
#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/sites.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "tests/privacy/experiment.h"

namespace sotto::privacy {
namespace {

constexpr std::uint64_t steps = 2;
constexpr std::size_t batch = 2;

// If the run has owners, each owner has one feature; otherwise each party has one. The features of the secret's owner
// are the secret. All other features do not depend on the secret.
class Site : public apps::bandit::SiteOf<apps::bandit::Contexts, apps::bandit::Arms, apps::bandit::Rewards> {
 public:
  Site(const Secret& secret, bool features_are_secret, std::size_t first = 0)
      : secret_(secret), features_are_secret_(features_are_secret), first_(first) {}

  void context(std::size_t holder, std::uint64_t step, std::span<std::uint64_t> out) override {
    const bool secret = features_are_secret_ && first_ + holder == secret_.owners.front();
    out[0] = secret ? secret_.words.at(step) : encode(.25, 20);
  }
  void pull(std::uint64_t, std::size_t arm) override { seen_.push_back(arm); }
  std::uint64_t reward(std::uint64_t step) override { return features_are_secret_ ? 1 : secret_.words.at(step); }

  [[nodiscard]] const Numbers& seen() const { return seen_; }

 private:
  const Secret& secret_;
  bool features_are_secret_;
  std::size_t first_;
  Numbers seen_;
};

// Plans are cached, because making a plan takes longer than running its steps. All roles of all repetitions have the
// same plan.
const apps::bandit::BanditPlan& plan_of(const Topology& topology, Exploration exploration, std::size_t arms = 2,
                                        bool in_batches = false,
                                        apps::bandit::StepUpdate update = apps::bandit::StepUpdate::all_arms) {
  using Key = std::tuple<bool, std::size_t, std::size_t, bool, std::uint64_t, bool, std::size_t, bool,
                         apps::bandit::StepUpdate>;
  static std::map<Key, apps::bandit::BanditPlan> made;
  const Key key{topology.has_dealer(),
                topology.parties(),
                topology.owners(),
                topology.has_further_node(),
                exploration.threshold,
                exploration.always,
                arms,
                in_batches,
                update};
  const auto found = made.find(key);
  if (found != made.end()) return found->second;
  apps::bandit::BanditParameters parameters;
  parameters.owners = topology.owners();
  parameters.computing_only = topology.owners() > 0 ? topology.parties() : 0;
  parameters.columns.assign(topology.owners() > 0 ? topology.owners() : topology.parties(), 1);
  parameters.arms = arms;
  parameters.steps = steps;
  parameters.update = update;
  parameters.exploration = exploration;
  parameters.separate_rewarder = topology.has_further_node();
  if (!topology.has_dealer()) {
    parameters.preprocessing = topology.parties() == 2 ? RandomnessBy::ot : RandomnessBy::replicated;
  }
  if (in_batches) {
    parameters.batch = batch;
    parameters.steps = 2 * batch;
  }
  return made.emplace(key, apps::bandit::plan_bandit(parameters)).first->second;
}

Task<Numbers> play_at(Party& party, const apps::bandit::BanditPlan& plan, apps::bandit::BanditSite& site) {
  (void)co_await apps::bandit::private_bandit(party, plan, site);
  co_return Numbers{};
}

Task<Numbers> play(Party& party, const Secret& secret, Exploration exploration, bool features_are_secret,
                   std::size_t arms = 2, bool in_batches = false,
                   apps::bandit::StepUpdate update = apps::bandit::StepUpdate::all_arms) {
  const apps::bandit::BanditPlan& plan = plan_of(party.topology(), exploration, arms, in_batches, update);
  Site site(secret, features_are_secret, plan.parameters.computing_only);
  Numbers held;
  if (party.topology().has_dealer()) {
    held = co_await play_at(party, plan, site);
  } else {
    apps::bandit::BanditSite quiet;
    const Program program = [&](Party& at) { return play_at(at, plan, site); };
    const Program recorded = [&](Party& at) { return play_at(at, plan, quiet); };
    held = co_await made_by_parties(party, secret.run, Flaw::none, program, recorded);
  }
  held.insert(held.end(), site.seen().begin(), site.seen().end());
  co_return held;
}

std::uint64_t stored(std::size_t party, std::size_t i) { return (1000 * party + i + 1) * 0x9e3779b97f4a7c15u; }

// The run is resumed from a checkpoint with fixed shares of all other parties. The owner's shares complete them: each
// inverse matrix becomes the identity times the first secret word, and all other words become 0.
class RestoredSite final : public Site, public apps::bandit::CheckpointStore {
 public:
  RestoredSite(const Secret& secret, std::size_t parties, std::size_t self)
      : Site(secret, true), secret_(secret), parties_(parties), self_(self) {
    add<apps::bandit::CheckpointStore>(*this);
  }

  apps::bandit::CheckpointId name_checkpoint(std::uint64_t, const net::Digest&) override { return {}; }
  void save(std::uint64_t, const apps::bandit::ModelShares&, const apps::bandit::CheckpointId&) override {}
  void load(std::uint64_t, apps::bandit::ModelShares& shares) override {
    fill(shares.inverses, secret_.words.at(0), 0);
    fill(shares.targets, 0, shares.inverses.size());
  }

 private:
  void fill(std::vector<std::uint64_t>& words, std::uint64_t diagonal, std::size_t first) const {
    const std::size_t triangle = parties_ * (parties_ + 1) / 2;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (self_ != secret_.owners.front()) {
        words[i] = stored(self_, first + i);
        continue;
      }
      words[i] = is_diagonal(i % triangle) ? diagonal : 0;
      for (std::size_t p = 0; p < parties_; ++p) {
        if (p != self_) words[i] -= stored(p, first + i);
      }
    }
  }
  [[nodiscard]] bool is_diagonal(std::size_t entry) const {
    std::size_t row = 0;
    for (std::size_t at = 0; at < entry; at += parties_ - row++) {
      if (at + parties_ - row > entry) return false;
    }
    return true;
  }

  const Secret& secret_;
  std::size_t parties_;
  std::size_t self_;
};

Task<Numbers> resumed(Party& party, const Secret& secret) {
  const std::size_t parties = party.topology().parties();
  std::size_t self = parties;
  for (NodeId p = 0; p < parties; ++p) {
    if (party.is(p)) self = p;
  }
  const apps::bandit::BanditPlan& plan = plan_of(party.topology(), Exploration{0, true});
  RestoredSite site(secret, parties, self);
  const apps::bandit::BanditSchedule schedule{steps - 1, 0};
  (void)co_await apps::bandit::private_bandit(party, plan, site, schedule);
  co_return site.seen();
}

Task<Numbers> exploring(Party& party, const Secret& secret) { return play(party, secret, Exploration{0, true}, true); }
Task<Numbers> selecting(Party& party, const Secret& secret) {
  return play(party, secret, Exploration{0, true}, true, 2, false, apps::bandit::StepUpdate::pulled_arm);
}
Task<Numbers> rewarded_selecting(Party& party, const Secret& secret) {
  return play(party, secret, Exploration{}, false, 2, false, apps::bandit::StepUpdate::pulled_arm);
}
// All rewards are 1 and all features are positive, so the arm that wins the tie in the first step is pulled in every
// step.
Task<Numbers> greedy(Party& party, const Secret& secret) { return play(party, secret, Exploration{}, true); }
Task<Numbers> rewarded(Party& party, const Secret& secret) { return play(party, secret, Exploration{}, false); }

Task<Numbers> exploring_in_batches(Party& party, const Secret& secret) {
  return play(party, secret, Exploration{0, true}, true, 2, true);
}
Task<Numbers> greedy_in_batches(Party& party, const Secret& secret) {
  return play(party, secret, Exploration{}, true, 2, true);
}
Task<Numbers> rewarded_in_batches(Party& party, const Secret& secret) {
  return play(party, secret, Exploration{0, true}, false, 2, true);
}

// The secret is the features of one party, or the arms that the callers played.
Task<Numbers> agreement(Party& party, const Secret& secret, bool arms_are_secret) {
  const std::size_t parties = party.topology().parties();
  const apps::bandit::BatchPlan& plan = *plan_of(party.topology(), Exploration{}, 2, true).batches;
  apps::bandit::BatchShares model = apps::bandit::shares_of(party, apps::bandit::initial_batch_model(party, plan));
  apps::bandit::PlayedEvents events{batch, {}, {}, {}, {}, 0, {}};
  events.contexts = [&](std::size_t owner, std::span<std::uint64_t> out) {
    const bool is_secret = !arms_are_secret && owner == secret.owners.front();
    for (std::size_t e = 0; e < batch; ++e) out[e] = is_secret ? secret.words.at(e) : encode(.25, 20);
  };
  events.played = [&](std::span<std::uint64_t> out) {
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t e = 0; e < batch; ++e) out[batch * (arms_are_secret ? secret.words.at(e) : e) + e] = 1;
  };
  Prg coins(seed_of_run(party));
  events.coins = [&](std::span<std::uint64_t> out) { coins.fill(out, 64); };
  for (NodeId p = 0; p < parties; ++p) {
    if (party.is(p)) events.shown = stored(p, 0);
  }
  const apps::bandit::AgreementOf of =
      co_await apps::bandit::agree(party, plan, std::move(model.weights), std::move(events));
  co_return held_of(of.agreed, of.shown);
}
Task<Numbers> agreement_of_features(Party& party, const Secret& secret) { return agreement(party, secret, false); }
Task<Numbers> agreement_of_arms(Party& party, const Secret& secret) { return agreement(party, secret, true); }

// The lowest bit of a secret word is the owner's share of the bit "best". The next bit says whether the owner counts
// the event. With secret rewards, the words are the reward levels instead.
Task<Numbers> lift(Party& party, const Secret& secret, bool rewards_are_secret) {
  apps::bandit::BatchPlan plan = *plan_of(party.topology(), Exploration{}, 2, true).batches;
  plan.lift_levels = 1;
  NodeId self = 0;
  for (NodeId p = 0; p < party.topology().parties(); ++p) self = party.is(p) ? p : self;
  const bool has_secret = !rewards_are_secret && self == secret.owners.front();
  apps::bandit::LiftEvents events;
  events.events = batch;
  events.told = events.base = [](std::span<std::uint64_t> out) { std::fill(out.begin(), out.end(), 1); };
  events.rewards = [&](std::span<std::uint64_t> out) {
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t e = 0; e < batch; ++e) out[batch * (rewards_are_secret ? secret.words.at(e) : 0) + e] = 1;
  };
  events.noise = [](std::span<std::uint64_t> out) { std::fill(out.begin(), out.end(), 7); };
  events.best = [&](std::span<std::uint64_t> out) {
    for (std::size_t e = 0; e < batch; ++e) out[e] = has_secret ? secret.words.at(e) & 1 : 0;
  };
  events.counted = [&](std::span<std::uint64_t> out) {
    for (std::size_t e = 0; e < batch; ++e) out[e] = has_secret ? secret.words.at(e) >> 1 : 1;
  };
  Prg coins(seed_of_run(party));
  events.coins = [&](std::span<std::uint64_t> out) { coins.fill(out, 64); };
  events.shown = [&](std::span<std::uint64_t> out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = stored(self, i);
  };
  const apps::bandit::LiftOf of = co_await apps::bandit::count_lift(party, plan, std::move(events));
  co_return held_of(of.all, of.best, of.other, of.shown);
}
Task<Numbers> lift_of_bits(Party& party, const Secret& secret) { return lift(party, secret, false); }
Task<Numbers> lift_of_rewards(Party& party, const Secret& secret) { return lift(party, secret, true); }

enum class EvaluationSecret : std::uint8_t { features, log, best_bits };

// The secret is the features of one party, the log's arm and cell (weight and reward) of each event, or one party's
// shares of best arms. Only the actor gets the counts. The noise on the counts has a fixed seed, so the noise hides the
// counts from nobody.
class EvaluatedSite final : public Site, public apps::bandit::CountNoise, public apps::bandit::BestShares {
 public:
  EvaluatedSite(const Secret& secret, EvaluationSecret kind, bool has_secret_bits, std::uint64_t seed)
      : Site(secret, kind == EvaluationSecret::features),
        secret_(secret),
        log_is_secret_(kind == EvaluationSecret::log),
        has_secret_bits_(has_secret_bits),
        coins_(Seed::insecure_from_number(seed)) {
    add(static_cast<apps::bandit::CountNoise&>(*this));
    add(static_cast<apps::bandit::BestShares&>(*this));
  }
  bool best_share(std::uint64_t step) override {
    return has_secret_bits_ ? secret_.words.at(step) == 1 : step % 2 == 0;
  }
  std::size_t logged_arm(std::uint64_t step) override { return logged(step); }
  std::size_t logged_cell(std::uint64_t step) override { return logged(step); }
  void counts_shown(const apps::bandit::OpenedCounts&) override {}
  [[nodiscard]] apps::bandit::CountQuestion count_question() override { return {{1, -.5}, .25}; }
  void question_answered(bool) override {}
  void draw_coins(std::span<std::uint64_t> out) override { coins_.fill(out, 64); }
  void draw_noise(std::span<std::uint64_t> out) override { coins_.fill(out, 3); }

 private:
  [[nodiscard]] std::size_t logged(std::uint64_t step) const {
    return log_is_secret_ ? secret_.words.at(step) : step % 2;
  }

  const Secret& secret_;
  bool log_is_secret_;
  bool has_secret_bits_;
  Prg coins_;
};

struct EvaluationKind {
  EvaluationSecret secret = EvaluationSecret::features;
  bool in_one_bit = false;
  bool by_best = false;
};

Task<Numbers> evaluation(Party& party, const Secret& secret, EvaluationKind kind) {
  const apps::bandit::BatchPlan& batches = *plan_of(party.topology(), Exploration{}, 2, true).batches;
  const apps::bandit::EvaluationPlan plan{0, batch, 2, batch, kind.in_one_bit, kind.by_best};
  const bool has_secret_bits = kind.secret == EvaluationSecret::best_bits && party.is(secret.owners.front());
  EvaluatedSite site(secret, kind.secret, has_secret_bits, Prg(seed_of_run(party)).next());
  (void)co_await apps::bandit::private_evaluation(party, batches, plan, site);
  co_return site.seen();
}
Task<Numbers> evaluation_of_features(Party& party, const Secret& secret) { return evaluation(party, secret, {}); }
Task<Numbers> evaluation_of_log(Party& party, const Secret& secret) {
  return evaluation(party, secret, {.secret = EvaluationSecret::log});
}
Task<Numbers> evaluation_in_one_bit(Party& party, const Secret& secret) {
  return evaluation(party, secret, {.in_one_bit = true});
}
Task<Numbers> evaluation_by_best(Party& party, const Secret& secret) {
  return evaluation(party, secret, {.by_best = true});
}
Task<Numbers> evaluation_of_best_bits(Party& party, const Secret& secret) {
  return evaluation(party, secret, {.secret = EvaluationSecret::best_bits, .by_best = true});
}

Task<Numbers> of_three_arms(Party& party, const Secret& secret) {
  return play(party, secret, Exploration{std::uint64_t{1} << 62, false}, true, 3);
}

}  // namespace

Experiment bandit_of_three_arms() {
  const Numbers features{encode(.01, 20), encode(.4, 20)};
  return {"bandit of three arms", of_three_arms, features, features, {{"arm to actor"}}};
}

std::vector<Experiment> bandit_experiments() {
  const Numbers small{encode(.01, 20), encode(.02, 20)};
  const Numbers large{encode(.4, 20), encode(.3, 20)};
  const Outputs arm{{"arm to actor"}};
  std::vector<Experiment> all{
      {"bandit that explores", exploring, small, large, arm},
      {"greedy bandit", greedy, small, large, arm},
      {"bandit with a rewarder of its own", exploring, small, large, arm},
      {"rewards of the bandit", rewarded, {0, 0}, {1, 1}, arm},
      {"bandit that goes on", resumed, {std::uint64_t{1} << 30, small[1]}, {std::uint64_t{1} << 29, large[1]}, arm},
  };
  all.push_back({"bandit of owners", exploring, small, large, arm});
  all.back().outside_owners = 2;
  all.back().most_parties = 3;
  all[2].separate_rewarder = true;
  all[2].most_parties = 3;
  all[3].owned_by_actor = true;
  all.push_back({"bandit that selects the pulled arm first", selecting, small, large, arm});
  all.back().most_parties = 3;
  all.push_back({"rewards of the bandit that selects first", rewarded_selecting, {0, 0}, {1, 1}, arm});
  all.back().owned_by_actor = true;
  all.back().most_parties = 2;
  const Numbers few{small[0], small[1], small[0], small[1]};
  const Numbers much{large[0], large[1], large[1], large[0]};
  const Outputs arms{{"arms to actor"}};
  all.push_back({"batches that explore", exploring_in_batches, few, much, arms});
  // Random ranks decide between arms with equal scores in the first batch. So the arms of the second batch may differ
  // between the secrets.
  all.push_back({"greedy batches", greedy_in_batches, few, much, arms});
  all.back().actor_learns = true;
  all.push_back({"rewards of batches", rewarded_in_batches, {0, 0, 0, 0}, {1, 1, 1, 1}, arms});
  all.back().owned_by_actor = true;
  const Outputs sum{{"agreement to actor", "check of one-hots"}};
  all.push_back({"agreement with features", agreement_of_features, {small[0], small[1]}, {large[0], large[1]}, sum});
  const Outputs counts{{"counts to actor", "check of one-hots"}};
  all.push_back(
      {"evaluation with features", evaluation_of_features, {small[0], small[1]}, {large[0], large[1]}, counts});
  all.push_back({"evaluation by best arms", evaluation_by_best, {small[0], small[1]}, {large[0], large[1]}, counts});
  all.push_back({"evaluation with shares of best arms", evaluation_of_best_bits, {0, 1}, {1, 0}, counts});
  const Outputs bit{{"answer to actor", "check of one-hots"}};
  all.push_back({"evaluation in one bit", evaluation_in_one_bit, {small[0], small[1]}, {large[0], large[1]}, bit});
  all.push_back({"evaluation of a log", evaluation_of_log, {0, 1}, {1, 0}, counts});
  all.back().owned_by_actor = true;
  all.push_back({"agreement with arms", agreement_of_arms, {0, 1}, {1, 0}, sum});
  all.back().owned_by_actor = true;
  const Outputs shown{{"lift to actor", "check of levels"}};
  all.push_back({"lift with the bits of a party", lift_of_bits, {0, 3}, {3, 2}, shown});
  all.push_back({"lift with rewards", lift_of_rewards, {0, 1}, {1, 1}, shown});
  all.back().owned_by_actor = true;
  for (Experiment& experiment : all) experiment.held_bytes = 128;
  return all;
}

std::vector<Experiment> bandit_experiments_without_dealer() {
  std::vector<Experiment> all;
  for (Experiment& experiment : bandit_experiments()) {
    const std::string name = experiment.name;
    const auto with = {"bandit that explores", "bandit that selects the pulled arm first", "batches that explore",
                       "bandit of owners", "lift with the bits of a party"};
    if (std::find(with.begin(), with.end(), name) == with.end()) continue;
    experiment.outputs.labels.emplace_back("digest of requests");
    for (const auto& [by, mode] : names_of(RandomnessBy{})) {
      if (by == RandomnessBy::dealer || (by == RandomnessBy::helper && experiment.outside_owners > 0)) continue;
      experiment.randomness = by;
      experiment.name = name + " " + mode;
      all.push_back(experiment);
    }
  }
  return all;
}

}  // namespace sotto::privacy
