#include "tests/process/kept_service.h"

namespace sotto::testing {

using namespace sotto::apps::live;
namespace {

class ServeFrom : public InFolder {};

TEST_F(ServeFrom, AServiceBeginsFromAnEarlierOne) {
  KeptService::Sums then;
  std::map<std::string, Words> from;
  {
    KeptService before(folder, "old");
    before.start();
    before.learn(1, 6);
    EXPECT_EQ(before.call("actor", "POST", "/v1/drain").status, 200U);
    before.end();
    then = before.sums();
    for (const std::string role : {"party_0", "party_1"}) from[role] = {"--from", before.config_file(role).string()};
  }
  KeptService after(folder, "new", [](LiveConfig& config) {
    config.live.arms = {"blue", "white", "red"};
    config.live.added_features = {{1, 1}};
  });
  after.config("party_1").columns = after.columns("x,-1,1,0.3\nnew,-1,1,0.1\ny,-1,1,0.2\n");
  after.start(from);
  EXPECT_EQ(after.status("actor")["number"], 1);
  after.end();
  const KeptService::Sums now = after.sums();
  EXPECT_THAT(then.targets, ::testing::Contains(::testing::Ne(0u))) << "rewards were learned";
  const unsigned bits = after.plan({2, 3}).context_bits;
  using Place = std::optional<std::size_t>;
  const std::vector<Place> arm_was{2, {}, 0};
  const std::vector<Place> was{0, 1, 2, {}, 3};
  for (std::size_t arm = 0; arm < 3; ++arm) {
    const Place& old_arm = arm_was[arm];
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(now.targets.at(arm * 5 + i), old_arm && was[i] ? then.targets.at(*old_arm * 4 + *was[i]) : 0);
      for (std::size_t j = i; j < 5; ++j) {
        const std::uint64_t fresh = i == j ? std::uint64_t{1} << (2 * bits) : 0;
        EXPECT_EQ(now.gram.at(arm * 15 + at_triangle(5, i, j)),
                  old_arm && was[i] && was[j] ? then.gram.at(*old_arm * 10 + at_triangle(4, *was[i], *was[j])) : fresh);
      }
    }
  }
  // Until a service has learned an event, its model is the model of the earlier service, and cannot be exported.
  const auto refused = [&](const Words& words, const std::string& says) {
    SottoProcess process(folder, words);
    EXPECT_EQ(process.wait(), 2);
    EXPECT_THAT(process.err(), HasSubstr(says));
  };
  const fs::path share = folder.path() / "share";
  refused(after.command("party_0", {"--export-share", share.string()}), "or of the service before");
  KeptService third(folder, "third");
  refused(third.command("party_0", {"--from", after.config_file("party_0").string()}),
          "has learned nothing since it took the model of another");
  after.start(from);
  after.learn(100, 4);
  after.expect_told_stays_told();
}

// Checks that the service has learned exactly `learned` of its 20 events, and that the page, the metrics, the readiness
// and the log report this number.
void expect_warning(KeptService& service, unsigned learned, const std::string& says) {
  for (const std::string role : {"actor", "party_0", "party_1", "rewarder"}) {
    SCOPED_TRACE(role);
    const json status = service.status(role);
    EXPECT_EQ(status["learned"], learned);
    EXPECT_EQ(status["steps"], 20);
    ASSERT_EQ(status["warnings"].size(), says.empty() ? 0u : 1u);
    const std::string metrics = service.call(role, "GET", "/metrics").body;
    EXPECT_THAT(metrics, HasSubstr("\nsotto_learned_events " + std::to_string(learned) + "\n"));
    EXPECT_THAT(metrics, HasSubstr("\nsotto_steps 20\n"));
    EXPECT_THAT(metrics, HasSubstr(learned == 20 ? "\nsotto_learning_ended 1\n" : "\nsotto_learning_ended 0\n"));
    const std::string ready = service.call(role, "GET", "/readyz").body;
    if (says.empty()) {
      EXPECT_EQ(ready, R"({"ready":true})");
      continue;
    }
    EXPECT_THAT(status["warnings"][0].get<std::string>(), HasSubstr(says));
    EXPECT_THAT(json::parse(ready)["detail"].get<std::string>(), HasSubstr(says));
    EXPECT_THAT(service.call(role, "GET", "/").body, HasSubstr("status.warnings"));
    service.process(role).wait_for(says);
  }
}

TEST_F(ServeFrom, AServiceThatHasLearnedAllGoesOnWithMoreSteps) {
  KeptService::Sums then;
  std::map<std::string, Words> from;
  {
    KeptService before(folder, "old", [](LiveConfig& config) { config.steps = 20; });
    before.start();
    before.learn(1, 15);
    expect_warning(before, 15, "");
    before.learn(16, 1);
    expect_warning(before, 16, "learned 16 of at most 20 events (steps in [run]), 80% or more");
    before.learn(17, 3);
    expect_warning(before, 19, "95% or more");
    before.learn(20, 1);
    expect_warning(before, 20, "it decides and learns no more");
    EXPECT_EQ(before.decide(21).status, 200U);
    while (before.status("actor")["mode"] != "frozen") continue;
    EXPECT_EQ(before.decide(22).status, 200U);
    for (const unsigned event : {21, 22}) {
      EXPECT_EQ(before.problem("rewarder", "POST", KeptService::reward_of(event), R"({"value":1})"),
                "410 urn:sotto:not-learned");
    }
    EXPECT_EQ(before.problem("rewarder", "POST", KeptService::reward_of(3), R"({"value":1})"), "410 urn:sotto:late");
    EXPECT_EQ(before.problem("actor", "PUT", "/v1/mode", R"({"mode":"online"})"), "409 urn:sotto:learning-ended");
    before.end();
    then = before.sums();
    for (const std::string role : {"party_0", "party_1"}) from[role] = {"--from", before.config_file(role).string()};
  }
  KeptService after(folder, "new", [](LiveConfig& config) { config.steps = 100'000'000; });
  after.start(from);
  EXPECT_EQ(after.status("actor")["learned"], 20);
  EXPECT_EQ(after.status("actor")["mode"], "online");
  after.learn(100, 1);
  const auto arm = after.answer_of(100)["arm_index"].get<std::size_t>();
  after.end();
  const KeptService::Sums now = after.sums();
  const unsigned bits = after.plan({2, 2}).context_bits;
  constexpr unsigned old_bits = 20;
  ASSERT_LT(bits, old_bits);
  const std::array<double, 4> x{.3, .2, .3, .2};
  const auto expect_near = [](std::uint64_t word, std::uint64_t added, std::uint64_t old_word, unsigned cut) {
    const auto kept = static_cast<double>(static_cast<std::int64_t>(word - added));
    EXPECT_LT(
        std::abs(kept - std::ldexp(static_cast<double>(static_cast<std::int64_t>(old_word)), -static_cast<int>(cut))),
        1);
  };
  for (std::size_t a = 0; a < 3; ++a) {
    const auto added = [&](double value) { return a == arm ? encode(value, bits) : 0; };
    for (std::size_t i = 0; i < 4; ++i) {
      expect_near(now.targets.at(a * 4 + i), added(x.at(i)), then.targets.at(a * 4 + i), old_bits - bits);
      for (std::size_t j = i; j < 4; ++j) {
        const std::size_t at = a * 10 + at_triangle(4, i, j);
        expect_near(now.gram.at(at), added(x.at(i)) * added(x.at(j)), then.gram.at(at), 2 * (old_bits - bits));
      }
    }
  }
}

// In all runs from files, the first of these joint contexts is in the even rows, and the second is in the odd rows.
// Both parties have the same features.
const std::array<std::array<double, 4>, 2> rows_of_files{{{.5, .1, .5, .1}, {-.2, .4, -.2, .4}}};

// How often an arm was learned with even and with odd rows, and how often its reward was 1.
struct LearnedRows {
  std::array<double, 2> events{}, rewards{};
};

// Computes the learned rows from the first two entries of b and of the diagonal of A. Checks that all other entries
// follow from these rows.
LearnedRows learned_rows(const KeptService::Sums& sums, const apps::bandit::BatchPlan& plan, std::size_t arm) {
  const auto& [even, odd] = rows_of_files;
  const auto gram = [&](std::size_t i, std::size_t j) {
    return decode(sums.gram.at(arm * 10 + at_triangle(4, i, j)), 2 * plan.context_bits) - (i == j ? 1 : 0);
  };
  const auto target = [&](std::size_t i) {
    return decode(sums.targets.at(arm * 4 + i), plan.context_bits + plan.reward_bits);
  };
  const auto solved = [](double a, double b, double c, double d, double x, double y) {
    const double by = a * d - b * c;
    return std::array<double, 2>{std::round((x * d - b * y) / by), std::round((a * y - x * c) / by)};
  };
  LearnedRows rows;
  rows.events = solved(even[0] * even[0], odd[0] * odd[0], even[1] * even[1], odd[1] * odd[1], gram(0, 0), gram(1, 1));
  rows.rewards = solved(even[0], odd[0], even[1], odd[1], target(0), target(1));
  // Allowed error from the rounding of contexts. One event more or less changes each entry by ten times this error.
  constexpr double rounding = 1e-3;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(target(i), rows.rewards[0] * even.at(i) + rows.rewards[1] * odd.at(i), rounding);
    for (std::size_t j = i; j < 4; ++j) {
      EXPECT_NEAR(gram(i, j), rows.events[0] * even.at(i) * even.at(j) + rows.events[1] * odd.at(i) * odd.at(j),
                  rounding);
    }
  }
  return rows;
}

// Returns the rows that the service has learned, arm by arm, and checks that the service continues.
std::vector<LearnedRows> begun_from_run(const TestFolder& folder, const Words& words, unsigned learned) {
  const fs::path out = folder.path() / "out";
  SottoProcess run(folder, joined(words, {"--out", out.string()}));
  EXPECT_EQ(run.wait(), 0) << run.err();
  KeptService service(folder, "shop");
  std::map<std::string, Words> from;
  for (const std::string role : {"party_0", "party_1"}) from[role] = {"--from", (out / "state" / role).string()};
  service.start(from);
  EXPECT_EQ(service.status("party_0")["snapshots"].back()["learned"], learned);
  service.end();
  const KeptService::Sums sums = service.sums();
  std::vector<LearnedRows> rows;
  for (std::size_t arm = 0; arm < 3; ++arm) rows.push_back(learned_rows(sums, service.plan({2, 2}), arm));
  service.start(from);
  service.learn(1, 4);
  service.end();
  EXPECT_NE(service.sums().gram, sums.gram);
  EXPECT_NE(service.sums().targets, sums.targets);
  return rows;
}

TEST_F(ServeFrom, AServiceBeginsFromARunOfFiles) {
  write_small_run(folder, "0.5,0.1", "-0.2,0.4", 3, 60);
  const auto arms = begun_from_run(folder, small_run(words_of("--steps 240 --batch 8 --checkpoint-every 80")), 240);
  std::array<double, 2> events{};
  double rewards = 0;
  for (const LearnedRows& arm : arms) {
    for (std::size_t kind = 0; kind < 2; ++kind) {
      EXPECT_GE(arm.events.at(kind), arm.rewards.at(kind));
      EXPECT_GE(arm.rewards.at(kind), 0);
      events.at(kind) += arm.events.at(kind);
      rewards += arm.rewards.at(kind);
    }
  }
  EXPECT_EQ(events, (std::array<double, 2>{120, 120}));
  const json run = json::parse(contents(folder.path() / "out" / "run.json"));
  EXPECT_EQ(rewards, std::round(240 * run["average_reward"].get<double>()));
}

TEST_F(ServeFrom, AServiceBeginsFromWhatALogTaught) {
  write_small_run(folder, "0.5,0.1", "-0.2,0.4", 3, 60);
  std::string log = "arm,reward\n";
  for (int event = 0; event < 60; ++event) log += std::to_string(event % 3) + "," + std::to_string(event % 2) + "\n";
  folder.write("log.csv", log);
  const Words words = words_of("bandit --party a.csv --party b.csv --log log.csv --max-norm 1");
  for (const LearnedRows& arm : begun_from_run(folder, words, 60)) {
    EXPECT_EQ(arm.events, (std::array<double, 2>{10, 10}));
    EXPECT_EQ(arm.rewards, (std::array<double, 2>{0, 10}));
  }
}

}  // namespace
}  // namespace sotto::testing
