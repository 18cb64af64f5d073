#include "apps/live/engine/messages.h"

#include "apps/bandit/model/parameters.h"
#include "apps/live/engine/asked_events.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"
#include "tests/apps/support.h"

namespace sotto::apps::live {
namespace {

const Topology three_parties = bandit::bandit_topology(3, true);
constexpr NodeId the_actor = 3;
constexpr NodeId the_rewarder = 4;

std::string refused_message(NodeId from, const std::vector<std::byte>& bytes) {
  return error_of<ProtocolError>([&] { return decode_message(three_parties, from, bytes); });
}

// Party 0, and no other, speaks for actor and rewarder.
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

// The longest entry there can be, with all that an event may bring.
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

// Two calls wait for one event and one for another: each has each of its answers once.
TEST(LiveAskedEvents, EachCallHasItsAnswersOnce) {
  const auto post = [](const std::function<void()>& call) { call(); };
  AskedEvents asked;
  std::vector<std::pair<int, std::size_t>> heard;
  const auto call_of = [&](int number) {
    return std::make_shared<AskCall>(AskCall{[&heard, number](const auto& replies, Trouble) {
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
  asked.fail(Trouble::ended, post);
  EXPECT_THAT(heard.back(), std::pair(1, std::size_t{1}));
  EXPECT_EQ(heard.size(), 3u);
  EXPECT_TRUE(asked.empty());
}

TEST(LiveAskedEvents, WhoseRequestIsLateWaitsNoLonger) {
  const auto post = [](const std::function<void()>& call) { call(); };
  AskedEvents asked;
  std::vector<std::size_t> heard;
  const auto call = std::make_shared<AskCall>(AskCall{[&](const auto& replies, Trouble trouble) {
    EXPECT_EQ(trouble, Trouble::disk_full);
    for (const auto& [place, reply] : replies) heard.push_back(place);
  }});
  DecisionRequest early, late;
  early.event = EventId{std::byte{1}};
  late.event = EventId{std::byte{2}};
  asked.add({early, 10}, call, 0);
  asked.add({late, 20}, call, 1);
  const auto fail = [&] {
    asked.fail_late(Trouble::disk_full, post, [](const AskedEvents::Request& request) { return request.asked < 15; });
  };
  fail();
  fail();
  EXPECT_THAT(heard, ElementsAre(0u)) << "once";
  EXPECT_EQ(asked.requests().size(), 2u) << "both are asked again";
}

}  // namespace
}  // namespace sotto::apps::live
