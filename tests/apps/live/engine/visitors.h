// The callers of a service in tests, and events with features at all parties. Visitors ask for the decision of each
// event and then report its reward. They repeat each call until it is answered. From the answers, the test computes
// what the model must be.
#pragma once

#include <limits>
#include <random>

#include "sotto/protocol/ring/fixed_point.h"
#include "tests/apps/bandit/model/batch/batch_runs.h"
#include "tests/apps/live/engine/engines.h"

namespace sotto::apps::live::testing {

using namespace sotto::apps::bandit;
using namespace sotto::apps::bandit::testing;

struct Visit {
  EventId id{};
  std::vector<double> features;  // features of all parties, one party after the other
  std::vector<bool> pushed;      // whether the features were pushed, by party
  std::optional<LiveAnswer> told;
  bool asking = false;
  bool rewarded = false;  // whether the reward was acknowledged, and came in time
  bool posted = false;    // whether no further call will come
  double reward = 0;
};

class Visitors {
 public:
  Visitors(Engines& engines, std::size_t count, unsigned seed = 1) : engines_(engines), random_(seed) {
    const std::size_t parties = engines.topology().parties();
    for (std::size_t i = 0; i < count; ++i) {
      Visit visit;
      for (std::size_t b = 0; b < 8; ++b) visit.id[b] = static_cast<std::byte>((i + 1) >> (8 * b));
      visit.id[15] = static_cast<std::byte>(seed);
      std::uniform_real_distribution<double> uniform(-.3, .3);
      for (std::size_t f = 0; f < parties * Engines::columns; ++f) visit.features.push_back(uniform(random_));
      visit.pushed.assign(parties, false);
      visit.reward = static_cast<double>(random_() % 2);
      // A third of the events never gets a reward.
      visit.posted = random_() % 3 == 0;
      visits_.push_back(std::move(visit));
    }
  }

  // In mode apprentice, each caller plays its own arm, and no other arm is allowed.
  void play_own_arms() { plays_own_ = true; }

  [[nodiscard]] const std::vector<Visit>& visits() const { return visits_; }
  [[nodiscard]] std::size_t told() const { return told_; }
  [[nodiscard]] bool all_told() const { return told_ == visits_.size(); }
  [[nodiscard]] bool all_done() const {
    return all_told() && std::all_of(visits_.begin(), visits_.end(), [](const Visit& v) { return v.posted; });
  }

  void limit(std::size_t visits) { limit_ = visits; }
  // Makes the next call of up to `most` visits that have no call in progress. Each call goes to the role's current
  // engine.
  void proceed(std::size_t most) {
    for (std::size_t party = 0; party < engines_.topology().parties(); ++party) push(party, most);
    ask(most);
    for (Visit& visit : visits_) post(visit);
  }

  [[nodiscard]] IntegerSums expected(const BatchPlan& plan) const {
    IntegerSums sums(plan);
    for (const Visit& visit : visits_) {
      if (visit.told->state != DecisionState::decided) continue;
      if (!visit.rewarded && !engines_.settings().default_reward) continue;
      std::vector<std::uint64_t> x;
      for (const double value : visit.features) x.push_back(sotto::encode(value, plan.context_bits));
      sums.add(visit.told->arm, x, visit.rewarded ? static_cast<std::uint64_t>(visit.reward) : 0);
    }
    return sums;
  }

 private:
  [[nodiscard]] std::size_t coming() const { return std::min(limit_, visits_.size()); }

  void push(std::size_t party, std::size_t most) {
    if (!engines_.party[party] || pushing_[party]) return;
    std::vector<FeaturePush> pushes;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < coming() && pushes.size() < most; ++i) {
      if (visits_[i].pushed[party]) continue;
      const auto begin = visits_[i].features.begin() + static_cast<std::ptrdiff_t>(party * Engines::columns);
      pushes.push_back({visits_[i].id, FeatureValues(begin, begin + Engines::columns)});
      places.push_back(i);
    }
    if (pushes.empty()) return;
    pushing_[party] = true;
    engines_.party[party]->push(pushes, [this, party, places](const CallResult<std::vector<PushStatus>>& result) {
      pushing_[party] = false;
      if (result.trouble != CallRefusal::none) return;
      for (std::size_t i = 0; i < places.size(); ++i) {
        EXPECT_LE(result.result.at(i), PushStatus::same);
        visits_[places[i]].pushed[party] = true;
      }
    });
  }

  void ask(std::size_t most) {
    if (!engines_.actor) return;
    std::vector<DecisionRequest> requests;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < coming() && requests.size() < most; ++i) {
      Visit& visit = visits_[i];
      const bool here = std::all_of(visit.pushed.begin(), visit.pushed.end(), [](bool pushed) { return pushed; });
      if (visit.told || visit.asking || !here) continue;
      visit.asking = true;
      requests.emplace_back().event = visit.id;
      if (plays_own_) play_own(requests.back(), i);
      places.push_back(i);
    }
    if (requests.empty()) return;
    engines_.actor->ask(
        requests, true,
        [this, places](const std::vector<std::pair<std::size_t, AskReply>>& replies, CallRefusal trouble) {
          for (const auto& [place, reply] : replies) hear(visits_[places.at(place)], reply, trouble);
        });
  }

  void play_own(DecisionRequest& request, std::size_t place) const {
    const std::size_t arms = engines_.settings().arms.size();
    request.own_arm = static_cast<std::uint16_t>(place % arms);
    for (std::uint16_t arm = 0; arm < arms; ++arm) {
      if (arm != *request.own_arm) request.barred.push_back(arm);
    }
  }

  void hear(Visit& visit, const AskReply& reply, CallRefusal trouble) {
    visit.asking = false;
    if (trouble != CallRefusal::none) return;
    if (reply.status == AskStatus::queue_full) return;
    ASSERT_EQ(reply.status, AskStatus::answered);
    ASSERT_TRUE(reply.answer.has_value());
    ASSERT_EQ(reply.answer->event, visit.id);
    ASSERT_FALSE(visit.told.has_value());
    visit.told = reply.answer;
    if (visit.told->state == DecisionState::baseline) visit.posted = true;
    ++told_;
  }

  void post(Visit& visit) {
    if (!visit.told || visit.posted || !engines_.rewarder || posting_.contains(visit.id)) return;
    posting_.insert(visit.id);
    engines_.rewarder->post({RewardCall{visit.id, visit.reward, ""}},
                            [this, &visit](const CallResult<std::vector<RewardStatus>>& result) {
                              posting_.erase(visit.id);
                              if (result.trouble != CallRefusal::none) return;
                              const RewardStatus status = result.result.at(0);
                              visit.posted = true;
                              visit.rewarded = status == RewardStatus::used || status == RewardStatus::duplicate;
                              EXPECT_TRUE(visit.rewarded || status == RewardStatus::late);
                            });
  }

  Engines& engines_;
  std::mt19937_64 random_;
  std::vector<Visit> visits_;
  std::size_t told_ = 0;
  bool plays_own_ = false;
  std::size_t limit_ = std::numeric_limits<std::size_t>::max();
  std::map<std::size_t, bool> pushing_;
  std::set<EventId> posting_;
};

inline ModelWords model_on_disks(Engines& engines, const BatchPlan& plan) {
  ModelWords sum;
  for (NodeId party = 0; party < engines.topology().parties(); ++party) {
    std::optional<ModelWords> own;
    engines.rows(party).each(LiveTable::models, [&](const RowKey&, const LiveRow& row) {
      own = decode_model_words(row, plan);
      return true;
    });
    if (!own) {
      ADD_FAILURE() << "party " << int{party} << " has no model";
      return sum;
    }
    const auto add = [](Numbers& to, const Numbers& words) {
      to.resize(words.size());
      for (std::size_t i = 0; i < words.size(); ++i) to[i] += words[i];
    };
    add(sum.gram, own->gram);
    add(sum.targets, own->targets);
    add(sum.inverse, own->inverse);
    add(sum.weights, own->weights);
  }
  return sum;
}

inline void expect_model(Engines& engines, const Visitors& visitors) {
  const BatchPlan plan = engines.plan();
  const IntegerSums expected = visitors.expected(plan);
  const ModelWords model = model_on_disks(engines, plan);
  EXPECT_EQ(model.gram, expected.gram);
  EXPECT_EQ(model.targets, expected.targets);
}

// Returns whether no event waits, is in progress, or still has to be learned.
inline bool nothing_pending(const Engines& engines) {
  if (!engines.actor) return false;
  const LiveStatus status = engines.actor->status();
  return status.pending == 0 && status.queue == 0 && status.running == 0;
}

// Plays up to `at_once` visits at a time until `is_so` returns true. Each time that `every` more visits are answered,
// some role ends and starts again, until `kills` roles have ended.
template <class Predicate>
void play_through_kills(Engines& engines, Visitors& visitors, std::size_t at_once, std::size_t kills, std::size_t every,
                        unsigned seed, Predicate is_so) {
  std::mt19937_64 random(seed);
  const std::vector<NodeId> roles = engines.roles();
  std::size_t killed = 0;
  engines.start();
  ASSERT_TRUE(engines.run_until([&] {
    visitors.proceed(at_once);
    if (killed < kills && visitors.told() >= (killed + 1) * every) {
      const NodeId role = roles[random() % roles.size()];
      engines.kill(role);
      engines.start(role);
      ++killed;
    }
    return is_so();
  }));
  EXPECT_EQ(killed, kills);
}

}  // namespace sotto::apps::live::testing
