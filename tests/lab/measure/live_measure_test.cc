// What `sotto-lab bench live` tells wrk, and what it makes of its figures; the runs themselves are a process test.

#include "apps/kit/files/json.h"
#include "bench/lab/measure/live_client.h"
#include "bench/lab/measure/live_speed.h"
#include "tests/apps/support.h"

namespace sotto::apps::lab {
namespace {

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

// The generator and the callers beside it know the same ids without a word.
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

nlohmann::json live_targets(const LiveFigures& figures) {
  return nlohmann::json::parse(live_target_table({figures}).to_json().dump());
}

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
  const auto order = live_order_table({figures}).to_json();
  EXPECT_EQ(order[0].at("events_of_decide"), 4);
  EXPECT_EQ(order[0].at("events_of_learn"), 200);
  EXPECT_EQ(order[0].at("decide_rounds_ms"), 2);
  EXPECT_TRUE(order[0].at("learn_rounds_ms").is_null());
  const auto roles = live_role_table({figures}).to_json();
  EXPECT_EQ(roles[0].at("cpu_us"), 250);
  EXPECT_EQ(roles[0].at("cores"), 0.125);
  EXPECT_EQ(roles[0].at("sync_ms"), 2);
  EXPECT_EQ(live_load_table({figures}).to_json()[0].at("decisions_per_second"), 500);
}

}  // namespace
}  // namespace sotto::apps::lab
