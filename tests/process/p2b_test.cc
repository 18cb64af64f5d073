#include <deque>

#include "tests/net/hostile.h"
#include "tests/process/role_runs.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using Cells = std::map<std::pair<int, int>, std::pair<std::uint64_t, double>>;

Cells cells_of_tuples(const fs::path& csv) {
  std::istringstream in(contents(csv));
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "user,code,arm,reward");
  Cells cells;
  while (std::getline(in, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream row(line);
    int user = 0, code = 0, arm = 0;
    double reward = 0;
    EXPECT_TRUE(row >> user >> code >> arm >> reward) << line;
    auto& cell = cells[{code, arm}];
    ++cell.first;
    cell.second += reward;
  }
  return cells;
}

Cells cells_of_model(const fs::path& file) {
  const json model = json::parse(contents(file)).at("model");
  Cells cells;
  for (const json& cell : model.at("cells")) {
    if (cell.at("count") == 0) continue;
    cells[{cell.at("code"), cell.at("arm")}] = {cell.at("count"), cell.at("reward_sum")};
  }
  return cells;
}

void add(Cells& to, const Cells& from) {
  for (const auto& [key, cell] : from) {
    to[key].first += cell.first;
    to[key].second += cell.second;
  }
}

class P2bProcess : public ::testing::Test {
 protected:
  P2bProcess() {
    succeed(folder_, words_of("p2b encoder --dimension 3 --codes 8 --out encoder.csv"));
    for (const char* role : {"shuffler", "server"}) {
      const std::string file = std::string(role) + ".pem";
      succeed(folder_, {"keys", "new", "--out", file});
      const std::string text = succeed(folder_, {"keys", "show", file});
      prints_[role] = text.substr(text.find("sha256:"), 71);
    }
  }

  // The first feature of a user's context decides which of the two arms earns reward 1.
  std::string users(const std::string& name, int first, int count, int steps = 2) {
    std::string text = "user,t,f0,f1,f2,reward_0,reward_1\n";
    for (int u = first; u < first + count; ++u) {
      for (int t = 0; t < steps; ++t) {
        const int a = (u * 7 + t * 3) % 10;
        const int b = (u * 3 + t) % (11 - a);
        text += std::to_string(u) + "," + std::to_string(t) + "," + std::to_string(a) + "," + std::to_string(b) + "," +
                std::to_string(11 - a - b) + "," + (a > 4 ? "1,0" : "0,1") + "\n";
      }
    }
    return folder_.write(name, text);
  }
  std::unique_ptr<SottoProcess> start(const Words& words) { return std::make_unique<SottoProcess>(folder_, words); }
  static std::string terms(const std::string& threshold = "1", const std::string& p = "0.9") {
    return " --codes 8 --arms 2 --json --threshold " + threshold + " --p " + p;
  }
  Words shuffler(const std::string& more, const std::string& period = "1", const std::string& key = "shuffler") const {
    return words_of("p2b shuffler --queue queue.db --listen " + shuffler_at_ + " --key " + key + ".pem --server " +
                    server_at_ + " --server-trust " + prints_.at("server") + " --period " + period + more);
  }
  Words server(const std::string& more, const std::string& trusted = "shuffler") const {
    return words_of("p2b server --store survivors.db --model model.json --listen " + server_at_ +
                    " --key server.pem --trust " + prints_.at(trusted) + more);
  }
  Words agent(const std::string& users, const std::string& more = "", const std::string& encoder = "encoder",
              const std::string& trusted = "shuffler") const {
    return words_of("p2b agent --json --users " + users + " --encoder " + encoder + ".csv --connect " + shuffler_at_ +
                    " --trust " + prints_.at(trusted) + more);
  }
  std::string warm() const { return " --server " + server_at_ + " --server-trust " + prints_.at("server"); }
  static json report(SottoProcess& process) {
    if (const int code = process.wait(); code != 0) {
      throw std::runtime_error(process.err() + "\nexit code " + std::to_string(code));
    }
    return process.json();
  }
  json report_of(const Words& words) {
    SottoProcess process(folder_, words);
    return report(process);
  }
  static json stop(SottoProcess& process) {
    process.signal(SIGINT);
    return report(process);
  }

  TestFolder folder_;
  std::map<std::string, std::string> prints_;
  std::string shuffler_at_ = Ports::take();
  std::string server_at_ = Ports::take();
};

TEST_F(P2bProcess, LearnsFromEarlyUsersForLateOnes) {
  const auto server_process = start(server(terms("3")));
  const auto shuffler_process = start(shuffler(terms("3"), "2"));
  std::vector<std::unique_ptr<SottoProcess>> agents;
  for (int a = 0; a < 3; ++a) {
    const std::string number = std::to_string(a);
    agents.push_back(start(agent(users("users" + number + ".csv", 200 * a, 200), " --tuples sent" + number + ".csv")));
  }
  std::uint64_t sent = 0;
  Cells reported;
  for (int a = 0; a < 3; ++a) {
    const json of_agent = report(*agents[static_cast<std::size_t>(a)]);
    expect_fields(of_agent, {{"users", 200}, {"interactions", 400}, {"warm", false}, {"taken", of_agent.at("sent")}});
    EXPECT_NEAR(of_agent.at("epsilon").get<double>(), std::log(10.0), 1e-9);
    EXPECT_GT(of_agent.at("delta").get<double>(), 0);
    sent += of_agent.at("sent").get<std::uint64_t>();
    add(reported, cells_of_tuples(folder_.path() / ("sent" + std::to_string(a) + ".csv")));
  }
  ASSERT_TRUE(runs(shuffler_process->pid())) << shuffler_process->err();
  EXPECT_GT(sent, 450U);  // of 600 possible reports, each with p = .9
  EXPECT_LE(sent, 600U);
  const json stopped = stop(*shuffler_process);
  EXPECT_EQ(stopped.at("received"), sent);
  EXPECT_NEAR(stopped.at("epsilon").get<double>(), std::log(10.0), 1e-9);
  EXPECT_TRUE(stopped.at("not_to_publish").is_array());

  SottoProcess release(folder_, shuffler(terms("3") + " --release", "2"));
  const json released = report(release);
  EXPECT_THAT(shuffler_process->err() + release.err(), HasSubstr("\nbatch of 2"));
  EXPECT_EQ(released.at("undelivered_parts"), 0);
  EXPECT_EQ(released.at("waiting"), 0);
  EXPECT_EQ(released.at("kept").get<std::uint64_t>() + released.at("dropped").get<std::uint64_t>(), sent);

  const auto open_again = start(shuffler(terms("3"), "2"));
  const json of_late = report_of(agent(users("late.csv", 5000, 1, 5), warm()));
  EXPECT_EQ(of_late.at("warm"), true);
  EXPECT_EQ(of_late.at("model_updates"), released.at("kept"));
  EXPECT_EQ(of_late.at("average_reward"), 1.0);

  (void)stop(*open_again);
  const json at_server = stop(*server_process);
  EXPECT_EQ(at_server.at("tuples"), released.at("kept"));
  EXPECT_EQ(at_server.at("models_given"), 1);
  for (const auto& [key, cell] : cells_of_model(folder_.path() / "model.json")) {
    EXPECT_LE(cell.first, reported[key].first);
  }
}

TEST_F(P2bProcess, LosesAndDoublesNothingWhenShufflerAndServerAreKilled) {
  const Words of_shuffler = shuffler(terms());
  auto server_process = start(server(terms()));
  auto shuffler_process = start(of_shuffler);
  const auto agent_process =
      start(agent(users("users.csv", 0, 20'000, 1), " --tuples sent.csv --reports-a-message 5 --retry 120"));
  // The agent is stopped while it sends its reports. The agent's last reports have no answer yet when the shuffler and
  // the server die.
  const fs::path log = folder_.path() / "queue.db-wal";
  while (!fs::exists(log) || fs::file_size(log) < 200'000) {
    ASSERT_TRUE(runs(agent_process->pid())) << agent_process->err();
    ::poll(nullptr, 0, 2);
  }
  agent_process->signal(SIGSTOP);
  for (int kill = 0; kill < 2; ++kill) {
    shuffler_process->wait_for("\nbatch of ");
    shuffler_process->signal(SIGKILL);
    EXPECT_EQ(shuffler_process->wait(), 1000 + SIGKILL);
    server_process->signal(SIGKILL);
    EXPECT_EQ(server_process->wait(), 1000 + SIGKILL);
    server_process = start(server(terms()));
    shuffler_process = start(of_shuffler);
    agent_process->signal(SIGCONT);
  }
  // A SIGINT before the line "listens on" would not end the server in the ordinary way.
  server_process->wait_for("listens on");
  shuffler_process->wait_for("listens on");
  const json of_agent = report(*agent_process);
  EXPECT_GE(of_agent.at("reconnected"), 1);
  EXPECT_EQ(of_agent.at("taken"), of_agent.at("sent"));
  const json stopped = stop(*shuffler_process);
  EXPECT_EQ(stopped.at("refused_second"), 0);
  EXPECT_EQ(stopped.at("received"), of_agent.at("sent"));
  EXPECT_EQ(report_of(shuffler(terms() + " --release")).at("kept"), of_agent.at("sent"));
  EXPECT_EQ(stop(*server_process).at("tuples"), of_agent.at("sent"));
  EXPECT_EQ(cells_of_model(folder_.path() / "model.json"), cells_of_tuples(folder_.path() / "sent.csv"));
}

TEST_F(P2bProcess, ReleasesNothingOfABatchThatIsTooSmall) {
  const auto server_process = start(server(terms("50")));
  const auto shuffler_process = start(shuffler(terms("50")));
  const json of_agent = report_of(agent(users("users.csv", 0, 20)));
  const json of_again = report_of(agent("users.csv"));
  const std::uint64_t taken = of_agent.at("taken").get<std::uint64_t>() + of_again.at("taken").get<std::uint64_t>();
  const json stopped = stop(*shuffler_process);
  const std::uint64_t received = stopped.at("received").get<std::uint64_t>();
  EXPECT_LE(received, 20U);
  EXPECT_EQ(stopped.at("refused_second"), taken - received);
  EXPECT_GT(stopped.at("refused_second"), 0);
  EXPECT_THAT(shuffler_process->err(), HasSubstr("of a user that has reported already"));
  const json released = report_of(shuffler(terms("50") + " --release"));
  EXPECT_EQ(released.at("dropped"), received);
  EXPECT_EQ(released.at("waiting"), 0);
  EXPECT_EQ(stop(*server_process).at("tuples"), 0);
}

TEST_F(P2bProcess, AcknowledgesNothingThatTheDiskDoesNotTake) {
  const auto full = std::make_unique<SottoProcess>(folder_, shuffler(terms(), "3600"), Surroundings{{}, 300'000});
  const auto agent_process = start(agent(users("users.csv", 0, 20'000, 1), " --tuples sent.csv --retry 60"));
  expect_end(*full, 6, "start this role again; what it has acknowledged is kept");
  const auto shuffler_process = start(shuffler(terms(), "3600"));
  const json of_agent = report(*agent_process);
  EXPECT_EQ(of_agent.at("reconnected"), 1);
  EXPECT_EQ(stop(*shuffler_process).at("received"), of_agent.at("sent"));
}

TEST_F(P2bProcess, ServesAgentsBesideStrangers) {
  const auto server_process = start(server(terms()));
  const auto shuffler_process = start(shuffler(terms()));
  server_process->wait_for("listens on");
  shuffler_process->wait_for("listens on");
  // Strangers send bytes of no protocol, on connections that stay open until the end.
  std::deque<net::testing::Hostile> strangers;
  for (int i = 0; i < 20; ++i) {
    for (const std::string& address : {shuffler_at_, server_at_}) {
      strangers.emplace_back(net::parse_address(address, "test")).say(std::string(5000, '\xff'));
    }
  }
  const json of_agent = report_of(agent(users("users.csv", 0, 100), warm()));
  EXPECT_EQ(stop(*shuffler_process).at("received"), of_agent.at("sent"));
  (void)stop(*server_process);
}

TEST_F(P2bProcess, IsNotTrustedByAServerOfOthers) {
  const auto server_process = start(server(terms(), "server"));
  const auto shuffler_process = start(shuffler(terms()));
  const json of_agent = report_of(agent(users("users.csv", 0, 50)));
  EXPECT_EQ(stop(*shuffler_process).at("received"), of_agent.at("taken"));
  SottoProcess release(folder_, shuffler(terms() + " --release"));
  expect_end(release, 7, "this key is none of theirs");
  EXPECT_EQ(stop(*server_process).at("tuples"), 0);
  const auto right = start(server(terms()));
  EXPECT_EQ(report_of(shuffler(terms() + " --release")).at("undelivered_parts"), 0);
  EXPECT_EQ(stop(*right).at("tuples"), of_agent.at("taken"));
}

TEST_F(P2bProcess, SaysInOneLineWhatDoesNotFit) {
  const auto shuffler_process = start(shuffler(terms()));
  shuffler_process->wait_for("listens on");
  const std::string file = users("users.csv", 0, 10);
  const auto fails = [&](const Words& words, int code, const std::string& says) {
    expect_refused(folder_, words, says, code);
  };
  fails(agent(file, " --p 0.5"), 5, "the p2b shuffler is for p = 0.9, --p says 0.5");
  succeed(folder_, words_of("p2b encoder --dimension 3 --codes 16 --out other.csv"));
  fails(agent(file, "", "other"), 5, "other.csv has 16 codes, the p2b shuffler takes 8");
  folder_.write("three.csv", "user,t,f0,f1,f2,reward_0,reward_1,reward_2\n1,0,1,2,3,1,0,0\n");
  fails(agent("three.csv"), 5, "rewards of 3 arms, the p2b shuffler takes 2");
  folder_.write("four.csv", "user,t,f0,f1,f2,f3,reward_0,reward_1\n1,0,1,2,3,1,0,0\n");
  fails(agent("four.csv"), 2, "4 features, where the encoder encoder.csv takes 3");
  fails(agent(file, "", "encoder", "server"), 7, "");
  fails(agent(file, warm() + " --retry 1"), 3, "the p2b server at " + server_at_ + " cannot be reached");
  fails(shuffler(terms(), "0"), 2, "--period: '0' is not a whole number from 1 to");
  fails(shuffler(terms("10") + " --most-waiting 9"), 2, "--most-waiting: 9 reports; exp");
  fails(shuffler(terms("10", "1")), 2, "p = 1; expected a probability");
  fails(shuffler(terms("0")), 2, "threshold of 0");
  fails(shuffler(terms("1", "0.5")), 6, "another process uses this store");
  (void)stop(*shuffler_process);
  fails(shuffler(terms("1", "0.5")), 2, "was made for p = 0.9, here 0.5");
  fails(shuffler(terms(), "1", "server"), 2, "made with another key");
}

TEST_F(P2bProcess, EndsAtOnceWhenInterrupted) {
  // No shuffler is running, so the agent tries again until it is stopped.
  const auto process = start(agent(users("users.csv", 0, 10), " --retry 1000"));
  const auto server_process = start(server(terms()));
  server_process->wait_for("listens on");
  process->signal(SIGINT);
  const int code = process->wait();
  EXPECT_TRUE(code == 130 || code == 1000 + SIGINT) << code;
  EXPECT_EQ(stop(*server_process).at("tuples"), 0);
}

TEST_F(P2bProcess, EndsWellWithItsTerminalAndOutlivesItUnderNohup) {
  for (const int signal : {SIGTERM, SIGHUP, SIGQUIT}) {
    const auto process = start(server(terms()));
    process->wait_for("listens on");
    process->signal(signal);
    EXPECT_EQ(report(*process).at("tuples"), 0) << signal;
  }
  SottoProcess kept(folder_, server(terms()), {{"nohup"}, {}});
  kept.wait_for("listens on");
  kept.signal(SIGHUP);
  const auto shuffler_process = start(shuffler(terms()));
  shuffler_process->wait_for("listens on");
  (void)report_of(agent(users("users.csv", 0, 100), warm()));
  kept.wait_for("in the model: ");
  (void)stop(*shuffler_process);
  EXPECT_GT(stop(kept).at("tuples"), 0);
}

}  // namespace
}  // namespace sotto::testing
