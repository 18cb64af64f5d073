#include <fmt/format.h>

#include "apps/kit/files/json.h"
#include "apps/kit/report/described.h"
#include "apps/p2b/roles/store_file.h"
#include "tests/apps/p2b/roles/role_threads.h"
#include "tests/apps/support.h"

namespace sotto::apps::p2b {
namespace {

class P2bRoles : public RolesInThreads {};

TEST_F(P2bRoles, BringReportsOfAllAgentsToTheModel) {
  ServerSettings of_server = server_settings();
  of_server.until = 2;
  RunningServer server(run(of_server));
  ShufflerSettings settings = shuffler_settings(server);
  settings.periods = 3;
  RunningShuffler shuffler(run(settings));
  const net::ClientConfig agent = agent_of(shuffler);
  for (const int half : {0, 1}) {
    std::vector<std::thread> agents;
    for (int a = 0; a < 3; ++a) agents.emplace_back([&, a] { send_users(agent, 100 * a + 50 * half, 50); });
    for (std::thread& thread : agents) thread.join();
    clock_.pass(hour);
    shuffler.told().wait_for_line(fmt::format("batch of {}: 150 reports", tick_text(clock_.now())));
  }
  clock_.pass(hour);
  const ShufflerReport report = shuffler.wait();
  EXPECT_EQ(shuffler.failure(), "");
  EXPECT_EQ(report.counts, (QueueCounts{.reports = 300, .batches = 2, .kept = 300}));
  const ServerReport at_server = server.wait();
  EXPECT_EQ(at_server.tuples, 300U);
  EXPECT_EQ(at_server.batches, 2U);
  EXPECT_EQ(at_server.repeated_parts, 0U);

  SurvivorStore store(file("survivors.db"), terms_);
  Multiset got;
  store.replay([&](std::span<const Tuple> tuples) { add_to(got, tuples); });
  Multiset expected;
  for (std::uint32_t u = 0; u < 300; ++u) ++expected[{u % 8, u % 3, u % 2 == 0 ? 1.0 : 0.0}];
  EXPECT_EQ(got, expected);
  std::ifstream in(file("model.json"));
  const auto json = nlohmann::json::parse(in);
  EXPECT_EQ(json.at("batches"), 2);
  EXPECT_NEAR(json.at("epsilon").get<double>(), 0.6931, 1e-4);
  EXPECT_TRUE(json.contains("delta"));
}

TEST_F(P2bRoles, GiveTheModelToAnAgent) {
  {
    SurvivorStore store(file("survivors.db"), terms_);
    EXPECT_TRUE(store.take({{{}, 1, 0}, 1, {{2, 1, 1}, {2, 1, 0.5}, {3, 0, 0}}}));
  }
  RunningServer server(run(server_settings()));
  net::ServiceClient client(client_of(server.address(), *server_key_, p2b_server_name));
  const net::Message answer = client.ask(message(P2bMessage::model), net::Clock::now() + std::chrono::seconds(20));
  const auto model = decode_model(answer.payload);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->terms, terms_);
  Model got = Model::from_bytes(model->model, nullptr);
  EXPECT_EQ(got.updates(), 3U);
  EXPECT_NEAR(got.theta(2, 1), 1.5 / 3, 1e-12);
  EXPECT_EQ(server.stop().models_given, 1U);
}

// A full model of 1024 codes and 100 arms takes 2.5 MB. A message with tuples has at most 1 MB, so this limit must not
// apply to models.
TEST_F(P2bRoles, GiveALargeModelToAnAgent) {
  terms_.codes = 1024;
  terms_.arms = 100;
  {
    SurvivorStore store(file("survivors.db"), terms_);
    std::vector<Tuple> tuples;
    for (std::uint32_t cell = 0; cell < 102'400; ++cell) tuples.push_back({cell / 100, cell % 100, 1});
    EXPECT_TRUE(store.take({{{}, 1, 0}, 1, std::move(tuples)}));
  }
  RunningServer server(run(server_settings()));
  net::ServiceClient client(client_of(server.address(), *server_key_, p2b_server_name));
  const net::Message answer = client.ask(message(P2bMessage::model), net::Clock::now() + std::chrono::seconds(60));
  const auto model = decode_model(answer.payload);
  ASSERT_TRUE(model);
  EXPECT_GT(model->model.size(), longest_part_message);
  EXPECT_EQ(Model::from_bytes(model->model, nullptr).updates(), 102'400U);
  EXPECT_EQ(server.stop().models_given, 1U);
}

TEST_F(P2bRoles, KeepWhatIsSentAgainAfterTheShufflerWasStopped) {
  ShufflerSettings settings = shuffler_settings();
  std::optional<RunningShuffler> shuffler;
  shuffler.emplace(run(settings));
  const net::ClientConfig agent = agent_of(*shuffler);
  settings.service.listen = agent.service;
  {
    Reporter reporter(agent, {1, 4}, net::never_interrupted);
    for (int u = 0; u < 40; ++u) {
      reporter.add(user_token(std::to_string(u)), {1, 1, 1});
      if (u == 20) {
        shuffler->stop();
        shuffler.reset();
        shuffler.emplace(run(settings));
      }
    }
    reporter.finish();
    EXPECT_EQ(reporter.totals(), (ReportTotals{.sent = 40, .taken = 40, .reconnected = 1}));
  }
  const ShufflerReport report = shuffler->stop();
  EXPECT_EQ(report.counts.reports, 40U);
  EXPECT_EQ(report.counts.waiting, 40U);
}

TEST_F(P2bRoles, WaitForAServerThatIsNotThere) {
  RunningServer first(run(server_settings()));
  ShufflerSettings settings = shuffler_settings(first);
  ServerSettings again = server_settings();
  again.service.listen = first.address();
  first.stop();
  settings.server->retry_for = std::chrono::milliseconds(1);
  RunningShuffler shuffler(run(settings));
  send_users(agent_of(shuffler), 0, 30);
  clock_.pass(hour);
  shuffler.told().wait_for_line("of batches in the queue, to be tried again");
  RunningServer second(run(again));
  second.told().wait_for_line("batches 1");
  EXPECT_EQ(second.stop().tuples, 30U);
}

TEST_F(P2bRoles, ReleaseAtItsTickWhatWasLeftWaiting) {
  terms_.threshold = 5;
  RunningServer server(run(server_settings()));
  ShufflerSettings settings = shuffler_settings(server);
  {
    RunningShuffler shuffler(run(settings));
    Reporter reporter(agent_of(shuffler), {}, net::never_interrupted);
    for (int u = 0; u < 7; ++u) reporter.add(user_token(std::to_string(u)), {u < 5 ? 1U : 2U, 0, 1});
    reporter.finish();
    EXPECT_EQ(shuffler.stop().counts.waiting, 7U);
  }
  settings.release = true;
  {
    // No operator can release a batch before its tick. Otherwise the moment of the release could depend on the number
    // of reports, and so reveal the number.
    RunningShuffler stopped(run(settings));
    (void)stopped.stop();
    EXPECT_NE(stopped.failure(), "");
  }
  RunningShuffler release(run(settings));
  clock_.pass(hour);
  const ShufflerReport report = release.wait();
  EXPECT_EQ(release.failure(), "");
  EXPECT_EQ(report.counts, (QueueCounts{7, 0, 1, 5, 2, 1, 0}));
  EXPECT_EQ(server.stop().tuples, 5U);
}

TEST_F(P2bRoles, SayWhatOfTheShufflersNumbersIsNotToPublish) {
  const ShufflerReport report("shuffler", terms_, false);
  const auto json = json_of(report);
  const std::set<std::string> secret = json.at("not_to_publish");
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number() || json_of(terms_).contains(name)) continue;
    const bool may = name == "kept" || name == "undelivered_parts" || name == "dropped_connections";
    EXPECT_NE(secret.count(name) == 1, may) << name;
  }
  EXPECT_THAT(summary_text(report, {}), HasSubstr("NOT TO PUBLISH"));
}

using ::testing::Contains;

class P2bHostileClients : public RolesInThreads {
 protected:
  static std::string answer_to(const net::ClientConfig& config, const net::Message& bad) {
    return error_of<ProtocolError>(
        [&] { (void)net::ServiceClient(config).ask(bad, net::Clock::now() + std::chrono::seconds(20)); });
  }
};

TEST_F(P2bHostileClients, DropAndCountWhatIsOutsideTheTerms) {
  RunningShuffler shuffler(run(shuffler_settings()));
  Reporter reporter(agent_of(shuffler), {}, net::never_interrupted);
  reporter.add(user_token("a"), {8, 0, 1});
  reporter.add(user_token("b"), {0, 3, 1});
  reporter.add(user_token("c"), {0, 0, 1.01});
  reporter.add(user_token("d"), {0, 0, std::numeric_limits<double>::quiet_NaN()});
  reporter.add(user_token("e"), {0, 0, 1});
  reporter.add(user_token("e"), {1, 1, 0});
  reporter.finish();
  EXPECT_EQ(reporter.totals().invalid, 4U);
  // No caller learns whether a user has reported.
  EXPECT_EQ(reporter.totals().taken, 2U);
  const ShufflerReport report = shuffler.stop();
  EXPECT_EQ(report.counts.reports, 1U);
  EXPECT_EQ(report.refused, (RefusedReports{.second = 1, .bad_code = 1, .bad_arm = 1, .bad_reward = 2}));
  EXPECT_THAT(shuffler.told().lines(),
              Contains("dropped reports: 1 with a code outside 0..7, 1 with an arm outside 0..2, 2 with a reward "
                       "outside 0..1, 1 of a user that has reported already"));
}

TEST_F(P2bHostileClients, AHostileAgentIsDroppedAndNobodyElse) {
  RunningShuffler shuffler(run(shuffler_settings()));
  const net::ClientConfig agent = agent_of(shuffler);
  const auto refusal = [&](const net::Message& bad) { return answer_to(agent, bad); };
  EXPECT_THAT(refusal(message(P2bMessage::reports, Payload(47))), HasSubstr("another length"));
  EXPECT_THAT(refusal(message(P2bMessage::reports)), HasSubstr("another length"));
  EXPECT_THAT(refusal(message(P2bMessage::terms, Payload(1))), HasSubstr("not empty"));
  EXPECT_THAT(refusal(message(P2bMessage::survivors)), HasSubstr("no message of an agent"));
  EXPECT_THAT(refusal(message(P2bMessage::receipt)), HasSubstr("no message of an agent"));
  EXPECT_THAT(refusal({12345, {}}), HasSubstr("no message of an agent"));
  EXPECT_NE(refusal(message(P2bMessage::reports, Payload(longest_report_message + 1))), "");
  send_users(agent, 0, 20);
  const ShufflerReport report = shuffler.stop();
  EXPECT_EQ(report.counts.reports, 20U);
  EXPECT_EQ(report.refused.malformed, 7U);
}

TEST_F(P2bHostileClients, OnlyTheShufflerBringsBatches) {
  RunningServer server(run(server_settings()));
  const net::ClientConfig stranger = client_of(server.address(), *server_key_, p2b_server_name);
  const Payload part = encode(SurvivorPart{{{}, 1, 0}, 1, {{1, 1, 1}}});
  for (const net::Message& bad : {message(P2bMessage::survivors, part), message(P2bMessage::terms, encode(terms_))}) {
    EXPECT_THAT(error_of<TrustError>(
                    [&] { (void)net::ServiceClient(stranger).ask(bad, net::Clock::now() + std::chrono::seconds(20)); }),
                HasSubstr("takes batches from the shufflers that it trusts"));
  }
  net::ClientConfig shuffler = stranger;
  shuffler.trust.identity = shuffler_key_;
  EXPECT_THAT(answer_to(shuffler, message(P2bMessage::survivors, Payload(33))), HasSubstr("no part of a batch"));
  EXPECT_THAT(answer_to(shuffler, message(P2bMessage::terms, Payload(3))), HasSubstr("no terms"));
  const Payload outside = encode(SurvivorPart{{{}, 1, 0}, 1, {{1, 1, 1}, {8, 1, 1}}});
  EXPECT_THAT(answer_to(shuffler, message(P2bMessage::survivors, outside)), HasSubstr("outside the terms"));
  net::ServiceClient client(shuffler);
  for (int i = 0; i < 2; ++i) {
    const net::Message answer =
        client.ask(message(P2bMessage::survivors, part), net::Clock::now() + std::chrono::seconds(20));
    EXPECT_EQ(decode_part_name(answer.payload), (PartName{{}, 1, 0}));
  }
  const ServerReport report = server.stop();
  EXPECT_EQ(report.tuples, 1U);
  EXPECT_EQ(report.repeated_parts, 1U);
}

TEST_F(P2bHostileClients, RefuseAServerOfOtherTerms) {
  RunningServer server(run(server_settings()));
  terms_.arms = 4;
  ShufflerSettings settings = shuffler_settings(server);
  RunningShuffler shuffler(run(settings));
  Reporter reporter(agent_of(shuffler), {}, net::never_interrupted);
  for (int u = 0; u < 2; ++u) reporter.add(user_token(std::to_string(u)), {1, 0, 1});
  try {
    reporter.finish();
  } catch (const NetworkError&) {
  }
  clock_.pass(hour);
  EXPECT_THAT(shuffler.failure(), HasSubstr("the p2b server has 3 arms, here 4"));
}

TEST_F(P2bHostileClients, TakeNothingForAShufflerThatIsNotPinned) {
  RunningShuffler shuffler(run(shuffler_settings()));
  net::ClientConfig agent = agent_of(shuffler);
  agent.trust.trusted = {server_key_->fingerprint()};
  Reporter reporter(agent, {}, net::never_interrupted);
  EXPECT_THROW((void)reporter.terms(), TrustError);
}

TEST_F(P2bHostileClients, LetInTheAgentsThatWereNamed) {
  const auto known = std::make_shared<const net::Identity>(net::Identity::create("agent"));
  ShufflerSettings settings = shuffler_settings();
  settings.service.trust.trusted = {known->fingerprint()};
  RunningShuffler shuffler(run(settings));
  net::ClientConfig agent = agent_of(shuffler);
  agent.trust.identity = nullptr;
  EXPECT_THROW((void)Reporter(agent, {}, net::never_interrupted).terms(), TrustError);
  agent.trust.identity = known;
  EXPECT_EQ(Reporter(agent, {}, net::never_interrupted).terms().codes, settings.terms.codes);
}

TEST_F(P2bHostileClients, ServeAgentsWhileTheServerIsNotThePinnedOne) {
  RunningServer other(run(server_settings()));
  ShufflerSettings settings = shuffler_settings(other);
  settings.server->trust.trusted = {shuffler_key_->fingerprint()};
  RunningShuffler shuffler(run(settings));
  Reporter reporter(agent_of(shuffler), {1, 1}, net::never_interrupted);
  for (int u = 0; u < 6; ++u) reporter.add(user_token(std::to_string(u)), {1, 0, 1});
  clock_.pass(hour);
  shuffler.told().wait_for_line("is trusted for it");
  for (int u = 6; u < 10; ++u) reporter.add(user_token(std::to_string(u)), {1, 0, 1});
  reporter.finish();
  EXPECT_EQ(shuffler.stop().counts.reports, 10U);
  settings.release = true;
  clock_.pass(hour);
  EXPECT_THAT(RunningShuffler(run(settings)).failure(), HasSubstr("is trusted for it"));
  EXPECT_EQ(other.stop().tuples, 0U);
}

TEST_F(P2bHostileClients, ServeAgentsWhileTheServerDoesNotTrustTheShuffler) {
  ServerSettings of_others = server_settings();
  of_others.service.trust.trusted = {server_key_->fingerprint()};
  RunningServer server(run(of_others));
  ShufflerSettings settings = shuffler_settings(server);
  RunningShuffler shuffler(run(settings));
  send_users(agent_of(shuffler), 0, 6);
  clock_.pass(hour);
  shuffler.told().wait_for_line("none of theirs");
  const auto is_about_theirs = [](const std::string& line) { return line.find("none of theirs") != std::string::npos; };
  server.told().wait_for(
      [&](const auto& lines) { return std::count_if(lines.begin(), lines.end(), is_about_theirs) >= 2; });
  send_users(agent_of(shuffler), 6, 4);
  EXPECT_EQ(shuffler.stop().counts.reports, 10U);
  const std::vector<std::string> told = shuffler.told().lines();
  EXPECT_EQ(std::count_if(told.begin(), told.end(), is_about_theirs), 1);
  settings.release = true;
  clock_.pass(hour);
  EXPECT_THAT(RunningShuffler(run(settings)).failure(), HasSubstr("none of theirs"));
  EXPECT_EQ(server.stop().tuples, 0U);
}

TEST_F(P2bHostileClients, SayWhatSettingsCannotBe) {
  ShufflerSettings shuffler;
  for (const std::uint64_t period :
       {std::uint64_t{0}, std::uint64_t{2'592'001}, std::numeric_limits<std::uint64_t>::max()}) {
    shuffler = shuffler_settings();
    shuffler.period = period;
    EXPECT_THAT(RunningShuffler(run(shuffler)).failure(), HasSubstr("expected 1 s to 30 days"));
  }
  shuffler = shuffler_settings();
  shuffler.service.trust.identity = nullptr;
  EXPECT_THAT(RunningShuffler(run(shuffler)).failure(), HasSubstr("sotto keys new"));
  shuffler = shuffler_settings();
  shuffler.release = true;
  EXPECT_THAT(RunningShuffler(run(shuffler)).failure(), HasSubstr("--server"));
  ServerSettings server = server_settings();
  server.service.trust.trusted.clear();
  EXPECT_THAT(RunningServer(run(server)).failure(), HasSubstr("the shuffler's fingerprint"));
  server = server_settings();
  server.contexts = ContextKind::centroid;
  EXPECT_THAT(RunningServer(run(server)).failure(), HasSubstr("need the encoder's file"));
}

}  // namespace
}  // namespace sotto::apps::p2b
