#include "apps/live/api/live_routes.h"
#include "tests/apps/live/api/fakes.h"
#include "tests/apps/live/api/rig.h"

namespace sotto::apps::live {

namespace {

using namespace api_test;
using namespace std::chrono_literals;

std::string features_path(unsigned number) { return "/v1/events/" + event_name(number) + "/features"; }

class PartyApi : public ::testing::Test {
 protected:
  void SetUp() override { rig.serve(party, "party"); }
  ApiReply put(unsigned number, const std::string& body) { return rig.call("PUT", features_path(number), body); }

  ApiRig rig;
  FakeParty party{rig.io};
};

TEST_F(PartyApi, StoresFeaturesByPlaceOrByName) {
  EXPECT_EQ(put(1, R"({"schema":3,"x":[0.25,-1]})").status, 204U);
  EXPECT_EQ(put(2, R"({"schema":3.0,"values":{"visits":1.5}})").status, 204U);
  EXPECT_EQ(put(3, R"({"schema":3,"values":{}})").status, 204U);
  ASSERT_EQ(party.pushed.size(), 3U);
  EXPECT_EQ(party.pushed[0].event, live_event(1));
  EXPECT_EQ(party.pushed[0].values, (FeatureValues{0.25, -1}));
  EXPECT_EQ(party.pushed[1].values, (FeatureValues{0.5, 1.5}));
  EXPECT_EQ(party.pushed[2].values, (FeatureValues{0.5, 0}));
}

TEST_F(PartyApi, StoresWhomFeaturesAreAbout) {
  EXPECT_EQ(put(1, R"({"schema":3,"x":[0.25,-1],"subject":"customer 7"})").status, 204U);
  EXPECT_EQ(put(1, R"({"schema":3,"x":[0.25,-1],"subject":"customer 8"})").problem(), "event-conflict");
  EXPECT_EQ(party.pushed[0].subject, "customer 7");
  const std::string line = R"({"event":")" + event_name(2) + R"(","schema":3,"x":[0,0],"subject":"customer 8"})";
  EXPECT_EQ(rig.call("POST", "/v1/features:batch", line).status, 200U);
  EXPECT_EQ(party.pushed.back().subject, "customer 8");
  const std::string long_name(1025, 'a');
  for (const std::string& bad :
       {std::string(R"("")"), std::string(R"("a\nb")"), std::string("7"), '"' + long_name + '"'}) {
    EXPECT_EQ(put(3, R"({"schema":3,"x":[0.25,-1],"subject":)" + bad + "}").problem(), "bad-body") << bad;
  }
}

Recipe recipe_of_two_features() {
  Recipe recipe = recipe_of_ages();
  ColumnRecipe& plan = recipe.columns.emplace_back();
  plan.name = "plan";
  plan.use = ColumnUse::categories;
  plan.categories = {"tin"};
  recipe.norm = 2;
  return recipe;
}

TEST_F(PartyApi, MakesFeaturesOfARowByTheRecipe) {
  EXPECT_EQ(put(1, R"({"schema":3,"row":{"age":60,"plan":"tin"}})").status, 400U) << "there is none";
  const auto maker = std::make_shared<const RowMaker>(recipe_of_two_features());
  rig.context->features = {3, columns_of(*maker), 2, maker};
  EXPECT_EQ(rig.context->features.fallback(), (FeatureValues{0, 0}));
  EXPECT_EQ(put(1, R"({"schema":3,"row":{"age":60,"plan":"tin"}})").status, 204U);
  EXPECT_EQ(put(2, R"({"schema":3,"row":{"age":null,"plan":"lead","subject":"p-1"}})").status, 204U);
  EXPECT_EQ(put(3, R"({"schema":3,"x":[1,1]})").status, 204U);
  ASSERT_EQ(party.pushed.size(), 3U);
  EXPECT_EQ(party.pushed[0].values, maker->make(nlohmann::json{{"age", 60}, {"plan", "tin"}}));
  EXPECT_EQ(party.pushed[0].values, (FeatureValues{1, 1}));
  EXPECT_EQ(party.pushed[1].values, (FeatureValues{0, 0}));
  const std::pair<std::string, std::string> refused[] = {
      {R"({"age":"secret","plan":"tin"})", "column 'age'"},
      {R"({"plan":"tin"})", "column 'age' is not in the row"},
      {R"({"age":1,"plan":"tin","shoe":7})", "column 'shoe' is not in the recipe"},
      {R"({"age":"12%","plan":"tin"})",
       "a percentage where a number is expected; the recipe reads this column without %"},
      {R"({"age":"1,5","plan":"tin"})",
       "a number with the other decimal mark where a number is expected; the recipe's table had decimal points"},
      {R"({"age":"1,234,567","plan":"tin"})", "write it without such marks"},
      {R"({"age":"2026-11-23","plan":"tin"})", "a date where a number is expected; make a number of it"},
  };
  for (const auto& [row, says] : refused) {
    const ApiReply reply = put(4, R"({"schema":3,"row":)" + row + "}");
    EXPECT_EQ(reply.status, 422U) << row;
    EXPECT_THAT(reply.json()["detail"].get<std::string>(), HasSubstr(says));
    EXPECT_THAT(reply.body, Not(HasSubstr("secret")));
  }
  EXPECT_EQ(put(4, R"({"schema":3,"row":[1,2]})").status, 400U);
  EXPECT_EQ(put(4, R"({"schema":3,"row":{"age":1,"plan":"tin"},"x":[0,0]})").status, 400U);
}

TEST_F(PartyApi, CountsRowsThatDriftFromTheRecipe) {
  Recipe recipe = recipe_of_two_features();
  recipe.columns[1].clip = 1;
  const auto maker = std::make_shared<const RowMaker>(recipe);
  rig.context->features = {3, columns_of(*maker), 2, maker};
  std::vector<std::string> lines;
  rig.context->drift.report_to(
      recipe, [&](const std::string& line) { lines.push_back(line); }, rig.metrics);
  EXPECT_EQ(put(1, R"({"schema":3,"row":{"age":50,"plan":"tin"}})").status, 204U);
  EXPECT_TRUE(lines.empty());
  const std::string secret = R"({"schema":3,"row":{"age":7777,"plan":"secret"}})";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(put(2, secret).status, 204U) << "once, however often it comes";
  EXPECT_EQ(put(3, R"({"schema":3,"row":{"age":null,"plan":"x"}})").status, 204U);
  EXPECT_EQ(put(4, R"({"schema":3,"x":[1,1]})").status, 204U);
  EXPECT_EQ(put(5, R"({"schema":3,"row":{"age":"bad","plan":"x"}})").status, 422U);
  const std::string line = R"({"event":")" + event_name(6) + R"(","schema":3,"row":{"age":9999,"plan":"tin"}})";
  EXPECT_EQ(rig.call("POST", "/v1/features:batch", "{}\n" + line + "\n").lines().at(1)["status"], 204);
  const auto figures = rig.call("GET", "/v1/figures").json();
  EXPECT_EQ(figures["made_rows"], 4);
  EXPECT_EQ(figures["drift"],
            (nlohmann::json{{{"column", "age"}, {"missing", 1}, {"unknown", 0}, {"clipped", 2}, {"drifted", true}},
                            {{"column", "plan"}, {"missing", 0}, {"unknown", 2}, {"clipped", 0}, {"drifted", true}}}));
  EXPECT_THAT(rig.call("GET", "/metrics").body,
              AllOf(HasSubstr("sotto_clipped_numbers_total{column=\"age\"} 2\n"),
                    HasSubstr("sotto_unknown_categories_total{column=\"plan\"} 2\n"), Not(HasSubstr("secret"))));
  EXPECT_THAT(lines, ElementsAre("features: column 'plan': 1 of 2 values is of no category that the recipe knows"));
}

TEST_F(PartyApi, NamesColumnsThatDriftAsTheyAreWritten) {
  Recipe recipe = recipe_of_two_features();
  recipe.columns[1].name = "größe";
  recipe.columns[1].clip = 1;
  recipe.columns[2].name = "grüße";
  RowDrift drift;
  std::vector<std::string> lines;
  drift.report_to(
      recipe, [&](const std::string& line) { lines.push_back(line); }, rig.metrics);
  for (LiveTime hour = 0; hour < 3; ++hour) drift.add(recipe, {{1, CellMark::clipped}}, hour * RowDrift::between_lines);
  drift.add(recipe, {{2, CellMark::unknown}}, 0);
  EXPECT_THAT(rig.call("GET", "/metrics").body,
              AllOf(HasSubstr("_total{column=\"größe\"} 3\n"), HasSubstr("_total{column=\"grüße\"} 1\n")));
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines[0], HasSubstr("column 'größe'"));
}

TEST_F(PartyApi, TakesTheSameAgainAndNothingElse) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(put(1, R"({"schema":3,"x":[0.25,-1]})").status, 204U);
  EXPECT_EQ(put(1, R"({"schema":3,"values":{"age":0.25,"visits":-1}})").status, 204U);
  const ApiReply other = put(1, R"({"schema":3,"x":[0.25,-0.5]})");
  EXPECT_EQ(other.status, 409U);
  EXPECT_EQ(other.problem(), "event-conflict");
}

TEST_F(PartyApi, SaysWhatIsLateOrFull) {
  party.forced = PushStatus::too_late;
  const ApiReply late = put(1, R"({"schema":3,"x":[0,0]})");
  EXPECT_EQ(late.status, 409U);
  EXPECT_EQ(late.problem(), "too-late");
  party.forced = PushStatus::full;
  const ApiReply full = put(1, R"({"schema":3,"x":[0,0]})");
  EXPECT_EQ(full.problem(), "queue-full");
  EXPECT_EQ(full.headers.at("retry-after"), "1");
  party.trouble = CallRefusal::disk_full;
  EXPECT_EQ(put(1, R"({"schema":3,"x":[0,0]})").problem(), "disk-full");
}

TEST_F(PartyApi, NamesAColumnOutsideItsRangeAndNoValue) {
  for (const std::string bad : {"1.0000001", "-0.125", "77777", "1e300"}) {
    const ApiReply reply = put(1, R"({"schema":3,"x":[)" + bad + ",0]}");
    EXPECT_EQ(reply.status, 422U) << bad;
    EXPECT_EQ(reply.problem(), "feature-out-of-range") << bad;
    EXPECT_EQ(reply.json()["detail"], "column \"age\": expected a number from 0 to 1");
    EXPECT_THAT(reply.body, Not(HasSubstr(bad)));
  }
  rig.context->features.largest_norm = 1;
  EXPECT_EQ(put(1, R"({"schema":3,"x":[0.6,0.8]})").status, 204U);
  const ApiReply long_row = put(2, R"({"schema":3,"x":[0.6,0.81]})");
  EXPECT_EQ(long_row.problem(), "feature-out-of-range");
  EXPECT_EQ(long_row.json()["detail"], "the norm of the row is above 1");
}

TEST_F(PartyApi, RefusesAnotherSchemaBeforeItsNumbers) {
  const ApiReply reply = put(1, R"({"schema":2,"x":[1,2,3,4]})");
  EXPECT_EQ(reply.status, 422U);
  EXPECT_EQ(reply.problem(), "other-schema");
  EXPECT_EQ(reply.json()["detail"], "this party takes schema 3");
}

TEST_F(PartyApi, RefusesBodiesThatAreNone) {
  for (const std::string& body : std::vector<std::string>{"{",
                                                          "[]",
                                                          R"({"x":[0,0]})",
                                                          R"({"schema":3})",
                                                          R"({"schema":3,"x":[0]})",
                                                          R"({"schema":3,"x":[0,0,0]})",
                                                          R"({"schema":3,"x":[0,null]})",
                                                          R"({"schema":3,"x":[0,"1"]})",
                                                          R"({"schema":3,"x":[NaN,0]})",
                                                          R"({"schema":3,"x":[1e999,0]})",
                                                          R"({"schema":3,"x":{}})",
                                                          R"({"schema":3,"values":{"agee":1}})",
                                                          R"({"schema":3,"values":{"age":null}})",
                                                          R"({"schema":3,"values":[1]})",
                                                          R"({"schema":"3","x":[0,0]})",
                                                          R"({"schema":3.5,"x":[0,0]})",
                                                          R"({"schema":3,"x":[0,0],"values":{}})",
                                                          R"({"schema":3,"x":[0,0],"event":"a"})",
                                                          R"({"schema":3,"schema":3,"x":[0,0]})",
                                                          R"({"schema":3,"values":{"age":0,"age":1}})"}) {
    const ApiReply reply = put(1, body);
    EXPECT_EQ(reply.status, 400U) << body;
    EXPECT_EQ(reply.problem(), "bad-body") << body;
  }
  EXPECT_EQ(rig.call("PUT", "/v1/events/xyz/features", R"({"schema":3,"x":[0,0]})").problem(), "bad-event");
  EXPECT_EQ(rig.call("POST", features_path(1), R"({"schema":3,"x":[0,0]})").status, 405U);
  EXPECT_TRUE(party.pushed.empty());
}

TEST_F(PartyApi, StoresManyAndAnswersEachLine) {
  const auto line = [](unsigned number, const std::string& rest) {
    return R"({"event":")" + event_name(number) + "\"," + rest + "}\n";
  };
  const std::string good = R"("schema":3,"x":[0.5,0])";
  const ApiReply reply =
      rig.call("POST", "/v1/features:batch",
               line(1, good) + line(2, R"("schema":3,"x":[5,0])") + line(3, R"("schema":9,"x":[])") +
                   "{\"schema\":3}\n" + line(1, good) + line(1, R"("schema":3,"x":[1,0])") + "\n" + line(4, good));
  EXPECT_EQ(reply.status, 200U);
  const auto lines = reply.lines();
  ASSERT_EQ(lines.size(), 8U);
  const std::vector<int> expected{204, 422, 422, 400, 204, 409, 400, 204};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(lines[i]["status"], expected[i]) << i;
  EXPECT_EQ(lines[0], (nlohmann::json{{"event", event_name(1)}, {"status", 204}}));
  EXPECT_EQ(lines[1]["event"], event_name(2));
  EXPECT_EQ(party.pushed.size(), 4U);
  const auto none = rig.call("POST", "/v1/features:batch", "{}\n[]\n").lines();
  ASSERT_EQ(none.size(), 2U);
  EXPECT_EQ(none[1]["status"], 400);
}

TEST_F(PartyApi, ShowsTheRangesOfItsColumns) {
  const auto column = [&](std::size_t i) { return rig.call("GET", "/v1/figures").json()["columns"][i]; };
  EXPECT_EQ(column(0)["least"], nullptr);
  static_cast<void>(put(1, R"({"schema":3,"x":[0.25,-1]})"));
  static_cast<void>(put(2, R"({"schema":3,"x":[0.75,1]})"));
  static_cast<void>(put(2, R"({"schema":3,"x":[1,1.5]})"));
  EXPECT_EQ(column(0), (nlohmann::json{{"name", "age"}, {"low", 0}, {"high", 1}, {"least", 0.25}, {"largest", 0.75}}));
  EXPECT_EQ(column(1)["least"], -1);
  EXPECT_EQ(column(1)["largest"], 1);
}

TEST_F(PartyApi, HasNoPathsOfOtherRoles) {
  EXPECT_EQ(rig.call("POST", "/v1/decisions", "{}").status, 404U);
  EXPECT_EQ(rig.call("POST", "/v1/events/" + event_name(1) + "/reward", R"({"value":1})").status, 404U);
  EXPECT_EQ(rig.call("POST", "/v1/drain").status, 404U);
}

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
  it.rewarder.trouble = CallRefusal::full;
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
