#include "apps/live/api/live_routes.h"
#include "tests/apps/live/api/role_rig.h"

namespace sotto::apps::live {

using namespace sotto::apps::bandit;
namespace {

using namespace api_test;
using namespace std::chrono_literals;

TEST(PrivacyApi, TellsWhatPrivacyWasSpent) {
  at_each_role([](ApiRig& rig, auto& service) {
    const auto privacy = rig.call("GET", "/v1/privacy").json();
    EXPECT_EQ(privacy["epsilon"], 0.3);
    EXPECT_NEAR(privacy["eta_per_action"]["exact"], std::log(3 / 0.3 - 2), 1e-12);
    EXPECT_FALSE(privacy["views"]["sees"].empty());
    if (!service.the_status.decisions_ever) {
      EXPECT_EQ(privacy["decisions"], nullptr);
      EXPECT_EQ(privacy["eta_composed"], nullptr);
      return;
    }
    EXPECT_EQ(privacy["decisions"], 1000);
    EXPECT_NEAR(privacy["eta_composed"]["basic"], 1000 * std::log(3 / 0.3 - 2), 1e-9);
  });
  RoleRig<FakeActor> of_two("actor");
  of_two.rig.context->terms.randomness =
      randomness_account(RandomnessBy::ot, bandit_topology(2, true, RandomnessBy::ot));
  const auto sources = of_two.rig.call("GET", "/v1/privacy").json()["randomness"];
  ASSERT_FALSE(sources.empty());
  EXPECT_EQ(sources[0]["read_by"], nlohmann::json::array({nlohmann::json::array({"party 0", "party 1"})}));
  RoleRig<FakeActor> greedy("actor");
  greedy.rig.context->terms.epsilon = 0;
  const auto privacy = greedy.rig.call("GET", "/v1/privacy").json();
  EXPECT_EQ(privacy["eta_per_action"]["exact"], nullptr);
  EXPECT_EQ(privacy["eta_composed"]["bound"], "unbounded");
}

TEST(PrivacyApi, TellsSumsOfAgreementToTheActorAlone) {
  at_each_role([](ApiRig& rig, auto& service) {
    rig.context->terms.agreement = {2000, .5};
    const bool is_actor = service.the_status.kind == LiveRoleKind::actor;
    EXPECT_NE(keeps_order(service.the_status.kind), rig.call("GET", "/v1/privacy").json()["agreement"].is_null());
    if (!keeps_order(service.the_status.kind)) return;
    EXPECT_EQ(rig.call("GET", "/v1/privacy").json()["agreement"]["last"], nullptr);
    Agreement& agreement = service.the_status.agreement;
    agreement.events = 412;
    agreement.opened = 3;
    agreement.spent = 1.5;
    agreement.last = {2016, -3};
    agreement.all = {6040, 5190};
    const auto told = rig.call("GET", "/v1/privacy").json()["agreement"];
    EXPECT_EQ(told["window"], 2000);
    EXPECT_EQ(told["epsilon"], .5);
    EXPECT_EQ(told["warning"], nullptr);
    EXPECT_EQ(told["compared"], 412);
    EXPECT_EQ(told["shown"], 3);
    EXPECT_EQ(told["epsilon_spent"], 1.5);
    EXPECT_EQ(told["last"], is_actor ? (nlohmann::json{{"events", 2016}, {"agreed", -3}}) : nlohmann::json(nullptr));
    EXPECT_EQ(told["all"].is_null(), !is_actor);
    EXPECT_THAT(rig.call("GET", "/metrics").body,
                AllOf(HasSubstr("sotto_agreement_windows_total 3\n"), HasSubstr("sotto_agreement_epsilon 1.5\n")));
  });
}

TEST(PrivacyApi, TellsWhatAPartyGaveAwayOfSubjects) {
  at_each_role([](ApiRig& rig, auto& service) {
    const bool is_party = service.the_status.kind == LiveRoleKind::party;
    EXPECT_NE(rig.call("GET", "/v1/privacy").json()["subjects"].is_null(), is_party);
    EXPECT_EQ(rig.call("GET", "/v1/privacy?subject=anna").status, is_party ? 200U : 400U);
  });
  RoleRig<FakeParty> party("party");
  SubjectFigures figures;
  figures.limits = {20, 400};
  figures.most_today = 20;
  figures.most_ever = 311;
  figures.at_limit = 2;
  figures.default_rows = 480;
  figures.uncharged = 31;
  party.service.the_counters.subjects = figures;
  party.rig.context->terms.epsilon = .1;
  party.rig.context->terms.arms = {"a", "b"};
  const auto told = party.rig.call("GET", "/v1/privacy").json()["subjects"];
  EXPECT_EQ(told["limit_per_day"], 20);
  EXPECT_EQ(told["limit_ever"], 400);
  EXPECT_EQ(told["most_today"], 20);
  EXPECT_EQ(told["most_ever"], 311);
  EXPECT_EQ(told["at_limit"], 2);
  EXPECT_EQ(told["default_rows"], 480);
  EXPECT_EQ(told["uncharged"], 31);
  EXPECT_NEAR(told["eta_most"].get<double>(), 311 * std::log(19), 1e-9);
  EXPECT_NEAR(told["bits_most"].get<double>(), 311 * .7136, .02);
  EXPECT_THAT(party.rig.call("GET", "/metrics").body,
              AllOf(HasSubstr("sotto_limited_events_total 480\n"), HasSubstr("sotto_subjects_at_limit 2\n"),
                    HasSubstr("sotto_subject_events_today 20\n")));
  const auto one = party.rig.call("GET", "/v1/privacy?subject=customer%207").json();
  EXPECT_EQ(one["subject"]["today"], 0);
  EXPECT_EQ(one["subject"]["bits"], 0);
  EXPECT_EQ(one["subjects"]["most_ever"], 311);
  EXPECT_EQ(party.rig.call("GET", "/v1/privacy?subject=").status, 400U);
  party.rig.context->terms.epsilon = 0;
  EXPECT_EQ(party.rig.call("GET", "/v1/privacy").json()["subjects"]["eta_most"], nullptr);
}

TEST(PrivacyApi, SaysWhereAPartyCountsNothingOrWaitsForADay) {
  LiveStatus status;
  status.kind = LiveRoleKind::party;
  status.role = "party 0";
  status.mode = LiveMode::apprentice;
  const auto names = [&] {
    std::vector<std::string> names;
    for (const LiveWarning& warning : warnings_of(status, 0)) names.push_back(warning.name);
    return names;
  };
  EXPECT_THAT(names(), ElementsAre("account"));
  status.has_account = true;
  EXPECT_THAT(names(), ElementsAre());
  status.account_trouble = "another process uses it";
  EXPECT_THAT(names(), ElementsAre("account"));
  status.account_trouble.clear();
  status.days_ahead = 3;
  EXPECT_THAT(names(), ElementsAre("days"));
  EXPECT_THAT(warnings_of(status, 0).front().text, HasSubstr("3 days"));
}

TEST(PrivacyApi, StampsAWeakEpsilonOfWindows) {
  at_each_role([](ApiRig& rig, auto& service) {
    if (!keeps_order(service.the_status.kind)) return;
    rig.context->terms.agreement = {1000, 2};
    EXPECT_EQ(rig.call("GET", "/v1/privacy").json()["agreement"]["warning"], nullptr);
    rig.context->terms.agreement = {1000, 5};
    EXPECT_THAT(rig.call("GET", "/v1/privacy").json()["agreement"]["warning"].template get<std::string>(),
                AllOf(HasSubstr("agreement_epsilon = 5 is above 2"), HasSubstr("99.33%"),
                      HasSubstr("Each window costs as much again")));
  });
}

}  // namespace
}  // namespace sotto::apps::live
