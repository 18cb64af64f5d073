#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "apps/kit/files/json.h"
#include "bench/lab/measure/bandit_trial.h"
#include "bench/lab/measure/floor.h"
#include "bench/lab/measure/modes.h"
#include "bench/lab/measure/o3m_trial.h"
#include "bench/lab/measure/processes.h"
#include "bench/lab/measure/samples.h"
#include "tests/apps/kit/learn/samples.h"
#include "tests/apps/support.h"
#include "tests/lab/measure/rows.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
using namespace sotto::apps::bandit::run;
namespace {

// The figures of this measurement reach every target. Each test changes some of the figures.
BanditMeasurement measured(const BanditCase& configuration, double step_us, double floor_us) {
  BanditMeasurement m{configuration, {}};
  m.figures.tcp.step_us = {2 * step_us, step_us, step_us / 2};
  m.figures.tcp.floor_us = {floor_us, 3 * floor_us, floor_us};
  m.figures.tls.step_us = {3 * step_us, 1.5 * step_us, step_us};
  m.figures.tls.floor_us = {2 * floor_us};
  m.figures.dealer_cpu_us = {70};
  m.figures.twin_us = {1};
  m.figures.computing_us = {60, 40, 10};
  m.figures.rounds = 7;
  m.figures.sent_bytes = 30'000;
  m.figures.dealt_bytes = 65'000;
  m.figures.memory_bytes = 200'000'000;
  return m;
}

nlohmann::json targets(const std::vector<BanditMeasurement>& measurements) {
  return rows_of(bandit_tables(measurements), "targets");
}

TEST(BanditTables, ShowMedians) {
  const auto json = rows_of(bandit_tables({measured({2, 20, 10, 3000, false}, 80, 40)}), "times");
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0].at("step_us"), 80);
  EXPECT_EQ(json[0].at("step_least_us"), 40);
  EXPECT_EQ(json[0].at("floor_us"), 40);
  EXPECT_EQ(json[0].at("times_the_floor"), 2);
  EXPECT_EQ(json[0].at("computing_us"), 40);
  EXPECT_EQ(json[0].at("times_floor_and_computing"), 1);
  EXPECT_EQ(json[0].at("dealing"), "ahead");
  const auto costs = rows_of(bandit_tables({measured({2, 20, 10, 3000, true}, 80, 40)}), "costs");
  EXPECT_EQ(costs[0].at("memory_mb"), 200);
  EXPECT_EQ(costs[0].at("dealing"), "streaming");
}

// One thread runs the roles in turn, so no time is counted for two roles.
TEST(StepComputing, IsApartByRole) {
  constexpr std::uint64_t steps = 20;
  const LabelledData data = make_data(10, 4, 2, 1);
  const auto begin = std::chrono::steady_clock::now();
  const StepComputing computing = measure_computing(even_plan(3, 4, 2, 100), data, steps);
  const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(computing.parties_us, 0);
  EXPECT_GT(computing.dealer_us, 0);
  EXPECT_GT(computing.actor_us, 0);
  EXPECT_LE(steps * (computing.parties_us + computing.dealer_us + computing.actor_us), all.count());
}

TEST(BanditTables, ShowWhatTlsAdds) {
  const auto json = rows_of(bandit_tables({measured({2, 20, 10, 3000, false}, 80, 40)}), "tls");
  EXPECT_EQ(json[0].at("plain_step_us"), 80);
  EXPECT_EQ(json[0].at("tls_step_us"), 120);
  EXPECT_EQ(json[0].at("times_plain"), 1.5);
  EXPECT_EQ(json[0].at("plain_rounds_per_second"), 87500);
  EXPECT_EQ(json[0].at("tls_rounds_per_second"), 58333);
  EXPECT_EQ(json[0].at("tls_floor_us"), 80);
}

// The median of the total time is `us` without a dealer, and a tenth of `us` with a dealer.
ModeMeasurement measured_mode(const ModeCase& configuration, double us) {
  ModeMeasurement m{configuration, {}, {}};
  m.made.all_us = {2 * us, us, us / 2};
  m.made.online_us = {us / 4};
  m.made.preprocessing_us = {us / 2};
  m.made.sent_bytes = 20'000;
  m.made.preprocessing_bytes = 290'000;
  m.made.rounds = 6;
  m.made.preprocessing_rounds = 3;
  m.dealt.all_us = {us / 10};
  m.dealt.online_us = {us / 8};
  m.dealt.preprocessing_us = {7};
  m.dealt.sent_bytes = 20'000;
  m.dealt.preprocessing_bytes = 50'000;
  m.dealt.rounds = 6;
  return m;
}

TEST(ModeTables, ShowEachModeBesideTheDealer) {
  const std::vector<ModeMeasurement> all{measured_mode({RandomnessBy::ot, 20, 10, 300, 1}, 5000)};
  const auto times = rows_of(mode_tables(all), "times");
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].at("preprocessing"), "ot");
  EXPECT_EQ(times[0].at("parties"), 2);
  EXPECT_EQ(times[0].at("update"), "all arms");
  EXPECT_EQ(times[0].at("all_us"), 5000);
  EXPECT_EQ(times[0].at("steps_per_second"), 200);
  EXPECT_EQ(times[0].at("times_the_dealer"), 10);
  EXPECT_EQ(times[0].at("online_us"), 1250);
  EXPECT_EQ(times[0].at("online_times_the_dealer"), 2);
  EXPECT_EQ(times[0].at("preprocessing_us"), 2500);
  EXPECT_EQ(times[1].at("preprocessing"), "dealer");
  EXPECT_EQ(times[1].at("all_us"), 500);
  EXPECT_EQ(times[1].at("times_the_dealer"), 1);
  const auto bytes = rows_of(mode_tables(all), "bytes");
  EXPECT_EQ(bytes[0].at("sent_bytes"), 310'000);
  EXPECT_EQ(bytes[0].at("preprocessing_bytes"), 290'000);
  EXPECT_TRUE(bytes[0].at("dealt_bytes").is_null());
  EXPECT_EQ(bytes[1].at("sent_bytes"), 20'000);
  EXPECT_EQ(bytes[1].at("dealt_bytes"), 50'000);
}

TEST(ModeTables, JudgeWhatHasATarget) {
  const auto met = [](ModeCase c, double us) {
    std::vector<bool> all;
    for (const auto& row : rows_of(mode_tables({measured_mode(c, us)}), "targets")) all.push_back(row.at("met"));
    return all;
  };
  using Met = std::vector<bool>;
  constexpr StepUpdate first = StepUpdate::pulled_arm;
  EXPECT_EQ(met({RandomnessBy::ot, 20, 10, 300, 1, first}, 5999), Met{true});
  EXPECT_EQ(met({RandomnessBy::ot, 20, 10, 300, 1, first}, 6001), Met{false});
  EXPECT_EQ(met({RandomnessBy::ot, 20, 10, 300, 1, StepUpdate::all_arms}, 1), Met{});
  EXPECT_EQ(met({RandomnessBy::ot, 20, 10, 2048, 1024}, 2999), (Met{true, true}));
  EXPECT_EQ(met({RandomnessBy::ot, 20, 10, 2048, 1024}, 3001), (Met{false, true}));
  EXPECT_EQ(met({RandomnessBy::replicated, 20, 10, 8192, 256}, 83), Met{true});
  EXPECT_EQ(met({RandomnessBy::replicated, 20, 10, 8192, 256}, 84), Met{false});
  EXPECT_EQ(met({RandomnessBy::replicated, 20, 10, 1000, 1, first}, 100), Met{false});
  ModeMeasurement as_fast = measured_mode({RandomnessBy::replicated, 20, 10, 1000, 1, first}, 100);
  as_fast.dealt.all_us = {63};
  EXPECT_EQ(rows_of(mode_tables({as_fast}), "targets").at(0).at("met"), true);
  EXPECT_EQ(met({RandomnessBy::ot, 20, 40, 300, 1, first}, 1), Met{});
  EXPECT_EQ(met({RandomnessBy::ot, 20, 10, 300, 64}, 1), Met{});
}

BanditMeasurement measured_events(bool streaming, double event_us, double floor_us) {
  BanditMeasurement m = measured({2, 20, 10, 8192, streaming, 64, 0}, event_us, floor_us);
  m.figures.tcp.decide_us = {event_us / 10};
  m.figures.tcp.decide_floor_us = {floor_us / 10};
  m.figures.tls.decide_us = {event_us / 5};
  m.figures.tls.decide_floor_us = {floor_us / 5};
  return m;
}

TEST(BanditTables, ShowEventsOfBatchesByThemselves) {
  const std::vector<BanditMeasurement> both{measured({2, 20, 10, 3000, false}, 80, 40), measured_events(false, 20, 4)};
  EXPECT_EQ(rows_of(bandit_tables(both), "times").size(), 1u);
  EXPECT_EQ(rows_of(bandit_tables(both), "tls").size(), 1u);
  EXPECT_EQ(rows_of(bandit_tables(both), "costs").size(), 1u);
  EXPECT_EQ(targets(both), targets({both[0]}));
  const auto json = rows_of(bandit_tables(both), "events");
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0].at("link"), "TCP");
  EXPECT_EQ(json[0].at("events_per_second"), 50'000);
  EXPECT_EQ(json[0].at("times_the_floor"), 5);
  EXPECT_EQ(json[0].at("decisions_per_second"), 500'000);
  EXPECT_EQ(json[0].at("sent_bytes_per_event"), 30'000);
  EXPECT_EQ(json[0].at("dealt_bytes_per_event"), 65'000);
  EXPECT_NEAR(json[0].at("dealer_seconds_per_event").get<double>(), 70e-6, 1e-12);
  EXPECT_EQ(json[1].at("link"), "TLS");
  EXPECT_EQ(json[1].at("event_us"), 30);
  EXPECT_EQ(json[1].at("decide_us"), 4);
}

TEST(BanditTables, PutRatiosOfWhatWasMeasured) {
  const auto ratios = [](const std::vector<BanditMeasurement>& all) {
    std::map<std::string, double> found;
    for (const auto& row : rows_of(bandit_tables(all), "ratios")) {
      found[row.at("what").get<std::string>() + ": " + row.at("configuration").get<std::string>()] = row.at("ratio");
    }
    return found;
  };
  const BanditMeasurement ahead = measured({2, 20, 10, 3000, false}, 80, 40);
  const BanditMeasurement streaming = measured({2, 20, 10, 3000, true}, 160, 40);
  const std::string name = "2 parties, 10 arms, ";
  using Ratios = std::map<std::string, double>;
  EXPECT_EQ(ratios({ahead}), (Ratios{{"step over floor: " + name + "dealt ahead", 2},
                                     {"TLS over plain TCP: " + name + "dealt ahead", 1.5}}));
  EXPECT_EQ(ratios({streaming}), (Ratios{{"TLS over plain TCP: " + name + "streaming", 1.5}}));
  EXPECT_EQ(ratios({streaming, ahead}).at("all roles at once over dealt ahead: " + name + "streaming"), 2);
  const auto events = ratios({ahead, measured_events(true, 60, 4), measured_events(false, 20, 4)});
  EXPECT_EQ(events.at("event over floor: " + name + "batches of 64, dealt ahead"), 5);
  EXPECT_EQ(events.at("deciding over floor: " + name + "batches of 64, dealt ahead"), 5);
  EXPECT_EQ(events.at("all roles at once over dealt ahead: " + name + "batches of 64, streaming"), 3);
  EXPECT_EQ(events.size(), 7u);
}

TEST(BanditTables, ComparePartiesWithTheFloor) {
  for (const auto& [parties, most] : {std::pair{2u, 2.0}, {3u, 1.6}, {8u, 1.3}}) {
    const BanditCase c{parties, 20, 10, 3000, false};
    const auto met = targets({measured(c, 100 * most, 100)});
    EXPECT_EQ(met.at(0).at("at_most"), most);
    EXPECT_EQ(met.at(0).at("met"), true);
    EXPECT_EQ(met.size(), parties == 2 ? 4u : 1u);
    EXPECT_EQ(targets({measured(c, 101 * most, 100)}).at(0).at("met"), false);
  }
}

TEST(BanditTables, CompareArmsWithTenArms) {
  const BanditMeasurement ten = measured({2, 20, 10, 3000, false}, 50, 40);
  for (const auto& [arms, most] : {std::pair{40u, 3.0}, {100u, 10.0}}) {
    const BanditCase c{2, 20, arms, 300, false};
    EXPECT_EQ(targets({measured(c, 50 * most, 40), ten}).at(0).at("met"), true);
    EXPECT_EQ(targets({ten, measured(c, 51 * most, 40)}).at(4).at("met"), false);
    EXPECT_TRUE(targets({measured(c, 50, 40)}).empty());
  }
}

TEST(BanditTables, CompareStreamingWithItsTime) {
  const BanditCase c{2, 20, 10, 3000, true};
  EXPECT_EQ(targets({measured(c, 200, 40)}).at(0).at("met"), true);
  EXPECT_EQ(targets({measured(c, 201, 40)}).at(0).at("met"), false);
}

TEST(BanditTables, HaveNoTargetForOtherConfigurations) {
  EXPECT_TRUE(targets({measured({4, 20, 10, 3000, false}, 80, 40), measured({2, 19, 10, 3000, false}, 80, 40),
                       measured({2, 20, 11, 3000, false}, 80, 40), measured({3, 20, 10, 3000, true}, 80, 40)})
                  .empty());
}

using ::testing::Each;
using ::testing::Gt;
using ::testing::SizeIs;

TEST(Samples, HaveAMedianAndALeast) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 8, 2}), 3);
  EXPECT_EQ(least({9, 1, 5}), 1);
  EXPECT_THROW((void)median({}), std::invalid_argument);
  EXPECT_THROW((void)least({}), std::invalid_argument);
}

TEST(Batches, KeepWithinTheTime) {
  const auto cut = [](std::uint64_t wanted, double trial_us, double seconds) {
    const Batches batches = plan_batches(wanted, trial_us, seconds);
    return std::pair{batches.repetitions, batches.count};
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  const std::tuple<std::uint64_t, double, double, Pair> cases[] = {
      {2000, 100, 4, Pair(200, 10)}, {2000, 10'000, 4, Pair(40, 10)}, {2000, 1e6, 4, Pair(1, 4)},
      {2000, 1e9, 4, Pair(1, 3)},    {1, 1, 4, Pair(1, 3)},           {2000, 0, 4, Pair(200, 10)}};
  for (const auto& [wanted, trial_us, seconds, batches] : cases) EXPECT_EQ(cut(wanted, trial_us, seconds), batches);
}

TEST(Replay, GivesATimeForEachBatch) {
  const StepFrames frames = step_frames(even_plan(3, 6, 4, 10));
  for (const Waiting waiting : {Waiting::yielding, Waiting::spinning, Waiting::blocking}) {
    EXPECT_THAT(replay_steps(frames, waiting, 2, 3, not_interrupted), AllOf(SizeIs(3), Each(Gt(0.0))));
  }
}

TEST(Replay, TakesFramesLargerThanTheBuffersOfASocket) {
  constexpr std::size_t large = std::size_t{24} << 20;
  const StepFrames frames{2, 2, {{0, large, large, 0}, {0, large, 0, 0}}};
  EXPECT_THAT(replay_steps(frames, Waiting::yielding, 1, 1, not_interrupted), AllOf(SizeIs(1), Each(Gt(0.0))));
}

TEST(Replay, TakesFewStepsWhereThereIsNoTime) {
  const StepFrames frames{2, 2, {{0, 100, 100, 0}}};
  EXPECT_THAT(replay_within(frames, Waiting::blocking, 1000, 0, not_interrupted), SizeIs(3));
  EXPECT_THAT(replay_within(frames, Waiting::blocking, 40, 1e9, not_interrupted), SizeIs(10));
}

TEST(Trials, EndWhenInterrupted) {
  EXPECT_THROW((void)measure_o3m({}, 1, 0, always_interrupted), Interrupted);
  const StepFrames frames{2, 2, {{0, 0, 100, 0}}};
  EXPECT_THROW((void)replay_steps(frames, Waiting::blocking, 1'000'000, 10, always_interrupted), Interrupted);
}

TEST(Replay, GoesOverTlsAsWell) {
  const StepFrames step = step_frames(even_plan(3, 6, 4, 10));
  constexpr std::size_t large = std::size_t{5} << 20;
  const StepFrames exchange{2, 2, {{0, large, 1, 0}, {0, 16384, 0, 0}}};
  for (const Waiting waiting : {Waiting::yielding, Waiting::spinning, Waiting::blocking}) {
    for (const StepFrames& frames : {step, exchange}) {
      EXPECT_THAT(replay_steps(frames, waiting, 3, 2, not_interrupted, Carrier::tls), AllOf(SizeIs(2), Each(Gt(0.0))));
    }
  }
}

TEST(KernelSpeeds, GiveARateForEachBatch) {
  const std::vector<KernelSpeed> speeds = kernel_speeds(0, 2);
  EXPECT_THAT(speeds, SizeIs(4));
  for (const KernelSpeed& speed : speeds) EXPECT_THAT(speed.batches, AllOf(SizeIs(2), Each(Gt(0.0)))) << speed.what;
}

TEST(O3mTrial, MeasuresWholeRoundsOfEverything) {
  for (const auto algorithm : {LinearAlgorithm::ucb, LinearAlgorithm::ts}) {
    const O3mFigures figures = measure_o3m({algorithm, 11, 3, 4}, 10, 7, not_interrupted);
    EXPECT_GE(figures.steps, 10u);
    EXPECT_EQ(figures.joining_us.size(), 3u);
    EXPECT_EQ(figures.playing_us.size(), 3u);
    EXPECT_EQ(figures.twin_us.size(), 3u);
    EXPECT_EQ(figures.passive_us.size(), 3u);
    EXPECT_EQ(figures.textbook_us.size(), 7u);
    for (const auto& samples :
         {figures.joining_us, figures.playing_us, figures.twin_us, figures.passive_us, figures.textbook_us}) {
      EXPECT_TRUE(std::all_of(samples.begin(), samples.end(), [](double us) { return us > 0; }));
    }
  }
}

// With ucb both bandits pull the same arms, because ucb has no noise.
TEST(TextbookBandit, PullsTheArmsOfLinUcb) {
  LinearBanditOptions options{.dimension = 6, .arms = 4};
  LinearBandit bandit(options);
  TextbookBandit textbook(options);
  StepStream stream(1, 1);
  for (std::uint64_t t = 0; t < 200; ++t) {
    const std::vector<double> contexts = testing::directions(stream, 4, 6);
    const std::size_t arm = bandit.select(t, contexts);
    ASSERT_EQ(textbook.select(t, contexts), arm);
    const auto context = std::span(contexts).subspan(arm * 6, 6);
    bandit.update(context, contexts[0]);
    textbook.update(context, contexts[0]);
  }
}

TEST(TextbookBandit, PullsTheArmsOfLinTsWithoutNoise) {
  LinearBanditOptions options{.algorithm = LinearAlgorithm::ts, .dimension = 3, .arms = 2, .v = 0};
  TextbookBandit textbook(options);
  const std::vector<double> contexts = {1, 0, 0, 0, 1, 0};
  textbook.update(std::span(contexts).subspan(3, 3), 1);
  EXPECT_EQ(textbook.select(0, contexts), 1u);
}

O3mMeasurement measured(const O3mCase& what, double us) {
  return {what, {300, {us / 4, us / 2, 8 * us}, {us / 2, us, us / 4}, {us / 4}, {3}, {1000}}};
}

nlohmann::json targets(const O3mMeasurement& measurement) { return rows_of(o3m_tables({measurement}, {}), "targets"); }

TEST(O3mTables, ShowMediansAndTheMeanWithRefreshes) {
  const auto row = rows_of(o3m_tables({measured({LinearAlgorithm::ts, 100, 10, 5}, 12)}, {}), "times")[0];
  EXPECT_EQ(row.at("algorithm"), "ts");
  EXPECT_EQ(row.at("active_us"), 12);
  EXPECT_EQ(row.at("joining_us"), 6);
  EXPECT_EQ(row.at("playing_us"), 6);
  EXPECT_EQ(row.at("playing_mean_us"), 7);
  EXPECT_EQ(row.at("times_the_twin"), 2);
  EXPECT_EQ(row.at("textbook_us"), 1000);
  O3mMeasurement without = measured({}, 12);
  without.figures.textbook_us.clear();
  EXPECT_TRUE(rows_of(o3m_tables({without}, {}), "times")[0].at("textbook_us").is_null());
}

TEST(O3mTables, CompareWithTheTargets) {
  EXPECT_EQ(targets(measured({LinearAlgorithm::ucb, 100, 10, 5}, 20))[0].at("met"), true);
  EXPECT_EQ(targets(measured({LinearAlgorithm::ucb, 100, 10, 5}, 21))[0].at("met"), false);
  EXPECT_EQ(targets(measured({LinearAlgorithm::ts, 1000, 100, 5}, 9'999))[0].at("met"), true);
  EXPECT_EQ(targets(measured({LinearAlgorithm::ts, 1000, 100, 5}, 10'001))[0].at("met"), false);
  EXPECT_TRUE(targets(measured({LinearAlgorithm::ts, 100, 10, 4}, 1)).empty());
  EXPECT_TRUE(targets(measured({LinearAlgorithm::ts, 100, 20, 5}, 1)).empty());
}

using Numbers = std::vector<double>;

[[noreturn]] void wait_for_ever() {
  for (;;) ::poll(nullptr, 0, -1);
}

std::string failure_of(const std::vector<MeasuringProcess>& processes) {
  return error_of<Error>([&] { (void)run_processes(processes, not_interrupted); });
}

bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

TEST(MeasuringProcesses, HandBackTheirNumbers) {
  const Numbers many(100'000, 0.25);
  const auto numbers = run_processes({{"a",
                                       [] {
                                         return Numbers{1.5, -2};
                                       }},
                                      {"b", [] { return Numbers{}; }},
                                      {"c", [&] { return many; }}},
                                     not_interrupted);
  EXPECT_EQ(numbers, (std::vector<Numbers>{{1.5, -2}, {}, many}));
  EXPECT_FALSE(has_children());
}

TEST(MeasuringProcesses, AreProcesses) {
  const auto id = [] { return Numbers{static_cast<double>(::getpid())}; };
  const auto numbers = run_processes({{"a", id}, {"b", id}}, not_interrupted);
  EXPECT_NE(numbers[0], numbers[1]);
  EXPECT_NE(numbers[0], id());
}

TEST(MeasuringProcesses, EndTogetherWhenOneThrows) {
  EXPECT_EQ(failure_of({{"a", [] { return wait_for_ever(), Numbers{}; }},
                        {"b", []() -> Numbers { throw std::runtime_error("no such thing"); }}}),
            "b: no such thing");
  EXPECT_FALSE(has_children());
}

TEST(MeasuringProcesses, EndTogetherWhenOneIsKilled) {
  EXPECT_THAT(failure_of({{"a", [] { return wait_for_ever(), Numbers{}; }},
                          {"b", [] { return ::kill(::getpid(), SIGKILL), Numbers{}; }}}),
              HasSubstr("b was killed"));
  EXPECT_FALSE(has_children());
}

TEST(MeasuringProcesses, EndWhenInterrupted) {
  EXPECT_THROW((void)run_processes({{"a", [] { return wait_for_ever(), Numbers{}; }}}, always_interrupted),
               Interrupted);
  EXPECT_FALSE(has_children());
}

TEST(Loopback, ConnectsEveryTwo) {
  const LoopbackMesh mesh(4);
  for (std::size_t from = 0; from < 4; ++from) {
    for (std::size_t to = 0; to < 4; ++to) {
      if (from == to) continue;
      const char sent = static_cast<char>(10 * from + to);
      char received = 0;
      ASSERT_EQ(::send(mesh.socket(from, to), &sent, 1, 0), 1);
      ASSERT_EQ(::recv(mesh.socket(to, from), &received, 1, 0), 1);
      EXPECT_EQ(received, sent);
    }
  }
}

}  // namespace
}  // namespace sotto::apps::lab
