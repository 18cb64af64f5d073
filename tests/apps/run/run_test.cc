// Users' programs over the network. Roles run as threads over TLS, with configs as `sotto init` writes them.
#include "sotto/run.h"

#include <fmt/format.h>

#include <mutex>
#include <thread>

#include "apps/kit/deploy/deployment.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/files/output_file.h"
#include "apps/run/settings.h"
#include "sotto/epsilon_greedy.h"
#include "sotto/functions.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/tcp/listener.h"
#include "tests/apps/support.h"

namespace sotto {

namespace {

using apps::OwnSettings;
using apps::TestFolder;

Task<Matrix> inner_product(Session& s, Matrix mine) {
  auto [x, y] = co_await all(s.input(0, {1, 3}, mine), s.input(1, {3, 1}, mine));
  co_return co_await s.reveal(matmul(x, y), "inner product");
}

Task<Matrix> outer_product(Session& s, Matrix mine) {
  auto [x, y] = co_await all(s.input(0, {1, 3}, mine), s.input(1, {3, 1}, mine));
  co_return co_await s.reveal(matmul(y, x), "outer product");
}

struct Roles {
  explicit Roles(const TestFolder& folder, bool receiver = false, RandomnessBy preprocessing = RandomnessBy::dealer) {
    OwnSettings run;
    run.parties = preprocessing == RandomnessBy::replicated ? 3 : 2;
    run.receiver = receiver;
    run.preprocessing = preprocessing;
    apps::RoleSet planned = apps::plan_deployment(run, {});
    const std::map<std::string, std::string> trust = apps::make_local_keys(*planned.front(), folder.path());
    std::map<std::string, std::string> peers;
    for (const auto& role : planned) {
      if (!role->own_role().listens) continue;
      net::TcpListener listener(net::Address{"127.0.0.1", 0});
      peers[role->role_key()] = listener.address().text();
      sockets[role->role_key()] = listener.release();
    }
    for (const auto& role : planned) {
      auto& own = static_cast<OwnSettings&>(*role);
      own.connect_deadline_seconds = 20;
      own.trust = trust;
      own.peers = peers;
      own.key = apps::key_file(folder.path(), own.role_key());
      own.report = folder.path() / (own.role_key() + ".json");
      configs.emplace_back(own);
    }
  }

  // Runs play(config, options) at each role, in a thread of its own. Returns each role's exit code for the error that
  // the role throws, or 0 for no error. `said` gets the errors' texts.
  template <class Play>
  std::map<std::string, int> at_all(const Play& play) {
    std::mutex mutex;
    std::map<std::string, int> codes;
    std::vector<std::thread> threads;
    threads.reserve(configs.size());
    for (const Config& config : configs) {
      threads.emplace_back([&, config] {
        RunOptions options;
        options.report = [&](const std::string& line) {
          const std::lock_guard lock(mutex);
          told[config.role()].push_back(line);
        };
        const auto socket = sockets.find(config.settings().role_key());
        if (socket != sockets.end()) options.listen_descriptor = socket->second;
        int code = 0;
        try {
          play(config, options);
        } catch (const Error& error) {
          code = static_cast<int>(error.exit_code());
          const std::lock_guard lock(mutex);
          said[config.role()] = error.what();
        }
        const std::lock_guard lock(mutex);
        codes[config.role()] = code;
      });
    }
    for (std::thread& thread : threads) thread.join();
    return codes;
  }

  std::vector<Config> configs;
  std::map<std::string, int> sockets;
  std::map<std::string, std::string> said;
  std::map<std::string, std::vector<std::string>> told;
};

Matrix numbers_of(const Config& config) {
  Matrix x(1, 3);
  x << 0.5, -1.25, 2;
  Matrix y(3, 1);
  y << 4, 0.5, 1.5;
  return config.party() == 0 ? x : config.party() == 1 ? y : Matrix();
}

using Codes = std::map<std::string, int>;

TEST(Runs, OverTlsGiveWhatASimulationGives) {
  const TestFolder folder;
  Roles roles(folder);
  std::mutex mutex;
  std::map<std::string, Matrix> results;
  const Codes codes = roles.at_all([&](const Config& config, const RunOptions& options) {
    const auto run = sotto::run(config, inner_product, numbers_of(config), options);
    EXPECT_EQ(run.rounds, plan(2, inner_product).rounds);
    const std::lock_guard lock(mutex);
    if (run.result) results[config.role()] = *run.result;
  });
  EXPECT_EQ(codes, (Codes{{"party 0", 0}, {"party 1", 0}, {"dealer", 0}}));
  const std::string dealer = "the dealer at " + roles.configs[0].settings().peers.at("dealer");
  EXPECT_THAT(roles.told["party 0"].front(), ::testing::StartsWith("waits for party 1, " + dealer + ", up to 20 s"));
  EXPECT_THAT(roles.told["dealer"].front(), ::testing::StartsWith("waits for party 0, party 1, up to 20 s"));
  EXPECT_THAT(roles.told["dealer"].back(), ::testing::HasSubstr(" is here (2 of 2)"));
  ASSERT_EQ(results.size(), 2u);
  for (const auto& [role, result] : results) EXPECT_EQ(result(0, 0), 4.375) << role;
  EXPECT_THAT(apps::slurp(folder.path() / "party_1.json"), ::testing::HasSubstr("\"inner product\""));
}

TEST(Runs, OfDifferentProgramsDoNotStart) {
  const TestFolder folder;
  Roles roles(folder);
  const Codes codes = roles.at_all([](const Config& config, const RunOptions& options) {
    const auto program = config.party() == 1 ? outer_product : inner_product;
    (void)sotto::run(config, program, numbers_of(config), options);
  });
  const int disagreement = static_cast<int>(ExitCode::disagreement);
  EXPECT_EQ(codes, (Codes{{"party 0", disagreement}, {"party 1", disagreement}, {"dealer", disagreement}}));
}

Task<Matrix> scaled_product(Session& s, Matrix mine, double factor) {
  auto [x, y] = co_await all(s.input(0, {1, 3}, mine), s.input(1, {3, 1}, mine));
  const Secret z = x * factor;
  co_return co_await s.reveal(matmul(z, y), "scaled");
}

TEST(Runs, OfProgramsWithOtherPublicNumbersDoNotStart) {
  const TestFolder folder;
  Roles roles(folder);
  const Codes codes = roles.at_all([](const Config& config, const RunOptions& options) {
    const double factor = config.party() == 1 ? 0.25 : 0.5;
    const auto program = [factor](Session& s, Matrix mine) { return scaled_product(s, std::move(mine), factor); };
    (void)sotto::run(config, program, numbers_of(config), options);
  });
  const int disagreement = static_cast<int>(ExitCode::disagreement);
  EXPECT_EQ(codes, (Codes{{"party 0", disagreement}, {"party 1", disagreement}, {"dealer", disagreement}}));
  for (const auto& [role, what] : roles.said) {
    EXPECT_THAT(what, ::testing::AllOf(::testing::HasSubstr("the programs differ: program operation 3 = "),
                                       ::testing::HasSubstr("multiple by 0.25 (#1)"),
                                       ::testing::HasSubstr("multiple by 0.5 (#1)")))
        << role;
  }
}

TEST(Runs, EndAtAllRolesWhereAnInputDoesNotFit) {
  const TestFolder folder;
  Roles roles(folder);
  const Codes codes = roles.at_all([](const Config& config, const RunOptions& options) {
    const Matrix mine = config.party() == 1 ? Matrix::Ones(2, 2) : numbers_of(config);
    (void)sotto::run(config, inner_product, mine, options);
  });
  const int usage = static_cast<int>(ExitCode::usage);
  EXPECT_EQ(codes, (Codes{{"party 0", usage}, {"party 1", usage}, {"dealer", usage}}));
}

TEST(Runs, TellAReceiverAlone) {
  const TestFolder folder;
  Roles roles(folder, true);
  const auto program = [](Session& s, Matrix mine) -> Task<Matrix> {
    Secret x = co_await s.input(0, {1, 3}, mine);
    co_return co_await s.reveal_to(s.receiver(), sum(x), "sum");
  };
  std::mutex mutex;
  std::map<std::string, double> results;
  const Codes codes = roles.at_all([&](const Config& config, const RunOptions& options) {
    const auto run = sotto::run(config, program, numbers_of(config), options);
    const std::lock_guard lock(mutex);
    if (run.result) results[config.role()] = (*run.result)(0, 0);
  });
  EXPECT_EQ(codes.size(), 4u);
  EXPECT_TRUE(std::isnan(results["party 0"]));
  EXPECT_EQ(results["receiver"], 1.25);
}

class RunsWithoutADealer : public ::testing::TestWithParam<RandomnessBy> {};
INSTANTIATE_TEST_SUITE_P(By, RunsWithoutADealer,
                         ::testing::Values(RandomnessBy::replicated, RandomnessBy::ot, RandomnessBy::helper),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

Task<Matrix> several_functions(Session& s, Matrix mine) {
  auto [x, y] = co_await all(s.input(0, {1, 3}, mine), s.input(1, {3, 1}, mine));
  auto [bits, curve] = co_await all(less(x, transpose(y)), sigmoid(x));
  auto [opened, told] = co_await all(s.reveal(bits, "bits"), s.reveal_to(s.receiver(), row_dot(bits, curve), "sum"));
  Matrix result(1, 4);
  result << opened, told;
  co_return result;
}

TEST_P(RunsWithoutADealer, OverTlsGiveWhatASimulationGives) {
  const TestFolder folder;
  Roles roles(folder, true, GetParam());
  const std::size_t parties = roles.configs[0].parties();
  const RunCost planned = plan(parties, several_functions, roles.configs[0].session());
  std::mutex mutex;
  std::map<std::string, Matrix> results;
  const Codes codes = roles.at_all([&](const Config& config, const RunOptions& options) {
    const auto run = sotto::run(config, several_functions, numbers_of(config), options);
    EXPECT_EQ(run.ledger.total(), planned.ledger.total());
    EXPECT_GT(run.preprocessing_rounds, 0u);
    EXPECT_GT(run.seconds_preprocessing, 0);
    EXPECT_GT(run.seconds_online, 0);
    const std::lock_guard lock(mutex);
    if (run.result) results[config.role()] = *run.result;
  });
  Codes all_end{{"receiver", 0}};
  if (GetParam() == RandomnessBy::helper) all_end["helper"] = 0;
  for (std::size_t party = 0; party < parties; ++party) all_end["party " + std::to_string(party)] = 0;
  EXPECT_EQ(codes, all_end);
  for (const auto& [role, result] : results) {
    EXPECT_EQ(std::isnan(result(0, 3)), role != "receiver") << role;
    if (role.starts_with("party")) {
      EXPECT_EQ(Matrix(result.leftCols(3)), (Matrix(1, 3) << 1, 1, 0).finished()) << role;
    } else {
      EXPECT_TRUE(std::isnan(result(0, 0))) << role;
    }
  }
  EXPECT_NEAR(results["receiver"](0, 3), 1 / (1 + std::exp(-0.5)) + 1 / (1 + std::exp(1.25)), 5e-5);
  const std::string report = apps::slurp(folder.path() / "party_1.json");
  EXPECT_THAT(report, ::testing::HasSubstr(std::string("\"preprocessing\":\"") + name_of(GetParam()) + "\""));
  EXPECT_THAT(report, ::testing::HasSubstr("\"dealt_bytes\":0"));
  EXPECT_THAT(report, ::testing::HasSubstr("\"preprocessing_rounds\":" + std::to_string(planned.preprocessing_rounds)));
  EXPECT_THAT(report, ::testing::HasSubstr("\"preprocessing_bytes\":" +
                                           std::to_string(planned.ledger.of("preprocessing").sent[1])));
}

TEST_P(RunsWithoutADealer, EndAtAllRolesWhereAnInputDoesNotFit) {
  const TestFolder folder;
  Roles roles(folder, false, GetParam());
  const Codes codes = roles.at_all([](const Config& config, const RunOptions& options) {
    const Matrix mine = config.party() == 1 ? Matrix::Ones(2, 2) : numbers_of(config);
    (void)sotto::run(config, inner_product, mine, options);
  });
  EXPECT_EQ(codes.size(), roles.configs.size());
  for (const auto& [role, code] : codes) EXPECT_EQ(code, static_cast<int>(ExitCode::usage)) << role;
}

TEST_P(RunsWithoutADealer, DoNotStartWhereARoleWaitsForADealer) {
  const TestFolder folder;
  Roles roles(folder, false, GetParam());
  OwnSettings other = roles.configs[1].settings();
  other.preprocessing = RandomnessBy::dealer;
  other.connect_deadline_seconds = 2;
  other.peers["dealer"] = "127.0.0.1:1";
  other.trust["dealer"] = "sha256:" + std::string(64, '0');
  for (auto* const names : {&other.peers, &other.trust}) names->erase("helper");
  roles.configs[1] = Config(other);
  const Codes codes = roles.at_all([](const Config& config, const RunOptions& options) {
    (void)sotto::run(config, inner_product, numbers_of(config), options);
  });
  const std::string said =
      fmt::format("the configs disagree: preprocessing = \"{}\" here, \"dealer\" at party 1", name_of(GetParam()));
  EXPECT_THAT(roles.said["party 0"], ::testing::AnyOf(said, "party 2 reports: " + said, "helper reports: " + said));
  for (const auto& [role, code] : codes) EXPECT_EQ(code, static_cast<int>(ExitCode::disagreement)) << role;
}

TEST(Configs, OfRunsWithoutADealerHaveNone) {
  const TestFolder folder;
  OwnSettings run;
  run.parties = 3;
  run.receiver = true;
  run.preprocessing = RandomnessBy::replicated;
  run.insecure_shared_keys = true;
  const apps::RoleSet roles = apps::plan_deployment(run, {});
  ASSERT_EQ(roles.size(), 4u);
  EXPECT_EQ(roles.front()->topology(), Topology::without_dealer(3, true, false));
  EXPECT_THAT(roles.front()->in_short(), ::testing::HasSubstr("without a dealer"));
  apps::write_deployment(roles, folder.path() / "set");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "set" / "dealer"));
  const std::string file = (folder.path() / "set" / "party_1" / "config.toml").string();
  EXPECT_EQ(apps::slurp(file).find("dealer ="), std::string::npos);
  EXPECT_EQ(Config::read(file).session().preprocessing, RandomnessBy::replicated);
  const auto refused = [&](const std::string& setting, const std::string& why) {
    const std::array<const char*, 5> set{"program", "--set", setting.c_str(), "--config", file.c_str()};
    try {
      (void)Config::from_arguments(5, set.data());
      ADD_FAILURE() << setting;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(why));
    }
  };
  refused("run.preprocessing=ot", "\"ot\" needs two compute parties, and the run has 3");
  refused("run.parties=4", "\"replicated\" needs three compute parties");
  refused("run.preprocessing=both", "preprocessing in [run] must be");
  refused("role.name=dealer", "preprocessing = \"replicated\" in [run] has no dealer");
  refused("role.name=helper", "preprocessing = \"replicated\" in [run] has no helper");
  refused("run.preprocessing=helper", "\"helper\" is of two compute parties and a helper, and the run has 3");
  run.parties = 2;
  EXPECT_THROW((void)apps::plan_deployment(run, {}), InputError);
}

TEST(Configs, OfOwnProgramsAreWrittenAndRead) {
  const TestFolder folder;
  OwnSettings run;
  run.parties = 3;
  run.insecure_shared_keys = true;
  const apps::RoleSet roles = apps::plan_deployment(run, {});
  ASSERT_EQ(roles.size(), 4u);
  apps::write_deployment(roles, folder.path() / "set");
  const Config config = Config::read(folder.path() / "set" / "party_2" / "config.toml");
  EXPECT_EQ(config.party(), 2u);
  EXPECT_EQ(config.parties(), 3u);
  EXPECT_EQ(config.role(), "party 2");
  EXPECT_EQ(config.data().filename(), "data.csv");
  EXPECT_EQ(Config::read(folder.path() / "set" / "dealer" / "config.toml").party(), std::nullopt);
  EXPECT_THAT(apps::readme(*roles[0]), ::testing::HasSubstr("./your-program --config config.toml"));
  const std::string file = (folder.path() / "set" / "party_1" / "config.toml").string();
  const std::array<const char*, 5> set{"program", "--set", "run.bits=16", "--config", file.c_str()};
  EXPECT_EQ(Config::from_arguments(5, set.data()).session().bits, 16u);
  EXPECT_THROW((void)Config::from_arguments(3, set.data()), InputError);
  EXPECT_THROW((void)Config::from_arguments(4, set.data()), InputError);
  const std::array<const char*, 2> help{"program", "--help"};
  EXPECT_EXIT((void)Config::from_arguments(2, help.data()), ::testing::ExitedWithCode(0), "");
  const std::array<const char*, 3> unknown{"program", "--data", "me"};
  EXPECT_THROW((void)Config::from_arguments(3, unknown.data()), InputError);
}

TEST(LinkedBandit, RefusesWhatDoesNotFit) {
  SessionOptions options;
  options.has_receiver = true;
  const auto refused = [&](const bandit::Options& of, std::size_t events) {
    const auto program = [&](Session& s) -> Task<Unit> {
      bandit::EpsilonGreedy greedy(s, of);
      (void)co_await greedy.decide(events, Matrix());
      Unit done;
      co_return done;
    };
    EXPECT_THROW((void)plan(2, program, options), Error);
  };
  refused({.columns = {2}, .arms = 3, .events = 10}, 4);
  refused({.columns = {2, 2}, .arms = 3, .events = 10, .batch = 4}, 5);
  refused({.columns = {2, 2}, .arms = 0, .events = 10}, 4);
  refused({.columns = {2, 2}, .arms = 3, .events = 10, .max_norm = 9}, 4);
}

TEST(ReadCsv, GivesTheNumbersRowByRow) {
  const TestFolder folder;
  const auto file = [&](const std::string& text) {
    apps::write_file(folder.path() / "numbers.csv", text);
    return folder.path() / "numbers.csv";
  };
  const Matrix expected = (Matrix(2, 3) << 1, 2, 3, -4, .5, 6e2).finished();
  EXPECT_EQ(read_csv(file("a,b,c\n1,2,3\n-4,0.5,6e2\n")), expected);
  EXPECT_EQ(read_csv(file("1,2,3\n-4,0.5,6e2\n")), expected);
  EXPECT_EQ(read_csv({}).size(), 0);
  EXPECT_THROW((void)read_csv(file("a\n1\nsecret\n")), InputError);
}

}  // namespace
}  // namespace sotto
