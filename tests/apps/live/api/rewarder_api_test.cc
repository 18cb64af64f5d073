#include "apps/live/api/rewarder_routes.h"

#include "tests/apps/live/api/fakes.h"
#include "tests/apps/live/api/rig.h"

namespace sotto::apps::live {
namespace {

using namespace api_test;

std::string reward_path(unsigned number) { return "/v1/events/" + event_name(number) + "/reward"; }

struct RewarderRig {
  explicit RewarderRig(RewardAggregation aggregation = RewardAggregation::earliest) : rewarder(rig.io, aggregation) {
    rig.serve(rewarder, "rewarder");
  }
  ApiReply post(unsigned number, const std::string& body) { return rig.call("POST", reward_path(number), body); }

  ApiRig rig;
  FakeRewarder rewarder;
};

TEST(RewarderApi, StoresARewardAndTakesTheSameAgain) {
  RewarderRig it;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(it.post(1, R"({"value":1,"reward_id":"a1"})").status, 204U);
  EXPECT_EQ(it.post(2, R"({"value":-0.5})").status, 204U);
  // The earliest counts: a further one is answered, and changes nothing.
  EXPECT_EQ(it.post(1, R"({"value":0.5,"reward_id":"a2"})").status, 204U);
  const ApiReply other = it.post(1, R"({"value":0.5,"reward_id":"a1"})");
  EXPECT_EQ(other.status, 409U);
  EXPECT_EQ(other.problem(), "reward-conflict");
  ASSERT_GE(it.rewarder.posted.size(), 4U);
  EXPECT_EQ(it.rewarder.posted[0], (RewardCall{live_event(1), 1, "a1"}));
  EXPECT_EQ(it.rewarder.posted[3], (RewardCall{live_event(2), -0.5, ""}));
}

TEST(RewarderApi, NeedsAnIdWhereRewardsAreAddedOrCompared) {
  for (const RewardAggregation aggregation : {RewardAggregation::sum, RewardAggregation::max}) {
    RewarderRig it(aggregation);
    const ApiReply reply = it.post(1, R"({"value":1})");
    EXPECT_EQ(reply.status, 422U);
    EXPECT_EQ(reply.problem(), "reward-id-missing");
    for (unsigned i = 0; i < most_rewards; ++i) {
      EXPECT_EQ(it.post(1, R"({"value":0.1,"reward_id":"r)" + std::to_string(i) + "\"}").status, 204U);
    }
    EXPECT_EQ(it.post(1, R"({"value":0.1,"reward_id":"more"})").problem(), "too-many-rewards");
    EXPECT_EQ(it.post(1, R"({"value":0.1,"reward_id":"r7"})").status, 204U);
  }
}

TEST(RewarderApi, SaysWhatIsLate) {
  RewarderRig it;
  it.rewarder.forced = RewardStatus::late;
  const ApiReply late = it.post(1, R"({"value":1})");
  EXPECT_EQ(late.status, 410U);
  EXPECT_EQ(late.problem(), "late");
  it.rewarder.forced = RewardStatus::not_learned;
  const ApiReply never = it.post(1, R"({"value":1})");
  EXPECT_EQ(never.status, 410U);
  EXPECT_EQ(never.problem(), "not-learned");
  it.rewarder.trouble = Trouble::full;
  EXPECT_EQ(it.post(1, R"({"value":1})").problem(), "queue-full");
}

TEST(RewarderApi, RefusesValuesOutsideTheirRangeAndShowsNone) {
  RewarderRig it;
  for (const std::string bad : {"1.25", "-1.25", "77777", "-1e300"}) {
    const ApiReply reply = it.post(1, R"({"value":)" + bad + "}");
    EXPECT_EQ(reply.status, 422U) << bad;
    EXPECT_EQ(reply.problem(), "reward-out-of-range") << bad;
    EXPECT_THAT(reply.body, Not(HasSubstr(bad)));
  }
  for (const std::string& body : std::vector<std::string>{
           "{}", "1", R"({"value":"1"})", R"({"value":true})", R"({"value":null})", R"({"value":NaN})",
           R"({"value":1e999})", R"({"value":1,"reward_id":""})", R"({"value":1,"reward_id":7})",
           R"({"value":1,"reward_id":")" + std::string(65, 'r') + "\"}", R"({"value":1,"value":0})",
           R"({"value":1,"event":"a"})"}) {
    EXPECT_EQ(it.post(1, body).problem(), "bad-body") << body;
  }
  EXPECT_TRUE(it.rewarder.posted.empty());
}

TEST(RewarderApi, TakesZeroAndOneAloneWhereRewardsAreBinary) {
  ApiRig rig;
  FakeRewarder rewarder(rig.io);
  rig.context->binary_rewards = true;
  rig.serve(rewarder, "rewarder");
  EXPECT_EQ(rig.call("POST", reward_path(1), R"({"value":1})").status, 204U);
  EXPECT_EQ(rig.call("POST", reward_path(2), R"({"value":0})").status, 204U);
  for (const std::string bad : {"0.5", "-1", "1e-9"}) {
    const ApiReply reply = rig.call("POST", reward_path(3), R"({"value":)" + bad + "}");
    EXPECT_EQ(reply.problem(), "reward-out-of-range");
    EXPECT_EQ(reply.json()["detail"], "expected 0 or 1");
  }
}

TEST(RewarderApi, StoresManyAndAnswersEachLine) {
  RewarderRig it;
  const auto line = [](unsigned number, const std::string& rest) {
    return R"({"event":")" + event_name(number) + "\"," + rest + "}\n";
  };
  const auto lines = it.rig
                         .call("POST", "/v1/rewards:batch",
                               line(1, R"("value":1,"reward_id":"a")") + line(2, R"("value":2)") +
                                   line(3, R"("value":0)") + line(1, R"("value":0,"reward_id":"a")") + R"({"value":1})")
                         .lines();
  ASSERT_EQ(lines.size(), 5U);
  const std::vector<int> expected{204, 422, 204, 409, 400};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(lines[i]["status"], expected[i]) << i;
}

TEST(RewarderApi, ShowsItsOwnRewards) {
  RewarderRig it;
  it.rewarder.the_counters.rewards[static_cast<std::size_t>(RewardStatus::used)] = 5;
  it.rewarder.the_counters.rewards[static_cast<std::size_t>(RewardStatus::late)] = 2;
  it.rewarder.the_counters.reward_sum = 2.5;
  it.rewarder.the_counters.rewards_learned = 10;
  const auto figures = it.rig.call("GET", "/v1/figures").json();
  EXPECT_EQ(figures["rewards"]["used"], 5);
  EXPECT_EQ(figures["rewards"]["conflict"], 0);
  EXPECT_EQ(figures["reward_sum"], 2.5);
  EXPECT_EQ(figures["learned"], 10);
}

}  // namespace
}  // namespace sotto::apps::live
