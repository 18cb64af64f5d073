// Shuffler, server and reporters together, as threads.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sotto/apps/kit/report/described.h"
#include "sotto/apps/p2b/roles/store_file.h"
#include "tests/apps/p2b/roles/role_threads.h"

namespace sotto::apps {
namespace {

using ::testing::HasSubstr;

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
    for (int a = 0; a < 3; ++a) {
      agents.emplace_back([&, a] { send_users(agent, 100 * a + 50 * half, 50); });
    }
    for (std::thread& thread : agents) thread.join();
    clock_.pass(hour);
    shuffler.told().wait_for_line(fmt::format("batch of {}: 150 reports", tick_text(clock_.now())));
  }
  clock_.pass(hour);  // nothing came
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

TEST_F(P2bRoles, KeepWhatIsSentAgainAfterTheShufflerWasStopped) {
  ShufflerSettings settings = shuffler_settings();
  std::optional<RunningShuffler> shuffler;
  shuffler.emplace(run(settings));
  const net::ClientConfig agent = agent_of(*shuffler);
  settings.service.listen = agent.service;  // the same port again
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
    // Not before: who may choose the moment may choose it by the count.
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

}  // namespace
}  // namespace sotto::apps
