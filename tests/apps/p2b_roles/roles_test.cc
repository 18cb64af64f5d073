// Shuffler, server and reporters as threads, and hostile clients of both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/p2b/roles/reporter.h"
#include "apps/p2b/roles/run_server.h"
#include "apps/p2b/roles/run_shuffler.h"
#include "apps/p2b/roles/survivor_store.h"
#include "core/error/errors.h"
#include "tests/apps/p2b_roles/folders.h"

namespace sotto::apps {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

std::shared_ptr<const net::Identity> new_key() {
  return std::make_shared<const net::Identity>(net::Identity::create("a role of a test"));
}

// What a role tells, for a test that waits for it.
class Told {
 public:
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
    changed_.notify_all();
  }
  void wait_for(const std::function<bool(const std::vector<std::string>&)>& enough) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return enough(lines_); });
  }
  void wait_for_line(const std::string& part) {
    wait_for([&](const auto& lines) {
      return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
        return line.find(part) != std::string::npos;
      });
    });
  }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
};

// A role in a thread, with its address and its report.
template <class Report>
class Running {
 public:
  using Run = std::function<Report(Told&, const std::function<void(const net::Address&)>&,
                                   const std::atomic<bool>&)>;
  explicit Running(Run run) {
    thread_ = std::thread([this, run = std::move(run)] {
      try {
        report_ = run(
            told_,
            [this](const net::Address& address) {
              address_ = address;
              told_.add("listening");
            },
            interrupted_);
      } catch (const Error& error) {
        failure_ = error.what();
      }
      told_.add("ended " + failure_);
    });
  }
  ~Running() { stop(); }
  const net::Address& address() {
    told_.wait_for([](const auto& lines) { return !lines.empty(); });
    return address_;
  }
  // As Ctrl-C does.
  Report stop() {
    interrupted_ = true;
    return wait();
  }
  Report wait() {
    if (thread_.joinable()) thread_.join();
    return report_.value_or(Report{});
  }
  const std::string& failure() {
    wait();
    return failure_;
  }
  Told& told() { return told_; }

 private:
  Told told_;
  net::Address address_;
  std::optional<Report> report_;
  std::string failure_;
  std::atomic<bool> interrupted_{false};
  std::thread thread_;
};
using RunningShuffler = Running<ShufflerReport>;
using RunningServer = Running<ServerReport>;

class P2bRoles : public ::testing::Test {
 protected:
  ServerSettings server_settings() {
    ServerSettings settings;
    settings.store = folder_.path() / "survivors.db";
    settings.model = folder_.path() / "model.json";
    settings.terms = terms_;
    settings.service.listen = {"127.0.0.1", 0};
    settings.service.trust.identity = server_key_;
    settings.service.trust.trusted = {shuffler_key_->fingerprint()};
    return settings;
  }
  ShufflerSettings shuffler_settings(std::uint64_t batch) {
    ShufflerSettings settings;
    settings.queue = folder_.path() / "queue.db";
    settings.terms = terms_;
    settings.batch_size = batch;
    settings.service.listen = {"127.0.0.1", 0};
    settings.service.trust.identity = shuffler_key_;
    return settings;
  }
  net::ClientConfig client_of(const net::Address& address, const net::Identity& service,
                              const char* name) {
    net::ClientConfig config;
    config.service = address;
    config.name = name;
    config.trust.trusted = {service.fingerprint()};
    config.retry_for = std::chrono::seconds(20);
    return config;
  }
  net::ClientConfig agent_of(RunningShuffler& shuffler) {
    return client_of(shuffler.address(), *shuffler_key_, p2b_shuffler_name);
  }
  void deliver_to(ShufflerSettings& settings, RunningServer& server) {
    settings.server = client_of(server.address(), *server_key_, p2b_server_name);
    settings.server->trust.identity = shuffler_key_;
  }
  static RunningServer::Run run(ServerSettings settings) {
    return [settings](Told& told, const auto& listening, const std::atomic<bool>& flag) {
      return run_server(settings,
                        {[&](const std::string& line) { told.add(line); }, listening,
                         [&](std::uint64_t batches, std::uint64_t) {
                           told.add("batches " + std::to_string(batches));
                         }},
                        flag);
    };
  }
  static RunningShuffler::Run run(ShufflerSettings settings) {
    return [settings](Told& told, const auto& listening, const std::atomic<bool>& flag) {
      return run_shuffler(settings,
                          {[&](const std::string& line) { told.add(line); }, listening,
                           [&](const ClosedBatch& batch) { told.add(batch_text(batch)); }},
                          flag);
    };
  }
  std::filesystem::path file(const char* name) const { return folder_.path() / name; }

  P2bTerms terms_ = small_terms();
  std::shared_ptr<const net::Identity> server_key_ = new_key();
  std::shared_ptr<const net::Identity> shuffler_key_ = new_key();
  PrivateFolder folder_;
};

void send_users(const net::ClientConfig& shuffler, int first, int count,
                ReportTotals* totals = nullptr, ReporterSettings settings = {7, 3}) {
  Reporter reporter(shuffler, settings, net::never_interrupted);
  EXPECT_EQ(reporter.terms(), small_terms());
  for (int u = first; u < first + count; ++u) {
    const auto n = static_cast<std::uint32_t>(u);
    reporter.add(user_token("user " + std::to_string(u)), {n % 8, n % 3, u % 2 == 0 ? 1.0 : 0.0});
  }
  reporter.finish();
  if (totals != nullptr) *totals = reporter.totals();
}

net::Message message(P2bMessage type, Payload payload = {}) {
  return {static_cast<std::uint16_t>(type), std::move(payload)};
}

TEST_F(P2bRoles, BringReportsOfAllAgentsToTheModel) {
  ServerSettings of_server = server_settings();
  of_server.until = 8;
  RunningServer server(run(of_server));
  ShufflerSettings settings = shuffler_settings(40);
  deliver_to(settings, server);
  settings.until = 300;
  RunningShuffler shuffler(run(settings));
  const net::ClientConfig agent = agent_of(shuffler);
  std::vector<std::thread> agents;
  for (int a = 0; a < 3; ++a) agents.emplace_back([&, a] { send_users(agent, 100 * a, 100); });
  for (std::thread& thread : agents) thread.join();
  const ShufflerReport report = shuffler.wait();
  EXPECT_EQ(shuffler.failure(), "");
  EXPECT_EQ(report.counts.reports, 300U);
  EXPECT_EQ(report.counts.kept, 300U);
  EXPECT_EQ(report.counts.batches, 8U);  // the last of 20, at the end
  EXPECT_EQ(report.counts.waiting, 0U);
  EXPECT_EQ(report.counts.parts_to_deliver, 0U);
  const ServerReport at_server = server.wait();
  EXPECT_EQ(at_server.tuples, 300U);
  EXPECT_EQ(at_server.batches, 8U);
  EXPECT_EQ(at_server.repeated_parts, 0U);

  SurvivorStore store(file("survivors.db"), terms_);
  Multiset got;
  store.replay([&](std::span<const Tuple> tuples) { add_to(got, tuples); });
  Multiset expected;
  for (std::uint32_t u = 0; u < 300; ++u) ++expected[{u % 8, u % 3, u % 2 == 0 ? 1.0 : 0.0}];
  EXPECT_EQ(got, expected);
  std::ifstream in(file("model.json"));
  const auto json = nlohmann::json::parse(in);
  EXPECT_EQ(json.at("batches"), 8);
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
  const net::Message answer =
      client.ask(message(P2bMessage::model), net::Clock::now() + std::chrono::seconds(20));
  const auto model = decode_model(answer.payload);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->terms, terms_);
  Model got = Model::from_bytes(model->model, nullptr);
  EXPECT_EQ(got.updates(), 3U);
  EXPECT_NEAR(got.theta(2, 1), 1.5 / 3, 1e-12);
  EXPECT_EQ(server.stop().models_given, 1U);
}

TEST_F(P2bRoles, KeepWhatIsSentAgainAfterTheShufflerWasStopped) {
  ShufflerSettings settings = shuffler_settings(1000);
  ReportTotals totals;
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
    totals = reporter.totals();
  }
  EXPECT_EQ(totals.sent, 40U);
  EXPECT_EQ(totals.taken, 40U);
  EXPECT_EQ(totals.reconnected, 1U);
  const ShufflerReport report = shuffler->stop();
  EXPECT_EQ(report.counts.reports, 40U);
  EXPECT_EQ(report.counts.waiting, 40U);
}

TEST_F(P2bRoles, WaitForAServerThatIsNotThere) {
  RunningServer first(run(server_settings()));
  ShufflerSettings settings = shuffler_settings(10);
  deliver_to(settings, first);
  ServerSettings again = server_settings();
  again.service.listen = first.address();
  first.stop();
  settings.server->retry_for = std::chrono::milliseconds(1);
  RunningShuffler shuffler(run(settings));
  send_users(agent_of(shuffler), 0, 30);
  shuffler.told().wait_for_line("parts of batches wait in the queue");
  RunningServer second(run(again));
  second.told().wait_for_line("batches 3");
  EXPECT_EQ(second.stop().tuples, 30U);
}

TEST_F(P2bRoles, ReleaseOnDemand) {
  RunningServer server(run(server_settings()));
  terms_.threshold = 5;
  ServerSettings of_five = server_settings();
  of_five.store = file("five.db");
  RunningServer server_of_five(run(of_five));
  ShufflerSettings settings = shuffler_settings(1000);
  deliver_to(settings, server_of_five);
  {
    RunningShuffler shuffler(run(settings));
    Reporter reporter(agent_of(shuffler), {}, net::never_interrupted);
    for (int u = 0; u < 7; ++u)
      reporter.add(user_token(std::to_string(u)), {u < 5 ? 1U : 2U, 0, 1});
    reporter.finish();
    EXPECT_EQ(shuffler.stop().counts.waiting, 7U);
  }
  settings.release = true;
  RunningShuffler release(run(settings));
  const ShufflerReport report = release.wait();
  EXPECT_EQ(release.failure(), "");
  EXPECT_FALSE(report.held);
  EXPECT_EQ(report.counts.kept, 5U);
  EXPECT_EQ(report.counts.dropped, 2U);
  EXPECT_EQ(server_of_five.stop().tuples, 5U);
}

TEST_F(P2bRoles, HoldABatchThatIsTooSmall) {
  terms_.threshold = 5;
  RunningServer server(run(server_settings()));
  ShufflerSettings settings = shuffler_settings(1000);
  deliver_to(settings, server);
  {
    RunningShuffler shuffler(run(settings));
    Reporter reporter(agent_of(shuffler), {}, net::never_interrupted);
    for (int u = 0; u < 4; ++u) reporter.add(user_token(std::to_string(u)), {1, 0, 1});
    reporter.finish();
  }
  settings.release = true;
  RunningShuffler release(run(settings));
  const ShufflerReport report = release.wait();
  EXPECT_TRUE(report.held);
  EXPECT_EQ(report.counts.waiting, 4U);
  EXPECT_EQ(report.counts.batches, 0U);
  EXPECT_THAT(summary_text(report, false), HasSubstr("held: fewer than the threshold"));
  EXPECT_EQ(server.stop().tuples, 0U);
}

TEST_F(P2bRoles, DropAndCountWhatIsOutsideTheTerms) {
  RunningShuffler shuffler(run(shuffler_settings(1000)));
  Reporter reporter(agent_of(shuffler), {}, net::never_interrupted);
  reporter.add(user_token("a"), {8, 0, 1});
  reporter.add(user_token("b"), {0, 3, 1});
  reporter.add(user_token("c"), {0, 0, 1.01});
  reporter.add(user_token("d"), {0, 0, std::numeric_limits<double>::quiet_NaN()});
  reporter.add(user_token("e"), {0, 0, 1});
  reporter.add(user_token("e"), {1, 1, 0});
  reporter.finish();
  EXPECT_EQ(reporter.totals().invalid, 4U);
  // Whether a user has reported is told to nobody who asks.
  EXPECT_EQ(reporter.totals().taken, 2U);
  const ShufflerReport report = shuffler.stop();
  EXPECT_EQ(report.counts.reports, 1U);
  EXPECT_EQ(report.refused.bad_code, 1U);
  EXPECT_EQ(report.refused.bad_arm, 1U);
  EXPECT_EQ(report.refused.bad_reward, 2U);
  EXPECT_EQ(report.refused.second, 1U);
  EXPECT_THAT(shuffler.told().lines(),
              Contains("dropped reports: 1 with a code outside 0..7, 1 with an arm outside 0..2, 2 "
                       "with a reward outside 0..1, 1 of a user that has reported already"));
}

TEST_F(P2bRoles, AHostileAgentIsDroppedAndNobodyElse) {
  RunningShuffler shuffler(run(shuffler_settings(1000)));
  const net::ClientConfig agent = agent_of(shuffler);
  const auto error_of = [&](const net::Message& bad) {
    net::ServiceClient client(agent);
    try {
      (void)client.ask(bad, net::Clock::now() + std::chrono::seconds(20));
    } catch (const ProtocolError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error_of(message(P2bMessage::reports, Payload(47))), HasSubstr("another length"));
  EXPECT_THAT(error_of(message(P2bMessage::reports)), HasSubstr("another length"));
  EXPECT_THAT(error_of(message(P2bMessage::terms, Payload(1))), HasSubstr("not empty"));
  EXPECT_THAT(error_of(message(P2bMessage::survivors)), HasSubstr("no message of an agent"));
  EXPECT_THAT(error_of(message(P2bMessage::receipt)), HasSubstr("no message of an agent"));
  EXPECT_THAT(error_of({12345, {}}), HasSubstr("no message of an agent"));
  EXPECT_NE(error_of(message(P2bMessage::reports, Payload(longest_report_message + 1))),
            "no error");
  send_users(agent, 0, 20);
  const ShufflerReport report = shuffler.stop();
  EXPECT_EQ(report.counts.reports, 20U);
  EXPECT_EQ(report.refused.malformed, 7U);
}

TEST_F(P2bRoles, OnlyTheShufflerBringsBatches) {
  RunningServer server(run(server_settings()));
  const net::ClientConfig stranger = client_of(server.address(), *server_key_, p2b_server_name);
  const auto error_of = [](const net::ClientConfig& config, const net::Message& bad) {
    net::ServiceClient client(config);
    try {
      (void)client.ask(bad, net::Clock::now() + std::chrono::seconds(20));
    } catch (const ProtocolError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const Payload part = encode(SurvivorPart{{{}, 1, 0}, 1, {{1, 1, 1}}});
  EXPECT_THAT(error_of(stranger, message(P2bMessage::survivors, part)),
              HasSubstr("takes batches from the shufflers that it trusts"));
  EXPECT_THAT(error_of(stranger, message(P2bMessage::terms, encode(terms_))),
              HasSubstr("takes batches from the shufflers that it trusts"));
  net::ClientConfig shuffler = stranger;
  shuffler.trust.identity = shuffler_key_;
  EXPECT_THAT(error_of(shuffler, message(P2bMessage::survivors, Payload(33))),
              HasSubstr("no part of a batch"));
  EXPECT_THAT(error_of(shuffler, message(P2bMessage::terms, Payload(3))), HasSubstr("no terms"));
  const Payload outside = encode(SurvivorPart{{{}, 1, 0}, 1, {{1, 1, 1}, {8, 1, 1}}});
  EXPECT_THAT(error_of(shuffler, message(P2bMessage::survivors, outside)),
              HasSubstr("outside the terms"));
  // The same part twice is answered twice and taken once.
  net::ServiceClient client(shuffler);
  for (int i = 0; i < 2; ++i) {
    const net::Message answer = client.ask(message(P2bMessage::survivors, part),
                                           net::Clock::now() + std::chrono::seconds(20));
    EXPECT_EQ(decode_part_name(answer.payload), (PartName{{}, 1, 0}));
  }
  const ServerReport report = server.stop();
  EXPECT_EQ(report.tuples, 1U);
  EXPECT_EQ(report.repeated_parts, 1U);
}

TEST_F(P2bRoles, RefuseAServerOfOtherTerms) {
  RunningServer server(run(server_settings()));
  terms_.arms = 4;
  ShufflerSettings settings = shuffler_settings(2);
  deliver_to(settings, server);
  RunningShuffler shuffler(run(settings));
  Reporter reporter(agent_of(shuffler), {}, net::never_interrupted);
  for (int u = 0; u < 2; ++u) reporter.add(user_token(std::to_string(u)), {1, 0, 1});
  try {
    reporter.finish();
  } catch (const NetworkError&) {
    // The shuffler may end before its receipt is read.
  }
  EXPECT_THAT(shuffler.failure(), HasSubstr("the p2b server has 3 arms, here 4"));
}

TEST_F(P2bRoles, TakeNothingForAShufflerThatIsNotPinned) {
  RunningShuffler shuffler(run(shuffler_settings(100)));
  net::ClientConfig agent = agent_of(shuffler);
  agent.trust.trusted = {server_key_->fingerprint()};
  Reporter reporter(agent, {}, net::never_interrupted);
  EXPECT_THROW((void)reporter.terms(), TrustError);
}

TEST_F(P2bRoles, LetInTheAgentsThatWereNamed) {
  const auto known = std::make_shared<const net::Identity>(net::Identity::create("agent"));
  ShufflerSettings settings = shuffler_settings(100);
  settings.service.trust.trusted = {known->fingerprint()};
  RunningShuffler shuffler(run(settings));
  net::ClientConfig agent = agent_of(shuffler);
  agent.trust.identity = nullptr;  // makes one
  EXPECT_THROW((void)Reporter(agent, {}, net::never_interrupted).terms(), TrustError);
  agent.trust.identity = known;
  EXPECT_EQ(Reporter(agent, {}, net::never_interrupted).terms().codes, settings.terms.codes);
}

// On the way to the server sits another: nothing is given to it, and agents are served all the same.
TEST_F(P2bRoles, ServeAgentsWhileTheServerIsNotThePinnedOne) {
  RunningServer other(run(server_settings()));
  ShufflerSettings settings = shuffler_settings(2);
  deliver_to(settings, other);
  settings.server->trust.trusted = {shuffler_key_->fingerprint()};
  RunningShuffler shuffler(run(settings));
  Reporter reporter(agent_of(shuffler), {1, 1}, net::never_interrupted);
  for (int u = 0; u < 6; ++u) reporter.add(user_token(std::to_string(u)), {1, 0, 1});
  shuffler.told().wait_for_line("is trusted for it");
  for (int u = 6; u < 10; ++u) reporter.add(user_token(std::to_string(u)), {1, 0, 1});
  reporter.finish();
  EXPECT_EQ(shuffler.stop().counts.reports, 10U);
  settings.release = true;
  EXPECT_THAT(RunningShuffler(run(settings)).failure(), HasSubstr("is trusted for it"));
  EXPECT_EQ(other.stop().tuples, 0U);
}

TEST_F(P2bRoles, SayWhatSettingsCannotBe) {
  const auto error_of = [&](auto settings) {
    auto running = std::make_unique<Running<decltype(run(settings)(
        std::declval<Told&>(), std::declval<const std::function<void(const net::Address&)>&>(),
        std::declval<const std::atomic<bool>&>()))>>(run(settings));
    return running->failure();
  };
  ShufflerSettings shuffler = shuffler_settings(3);
  shuffler.terms.threshold = 10;
  EXPECT_THAT(error_of(shuffler), HasSubstr("at least the threshold, 10"));
  shuffler = shuffler_settings(100);
  shuffler.terms.p = 1;
  EXPECT_THAT(error_of(shuffler), HasSubstr("p = 1; expected a probability"));
  shuffler = shuffler_settings(100);
  shuffler.service.trust.identity = nullptr;
  EXPECT_THAT(error_of(shuffler), HasSubstr("sotto keys new"));
  shuffler = shuffler_settings(100);
  shuffler.release = true;
  EXPECT_THAT(error_of(shuffler), HasSubstr("--server"));
  ServerSettings server = server_settings();
  server.service.trust.trusted.clear();
  EXPECT_THAT(error_of(server), HasSubstr("the shuffler's fingerprint"));
  server = server_settings();
  server.contexts = ContextKind::centroid;
  EXPECT_THAT(error_of(server), HasSubstr("need the encoder's file"));
}

}  // namespace
}  // namespace sotto::apps
