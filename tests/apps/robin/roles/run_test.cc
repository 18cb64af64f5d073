#include "apps/kit/files/json.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/report/described.h"
#include "apps/robin/result.h"
#include "apps/robin/roles/local.h"
#include "apps/robin/roles/roles.h"
#include "apps/robin/settings.h"
#include "tests/apps/support.h"

namespace sotto::apps::robin {
namespace {

TEST(RobinProcesses, FewClientsHaveOneEachManyShareTheCores) {
  EXPECT_EQ(client_processes(2, 1), (std::vector<ClientRange>{{0, 1}, {1, 1}}));
  EXPECT_EQ(client_processes(8, 64).size(), 8u);
  EXPECT_EQ(client_processes(9, 2), (std::vector<ClientRange>{{0, 5}, {5, 4}}));
  EXPECT_EQ(client_processes(9, 64).size(), 9u);
  for (const std::size_t clients : {2u, 7u, 9u, 1000u, 100'003u}) {
    for (const std::size_t cores : {1u, 2u, 3u, 64u}) {
      std::size_t next = 0;
      for (const ClientRange& range : client_processes(clients, cores)) {
        EXPECT_EQ(range.first, next);
        EXPECT_GE(range.count, 1u);
        next += range.count;
      }
      EXPECT_EQ(next, clients);
    }
  }
}

TEST(RobinReports, ComeBackAsTheyWere) {
  const PrivateFolder folder;
  RobinAggregatorReport report;
  report.cost = {"aggregator", 0.5, 1 << 20, 12};
  report.insecure = {"insecure-seed"};
  report.decision.mode = RobinMode::local;
  report.decision.misfire = 0.25;
  report.decision.why = "too few \"clients\"";
  report.releases.push_back({6, 126, 0.3, true, 4.5, 0.2, 0.01, 0.4, 7});
  report.estimates = {{0.1, -0.2}};
  report.status = "failed";
  report.version = "1.2.3";
  report.clients = 20;
  report.epsilon = 2;
  report.delta = 1e-5;
  report.composition = "zcdp";
  report.epsilon_spent = 0.4;
  report.delta_spent = 1e-6;
  report.rho_spent = 0.01;
  report.error = "client 3 was lost";
  write_described(folder.path() / "a.json", report);
  const RobinAggregatorReport back = read_described_file<RobinAggregatorReport>(folder.path() / "a.json", "a report");
  write_described(folder.path() / "b.json", back);
  EXPECT_EQ(slurp(folder.path() / "b.json"), slurp(folder.path() / "a.json"));
  EXPECT_EQ(back.decision.mode, RobinMode::local);
  EXPECT_EQ(back.decision.why, report.decision.why);
  EXPECT_EQ(back.estimates, report.estimates);
  EXPECT_EQ(back.releases.at(0).clipped, 7u);
  EXPECT_EQ(back.error, report.error);
  RobinClientReport client;
  client.cost.role = "client 3";
  client.first = 3;
  client.clients = 1;
  client.phases.push_back({{}, 1.5, -0.25, 2, 3});
  write_described(folder.path() / "c.json", client);
  const RobinClientReport again = read_described_file<RobinClientReport>(folder.path() / "c.json", "a report");
  write_described(folder.path() / "d.json", again);
  EXPECT_EQ(slurp(folder.path() / "d.json"), slurp(folder.path() / "c.json"));
  EXPECT_EQ(again.first, 3u);
  EXPECT_EQ(again.phases.at(0).features_clipped, 3u);
  EXPECT_THROW((void)read_described_file<RobinClientReport>(folder.path() / "a.json", "a report"), InputError);
  EXPECT_THROW((void)read_described_file<RobinAggregatorReport>(folder.path() / "none.json", "a report"), InputError);
}

TEST(RobinNames, AreReadAsTheyAreWritten) {
  for (const NoiseKind noise : {NoiseKind::laplace, NoiseKind::gaussian}) {
    EXPECT_EQ(parse_noise(noise_text(noise), "--noise"), noise);
  }
  for (const RangeKind range : {RangeKind::private_range, RangeKind::last_release}) {
    EXPECT_EQ(parse_range(range_text(range), "--range"), range);
  }
  EXPECT_THROW((void)parse_noise("uniform", "--noise"), InputError);
  EXPECT_THROW((void)parse_range("", "--range"), InputError);
}

RobinResult played() {
  RobinResult result;
  result.outcome.settings.clients = 20;
  result.outcome.regret_per_client = 12.5;
  result.outcome.regret_local = 30;
  result.outcome.regret_nonprivate = 11;
  result.outcome.twin_clients = 20;
  result.outcome.epsilon_spent = 0.75;
  result.outcome.releases.push_back({6, 126, 0.3, false, 4.5, 0.2, 0.01, 0.75, 2});
  result.outcome.clipped.estimates = 2;
  result.outcome.phases = {{1, 0, 2, true, 2, 1, std::nullopt}, {2, 2, 4, false, 3, 2, 0.1}};
  result.command = "sotto robin --out '<b>'";
  return result;
}

TEST(RobinResult, CurvesAddUpPhases) {
  const auto curve = regret_curve(played().outcome.phases);
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_EQ(curve[0], (std::pair<std::uint64_t, double>{2, 2}));
  EXPECT_EQ(curve[1], (std::pair<std::uint64_t, double>{6, 5}));
}

TEST(RobinResult, TheJsonHasWhatIsAskedFor) {
  const auto json = to_json(played());
  EXPECT_EQ(json.at("regret_per_client"), 12.5);
  EXPECT_EQ(json.at("regret_local"), 30);
  EXPECT_EQ(json.at("regret_nonprivate"), 11);
  EXPECT_EQ(json.at("eps_spent"), 0.75);
  EXPECT_EQ(json.at("delta"), 1e-5);
  EXPECT_EQ(json.at("refused"), false);
  EXPECT_EQ(json.at("status"), "complete");
  EXPECT_FALSE(json.contains("error"));
}

TEST(RobinResult, BasicCompositionPromisesDeltaZero) {
  RobinResult result = played();
  EXPECT_THAT(summary_text(result, {}), HasSubstr("delta 1e-05"));
  result.outcome.settings.composition = Composition::basic;
  EXPECT_EQ(to_json(result).at("delta"), 0);
  EXPECT_EQ(to_json(result).at("delta_spent"), 0);
  EXPECT_THAT(summary_text(result, {}), HasSubstr("delta 0,"));
}

TEST(RobinResult, AFailedRunSaysWhyAndWhatWasSpent) {
  RobinResult result = played();
  result.status = RunStatus::failed;
  result.error = "client 3 was <lost>";
  result.outcome.regret_per_client.reset();
  result.insecure = {"insecure-seed"};
  const std::string summary = summary_text(result, {});
  EXPECT_THAT(summary, Not(HasSubstr("<lost>")));
  EXPECT_EQ(to_json(result).at("error"), "client 3 was <lost>");
  EXPECT_THAT(summary, AllOf(HasSubstr("epsilon spent     0.75"), HasSubstr("INSECURE: insecure-seed")));
  const std::string page = report_html(result);
  EXPECT_THAT(page, AllOf(HasSubstr("client 3 was &lt;lost&gt;"), Not(HasSubstr("<lost>")), Not(HasSubstr("<b>'"))));
  EXPECT_EQ(to_json(result).at("regret_per_client"), nullptr);
}

}  // namespace
}  // namespace sotto::apps::robin
