// The roles of a decision service, with stores that the test provides. The roles process one entry (a decision, a learn
// or a change of the mode) at a time.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "apps/bandit/model/parameters.h"
#include "apps/live/roles/actor.h"
#include "apps/live/roles/party.h"
#include "apps/live/roles/rewarder.h"
#include "apps/live/roles/witness.h"
#include "sotto/protocol/mesh/peers.h"
#include "tests/apps/live/memory_rows.h"
#include "tests/apps/live/samples.h"
#include "tests/apps/support.h"

namespace sotto::apps::live::testing {

using namespace sotto::apps::bandit;

inline DecisionRequest live_request(unsigned number) {
  DecisionRequest request;
  request.event = live_event(number);
  return request;
}

// The rows of actor, party 0, party 1, rewarder and dealer.
using FiveRows = std::array<LiveRows*, 5>;
// The flags that actor, party 0, party 1 and rewarder were started with.
using FourRequests = std::array<RecoveryRequest, 4>;

class FiveRoles {
 public:
  static constexpr std::uint16_t told_arm = 1;
  static constexpr std::int64_t noise = 2;  // the sum of both parties' noise

  FiveRoles(const FiveRows& rows, const LiveSettings& settings, ActorPeers peers = {},
            const FourRequests& recovery_requests = {}, const std::array<PartyGuards, 2>& guards = {})
      : settings_(settings) {
    actor = std::make_unique<LiveActor>(*rows[0], settings, std::move(peers), recovery_requests[0]);
    for (std::size_t i = 0; i < 2; ++i) {
      parties[i] = std::make_unique<LiveParty>(
          *rows[1 + i], settings, FeatureValues{.5, .5}, [i] { return i == 0 ? std::int64_t{-1} : noise + 1; },
          recovery_requests[1 + i], guards[i]);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      parties[i]->draw_lift_noise_by([i] { return i == 0 ? std::int64_t{-1} : std::int64_t{3}; });
    }
    rewarder = std::make_unique<LiveRewarder>(*rows[3], settings, recovery_requests[3]);
    rewarder->draw_lift_noise_by([] { return std::int64_t{7}; });
    dealer = std::make_unique<LiveDealer>(*rows[4]);
  }

  [[nodiscard]] LiveOpening agree() const {
    const Topology topology(2, true, bandit_names);
    std::map<NodeId, LiveHistory> histories;
    histories[0] = parties[0]->history();
    histories[1] = parties[1]->history();
    histories[2] = actor->history();
    histories[3] = rewarder->history();
    histories[net::dealer_id] = dealer->history();
    return agree_on_opening(topology, histories);
  }

  void send_known_events() {
    const OrderRecovery& recovery = opening.recovery->recovery;
    for (const auto& party : parties) {
      for (const KnownFrame& frame : party->known(4)) {
        if (recovery.actor) actor->adopt(frame);
        if (recovery.rewarder && party == parties[0]) rewarder->adopt(frame);
      }
    }
  }

  std::vector<LiveAnswer> open(LiveTime now) {
    opening = agree();
    const net::SessionId session{static_cast<std::byte>(opening.epoch), std::byte{9}};
    dealer->open(opening, session);
    std::vector<RestateFrame> restated;
    for (const auto& party : parties) {
      party->open(opening, session);
      if (opening.number > 0 && !opening.recovery) restated.push_back(party->restate(true));
    }
    if (opening.recovery) send_known_events();
    std::optional<RestateFrame> to_rewarder;
    if (rewarder->lacks(opening)) to_rewarder = parties[0]->restate(false);
    rewarder->open(opening, session, to_rewarder ? &*to_rewarder : nullptr, now);
    actor->open(opening, session, actor->lacks(opening) ? restated : std::vector<RestateFrame>{}, now);
    return actor->all_ready();
  }

  // Returns the actor's next proposal. If the proposal begins a learn, all roles have begun this learn when the
  // function returns.
  std::optional<Proposal> next(LiveTime now) {
    if (const auto plan = actor->plan(now)) dealer->plan(*plan);
    auto proposal = actor->propose(now);
    if (!proposal) return std::nullopt;
    for (const SkipFrame& skip : proposal->skips) dealer->skip(skip);
    if (!proposal->begin) return proposal;
    for (const auto& party : parties) party->begin(*proposal->begin);
    rewarder->begin(*proposal->begin);
    arms = actor->played_arms();
    rewards = rewarder->learned_rewards();
    return proposal;
  }
  void end_rounds() {
    const RanFrame ran{actor->concurrent()->program};
    for (NodeId node = 0; node < 3; ++node) actor->ran(node, ran);
  }

  // Proposes the next entry to all roles and returns it; nullopt if there is nothing to do. The rounds of a learn end
  // immediately.
  std::optional<OrderEntry> propose(LiveTime now) {
    auto proposal = next(now);
    if (proposal && proposal->begin) {
      end_rounds();
      proposal = next(now);
    }
    if (!proposal) return std::nullopt;
    const OrderEntry& entry = proposal->propose.entry;
    for (const auto& party : parties) party->propose(entry, now);
    rewarder->propose(entry);
    return entry;
  }

  // The shares of a learn's counts of the lift.
  [[nodiscard]] LiftWords lift_counts(std::size_t party) const {
    LiftWords counts(3 * settings_.lift_levels.size());
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = party == 0 ? i + 1 : 10 * i;
    return counts;
  }
  // The counts that the rounds of the begun learn show to the actor.
  [[nodiscard]] LiftWords shown_lift() const {
    LiftWords shown = rewarder->shown_lift();
    for (const auto& party : parties) {
      const LiftWords words = party->shown_lift();
      for (std::size_t i = 0; i < shown.size(); ++i) shown[i] += words[i];
    }
    return shown;
  }

  [[nodiscard]] PartyOutcome outcome(std::size_t party, const OrderEntry& entry) const {
    PartyOutcome outcome;
    outcome.public_words = digest_of(entry);
    if (entry.shape.kind == EntryKind::learn) {
      outcome.model = {static_cast<std::byte>(entry.number)};
      outcome.lift = lift_counts(party);
      LiftWords words = parties[party]->shown_lift();
      const LiftWords of_rewarder = rewarder->shown_lift();
      for (std::size_t i = 0; party == 0 && i < words.size(); ++i) words[i] += of_rewarder[i];
      ByteWriter lanes;
      for (const std::uint64_t word : words) lanes.number(word);
      outcome.lanes = lanes.take();
    }
    if (entry.shape.secret) {
      const std::uint64_t agreed = entry.events.size();
      outcome.agreed = party == 0 ? agreed - 100 : 100;
      ByteWriter word;
      word.number(parties[party]->shown_share() + (party == 0 ? 9u : ~std::uint64_t{8}));
      outcome.lanes = word.take();
    }
    if (entry.shape.kind != EntryKind::decide || entry.shape.secret) return outcome;
    // Party 0 has a 1 at every second place, and party 1 at all places.
    for (std::size_t place = 0; place < entry.shape.size; ++place) outcome.best.push_back(party == 1 || place % 2 == 1);
    const std::size_t width = settings_.arms.size();
    outcome.lanes.assign(entry.shape.size * width, static_cast<std::byte>(party == 0 ? 200 : 56));
    for (std::size_t place = 0; place < entry.shape.size && party == 1; ++place) {
      outcome.lanes[place * width + told_arm] = std::byte{57};
    }
    return outcome;
  }

  DoneFrame prepare(std::size_t party, LiveTime now) {
    const OrderEntry entry = *parties[party]->running();
    if (entry.shape.kind == EntryKind::decide) (void)parties[party]->freeze(now);
    return parties[party]->prepare(outcome(party, entry), now);
  }

  std::vector<LiveAnswer> finish(LiveTime now) {
    const OrderEntry entry = *actor->running();
    if (entry.shape.secret) actor->set_answered(parties[0]->shown_share() + parties[1]->shown_share());
    if (entry.shape.kind == EntryKind::learn) actor->set_lift(shown_lift());
    bool all = false;
    for (NodeId party = 0; party < 2; ++party) all = actor->done(party, prepare(party, now));
    EXPECT_FALSE(all);
    EXPECT_TRUE(actor->done(3, rewarder->prepare(now)));
    if (entry.shape.kind == EntryKind::decide && !entry.shape.secret) {
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
  std::vector<std::optional<std::uint16_t>> arms;
  std::vector<LearnedReward> rewards;

 private:
  LiveSettings settings_;
};

class InService : public ::testing::Test {
 protected:
  static constexpr LiveTime start = 1'000'000;

  // Makes all roles again from their disks, and opens an epoch with them.
  std::vector<LiveAnswer> restart(LiveTime now) {
    make();
    return service->open(now);
  }
  void make() { service = std::make_unique<FiveRoles>(five(), settings, peers, recovery_requests, guards); }
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
  FourRequests recovery_requests;
  std::array<PartyGuards, 2> guards;
  std::array<Disk, 5> disks;
  std::array<MemoryRows, 5> rows{MemoryRows(disks[0]), MemoryRows(disks[1]), MemoryRows(disks[2]), MemoryRows(disks[3]),
                                 MemoryRows(disks[4])};
  std::unique_ptr<FiveRoles> service;
};

}  // namespace sotto::apps::live::testing
