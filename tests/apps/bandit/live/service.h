// A decision service for the tests: its roles on rows that the test gives, a number at a time.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "sotto/apps/bandit/live/roles/actor.h"
#include "sotto/apps/bandit/live/roles/dealer.h"
#include "sotto/apps/bandit/live/roles/party.h"
#include "sotto/apps/bandit/live/roles/rewarder.h"
#include "sotto/apps/bandit/parameters.h"
#include "sotto/net/mesh/peers.h"
#include "tests/apps/bandit/live/memory_rows.h"
#include "tests/apps/support.h"

namespace sotto::apps::testing {

inline EventId live_event(unsigned number) {
  return EventId{static_cast<std::byte>(number), static_cast<std::byte>(number >> 8), std::byte{1}};
}

inline LiveSettings live_settings() {
  LiveSettings settings;
  settings.arms = {"a", "b", "c"};
  settings.batch_sizes = {1, 4};
  settings.baseline_arm = 0;
  settings.reward_wait = 10'000;
  settings.remember = 100'000;
  settings.feature_wait = 20'000;
  return settings;
}

inline DecisionRequest live_request(unsigned number) {
  DecisionRequest request;
  request.event = live_event(number);
  return request;
}

// The rows of actor, party 0, party 1, rewarder and dealer.
using FiveRows = std::array<LiveRows*, 5>;

// All roles of a service, alive and in one process.
class LiveService {
 public:
  static constexpr std::uint16_t told_arm = 1;

  LiveService(const FiveRows& rows, const LiveSettings& settings, ActorPeers peers = {}) : settings_(settings) {
    actor = std::make_unique<LiveActor>(*rows[0], settings, std::move(peers));
    for (std::size_t i = 0; i < 2; ++i) {
      parties[i] = std::make_unique<LiveParty>(*rows[1 + i], settings, FeatureValues{.5, .5});
    }
    rewarder = std::make_unique<LiveRewarder>(*rows[3], settings);
    dealer = std::make_unique<LiveDealer>(*rows[4]);
  }

  // The answers that came by restate.
  std::vector<LiveAnswer> open(LiveTime now) {
    const Topology topology(2, true, bandit_names);
    std::map<NodeId, LiveStanding> standings;
    standings[0] = parties[0]->standing();
    standings[1] = parties[1]->standing();
    standings[2] = actor->standing();
    standings[3] = rewarder->standing();
    standings[net::dealer_id] = dealer->standing();
    opening = agree_on_opening(topology, standings);
    const net::SessionId session{static_cast<std::byte>(opening.epoch), std::byte{9}};
    dealer->open(opening, session);
    std::vector<RestateFrame> restated;
    for (const auto& party : parties) {
      party->open(opening, session);
      if (opening.number > 0) restated.push_back(party->restate(true));
    }
    std::optional<RestateFrame> to_rewarder;
    if (rewarder->lacks(opening)) to_rewarder = parties[0]->restate(false);
    rewarder->open(opening, session, to_rewarder ? &*to_rewarder : nullptr, now);
    actor->open(opening, session, actor->lacks(opening) ? restated : std::vector<RestateFrame>{}, now);
    return actor->all_ready();
  }

  // The next entry, as all roles have it; nothing if there is nothing to do.
  std::optional<OrderEntry> propose(LiveTime now) {
    if (const auto plan = actor->plan(now)) dealer->plan(*plan);
    const auto proposal = actor->propose(now);
    if (!proposal) return std::nullopt;
    for (const SkipFrame& skip : proposal->skips) dealer->skip(skip);
    const OrderEntry& entry = proposal->propose.entry;
    for (const auto& party : parties) party->propose(entry, now);
    rewarder->propose(entry);
    return entry;
  }

  // What the rounds give: every event of a decide gets told_arm.
  [[nodiscard]] PartyOutcome outcome(std::size_t party, const OrderEntry& entry) const {
    PartyOutcome outcome;
    outcome.public_words = digest_of(entry);
    if (entry.shape.kind == EntryKind::learn) outcome.model = {static_cast<std::byte>(entry.number)};
    if (entry.shape.kind != EntryKind::decide || actor->mode() == LiveMode::apprentice) return outcome;
    const std::size_t width = settings_.arms.size();
    outcome.lanes.assign(entry.shape.size * width, static_cast<std::byte>(party == 0 ? 200 : 56));
    for (std::size_t place = 0; place < entry.shape.size && party == 1; ++place) {
      outcome.lanes[place * width + told_arm] = std::byte{57};
    }
    return outcome;
  }

  DoneFrame prepare(std::size_t party, LiveTime now) {
    const OrderEntry entry = *parties[party]->running();
    if (entry.shape.kind == EntryKind::decide) (void)parties[party]->freeze();
    return parties[party]->prepare(outcome(party, entry), now);
  }

  // From the proposed entry to its commit.
  std::vector<LiveAnswer> finish(LiveTime now) {
    const OrderEntry entry = *actor->running();
    if (entry.shape.kind == EntryKind::learn) {
      arms = actor->played_arms();
      rewards = rewarder->learned_rewards();
    }
    bool all = false;
    for (NodeId party = 0; party < 2; ++party) all = actor->done(party, prepare(party, now));
    EXPECT_FALSE(all);
    EXPECT_TRUE(actor->done(3, rewarder->prepare(now)));
    if (entry.shape.kind == EntryKind::decide && actor->mode() != LiveMode::apprentice) {
      actor->set_arms(std::vector<std::uint16_t>(entry.shape.size, told_arm));
    }
    return actor->commit(now);
  }

  std::vector<LiveAnswer> run(LiveTime now) {
    EXPECT_TRUE(propose(now).has_value());
    return finish(now);
  }

  void leave_epoch() {
    actor->leave_epoch();
    for (const auto& party : parties) party->leave_epoch();
    rewarder->leave_epoch();
    dealer->leave_epoch();
  }

  std::unique_ptr<LiveActor> actor;
  std::array<std::unique_ptr<LiveParty>, 2> parties;
  std::unique_ptr<LiveRewarder> rewarder;
  std::unique_ptr<LiveDealer> dealer;
  LiveOpening opening;
  std::vector<std::optional<std::uint16_t>> arms;  // of the last learn
  std::vector<LearnedReward> rewards;

 private:
  LiveSettings settings_;
};

// The fixture of tests on disks in memory.
class InService : public ::testing::Test {
 protected:
  static constexpr LiveTime start = 1'000'000;

  // All roles anew from their disks, and open.
  std::vector<LiveAnswer> restart(LiveTime now) {
    service = std::make_unique<LiveService>(five(), settings, peers);
    return service->open(now);
  }
  FiveRows five() { return {&rows[0], &rows[1], &rows[2], &rows[3], &rows[4]}; }
  void begin() { (void)restart(start); }
  LiveActor& actor() { return *service->actor; }
  LiveParty& party(std::size_t i = 0) { return *service->parties[i]; }
  LiveRewarder& rewarder() { return *service->rewarder; }
  void ask(unsigned first, unsigned count, LiveTime now) {
    for (unsigned i = first; i < first + count; ++i) {
      EXPECT_EQ(actor().ask(live_request(i), now).status, AskStatus::pending);
    }
  }
  PushStatus push(unsigned event, double value, LiveTime now) {
    const std::vector<FeaturePush> calls{{live_event(event), {value, -value}}};
    return party().push(calls, now).front();
  }
  RewardStatus post(unsigned event, double value, LiveTime now, const std::string& id = "") {
    const std::vector<RewardCall> calls{{live_event(event), value, id}};
    return rewarder().post(calls, now).front();
  }

  LiveSettings settings = live_settings();
  ActorPeers peers;
  std::array<Disk, 5> disks;
  std::array<MemoryRows, 5> rows{MemoryRows(disks[0]), MemoryRows(disks[1]), MemoryRows(disks[2]), MemoryRows(disks[3]),
                                 MemoryRows(disks[4])};
  std::unique_ptr<LiveService> service;
};

}  // namespace sotto::apps::testing
