// Fake services of roles. Like a real engine, a fake service gives its answers from the event loop.
#pragma once

#include <deque>

#include "apps/live/roles/rewarder.h"
#include "apps/live/service/live_service.h"
#include "sotto/protocol/transport/io.h"
#include "tests/apps/live/api/rig.h"
#include "tests/apps/live/memory_rows.h"
#include "tests/apps/live/samples.h"

namespace sotto::apps::live::api_test {

inline LiveStatus fake_status(LiveRoleKind kind, const std::string& role) {
  LiveStatus status;
  status.kind = kind;
  status.role = role;
  status.version = "0.1.0";
  status.session = std::string(32, 'a');
  status.config = "0badc0de";
  status.readiness = Readiness::ready;
  status.epoch = 2;
  status.number = 812;
  status.checkpoint.fill(std::byte{0x3c});
  status.model = 800;
  status.pending = 64;
  status.queue = 5;
  status.decisions_ever = 1000;
  status.peers = {{"party 1", PeerState::here, 1'700'000'004'500, ""},
                  {"dealer", PeerState::away, std::nullopt, "the link broke"}};
  return status;
}

// While `trouble` is set, every call fails with `trouble`.
template <class Base>
class FakeService : public Base {
 public:
  FakeService(net::Io& loop, LiveRoleKind kind, const std::string& role)
      : io(loop), the_status(fake_status(kind, role)) {}

  [[nodiscard]] const LiveSettings& settings() const override { return the_settings; }
  [[nodiscard]] LiveStatus status() const override { return the_status; }
  [[nodiscard]] LiveCounters counters() const override { return the_counters; }
  void view(const EventId& event, Answered<std::optional<EventView>> answer) override {
    if (is_stuck) {
      stuck.push_back(std::move(answer));
      return;
    }
    const auto found = views.find(event);
    this->give(std::move(answer), found == views.end() ? std::nullopt : std::optional(found->second));
  }

  template <class Result>
  void give(Answered<Result> answer, Result result) {
    io.post([answer = std::move(answer), result = std::move(result), trouble = trouble] {
      answer(trouble == CallRefusal::none ? CallResult<Result>{CallRefusal::none, result}
                                          : CallResult<Result>{trouble, {}});
    });
  }

  net::Io& io;
  LiveSettings the_settings = live_settings();
  LiveStatus the_status;
  LiveCounters the_counters;
  std::map<EventId, EventView> views;
  CallRefusal trouble = CallRefusal::none;
  bool is_stuck = false;
  std::vector<Answered<std::optional<EventView>>> stuck;
};

class FakeActor final : public FakeService<ActorService> {
 public:
  explicit FakeActor(net::Io& loop) : FakeService(loop, LiveRoleKind::actor, "actor") {}

  void ask(std::vector<DecisionRequest> requests, bool wait, AskAnswered answer) override {
    if (!wait) {
      if (stores_nothing) return stuck_asks.push_back(std::move(answer));
      for (const DecisionRequest& request : requests) stored.push_back(request.event);
    }
    std::vector<std::pair<std::size_t, AskReply>> at_once;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (trouble != CallRefusal::none) {
        at_once.emplace_back(i, AskReply{});
        continue;
      }
      const AskReply reply = look(requests[i]);
      if (wait && reply.status == AskStatus::pending && !reply.unanswered) {
        waiting.push_back({requests[i].event, [answer, i](const AskReply& told) {
                             answer({{i, told}}, CallRefusal::none);
                           }});
      } else {
        at_once.emplace_back(i, reply);
      }
    }
    if (at_once.empty()) return;
    io.post(
        [answer = std::move(answer), at_once = std::move(at_once), trouble = trouble] { answer(at_once, trouble); });
  }

  void find(const EventId& event, bool wait, Answered<std::optional<AskReply>> answer) override {
    const auto found = known.find(event);
    const bool is_pending = found != known.end() && found->second.reply.status == AskStatus::pending;
    if (trouble == CallRefusal::none && wait && is_pending && !found->second.reply.unanswered) {
      waiting.push_back({event, [answer](const AskReply& told) { answer({CallRefusal::none, told}); }});
      return;
    }
    give(std::move(answer), found == known.end() ? std::nullopt : std::optional(found->second.reply));
  }

  void activate(std::vector<EventId> events, Answered<std::vector<ActivateStatus>> answer) override {
    activated.insert(activated.end(), events.begin(), events.end());
    give(std::move(answer), std::vector<ActivateStatus>(events.size(), activation));
  }
  void drain(Answered<OrderMark> answer) override {
    the_status.draining = true;
    give(std::move(answer), mark);
  }
  void resume(Answered<OrderMark> answer) override {
    the_status.draining = false;
    give(std::move(answer), mark);
  }
  void take_snapshot(Answered<OrderMark> answer) override {
    the_status.snapshots.push_back({mark.number, mark.id, 5});
    give(std::move(answer), mark);
  }
  void change_mode(LiveMode mode, Answered<OrderMark> answer) override {
    the_status.mode = mode;
    give(std::move(answer), mark);
  }

  void tell(const EventId& event, const AskReply& reply) {
    known[event].reply = reply;
    std::erase_if(waiting, [&](const Waiting& each) {
      if (each.event != event) return false;
      io.post([tell = each.tell, reply] { tell(reply); });
      return true;
    });
  }
  void decide(unsigned number, std::uint16_t arm, DecisionState state = DecisionState::decided) {
    const EventId event = live_event(number);
    const OrderNumber batch = state == DecisionState::decided ? 812 : 0;
    tell(event, AskReply{AskStatus::answered, LiveAnswer{event, state, arm, batch}, false});
  }

  struct Known {
    net::Digest body{};
    AskReply reply;
  };
  struct Waiting {
    EventId event{};
    std::function<void(const AskReply&)> tell;
  };
  std::map<EventId, Known> known;
  std::vector<Waiting> waiting;
  std::vector<DecisionRequest> asked;
  std::vector<EventId> stored;
  bool stores_nothing = false;
  std::vector<AskAnswered> stuck_asks;
  std::optional<AskStatus> refuses;
  std::vector<EventId> activated;
  ActivateStatus activation = ActivateStatus::active;
  OrderMark mark{813, {}, 2, {}};

 private:
  AskReply look(const DecisionRequest& request) {
    const auto found = known.find(request.event);
    if (found != known.end()) {
      return found->second.body == request.digest() ? found->second.reply : AskReply{AskStatus::conflict, {}, false};
    }
    if (refuses) return AskReply{*refuses, {}, false};
    asked.push_back(request);
    known[request.event] = {request.digest(), AskReply{}};
    return AskReply{};
  }
};

// A fake party that uses the real class LiveParty, but never takes part in a decision or a learn.
class FakeParty final : public FakeService<PartyService> {
 public:
  explicit FakeParty(net::Io& loop) : FakeService(loop, LiveRoleKind::party, "party 0") {}

  [[nodiscard]] std::size_t columns() const override { return 2; }
  void push(std::vector<FeaturePush> pushes, Answered<std::vector<PushStatus>> answer) override {
    pushed.insert(pushed.end(), pushes.begin(), pushes.end());
    if (forced) return give(std::move(answer), std::vector<PushStatus>(pushes.size(), *forced));
    give(std::move(answer), party.push(pushes, 1000));
  }
  void when_wanted(Wanted call) override { wanted = std::move(call); }
  void take_from(AtHand call) override { at_hand = std::move(call); }
  void name_by(LiveParty::OwnNames own_names) override { names = std::move(own_names); }
  void view_subject(const std::string& subject, Answered<std::optional<SubjectCount>> answer) override {
    give(std::move(answer), party.subject(subject, 1000));
  }
  [[nodiscard]] LiveCounters counters() const override {
    LiveCounters counters = the_counters;
    counters.ranges = party.ranges();
    if (!counters.subjects) counters.subjects.emplace();
    return counters;
  }

  testing::Disk disk;
  testing::MemoryRows rows{disk};
  LiveParty party{rows, live_settings(), FeatureValues{0.5, 0}};
  std::vector<FeaturePush> pushed;
  std::optional<PushStatus> forced;
  Wanted wanted;
  AtHand at_hand;
  LiveParty::OwnNames names;
};

class FakeRewarder final : public FakeService<RewarderService> {
 public:
  explicit FakeRewarder(net::Io& loop, RewardAggregation aggregation = RewardAggregation::earliest)
      : FakeService(loop, LiveRoleKind::rewarder, "rewarder"), rewarder(rows, with(aggregation)) {
    the_settings = with(aggregation);
  }

  void post(std::vector<RewardCall> rewards, Answered<std::vector<RewardStatus>> answer) override {
    posted.insert(posted.end(), rewards.begin(), rewards.end());
    if (forced) return give(std::move(answer), std::vector<RewardStatus>(rewards.size(), *forced));
    give(std::move(answer), rewarder.post(rewards, 1000));
  }

  testing::Disk disk;
  testing::MemoryRows rows{disk};
  LiveRewarder rewarder;
  std::vector<RewardCall> posted;
  std::optional<RewardStatus> forced;

 private:
  static LiveSettings with(RewardAggregation aggregation) {
    LiveSettings settings = live_settings();
    settings.aggregation = aggregation;
    return settings;
  }
};

class FakeWitness : public FakeService<WitnessService> {
 protected:
  FakeWitness(net::Io& loop, LiveRoleKind kind, const std::string& role) : FakeService(loop, kind, role) {
    the_status.decisions_ever.reset();
    the_status.checkpoint = {};
  }
};

class FakeDealer final : public FakeWitness {
 public:
  explicit FakeDealer(net::Io& loop) : FakeWitness(loop, LiveRoleKind::dealer, "dealer") {}
};

class FakeHelper final : public FakeWitness {
 public:
  explicit FakeHelper(net::Io& loop) : FakeWitness(loop, LiveRoleKind::helper, "helper") {}
};

inline std::string decision(unsigned number, const std::string& more = "") {
  return R"({"event":")" + event_name(number) + "\"" + more + "}";
}

class ActorApi : public ::testing::Test {
 protected:
  void SetUp() override { rig.serve(actor, "actor"); }

  ApiReply decided(unsigned number, std::uint16_t arm, const std::string& more = "") {
    ApiCall call = rig.begin("POST", "/v1/decisions", decision(number, more));
    actor.decide(number, arm);
    return rig.finish(call);
  }

  ApiRig rig;
  FakeActor actor{rig.io};
};

}  // namespace sotto::apps::live::api_test
