// A role of the decision service loses its store. No role continues until every affected role has received an
// instruction. After the instruction, earlier answers stay the same, and the model is made from the events that are
// still known.
#include "tests/faults/live_service.h"

namespace sotto::apps::testing {

using namespace sotto::apps::live;
namespace {

using Wishes = std::map<NodeId, RecoveryRequest>;

LiveSettings remembering_settings() {
  LiveSettings settings = lone_settings();
  settings.remember = 1000 * settings.reward_wait;
  return settings;
}

// Events 1 to 6 are learned, and events 7 and 8 wait to be learned; every second event has a reward of 1. After events
// 1 to 8, the role's store is lost. A party may have a backup, which was made before event 7 and has a copy of the
// model.
class LostStore {
 public:
  explicit LostStore(NodeId role, bool has_backup = false)
      : service_(2, remembering_settings()), engines_(service_.engines), sums_(engines_.plan()) {
    engines_.clocks[engines_.actor_id()] = [this] { return live_time_now() + passed_; };
    service_.begin();
    tell(1, 6);
    learn();
    Disk left;
    if (has_backup) left = backup(role);
    tell(7, 8);
    engines_.kill_all();
    engines_.disk(role) = left;
  }

  [[nodiscard]] OrderNumber copy() const { return copy_; }
  [[nodiscard]] const Engines& engines() const { return engines_; }
  void expect_refused(const std::string& says) {
    engines_.start();
    for (const NodeId role : engines_.roles()) ASSERT_TRUE(engines_.run_until_refused(role, says)) << int{role};
    engines_.kill_all();
  }
  void proceed(const Wishes& recovery_requests = {}) {
    engines_.recovery_requests = recovery_requests;
    service_.begin();
  }
  void expect_told(bool arms_are_lost = false) {
    for (const auto& [event, answer] : told_) {
      const AskReply again = service_.ask(fault_request(event));
      if (arms_are_lost) {
        EXPECT_EQ(again.status, AskStatus::already_decided) << event;
      } else {
        EXPECT_EQ(again.answer, answer) << event;
      }
    }
  }
  [[nodiscard]] std::uint64_t dropped(NodeId at) const { return engines_.service(at)->status().dropped; }
  // Adds events to the expected model, with their rewards or without. The expected model has only the events that were
  // added.
  void knows(unsigned first, unsigned last, bool rewarded = true) {
    const std::vector<std::uint64_t> x(2 * Engines::columns, sotto::encode(.25, engines_.plan().context_bits));
    for (unsigned event = first; event <= last; ++event) {
      sums_.add(told_.at(event).arm, x, rewarded ? reward_of(event) : 0);
    }
  }
  void expect_model() {
    tell(9, 9);
    learn();
    knows(9, 9);
    engines_.kill_all();
    const ModelWords model = model_on_disks(engines_, engines_.plan());
    EXPECT_EQ(model.gram, sums_.gram);
    EXPECT_EQ(model.targets, sums_.targets);
  }

 private:
  static unsigned reward_of(unsigned event) { return event % 2; }
  void tell(unsigned first, unsigned last) {
    for (unsigned event = first; event <= last; ++event) {
      const AskReply reply = service_.ask(fault_request(event));
      ASSERT_EQ(reply.status, AskStatus::answered);
      told_[event] = *reply.answer;
      EXPECT_EQ(service_.post(event, reward_of(event)), RewardStatus::used);
    }
  }
  void learn() {
    passed_ += 2 * engines_.settings().reward_wait;
    ASSERT_TRUE(engines_.run_until([&] { return nothing_pending(engines_); }));
  }
  Disk backup(NodeId party) {
    const auto told = service_.answer_of<OrderMark>([&](auto taker) { engines_.actor->take_snapshot(taker); });
    copy_ = told.result.number;
    EXPECT_TRUE(engines_.run_until([&] { return !engines_.party.at(party)->status().snapshots.empty(); }));
    return engines_.rows(party).copy();
  }

  std::atomic<LiveTime> passed_{0};
  CabledEngines service_;
  Engines& engines_;
  IntegerSums sums_;
  OrderNumber copy_ = 0;
  std::map<unsigned, LiveAnswer> told_;
};

Wishes back_to(OrderNumber copy) {
  RecoveryRequest recovery_request;
  recovery_request.go_back = true;
  recovery_request.snapshot = copy;
  return {{0, recovery_request}, {1, recovery_request}};
}

Wishes rebuilt(const Engines& engines, bool actor) {
  Wishes recovery_requests;
  for (const NodeId role : engines.roles()) {
    if (role == net::dealer_id) continue;
    const bool is_lost = role == (actor ? engines.actor_id() : engines.rewarder_id());
    recovery_requests[role].rebuild = is_lost;
    (actor ? recovery_requests[role].accept_actor : recovery_requests[role].accept_rewarder) = !is_lost;
  }
  return recovery_requests;
}

void lose_actor() {
  LostStore service(Engines(2).actor_id());
  service.expect_refused("the store of actor is an old copy");
  service.proceed(rebuilt(service.engines(), true));
  service.expect_told(true);
  EXPECT_EQ(service.dropped(0), 2u);
  EXPECT_EQ(service.dropped(service.engines().rewarder_id()), 2u);
  service.knows(1, 6);
  service.expect_model();
}

// The rewards of pending events are lost with the store, so the model learns the default reward, 0, for them.
void lose_rewarder() {
  LostStore service(Engines(2).rewarder_id());
  service.expect_refused("the store of rewarder is an old copy");
  service.proceed(rebuilt(service.engines(), false));
  service.expect_told();
  EXPECT_EQ(service.dropped(service.engines().actor_id()), 0u);
  service.knows(1, 6);
  service.knows(7, 8, false);
  service.expect_model();
}

void lose_party_with_backup(NodeId party) {
  LostStore service(party, true);
  service.expect_refused("share no number: party");
  service.proceed(back_to(service.copy()));
  service.expect_told();
  EXPECT_EQ(service.dropped(service.engines().actor_id()), 2u);
  service.knows(1, 6);
  service.expect_model();
}

void lose_party(NodeId party) {
  LostStore service(party);
  service.expect_refused("the store of party " + std::to_string(party) + " is an old copy");
  service.proceed(back_to(0));
  service.expect_told();
  EXPECT_EQ(service.dropped(service.engines().actor_id()), 8u);
  service.expect_model();
}

// The service continues after the dealer has lost its store, because the dealer's store has nothing that a role needs.
void lose_dealer() {
  LostStore service(net::dealer_id);
  service.proceed();
  service.expect_told();
  EXPECT_EQ(service.dropped(service.engines().actor_id()), 0u);
  service.knows(1, 8);
  service.expect_model();
}

TEST(Serve, ALostStore) {
  lose_actor();
  lose_rewarder();
  for (const NodeId party : {0, 1}) {
    lose_party_with_backup(party);
    lose_party(party);
  }
  lose_dealer();
}

}  // namespace
}  // namespace sotto::apps::testing
