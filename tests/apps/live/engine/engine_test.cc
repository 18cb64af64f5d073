#include "apps/bandit/model/parameters.h"
#include "apps/live/engine/asked_events.h"
#include "apps/live/engine/messages.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"
#include "tests/apps/live/engine/visitors.h"
#include "tests/apps/support.h"

namespace sotto::apps::live::testing {

namespace {

class EnginesOf : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EnginesOf, WhatIsToldIsLearned) {
  Engines engines(GetParam());
  Visitors visitors(engines, 300);
  engines.start();
  ASSERT_TRUE(engines.run_until([&] {
    visitors.proceed(20);
    return visitors.all_done() && nothing_pending(engines);
  }));
  expect_model(engines, visitors);
  EXPECT_EQ(engines.actor->counters().decided, 300u);
  EXPECT_EQ(engines.actor->status().epoch, 1u);
  const OrderNumber numbers = engines.actor->status().number;
  engines.kill(engines.actor_id());
  using Phase = LiveObserver::Phase;
  EXPECT_EQ(engines.observed[static_cast<std::size_t>(Phase::wait)], numbers * (GetParam() + 1));
  EXPECT_EQ(engines.observed[static_cast<std::size_t>(Phase::store)], numbers * (GetParam() + 2));
  EXPECT_GE(engines.observed[static_cast<std::size_t>(Phase::rounds)], numbers * (GetParam() + 1));
}

INSTANTIATE_TEST_SUITE_P(Live, EnginesOf, ::testing::Values(2, 3, 5));

TEST(LiveEngines, WithoutARewardAnEventIsNotLearned) {
  LiveSettings settings = engine_settings();
  settings.default_reward.reset();
  settings.reward_wait = 1000;
  Engines engines(3, settings);
  Visitors visitors(engines, 120);
  engines.start();
  ASSERT_TRUE(engines.run_until([&] {
    visitors.proceed(20);
    return visitors.all_done() && nothing_pending(engines);
  }));
  expect_model(engines, visitors);
  const auto& all = visitors.visits();
  const auto rewarded = std::count_if(all.begin(), all.end(), [](const Visit& visit) { return visit.rewarded; });
  EXPECT_GT(rewarded, 0);
  EXPECT_LT(rewarded, std::ssize(all)) << "of a third nothing is heard";
  EXPECT_EQ(engines.rewarder->counters().rewards_learned, static_cast<std::uint64_t>(rewarded));
}

TEST(LiveEngines, EndAtAnyTimeAndGoOn) {
  Engines engines(2);
  Visitors visitors(engines, 1200);
  ASSERT_NO_FATAL_FAILURE(play_through_kills(engines, visitors, 20, 20, 50, 3,
                                             [&] { return visitors.all_done() && nothing_pending(engines); }));
  expect_model(engines, visitors);
}

}  // namespace

using namespace sotto::apps::bandit;
namespace {

constexpr std::uint64_t short_window = 60;

LiveSettings apprentice_settings() {
  LiveSettings settings = engine_settings();
  settings.mode = LiveMode::apprentice;
  settings.agreement_window = short_window;
  settings.agreement_epsilon = 10;  // noise of scale 1/10: most often zero
  return settings;
}

// Each event allows only one arm, so the caller's arm and the model's arm always agree. A window's sum therefore
// differs from the number of events only by noise. The noise of a window is above 3 with a probability below 1e-13.
void expect_agreement(const Engines& engines, std::size_t events) {
  const Agreement agreement = engines.actor->status().agreement;
  EXPECT_EQ(agreement.all.events + agreement.counted, events);
  EXPECT_GE(agreement.opened, 1u);
  EXPECT_LE(agreement.opened, events / short_window);
  EXPECT_GE(agreement.last.events, short_window);
  const auto shown = static_cast<std::int64_t>(agreement.all.events);
  EXPECT_LE(std::abs(agreement.all.agreed - shown), 6 * static_cast<std::int64_t>(agreement.opened));
  EXPECT_EQ(agreement.spent, 10. * static_cast<double>(agreement.opened + (agreement.is_full ? 1 : 0)));
  for (const auto& party : engines.party) {
    const Agreement of_party = party->status().agreement;
    EXPECT_EQ(of_party.opened, agreement.opened);
    EXPECT_EQ(of_party.events, agreement.events);
    EXPECT_EQ(of_party.spent, agreement.spent);
    EXPECT_EQ(of_party.share, 0u) << "no share leaves the role's rows";
    EXPECT_EQ(of_party.all, AgreedEvents{}) << "the sums are the actor's";
  }
  EXPECT_EQ(engines.rewarder->status().agreement.opened, agreement.opened);
  EXPECT_EQ(engines.actor->status().decisions_ever, 0u) << "no arm was shown";
}

class Apprentices : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Apprentices, LearnFromTheCallersArms) {
  Engines engines(GetParam(), apprentice_settings());
  Visitors visitors(engines, 200);
  visitors.play_own_arms();
  engines.start();
  ASSERT_TRUE(engines.run_until([&] {
    visitors.proceed(20);
    const LiveStatus status = engines.actor->status();
    return visitors.all_done() && status.pending == 0 && status.queue == 0 && status.running == 0;
  }));
  for (std::size_t i = 0; i < visitors.visits().size(); ++i) {
    EXPECT_EQ(visitors.visits()[i].told->arm, i % engines.settings().arms.size());
  }
  const BatchPlan plan = engines.plan();
  const IntegerSums expected = visitors.expected(plan);
  const ModelWords model = model_on_disks(engines, plan);
  EXPECT_EQ(model.gram, expected.gram);
  EXPECT_EQ(model.targets, expected.targets);
  expect_agreement(engines, 200);
}

INSTANTIATE_TEST_SUITE_P(Live, Apprentices, ::testing::Values(2, 3, 5));

// Returns the noise of `windows` windows of one event each. The event of each window agrees, so the sum that the actor
// learned is 1 plus the noise.
std::vector<double> noise_of_windows(Engines& engines, std::size_t windows) {
  std::vector<double> noise;
  std::size_t asked = 0;
  bool all_answered = true;
  engines.start();
  EXPECT_TRUE(engines.run_until([&] {
    const Agreement agreement = engines.actor->status().agreement;
    if (agreement.opened > noise.size()) {
      EXPECT_EQ(agreement.opened, noise.size() + 1);
      EXPECT_EQ(agreement.last.events, 1u);
      noise.push_back(static_cast<double>(agreement.last.agreed) - 1);
    }
    const bool is_shown = noise.size() + 1 >= asked;
    if (all_answered && is_shown && engines.all_ready() && asked <= windows) {
      DecisionRequest request;
      request.event = EventId{static_cast<std::byte>(asked), static_cast<std::byte>(asked >> 8), std::byte{1}};
      request.own_arm = 0;
      request.barred = {1, 2, 3};
      all_answered = false;
      ++asked;
      engines.actor->ask({request}, true, [&](const auto& replies, CallRefusal) {
        all_answered = replies.at(0).second.status == AskStatus::answered;
      });
    }
    return noise.size() == windows;
  }));
  return noise;
}

// The variance of an integer x whose probability is proportional to exp(-|x| / scale).
double variance_of_noise(double scale) {
  const double next = std::exp(-1 / scale);
  return 2 * next / ((1 - next) * (1 - next));
}

// Every party adds its own noise of scale 1 / epsilon to each window. Without one party's noise, the variance would be
// two thirds of the expected variance. The variance would be four times as large with twice the scale, and three times
// as large if all parties added the same noise.
TEST(LiveApprentice, ShowsSumsWithTheNoiseOfEveryParty) {
  constexpr std::size_t parties = 3;
  constexpr std::size_t windows = 400;
  LiveSettings settings = apprentice_settings();
  settings.batch_sizes = {1};
  settings.cut_off = 0;
  settings.agreement_window = 1;
  settings.agreement_epsilon = .05;
  settings.reward_wait = 3'600'000;
  settings.remember = 8'000'000;
  Engines engines(parties, settings);
  for (NodeId party = 0; party < parties; ++party) engines.insecure_seeds[party] = 71u + party;
  const std::vector<double> noise = noise_of_windows(engines, windows);
  ASSERT_EQ(noise.size(), windows);
  const double expected = parties * variance_of_noise(1 / settings.agreement_epsilon);
  double sum = 0;
  double squares = 0;
  double neighbours = 0;
  for (std::size_t i = 0; i < windows; ++i) {
    sum += noise[i];
    squares += noise[i] * noise[i];
    if (i > 0) neighbours += noise[i] * noise[i - 1];
  }
  constexpr double count = windows;
  EXPECT_GT(squares / count, .8 * expected);
  EXPECT_LT(squares / count, 1.25 * expected);
  EXPECT_LT(std::abs(sum / count), 4 * std::sqrt(expected / count));
  EXPECT_LT(std::abs(neighbours / count), 4 * expected / std::sqrt(count));
}

TEST(LiveApprentice, CountsEachEventOnceWhateverEnds) {
  LiveSettings settings = apprentice_settings();
  settings.reward_wait = 3'600'000;
  settings.remember = 8'000'000;
  Engines engines(2, settings);
  Visitors visitors(engines, 500);
  visitors.play_own_arms();
  ASSERT_NO_FATAL_FAILURE(play_through_kills(engines, visitors, 20, 10, 40, 9, [&] {
    return visitors.all_done() && engines.all_ready() && engines.actor->status().running == 0;
  }));
  expect_agreement(engines, 500);
}

}  // namespace
}  // namespace sotto::apps::live::testing

namespace sotto::apps::live {

namespace {

const Topology three_parties = bandit::bandit_topology(3, true);
constexpr NodeId the_actor = 3;
constexpr NodeId the_rewarder = 4;

std::string refused_message(NodeId from, const std::vector<std::byte>& bytes) {
  return error_of<ProtocolError>([&] { return decode_message(three_parties, from, bytes); });
}

TEST(LiveMessages, SayWhoTheyAreFrom) {
  const std::vector<NodeId> roles{0, 1, 2, the_actor, the_rewarder, net::dealer_id};
  for (const NodeId origin : roles) {
    const OrderMessage message{origin, SkipFrame{4}};
    for (const NodeId from : roles) {
      const bool relayed = from == 0 && (origin == the_actor || origin == the_rewarder);
      if (from == origin || relayed) {
        EXPECT_EQ(decode_message(three_parties, from, encode(message)), message);
      } else {
        EXPECT_THAT(refused_message(from, encode(message)), HasSubstr("says what is no frame of the order"));
      }
    }
  }
}

TEST(LiveMessages, OfOtherBytesAreRefused) {
  EXPECT_NE(refused_message(1, {}), "");
  EXPECT_NE(refused_message(1, {std::byte{1}}), "");
  std::vector<std::byte> bytes = encode(OrderMessage{1, SkipFrame{4}});
  bytes.push_back(std::byte{0});
  EXPECT_NE(refused_message(1, bytes), "");
}

TEST(LiveMessages, HaveRoomForTheLongestEntry) {
  LiveSettings settings;
  settings.arms.assign(40, "a");
  settings.batch_sizes = {256};
  RestateFrame restated;
  restated.entry.shape = {EntryKind::decide, 256};
  restated.entry.program = 1;
  for (std::uint32_t place = 0; place < 256; ++place) {
    restated.entry.events.push_back(EventId{static_cast<std::byte>(place), std::byte{1}});
    restated.entry.subjects.emplace_back(longest_subject, 's');
    for (std::uint16_t arm = 0; arm < 39; ++arm) restated.entry.barred.push_back({place, arm});
  }
  restated.lanes.assign(256 * 40, std::byte{1});
  EXPECT_TRUE(is_valid(restated.entry));
  EXPECT_LE(encode(OrderMessage{0, restated}).size(), longest_order_message(settings));
}

TEST(LiveMessages, ProgramsAreTakenAndSkippedInTheirOrder) {
  PlannedPrograms programs;
  const ProgramShape one{EntryKind::decide, 1};
  const ProgramShape eight{EntryKind::learn, 8};
  programs.plan(PlanFrame{1, 0, {one, eight}});
  programs.plan(PlanFrame{3, 0, {one}});
  EXPECT_THROW(programs.plan(PlanFrame{3, 0, {one}}), ProtocolError);
  EXPECT_EQ(programs.skip(SkipFrame{1}), one);
  EXPECT_THROW((void)programs.skip(SkipFrame{1}), ProtocolError);
  OrderEntry entry;
  entry.program = 2;
  entry.shape = one;
  EXPECT_THROW(programs.take(entry), ProtocolError) << "it was planned as a learn";
  entry.shape = eight;
  programs.take(entry);
  EXPECT_THROW(programs.take(entry), ProtocolError);
  EXPECT_EQ(programs.skip(SkipFrame{3}), one);
  EXPECT_THROW((void)programs.skip(SkipFrame{4}), ProtocolError) << "nothing is planned";
}

TEST(LiveMessages, WithoutADealerDecidesAndLearnsHaveEachTheirOrder) {
  PlannedPrograms programs(false);
  const ProgramShape one{EntryKind::decide, 1};
  const ProgramShape eight{EntryKind::learn, 8};
  programs.plan(PlanFrame{1, 0, {one, eight, one, eight}});
  EXPECT_THROW((void)programs.skip(SkipFrame{3}), ProtocolError) << "a decide is before it";
  programs.take(BeginFrame{2, eight, {1}});
  EXPECT_THROW(programs.take(BeginFrame{2, eight, {1}}), ProtocolError) << "it is taken";
  EXPECT_EQ(programs.skip(SkipFrame{4}), eight);
  EXPECT_EQ(programs.skip(SkipFrame{1}), one);
  OrderEntry entry;
  entry.program = 3;
  entry.shape = {EntryKind::decide, 8};
  EXPECT_THROW(programs.take(entry), ProtocolError) << "it was planned in another size";
  entry.shape = one;
  programs.take(entry);
  EXPECT_THROW(programs.plan(PlanFrame{4, 0, {one}}), ProtocolError);
  programs.plan(PlanFrame{5, 0, {one}});
}

TEST(LiveMessages, PlansHaveAnEnd) {
  PlannedPrograms programs;
  const std::vector<ProgramShape> many(most_planned, ProgramShape{EntryKind::decide, 1});
  programs.plan(PlanFrame{1, 0, many});
  programs.plan(PlanFrame{1 + most_planned, 0, many});
  EXPECT_THROW(programs.plan(PlanFrame{1 + 2 * most_planned, 0, {many[0]}}), ProtocolError);
}

TEST(LiveAskedEvents, EachCallHasItsAnswersOnce) {
  const auto post = [](const std::function<void()>& call) { call(); };
  AskedEvents asked;
  std::vector<std::pair<int, std::size_t>> heard;
  const auto call_of = [&](int number) {
    return std::make_shared<AskCall>(AskCall{[&heard, number](const auto& replies, CallRefusal) {
      for (const auto& [place, reply] : replies) heard.emplace_back(number, place);
    }});
  };
  const auto first = call_of(1);
  const auto second = call_of(2);
  DecisionRequest a, b;
  a.event = EventId{std::byte{1}};
  b.event = EventId{std::byte{2}};
  asked.add({a, 10}, first, 0);
  asked.add({b, 10}, first, 1);
  asked.add({a, 20}, second, 0);
  bool found = false;
  asked.add(a.event, [&](const CallResult<std::optional<AskReply>>& result) { found = result.result.has_value(); });
  ASSERT_EQ(asked.requests().size(), 2u);
  EXPECT_EQ(asked.requests()[0].asked, 10u) << "it waits since the first call";
  AskReplies replies;
  asked.resolve(a.event, AskReply{}, replies, post);
  asked.resolve(a.event, AskReply{}, replies, post);
  replies.give(post);
  EXPECT_THAT(heard, ElementsAre(std::pair(1, std::size_t{0}), std::pair(2, std::size_t{0})));
  EXPECT_TRUE(found);
  asked.fail(CallRefusal::ended, post);
  EXPECT_THAT(heard.back(), std::pair(1, std::size_t{1}));
  EXPECT_EQ(heard.size(), 3u);
  EXPECT_TRUE(asked.empty());
}

TEST(LiveAskedEvents, WhoseRequestIsLateWaitsNoLonger) {
  const auto post = [](const std::function<void()>& call) { call(); };
  AskedEvents asked;
  std::vector<std::size_t> heard;
  const auto call = std::make_shared<AskCall>(AskCall{[&](const auto& replies, CallRefusal trouble) {
    EXPECT_EQ(trouble, CallRefusal::disk_full);
    for (const auto& [place, reply] : replies) heard.push_back(place);
  }});
  DecisionRequest early, late;
  early.event = EventId{std::byte{1}};
  late.event = EventId{std::byte{2}};
  asked.add({early, 10}, call, 0);
  asked.add({late, 20}, call, 1);
  const auto fail = [&] {
    asked.fail_late(CallRefusal::disk_full, post,
                    [](const AskedEvents::Request& request) { return request.asked < 15; });
  };
  fail();
  fail();
  EXPECT_THAT(heard, ElementsAre(0u)) << "once";
  EXPECT_EQ(asked.requests().size(), 2u) << "both are asked again";
}

}  // namespace

}  // namespace sotto::apps::live
