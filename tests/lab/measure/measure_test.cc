#include "apps/bandit/run/local/local.h"
#include "apps/kit/files/json.h"
#include "apps/kit/files/output_file.h"
#include "bench/lab/measure/bandit_trial.h"
#include "bench/lab/measure/live.h"
#include "bench/lab/measure/primitives.h"
#include "bench/lab/measure/service.h"
#include "bench/lab/measure/wan.h"
#include "sotto/protocol/simulate/simulate.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/apps/support.h"
#include "tests/lab/measure/rows.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit::run;
namespace {

TEST(LabelledData, HasContextsOfNormOne) {
  const LabelledData data = make_data(200, 7, 5, 1);
  ASSERT_EQ(data.contexts.size(), 1400u);
  ASSERT_EQ(data.labels.size(), 200u);
  for (std::size_t row = 0; row < 200; ++row) {
    double square = 0;
    for (const double x : data.context(row)) square += x * x;
    EXPECT_NEAR(square, 1, 1e-12);
  }
  EXPECT_EQ(std::set(data.labels.begin(), data.labels.end()), (std::set{0u, 1u, 2u, 3u, 4u}));
  EXPECT_EQ(make_data(200, 7, 5, 1).contexts, data.contexts);
  EXPECT_NE(make_data(200, 7, 5, 2).contexts, data.contexts);
}

TEST(LabelledData, CanBeReadByARun) {
  const PrivateFolder folder;
  const LabelledData data = make_data(30, 7, 40, 1);
  const BanditOptions options = write_data(data, 3, folder.path());
  const LocalInputs inputs = read_local_inputs(options);
  ASSERT_EQ(inputs.blocks.size(), 3u);
  EXPECT_EQ(inputs.blocks[0].table.columns.size(), 3u);
  EXPECT_EQ(inputs.blocks[2].table.columns.size(), 2u);
  EXPECT_EQ(inputs.environment.arms(), 40u);
  EXPECT_TRUE(inputs.environment.binary_rewards());
  for (std::size_t row = 0; row < 30; ++row) {
    EXPECT_EQ(inputs.blocks[1].table.values[2 * row], data.context(row)[3]);
    EXPECT_EQ(inputs.environment.reward(row, data.labels[row]), 1);
  }
}

TEST(BanditTrial, TakesAsManyStepsAsMemoryAllows) {
  const BanditTrial few({2, 4, 3, 50, false});
  EXPECT_EQ(few.configuration().steps, 50u);
  const BanditTrial ahead({2, 20, 40, 100'000, false});
  EXPECT_LT(ahead.configuration().steps, 100'000u);
  EXPECT_GT(ahead.configuration().steps, 1u);
  const BanditTrial streaming({2, 20, 40, 100'000, true});
  EXPECT_EQ(streaming.configuration().steps, 100'000u);
}

TEST(BanditTrial, TakesWholeBatches) {
  const auto steps = [](const BanditCase& c) { return BanditTrial(c).configuration().steps; };
  EXPECT_EQ(steps({2, 4, 3, 50, false, 16, 0}), 48u);
  EXPECT_EQ(steps({2, 4, 3, 5, false, 16, 0}), 16u);
  EXPECT_EQ(steps({2, 4, 3, 50, true, 16, 20}), 48u);
  const std::uint64_t ahead = steps({2, 20, 40, 100'000, false, 64, 0});
  EXPECT_LT(ahead, 100'000u);
  EXPECT_EQ(ahead % 64, 0u);
}

std::vector<WanPoint> points() {
  std::vector<WanPoint> all;
  for (const int delay : {20, 0}) {
    for (const std::size_t parties : {2u, 3u}) {
      const net::LinkConditions link{std::chrono::milliseconds(delay), {}, 0};
      const double seconds = 7e-3 * delay;
      all.push_back(WanPoint{{parties, 20, 10, link}, 10, 7, 30'000, {seconds, 0, 0, 1e-3, 2e-3 + seconds}});
    }
  }
  return all;
}

TEST(Wan, TheTableHasAnErrorWhereALinkWasEmulated) {
  const nlohmann::ordered_json rows = wan_table(points()).to_json();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_NEAR(rows[0].at("measured_ms").get<double>(), 142, 1e-9);
  EXPECT_NEAR(rows[0].at("model_ms").get<double>(), 141, 1e-9);
  EXPECT_NEAR(rows[0].at("error_percent").get<double>(), 100 * (141.0 / 142 - 1), 1e-9);
  EXPECT_TRUE(rows[2].at("error_percent").is_null());
}

TEST(Wan, ChartsVaryOneThingEach) {
  const std::vector<WanChart> charts = wan_charts(points());
  ASSERT_EQ(charts.size(), 2u);
  EXPECT_EQ(charts[0].key, "delay");
  const LineChart& delay = charts[0].chart;
  ASSERT_EQ(delay.series.size(), 4u);
  EXPECT_EQ(delay.series[0].name, "2 parties");
  EXPECT_EQ(delay.series[1].css_name, "m0");
  ASSERT_EQ(delay.series[0].points.size(), 2u);
  EXPECT_EQ(delay.series[0].points[0].x, 0);
  EXPECT_NEAR(delay.series[0].points[1].y, 142, 1e-9);
  EXPECT_NEAR(delay.series[1].points[1].y, 141, 1e-9);
  EXPECT_EQ(charts[1].key, "parties");
  EXPECT_EQ(charts[1].chart.series[2].name, "20 ms");
}

TEST(Wan, ChartsAreOfTheSmallestBatch) {
  std::vector<WanPoint> all = points();
  for (WanPoint point : points()) {
    point.setting.batch = 64;
    all.push_back(point);
  }
  const std::vector<WanChart> charts = wan_charts(all);
  ASSERT_EQ(charts.size(), 2u);
  EXPECT_EQ(charts[0].chart.series[0].points.size(), 2u);
  EXPECT_EQ(wan_table(all).to_json()[7].at("batch"), 64);
}

TEST(Wan, PlotsStandAlone) {
  const std::vector<WanChart> charts = wan_charts(points());
  const std::string svg = wan_svg(charts[0]);
  EXPECT_EQ(svg.find("<svg xmlns=\"http://www.w3.org/2000/svg\""), 0u);
  EXPECT_THAT(svg, AllOf(HasSubstr("<style>"), HasSubstr(">3 parties</text>")));
  const Page page{"wan", "A & B", "about <it>", {}, {wan_table(points())}};
  const std::string html = wan_html(page, charts);
  EXPECT_THAT(html, AllOf(HasSubstr("A &amp; B"), Not(HasSubstr("about <it>")), Not(HasSubstr("src="))));
}

TEST(ServiceSpeed, TakesAllThatIsSent) {
  for (const bool encrypted : {false, true}) {
    const ServiceSpeed speed = measure_service({encrypted, 20, 1000}, 0, not_interrupted);
    EXPECT_GT(speed.messages_per_second, 0);
    EXPECT_GT(speed.ask_microseconds, 0);
  }
}

TEST(ServiceSpeed, HasARowForEachLinkAndSize) {
  const auto rows = service_table(5, 0, not_interrupted).to_json();
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[0]["link"], "TLS");
  EXPECT_EQ(rows[7]["link"], "TCP");
  EXPECT_EQ(rows[7]["clients"], 5);
  for (const auto& row : rows) EXPECT_GT(row["megabytes_per_second"], 0);
}

P2bTrial small_trial() { return P2bTrial{.reports = 1000, .reports_a_message = 64}; }

TEST(P2bSpeed, TakesAllReportsOfAllAgents) {
  for (const bool encrypted : {false, true}) {
    P2bTrial trial = small_trial();
    trial.encrypted = encrypted;
    trial.agents = 3;
    const P2bSpeed speed = measure_shuffler(trial, not_interrupted);
    EXPECT_GT(speed.reports_per_second, 0);
    EXPECT_GT(speed.shuffler_us, 0);
    EXPECT_GT(speed.memory_mb, 1);
  }
  EXPECT_GT(measure_queue(small_trial()).reports_per_second, 0);
}

TEST(P2bSpeed, HasARowForEachLinkAndFloor) {
  const std::vector<FigureTable> tables = p2b_tables(small_trial(), 0, not_interrupted);
  const auto rows = rows_of(tables, "speeds");
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0]["link"], "TLS");
  EXPECT_EQ(rows[2]["link"], "TCP");
  EXPECT_EQ(rows[4]["what"], "its queue alone");
  for (const auto& row : rows) EXPECT_GT(row["reports_per_second"], 0);
  ASSERT_EQ(rows_of(tables, "targets").size(), 1U);
  EXPECT_EQ(rows_of(tables, "targets")[0]["target"], 100'000);
}

TEST(Measurements, EndWhenInterrupted) {
  EXPECT_THROW(static_cast<void>(measure_service({false, 2, 10}, 1000, always_interrupted)), Interrupted);
  EXPECT_THROW(static_cast<void>(measure_shuffler(small_trial(), always_interrupted)), Interrupted);
}

PrimitiveFigures measured(const PrimitiveCase& what) {
  PrimitiveOptions options;
  options.repeats = 2;
  return measure_primitive(what, options);
}

class EachPrimitive : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, EachPrimitive, ::testing::ValuesIn(primitive_names()),
                         [](const auto& test) { return test.param; });

TEST_P(EachPrimitive, CostsWhatWasPlannedOverTcp) {
  for (const std::size_t parties : {2u, 3u}) {
    for (const std::size_t size : {2u, 7u}) {
      const PrimitiveFigures f = measured({GetParam(), size, parties});
      EXPECT_EQ(f.measured_rounds, f.planned_rounds);
      EXPECT_EQ(f.measured_bytes, f.planned_bytes);
      EXPECT_EQ(f.measured_dealt, f.planned_dealt);
      EXPECT_EQ(f.repeats, 2u);
      EXPECT_GE(f.rounds, 1u);
      EXPECT_GE(f.bytes_sent, f.rounds * (parties - 1) * FrameHeader::size);
      EXPECT_GT(f.dealt_bytes, 0u);
      EXPECT_GT(f.online_seconds, 0.0);
      EXPECT_GT(f.dealer_seconds, 0.0);
      EXPECT_TRUE(f.skipped.empty());
    }
  }
}

TEST_P(EachPrimitive, IsRightAtTheUsualSmallestSizes) {
  const auto program = [&](Party& party) -> Task<double> {
    return [](Party& p, std::string name) -> Task<double> {
      const auto primitive = find_primitive(name)->make(usual_sizes(name).front());
      co_await primitive->prepare(p);
      primitive->arrange();
      co_await primitive->run(p);
      const double error = co_await primitive->error(p);
      co_return error - primitive->tolerance();
    }(party, GetParam());
  };
  const auto run = protocols::simulate(Topology(2), program);
  EXPECT_LE(run.nodes[0], 0.0);
  EXPECT_LE(run.nodes[1], 0.0);
}

TEST(Primitives, HaveTheRoundsThatTheirHeadersSay) {
  const std::map<std::string, std::uint64_t> rounds{{"round", 1},   {"multiply", 1}, {"mask_trunc", 1},
                                                    {"compare", 1}, {"argmax", 2},   {"exp", 8},
                                                    {"matmul", 1},  {"a2b", 7},      {"b2a", 1}};
  for (const auto& [name, expected] : rounds) EXPECT_EQ(measured({name, 5, 2}).rounds, expected) << name;
}

TEST(Primitives, ATournamentOfAThousandArmsTakesSevenRounds) {
  const PrimitiveFigures f = measured({"argmax", 1000, 2});
  EXPECT_EQ(f.rounds, 7u);
  EXPECT_EQ(f.measured_bytes, f.planned_bytes);
}

TEST(Primitives, ABareRoundSendsAWordALaneToEachOtherParty) {
  const PrimitiveFigures f = measured({"round", 100, 3});
  EXPECT_EQ(f.bytes_sent, 2 * (FrameHeader::size + 800));
  EXPECT_EQ(f.dealt_bytes, FrameHeader::size);
}

TEST(Primitives, RepeatLessOftenOrNotAtAllWhereTooMuchWouldBeDealt) {
  PrimitiveOptions options{.repeats = 50, .most_dealt_bytes = 1'000'000};
  const PrimitiveFigures fewer = measure_primitive({"compare", 1000, 2}, options);
  EXPECT_EQ(fewer.repeats, 2u);
  EXPECT_LE((fewer.repeats + 1) * fewer.dealt_bytes, options.most_dealt_bytes);
  const PrimitiveFigures none = measure_primitive({"compare", 10'000, 2}, options);
  EXPECT_EQ(none.repeats, 0u);
  EXPECT_FALSE(none.skipped.empty());
  EXPECT_EQ(none.rounds, 1u);
}

TEST(Primitives, RefuseCasesThatCannotBe) {
  EXPECT_THROW((void)measured({"sorting", 1, 2}), InputError);
  EXPECT_THROW((void)measured({"multiply", 0, 2}), InputError);
  EXPECT_THROW((void)measured({"multiply", 1, 1}), InputError);
  EXPECT_THROW((void)measured({"multiply", 1, 9}), InputError);
  EXPECT_THROW((void)measured({"argmax", 1'000'000, 2}), InputError);
  EXPECT_THROW((void)measured({"matmul", 100'000, 2}), InputError);
}

Task<Unit> failing(Party& party) {
  if (party.adds_constants()) throw InputError("party 0 had enough");
  Words word(party.holds_shares() ? 1 : 0, 0);
  const Slot slot{"never", SlotKind::open, 64, 1};
  co_await Exchange(party.rounds(), slot, word, word);
  co_return Unit{};
}

TEST(PrimitiveRoles, TellWhatTheFirstOfThemThrew) {
  const RoleProgram program = [](Party& party, std::size_t) { return failing(party); };
  EXPECT_EQ(error_of<InputError>([&] { (void)run_roles_dealt_ahead(Topology(3), program, 1000, nullptr); }),
            "party 0 had enough");
}

TEST(PrimitivesTable, SaysWhetherAimsAreMet) {
  PrimitiveFigures fast{.what = {"compare", 1'000'000, 2}, .repeats = 5, .online_seconds = 0.09, .skipped = {}};
  PrimitiveFigures slow = fast;
  slow.online_seconds = 0.11;
  PrimitiveFigures without_aim = fast;
  without_aim.what.parties = 3;
  PrimitiveFigures skipped = fast;
  skipped.skipped = "6 repetitions deal 9.9 GB";
  const nlohmann::ordered_json rows = primitives_table({fast, slow, without_aim, skipped}).to_json();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0]["met"], true);
  EXPECT_EQ(rows[0]["aim_us"], 100'000.0);
  EXPECT_NEAR(rows[0]["online_ns_each"], 90.0, 1e-9);
  EXPECT_EQ(rows[1]["met"], false);
  EXPECT_TRUE(rows[2]["met"].is_null());
  EXPECT_TRUE(rows[3]["online_us"].is_null());
  EXPECT_EQ(rows[3]["note"], skipped.skipped);
}

using ::testing::HasSubstr;
using ::testing::Not;

WrkLoad load_of_batches() {
  WrkLoad load;
  load.authorization = "Authorization: Bearer 0123\r\n";
  load.prefix = "0011223344556677";
  load.lines = 16;
  return load;
}

TEST(Wrk, TheScriptHasTheLoad) {
  const std::string script = wrk_script(load_of_batches(), "/tmp/figures.json");
  EXPECT_THAT(script, HasSubstr(R"(prefix, lines, pause = "0011223344556677", 16, 0)"));
  EXPECT_THAT(script, HasSubstr(R"({ ["Content-Type"] = "application/x-ndjson", ["Authorization"] = "Bearer 0123" })"));
  EXPECT_THAT(script, HasSubstr(R"(io.open("/tmp/figures.json", "w"))"));
  EXPECT_THAT(script, Not(HasSubstr("delay()")));
  EXPECT_THAT(script, Not(HasSubstr("%PREFIX%")));
  WrkLoad single = load_of_batches();
  single.authorization.clear();
  single.lines = 0;
  single.pause_ms = 20;
  const std::string other = wrk_script(single, "/tmp/figures.json");
  EXPECT_THAT(other, HasSubstr(R"({ ["Content-Type"] = "application/json" })"));
  EXPECT_THAT(other, HasSubstr("function delay() return math.random(0, 2 * pause) end"));
}

TEST(Wrk, ReadsItsFigures) {
  const WrkFigures figures = read_wrk_figures(
      R"({"seconds":2,"requests":10,"asked":170,"decided":150,"baselines":4,"errors":1,"p50_us":1500,"p99_us":2500.5,)"
      R"("longest_us":4000})");
  EXPECT_EQ(figures.requests, 10u);
  EXPECT_EQ(figures.asked, 170u);
  EXPECT_EQ(figures.decided, 150u);
  EXPECT_EQ(figures.baselines, 4u);
  EXPECT_EQ(figures.errors, 1u);
  EXPECT_DOUBLE_EQ(figures.p50_ms, 1.5);
  EXPECT_DOUBLE_EQ(figures.p99_ms, 2.5005);
  EXPECT_DOUBLE_EQ(figures.longest_ms, 4);
  for (const char* const text : {"", "{}", R"({"seconds":"2"})"}) EXPECT_THROW((void)read_wrk_figures(text), Error);
}

// The load generator and the other callers compute the same ids without exchanging messages.
TEST(Wrk, EventsHaveIdsOfTheService) {
  EXPECT_EQ(event_id("0011223344556677", 12), "00112233445566770000000000000012");
  EXPECT_THAT(wrk_script(load_of_batches(), "f"), HasSubstr(R"(string.format('{"event":"%s%016d"}', prefix, asked))"));
}

LiveFigures figures_of(std::size_t lines, std::chrono::milliseconds delay, double decided, double p99) {
  LiveFigures figures;
  figures.load.what = lines > 0 ? "batches" : "single";
  figures.load.lines = lines;
  figures.load.service.link.delay = delay;
  figures.of_wrk.seconds = 2;
  figures.of_wrk.decided = static_cast<std::uint64_t>(decided);
  figures.of_wrk.p50_ms = p99 / 10;
  figures.of_wrk.p99_ms = p99;
  return figures;
}

nlohmann::json live_targets(const LiveFigures& figures) { return rows_of(live_tables({figures}), "targets"); }

TEST(LiveTables, JudgeByTheTargets) {
  using std::chrono::milliseconds;
  EXPECT_EQ(live_targets(figures_of(256, milliseconds(0), 20'000, 9))[0].at("reached"), true);
  EXPECT_EQ(live_targets(figures_of(256, milliseconds(0), 19'998, 9))[0].at("reached"), false);
  const auto single = live_targets(figures_of(0, milliseconds(0), 100, 15.5));
  EXPECT_EQ(single[0].at("reached"), true) << "1.55 ms";
  EXPECT_EQ(single[1].at("reached"), false);
  EXPECT_EQ(live_targets(figures_of(0, milliseconds(20), 100, 600))[0].at("reached"), true);
  EXPECT_EQ(live_targets(figures_of(0, milliseconds(20), 100, 601))[0].at("reached"), false);
  EXPECT_EQ(live_targets(figures_of(0, milliseconds(5), 100, 1)).size(), 0u);
  LiveFigures with_baselines = figures_of(256, milliseconds(0), 40'000, 9);
  with_baselines.of_wrk.baselines = 1;
  EXPECT_EQ(live_targets(with_baselines)[0].at("reached"), false);
  with_baselines.load.service.arms = 11;
  EXPECT_EQ(live_targets(with_baselines).size(), 0u);
}

TEST(LiveTables, ShowAveragesOfWhatGrew) {
  LiveFigures figures = figures_of(8, std::chrono::milliseconds(0), 1000, 9);
  figures.learned = 600;
  figures.grown["actor"] = {{"sotto_events_total{outcome=\"decided\"}", 1000},
                            {"sotto_batches_total{kind=\"decide\"}", 250},
                            {"sotto_batches_total{kind=\"learn\"}", 3},
                            {"sotto_batch_seconds_sum{kind=\"decide\",phase=\"rounds\"}", 0.5},
                            {"sotto_batch_seconds_count{kind=\"decide\",phase=\"rounds\"}", 250},
                            {"process_cpu_seconds_total", 0.25},
                            {"sotto_store_sync_seconds_count", 500},
                            {"sotto_store_sync_seconds_sum", 1}};
  const auto order = rows_of(live_tables({figures}), "order");
  EXPECT_EQ(order[0].at("events_of_decide"), 4);
  EXPECT_EQ(order[0].at("events_of_learn"), 200);
  EXPECT_EQ(order[0].at("decide_rounds_ms"), 2);
  EXPECT_TRUE(order[0].at("learn_rounds_ms").is_null());
  const auto roles = rows_of(live_tables({figures}), "roles");
  EXPECT_EQ(roles[0].at("cpu_us"), 250);
  EXPECT_EQ(roles[0].at("cores"), 0.125);
  EXPECT_EQ(roles[0].at("sync_ms"), 2);
  EXPECT_EQ(rows_of(live_tables({figures}), "load")[0].at("decisions_per_second"), 500);
}

}  // namespace
}  // namespace sotto::apps::lab
