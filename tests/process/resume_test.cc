#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

constexpr int rows = 90;
constexpr std::uint64_t kept_steps = 3000;
constexpr std::uint64_t every = 100;

// A run of two parties whose arms and rewards a plain-text twin can replay.
class KeptRun {
 public:
  KeptRun() {
    std::string a = "a,b\n";
    std::string b = "c\n";
    for (int row = 0; row < rows; ++row) {
      a += std::to_string(0.5 - 0.01 * (row % 50)) + "," + std::to_string(0.005 * row) + "\n";
      b += std::to_string(row % 3 == 0 ? 0.4 : -0.3) + "\n";
    }
    folder_.write("a.csv", a);
    folder_.write("b.csv", b);
    folder_.write("labels.csv", labels_in_turn(3, rows));
  }

  [[nodiscard]] Words begin(const std::string& more = "") const {
    return small_run(words_of("--steps " + std::to_string(kept_steps) + " --checkpoint-every " + std::to_string(every) +
                              " --compare-plaintext --reveal-model --out " + out().string() + " " + more));
  }
  [[nodiscard]] Words resume() const { return {"bandit", "--resume", out().string()}; }
  [[nodiscard]] fs::path out() const { return folder_.path() / "out"; }
  [[nodiscard]] const TestFolder& folder() const { return folder_; }
  [[nodiscard]] json result() const { return json::parse(contents(out() / "run.json")); }

  // begun: the number of steps that a role has begun. taken: how often the role has begun a step, including repeated
  // steps. The role writes both numbers to a file.
  [[nodiscard]] std::uint64_t begun(const std::string& role) const { return marked(role, 0); }
  [[nodiscard]] std::uint64_t taken(const std::string& role) const { return marked(role, 1); }
  void until_begun(const SottoProcess& process, const std::string& role, std::uint64_t step) const {
    while (begun(role) < step) process.look_again();
  }
  void copy_state(const std::string& role, const std::string& name) const {
    fs::create_directories(folder_.path() / name);
    fs::copy(out() / "state" / role, folder_.path() / name / role);
  }
  void bring_back(const std::string& role, const std::string& name) const {
    const fs::path state = out() / "state" / role;
    fs::remove_all(state);
    fs::copy(folder_.path() / name / role, state);
    fs::permissions(state, fs::perms::owner_all);
  }
  void play(const Words& arguments, std::uint64_t step) const {
    SottoProcess process(folder_, arguments);
    until_begun(process, "party_0", step);
    ::kill(process.child("party_1.toml"), SIGKILL);
    EXPECT_NE(process.wait(), 0);
  }

  // Checks that the model equals the twin's model. The twin received every arm and reward from which the model was
  // built.
  void expect_complete(std::uint64_t epochs) const {
    const json run = result();
    EXPECT_EQ(run["status"], "complete") << run.value("error", "");
    ASSERT_TRUE(run.contains("state"));
    const json& state = run["state"];
    EXPECT_EQ(state["checkpoint_every"], every);
    EXPECT_EQ(state["epochs"], epochs);
    EXPECT_TRUE(run["batch"] != 1 || state["from_step"].get<std::uint64_t>() % every == 0);
    EXPECT_EQ(run["compare_plaintext"]["steps"], kept_steps);
    EXPECT_LT(run["compare_plaintext"]["largest_weight_difference"].get<double>(), 2e-3);
    EXPECT_EQ(run["reward_curve"].back()["step"], kept_steps);
    EXPECT_EQ(run["reward_curve"].back()["average_reward"], run["average_reward"]);
    const double an_arm = run["eta_per_action"]["exact"].get<double>();
    const auto repeated = state["repeated_steps"].get<double>();
    EXPECT_NEAR(run["eta_composed"]["basic"].get<double>(), (static_cast<double>(kept_steps) + repeated) * an_arm,
                1e-6);
  }

 private:
  [[nodiscard]] std::uint64_t marked(const std::string& role, std::size_t which) const {
    const std::string bytes = contents(out() / "state" / role / "begun");
    std::uint64_t numbers[2] = {};
    if (bytes.size() >= sizeof numbers) std::memcpy(numbers, bytes.data(), sizeof numbers);
    return numbers[which];
  }

  TestFolder folder_;
};

class Resume : public ::testing::Test {
 protected:
  KeptRun run;
};

TEST_F(Resume, GoesOnAfterARoleWasKilled) {
  std::uint64_t epochs = 1;
  {
    SottoProcess process(run.folder(), run.begin());
    run.until_begun(process, "party_0", 250);
    ::kill(process.child("party_1.toml"), SIGKILL);
    EXPECT_NE(process.wait(), 0);
    EXPECT_THAT(process.error(), HasSubstr("`sotto bandit --resume " + run.out().string() + "`"));
    EXPECT_EQ(run.result()["status"], "failed");
  }
  for (const char* more : {"", "--overwrite"}) {
    expect_refused(run.folder(), run.begin(more), "`sotto bandit --resume " + run.out().string() + "`");
  }
  for (const std::string role : {"party_0", "actor"}) {
    SottoProcess process(run.folder(), run.resume());
    run.until_begun(process, "party_1", ++epochs * 400);
    ::kill(process.child(role + ".toml"), SIGKILL);
    EXPECT_NE(process.wait(), 0);
  }
  EXPECT_THAT(succeed(run.folder(), run.resume()), HasSubstr("resumed"));
  run.expect_complete(4);
  EXPECT_GE(run.result()["state"]["repeated_steps"], 3u);
  EXPECT_GE(run.result()["state"]["from_step"], 1000u);

  SottoProcess again(run.folder(), run.resume());
  expect_end(again, 0, "is complete");
  expect_refused(run.folder(), run.begin(), "has finished");
  run.expect_complete(4);
  EXPECT_TRUE(run.folder().nothing_left());
}

TEST_F(Resume, GoesOnWithARunInBatches) {
  run.play(run.begin("--batch 16 --reward-lag 40 --separate-rewarder"), 450);
  run.play(run.resume(), 1200);
  EXPECT_THAT(succeed(run.folder(), run.resume()), HasSubstr("resumed"));
  run.expect_complete(3);
  EXPECT_GE(run.result()["state"]["from_step"], 1000u);
  EXPECT_GE(run.result()["state"]["repeated_steps"], 2 * 40u);
}

TEST_F(Resume, GoesOnAfterTheLauncherWasKilled) {
  {
    SottoProcess process(run.folder(), run.begin("--separate-rewarder --insecure-seed 3"));
    run.until_begun(process, "rewarder", 350);
    process.signal(SIGKILL);
    EXPECT_EQ(process.wait(), 1000 + SIGKILL);
  }
  SottoProcess process(run.folder(), run.resume());
  EXPECT_EQ(process.wait(), 0) << process.err();
  run.expect_complete(2);
  EXPECT_EQ(run.result()["insecure"], json::array({"insecure-seed"}));
}

TEST_F(Resume, WritesResultsThatWereLostWithoutPlayingAStep) {
  succeed(run.folder(), run.begin());
  run.expect_complete(1);
  const json before = run.result();
  EXPECT_EQ(before["state"]["repeated_steps"], 0u);
  fs::remove(run.out() / "run.json");
  succeed(run.folder(), run.resume());
  run.expect_complete(2);
  const json after = run.result();
  EXPECT_EQ(after["state"]["from_step"], kept_steps);
  EXPECT_EQ(after["state"]["repeated_steps"], 0u);
  for (const char* same : {"average_reward", "reward_curve", "inverse_matrices", "eta_composed"}) {
    EXPECT_EQ(after[same], before[same]) << same;
  }
}

// Shares of two epochs would add up to noise.
TEST_F(Resume, RefusesAnOldCopyOfOneRolesStateAndNamesIt) {
  const std::pair<std::string, std::string> roles[] = {{"party_1", "party 1"}, {"actor", "actor"}};
  run.play(run.begin(), 250);
  for (const auto& [role, name] : roles) run.copy_state(role, "old");
  run.play(run.resume(), run.begun("party_0") + 4 * every);
  for (const auto& [role, name] : roles) run.copy_state(role, "new");
  for (const auto& [role, name] : roles) {
    run.bring_back(role, "old");
    SottoProcess process(run.folder(), run.resume());
    expect_end(process, 5, "the state of " + name + " is an old copy");
    EXPECT_THAT(process.error(), ::testing::Not(HasSubstr("--resume")));
    run.bring_back(role, "new");
  }
  succeed(run.folder(), run.resume());
  run.expect_complete(3);
}

// All roles except the dealer go back to old copies of their states, and the copies fit together. The roles therefore
// decide the steps after the copies a second time.
TEST_F(Resume, CountsTheStepsThatOnlyTheDealerRemembers) {
  run.play(run.begin(), 250);
  for (const std::string role : {"party_0", "party_1", "actor"}) run.copy_state(role, "old");
  const std::uint64_t copied_at = run.begun("party_0");
  run.play(run.resume(), copied_at + 4 * every);
  const std::uint64_t taken = run.taken("party_0");
  EXPECT_GE(taken, copied_at + 4 * every);
  for (const std::string role : {"party_0", "party_1", "actor"}) run.bring_back(role, "old");
  succeed(run.folder(), run.resume());
  run.expect_complete(3);
  const json state = run.result()["state"];
  EXPECT_LE(state["from_step"], copied_at);
  EXPECT_GE(state["repeated_steps"].get<std::uint64_t>(), taken - state["from_step"].get<std::uint64_t>());
}

TEST_F(Resume, AFullDiskEndsTheRunAndLosesNoCheckpoint) {
  SottoProcess process(run.folder(), run.begin(), {{}, 120'000});
  expect_end(process, 6, "store.db: cannot be read or written");
  EXPECT_GE(run.begun("party_0"), every);
  succeed(run.folder(), run.resume());
  run.expect_complete(2);
  EXPECT_GE(run.result()["state"]["from_step"], every);
}

TEST_F(Resume, RefusesWhatItCannotGoOnWith) {
  const auto refused = [&](const Words& words, const std::string& says) { expect_refused(run.folder(), words, says); };
  refused(run.begin("--repeat 2"), "--repeat");
  refused(run.resume(), "holds no state of a run");
  refused(joined(run.resume(), {"--steps", "9"}), "--steps");
  refused({"bandit", "--environment", "labels.csv"}, "--party");
  {
    SottoProcess process(run.folder(), run.begin());
    run.until_begun(process, "party_0", 150);
    process.signal(SIGINT);
    expect_end(process, 130, "--resume");
  }
  refused(run.begin(), "holds the state of a run that has not finished");
  const std::string labels = contents(run.folder().path() / "labels.csv");
  (void)run.folder().write("labels.csv", labels + "0\n");
  refused(run.resume(), "labels.csv: has changed since the run began");
  (void)run.folder().write("labels.csv", labels);
  succeed(run.folder(), run.resume());
  run.expect_complete(2);
}

}  // namespace
}  // namespace sotto::testing
