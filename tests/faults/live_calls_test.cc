#include "sotto/protocol/wire/frame.h"
#include "tests/faults/live_service.h"
#include "tests/faults/tamper.h"

namespace sotto::apps::testing {

using namespace sotto::apps::live;
namespace {

using sotto::testing::Deviation;
using sotto::testing::Tamper;
using sotto::testing::TamperedStream;

constexpr std::uint64_t an_hour = 3'600'000;  // milliseconds

TEST(Serve, RepeatedCalls) {
  CabledEngines service(2, lone_settings());
  Engines& engines = service.engines;
  std::vector<LiveAnswer> answers;
  std::size_t open = 0;
  const auto ask = [&](int times) {
    for (int i = 0; i < times; ++i) {
      ++open;
      engines.actor->ask({fault_request(1)}, true, [&](const auto& replies, CallRefusal trouble) {
        --open;
        if (trouble == CallRefusal::ended) return;
        ASSERT_EQ(trouble, CallRefusal::none);
        answers.push_back(replies.at(0).second.answer.value());
      });
    }
  };
  const auto all_answered = [&] { return open == 0; };
  engines.start(engines.actor_id());
  ask(100);
  for (const NodeId role : engines.roles()) {
    if (role != engines.actor_id()) engines.start(role);
  }
  ask(100);
  ASSERT_TRUE(engines.run_until(all_answered));
  ask(100);
  ASSERT_TRUE(engines.run_until(all_answered));
  ask(100);
  engines.kill(engines.actor_id());
  engines.start(engines.actor_id());
  ask(100);
  ASSERT_TRUE(engines.run_until(all_answered));
  EXPECT_GE(answers.size(), 400u);
  for (const LiveAnswer& answer : answers) EXPECT_EQ(answer, answers.front());
  ASSERT_TRUE(engines.run_until([&] { return engines.all_ready(); }));
  EXPECT_EQ(engines.actor->status().number, 1u);
  EXPECT_EQ(engines.actor->status().decisions_ever, 1u);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(service.post(1, 1, "a"), i == 0 ? RewardStatus::used : RewardStatus::duplicate);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(service.push(0, 2, {.1, .2}), i == 0 ? PushStatus::stored : PushStatus::same);
}

std::vector<std::uint64_t> targets_of(const Engines& engines, const std::vector<std::pair<std::uint16_t, bool>>& told) {
  const BatchPlan plan = engines.plan();
  IntegerSums sums(plan);
  const std::vector<std::uint64_t> x(plan.parameters.features(), sotto::encode(.25, plan.context_bits));
  for (const auto& [arm, rewarded] : told) sums.add(arm, x, rewarded ? 1 : 0);
  return sums.targets;
}

// After a restart the actor may no longer know who made an accepted call, or when. The call still gets its answer,
// under the id of the call.
TEST(Serve, ACallThatIsTakenOutlivesTheActor) {
  CabledEngines service(2, lone_settings());
  Engines& engines = service.engines;
  engines.start(engines.actor_id());
  std::size_t taken = 0;
  engines.actor->ask({fault_request(1), fault_request(2)}, false, [&](const auto& replies, CallRefusal trouble) {
    EXPECT_EQ(trouble, CallRefusal::none);
    for (const auto& [place, reply] : replies) taken += reply.status == AskStatus::pending ? 1 : 0;
  });
  ASSERT_TRUE(engines.run_until([&] { return taken == 2; }));
  service.restart(engines.actor_id());
  const auto find = [&](unsigned event, bool wait) {
    return service.answer_of<std::optional<AskReply>>(
        [&](auto taker) { engines.actor->find(fault_event(event), wait, taker); });
  };
  EXPECT_EQ(find(2, false).result.value().status, AskStatus::pending);
  for (const NodeId role : engines.roles()) {
    if (role != engines.actor_id()) engines.start(role);
  }
  for (const unsigned event : {1u, 2u}) EXPECT_EQ(find(event, true).result.value().status, AskStatus::answered);
  EXPECT_EQ(engines.actor->counters().decided, 2u);
}

TEST(Serve, Rewards) {
  std::atomic<LiveTime> passed{0};
  CabledEngines service(2, lone_settings());
  Engines& engines = service.engines;
  engines.clocks[engines.actor_id()] = [&] { return live_time_now() + passed; };
  service.begin();
  EXPECT_EQ(service.post(1, 1, "a"), RewardStatus::unknown);
  std::vector<std::uint16_t> arms;
  for (unsigned event = 1; event <= 5; ++event) arms.push_back(service.ask(fault_request(event)).answer->arm);
  EXPECT_EQ(service.post(1, 1, "a"), RewardStatus::duplicate);
  EXPECT_EQ(service.post(2, 1, "a"), RewardStatus::used);
  EXPECT_EQ(service.post(2, 1, "a"), RewardStatus::duplicate);
  EXPECT_EQ(service.post(2, 0, "a"), RewardStatus::conflict);
  EXPECT_EQ(service.post(2, 0, "b"), RewardStatus::duplicate) << "the earliest counts";
  EXPECT_EQ(service.post(3, 0, "a"), RewardStatus::used);
  EXPECT_EQ(service.post(4, 2, "a"), RewardStatus::invalid);
  passed = an_hour + 1000;
  ASSERT_TRUE(engines.run_until([&] { return nothing_pending(engines); }));
  EXPECT_EQ(service.post(4, 1, "a"), RewardStatus::late);
  EXPECT_EQ(service.post(2, 1, "a"), RewardStatus::duplicate) << "answered as before";
  EXPECT_EQ(service.post(1, 0, "a"), RewardStatus::conflict);
  EXPECT_EQ(
      model_on_disks(engines, engines.plan()).targets,
      targets_of(engines, {{arms[0], true}, {arms[1], true}, {arms[2], false}, {arms[3], false}, {arms[4], false}}));
}

std::vector<std::size_t> lengths_of_rounds(bool pushed, NodeId to) {
  LiveSettings settings = lone_settings();
  settings.cut_off = 20;
  CabledEngines service(2, settings);
  Engines& engines = service.engines;
  service.cables.record();
  service.begin();
  if (pushed) {
    EXPECT_EQ(service.push(0, 1, {.1, .2}), PushStatus::stored);
  }
  EXPECT_EQ(service.ask(fault_request(1)).answer->state, DecisionState::decided);
  EXPECT_EQ(engines.party[0]->counters().missing_features, pushed ? 0u : 1u);
  EXPECT_EQ(service.push(0, 1, {.1, .2}), pushed ? PushStatus::same : PushStatus::too_late);
  EXPECT_EQ(service.push(0, 1, {.1, .3}), PushStatus::too_late);
  EXPECT_EQ(service.push(0, 2, {.1, .2}), PushStatus::stored);
  EXPECT_EQ(service.push(0, 2, {.1, .3}), PushStatus::conflict);
  engines.kill_all();
  std::vector<std::size_t> lengths;
  const RelayBytes all = service.cables.recorded(0, to).at(0);
  std::span<const std::byte> bytes(all);
  FrameHeader header;
  while (bytes.size() >= FrameHeader::size && read_header(bytes.first<FrameHeader::size>(), header)) {
    if (header.type == FrameType::round) lengths.push_back(header.length);
    bytes = bytes.subspan(std::min(bytes.size(), FrameHeader::size + header.length));
  }
  return lengths;
}

TEST(Serve, MissingFeaturesDoNotShow) {
  for (const NodeId to : {NodeId{1}, NodeId{2}}) {
    const std::vector<std::size_t> lengths = lengths_of_rounds(true, to);
    EXPECT_GT(lengths.size(), 0u);
    EXPECT_EQ(lengths_of_rounds(false, to), lengths) << "to " << int{to};
  }
}

TEST(Serve, AClockJumps) {
  std::atomic<LiveTime> ahead{2 * an_hour};
  CabledEngines service(2);
  Engines& engines = service.engines;
  engines.clocks[engines.actor_id()] = [&] { return live_time_now() - 2 * an_hour + ahead; };
  Visitors visitors(engines, 200);
  const std::vector<LiveTime> jumps{4 * an_hour, 3 * an_hour, 0, 6 * an_hour};
  std::size_t jumped = 0;
  engines.start();
  service.finish(visitors, [&] {
    visitors.limit(jumped < jumps.size() ? 40 * (jumped + 1) : visitors.visits().size());
    if (jumped < jumps.size() && visitors.told() == 40 * (jumped + 1)) ahead = jumps[jumped++];
    return jumped < jumps.size();
  });
  EXPECT_EQ(jumped, jumps.size());
  EXPECT_EQ(engines.actor->status().pending, 0u);
}

TEST(Serve, ASlowParty) {
  std::atomic<LiveTime> passed{0};
  for (const bool is_long : {false, true}) {
    CabledEngines service(2, lone_settings());
    Engines& engines = service.engines;
    engines.clocks[engines.actor_id()] = [&] { return live_time_now() + passed; };
    if (is_long) engines.round_deadline = std::chrono::milliseconds(500);
    service.begin();
    const std::uint16_t first = service.ask(fault_request(1)).answer->arm;
    service.cables.hold(1);
    const AskReply late = service.ask(fault_request(2, 20));
    EXPECT_EQ(late.answer->state, DecisionState::baseline);
    if (is_long) {
      ASSERT_TRUE(engines.run_until([&] { return !engines.actor->counters().epochs.empty(); }));
      EXPECT_THAT(engines.actor->status().why, HasSubstr("party 1"));
    }
    service.cables.pass(1);
    const std::uint16_t third = service.ask(fault_request(3)).answer->arm;
    const AskReply again = service.ask(fault_request(2, 20));
    EXPECT_EQ(again.answer->state, DecisionState::baseline) << "once told, for ever";
    EXPECT_EQ(again.answer->arm, late.answer->arm);
    EXPECT_EQ(engines.actor->status().epoch > 1, is_long);
    for (const unsigned event : {1u, 3u}) EXPECT_EQ(service.post(event, 1), RewardStatus::used);
    EXPECT_EQ(service.post(2, 1), is_long ? RewardStatus::unknown : RewardStatus::used);
    passed = an_hour + 1000;
    ASSERT_TRUE(engines.run_until([&] { return nothing_pending(engines); }));
    EXPECT_EQ(model_on_disks(engines, engines.plan()).targets, targets_of(engines, {{first, true}, {third, true}}));
    passed = 0;
  }
}

TEST(Serve, BackPressure) {
  LiveSettings settings = lone_settings();
  settings.max_queue = 3;
  settings.max_pending = 2;
  CabledEngines service(2, settings);
  Engines& engines = service.engines;
  service.begin();
  for (unsigned event = 1; event <= 2; ++event) {
    EXPECT_EQ(service.ask(fault_request(event)).answer->state, DecisionState::decided);
  }
  EXPECT_EQ(service.ask(fault_request(3, 20)).answer->state, DecisionState::baseline);
  EXPECT_EQ(engines.actor->status().number, 2u);
  std::vector<AskStatus> statuses;
  for (unsigned event = 11; event <= 15; ++event) {
    engines.actor->ask({fault_request(event)}, false, [&](const auto& replies, CallRefusal trouble) {
      EXPECT_EQ(trouble, CallRefusal::none);
      statuses.push_back(replies.at(0).second.status);
    });
  }
  ASSERT_TRUE(engines.run_until([&] { return statuses.size() == 5; }));
  EXPECT_THAT(statuses, ElementsAre(AskStatus::pending, AskStatus::pending, AskStatus::pending, AskStatus::queue_full,
                                    AskStatus::queue_full));
  EXPECT_TRUE(engines.run_until([&] { return engines.actor->status().queue == 3; }));
  EXPECT_EQ(service.push(0, 21, {.1, .2}), PushStatus::stored);
  EXPECT_EQ(service.push(0, 22, {.1, .2}), PushStatus::stored);
  EXPECT_EQ(service.push(0, 23, {.1, .2}), PushStatus::full);
}

TEST(Serve, VersionsThatDiffer) {
  std::atomic<bool> is_old{true};
  CabledEngines service(2, lone_settings());
  Engines& engines = service.engines;
  engines.parameters = [&](NodeId role) {
    return std::string("program = decision service ") + (role == engines.rewarder_id() && is_old ? "1" : "2");
  };
  engines.start();
  for (const NodeId role : engines.roles()) {
    ASSERT_TRUE(engines.run_until_refused(role, "decision service 2")) << int{role};
    EXPECT_EQ(engines.service(role)->status().epoch, 0u);
  }
  is_old = false;
  EXPECT_EQ(service.ask(fault_request(1)).answer->state, DecisionState::decided);
}

// A party sends different words to two other parties. Without the check of openings, the service would answer with an
// arm that no role computed.
TEST(Serve, AWordThatDiffersBetweenParties) {
  for (const bool is_checked : {true, false}) {
    std::atomic<bool> is_tampered = true;
    LiveSettings settings = lone_settings();
    settings.check_openings = is_checked;
    CabledEngines service(3, settings);
    Engines& engines = service.engines;
    const bool second_connects = net::connects_to(engines.topology(), 1, 2);
    const NodeId culprit = second_connects ? 1 : 2;
    const NodeId victim = second_connects ? 2 : 1;
    engines.wrap = [&](NodeId role) -> net::MeshConfig::Wrap {
      if (role != culprit || !is_tampered) return {};
      return [victim](std::unique_ptr<net::ByteStream> stream, bool, std::optional<NodeId> peer) {
        if (peer != victim) return stream;
        std::unique_ptr<net::ByteStream> other =
            std::make_unique<TamperedStream>(std::move(stream), Tamper(Deviation::other_word, FrameType::round, 0));
        return other;
      };
    };
    engines.start();
    std::optional<AskReply> reply;
    engines.actor->ask({fault_request(1)}, true,
                       [&](const auto& replies, CallRefusal) { reply = replies.at(0).second; });
    const auto says = [&](const char* what) { return engines.actor->status().why.find(what) != std::string::npos; };
    if (!is_checked) {
      EXPECT_TRUE(engines.run_until([&] { return reply.has_value() || says("arm lanes that are of no arm"); }));
      continue;
    }
    ASSERT_TRUE(engines.run_until([&] { return says("says other words of the number than a party before it"); }));
    EXPECT_FALSE(reply) << "no arm is told";
    EXPECT_EQ(engines.actor->status().number, 0u);
    is_tampered = false;
    ASSERT_TRUE(engines.run_until([&] { return reply.has_value(); }));
    EXPECT_EQ(reply->answer->state, DecisionState::decided);
    EXPECT_TRUE(engines.run_until([&] { return engines.actor->status().number == 1; }));
    EXPECT_GT(engines.actor->status().epoch, 1u);
  }
}

}  // namespace
}  // namespace sotto::apps::testing
