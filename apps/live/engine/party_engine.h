// The engine of a compute party. At party 0 the engine relays frames between actor and rewarder.
//
// The party writes a decide and the counts of its subjects to the disk before it sends its parts of the arms to the
// actor. After a crash, the party therefore knows every decide whose arms the actor has seen.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "apps/kit/dp/samplers.h"
#include "apps/live/engine/engine_core.h"
#include "apps/live/engine/live_programs.h"
#include "apps/live/engine/node_epoch.h"
#include "apps/live/engine/side_calls.h"
#include "apps/live/roles/party.h"

namespace sotto::apps::live {

class PartyEngine final : public PartyService, private EngineRole {
 public:
  // `rows` and `io` must outlive this object.
  PartyEngine(net::Io& io, LiveRows& rows, EngineConfig config, FeatureValues defaults, PartyGuards guards = {});
  ~PartyEngine() override;

  void start() { core_.start(); }
  void stop() { core_.stop(); }

  [[nodiscard]] const LiveSettings& settings() const override { return core_.config().settings; }
  [[nodiscard]] LiveStatus status() const override { return core_.status(); }
  [[nodiscard]] LiveCounters counters() const override { return core_.counters(); }
  void view(const EventId& event, Answered<std::optional<EventView>> answer) override;
  [[nodiscard]] std::size_t columns() const override { return defaults_.size(); }
  void push(std::vector<FeaturePush> pushes, Answered<std::vector<PushStatus>> answer) override;
  void when_wanted(Wanted wanted) override { wanted_ = std::move(wanted); }
  void take_from(AtHand at_hand) override { at_hand_ = std::move(at_hand); }
  void name_by(LiveParty::OwnNames own_names) override { own_names_ = std::move(own_names); }
  void view_subject(const std::string& subject, Answered<std::optional<SubjectCount>> answer) override;

 private:
  void make() override;
  void leave_epoch() override;
  [[nodiscard]] LiveHistory history() const override { return party_->history(); }
  void play(const Epoch& epoch) override;
  void work(LiveTime now) override;
  void fail_calls(CallRefusal trouble) override;
  [[nodiscard]] std::optional<LiveTime> next_due() const override { return forgets_.next(); }
  void fill(LiveStatus& status) const override;
  void report_figures(LiveCounters& counters) const override;
  void write_figures() override { party_->write_figures(); }

  void load_model(const bandit::BatchPlan& plan);
  void restate(NodeEpoch& epoch);
  void send_known_events(NodeEpoch& epoch, const OrderRecovery& recovery);
  void relay_what_came(NodeEpoch& epoch);
  [[nodiscard]] bool relays(const NodeEpoch& epoch) const { return epoch.self() == 0; }
  void receive(NodeEpoch& epoch, NodeId from, const OrderMessage& message);
  void receive_from_actor(NodeEpoch& epoch, const OrderFrame& frame);
  void begin(NodeEpoch& epoch, const OrderEntry& entry);
  void take_at_hand(const OrderEntry& entry);
  void ask_for_features(const OrderEntry& entry);
  [[nodiscard]] std::optional<LiveTime> waits_for_features();
  void run(NodeEpoch& epoch, const OrderEntry& entry);
  [[nodiscard]] bool checks_openings(const NodeEpoch& epoch) const;
  [[nodiscard]] DoneFrame decide(NodeEpoch& epoch, const OrderEntry& entry);
  [[nodiscard]] PartyOutcome agree(NodeEpoch& epoch, const OrderEntry& entry);
  [[nodiscard]] DoneFrame prepare(const OrderEntry& entry, PartyOutcome outcome);
  void begin_learn(NodeEpoch& epoch, const BeginFrame& learn);
  [[nodiscard]] PartyOutcome learned(NodeEpoch& epoch);
  // Call under the lock. Allows no further change of the running decide's features.
  [[nodiscard]] std::vector<std::uint64_t> frozen_contexts(const bandit::BatchPlan& plan, const OrderEntry& entry);

  LiveRows& rows_;
  FeatureValues defaults_;
  PartyGuards guards_;
  Wanted wanted_;
  AtHand at_hand_;
  LiveParty::OwnNames own_names_;
  EngineCore core_;
  ListCalls<FeaturePush, PushStatus> pushes_{core_};
  ViewCalls views_{core_};
  ListCalls<std::string, std::optional<SubjectCount>> subjects_{core_};
  Coins coins_;  // used under the lock

  std::unique_ptr<LiveParty> party_;  // used under the lock
  ForgetTurns forgets_;               // used under the lock
  // The members below are used only by the engine thread.
  std::shared_ptr<const bandit::ModelWords> model_;
  std::optional<bandit::LearnResult> ran_;
  std::uint64_t to_tell_ = 0;
  net::Clock::time_point proposed_;
};

}  // namespace sotto::apps::live
