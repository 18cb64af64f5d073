#include "apps/bandit/run/sites/world_site.h"

#include "sotto/protocol/ring/fixed_point.h"
#include "tests/apps/bandit/run/sites/test_world.h"
#include "tests/apps/support.h"

namespace sotto::apps::bandit::run {
namespace {

using ::sotto::testing::TestWorld;

class AWorld : public InFolder {
 protected:
  void listen(TestWorld::Answer answer) { world_.emplace(path_, std::move(answer)); }
  [[nodiscard]] WorldEnds ends(double answer_seconds = 60) {
    return WorldEnds{path_, 60, answer_seconds, interrupted_};
  }
  [[nodiscard]] BanditSettings settings() const {
    BanditSettings settings;
    settings.parties = 2;
    settings.steps = 9;
    settings.arms = 3;
    settings.max_norm = 1;
    settings.world = "unix:" + path_.string();
    settings.columns = 2;
    return settings;
  }
  template <class E, class Action>
  std::string failure(Action action) {
    const std::string text = error_of<E>([&] {
      action();
      return 0;
    });
    EXPECT_EQ(text.find('\n'), std::string::npos);
    return text;
  }

  std::filesystem::path path_ = folder.path() / "world.sock";
  std::atomic<bool> interrupted_{false};
  std::optional<TestWorld> world_;
};

TEST_F(AWorld, IsAskedForEachRowOnce) {
  std::atomic<int> asked{0};
  listen([&](const std::string&, const std::string& line) {
    ++asked;
    return line == R"({"step":4})" ? "{\"x\":[0.5,-0.25]}\n" : "{\"step\":5,\"x\":[0,0.125]}\n";
  });
  BanditSettings config = settings();
  config.set_role(BanditRole::party, 1);
  WorldPartySite site(config, config, config, 20, interrupted_);
  std::vector<std::uint64_t> words(2);
  for (int again = 0; again < 2; ++again) {
    site.context(1, 4, words);
    EXPECT_THAT(words, ElementsAre(sotto::encode(.5, 20), sotto::encode(-.25, 20)));
    site.context(1, 5, words);
    EXPECT_THAT(words, ElementsAre(0u, sotto::encode(.125, 20)));
  }
  EXPECT_EQ(asked, 2);
  EXPECT_THAT(world_->greetings(), ElementsAre(R"({"line":"party 1","columns":2,"steps":9})"));
  site.step_done(4);
  site.context(1, 5, words);
  EXPECT_EQ(asked, 2) << "of a later step";
  site.context(1, 4, words);
  EXPECT_EQ(asked, 3);
}

TEST_F(AWorld, IsToldArmsAndAskedForTheirRewards) {
  listen([](const std::string&, const std::string& line) {
    EXPECT_EQ(line, R"({"step":7,"arm":2})");
    return "{\"reward\":1}\n";
  });
  const BanditSettings config = settings();
  const auto rewards = world_rewards(config, config, config, interrupted_);
  rewards->pulled(7, 2);
  EXPECT_EQ(rewards->reward(7, 2), 1);
  EXPECT_EQ(rewards->arms(), 3u);
  EXPECT_THAT(world_->greetings(), ElementsAre(R"({"line":"world","arms":3,"rewards":"binary","steps":9})"));
}

TEST_F(AWorld, MayBeToldManyArmsAhead) {
  constexpr std::uint64_t many = 30'000;
  listen([](const std::string&, const std::string& line) {
    return "{\"reward\":" + std::to_string(line.size() % 2) + "}\n";
  });
  const BanditSettings config = settings();
  const auto rewards = world_rewards(config, config, config, interrupted_);
  for (std::uint64_t step = 0; step < many; ++step) rewards->pulled(step, step % 3);
  for (std::uint64_t step = 0; step < many; ++step) {
    const std::string line = "{\"step\":" + std::to_string(step) + ",\"arm\":0}";
    ASSERT_EQ(rewards->reward(step, 0), static_cast<double>(line.size() % 2)) << step;
  }
}

TEST_F(AWorld, AnswersInPiecesAndManyAtOnce) {
  int said = 0;
  listen([&](const std::string&, const std::string&) -> std::optional<std::string> {
    return ++said == 1 ? "{\"rew" : said == 2 ? "ard\":1}\n{\"reward\":0}\n{" : "\"reward\":1}\n";
  });
  WorldLine line(ends(), "{}");
  for (int i = 0; i < 3; ++i) line.send("{}");
  EXPECT_EQ(line.receive(0), "{\"reward\":1}");
  EXPECT_EQ(line.receive(1), "{\"reward\":0}");
  EXPECT_EQ(line.receive(2), "{\"reward\":1}");
}

TEST_F(AWorld, ThatIsNotThereIsWaitedFor) {
  WorldEnds soon = ends();
  soon.connect_seconds = 0;
  EXPECT_THAT(failure<NetworkError>([&] { WorldLine(soon, "{}"); }),
              AllOf(StartsWith("no world listens at"), HasSubstr("world.sock")));
  interrupted_ = true;
  EXPECT_THROW(WorldLine(ends(), "{}"), Interrupted);
}

TEST_F(AWorld, ThatClosesItsLineIsSaidToHaveDoneSo) {
  listen([](const std::string&, const std::string&) { return std::nullopt; });
  WorldLine line(ends(), "{}");
  line.send(R"({"step":3})");
  EXPECT_THAT(failure<NetworkError>([&] { (void)line.receive(3); }),
              HasSubstr("has closed its line before it answered step 3"));
}

TEST_F(AWorld, ThatIsSilentIsSaidToBe) {
  listen([](const std::string&, const std::string&) { return ""; });
  WorldLine line(ends(0.05), "{}");
  line.send(R"({"step":3})");
  EXPECT_THAT(failure<NetworkError>([&] { (void)line.receive(3); }),
              HasSubstr("has not answered step 3 within 0.05 s"));
}

TEST_F(AWorld, IsInterrupted) {
  listen([&](const std::string&, const std::string&) {
    interrupted_ = true;
    return "";
  });
  WorldLine line(ends(), "{}");
  line.send("{}");
  EXPECT_THROW((void)line.receive(0), Interrupted);
}

TEST_F(AWorld, SaysNoMoreThanItIsAsked) {
  listen([](const std::string&, const std::string&) { return std::string(300 * 1024, ' '); });
  WorldLine line(ends(), "{}");
  line.send("{}");
  EXPECT_THAT(failure<InputError>([&] { (void)line.receive(3); }), HasSubstr("the answer to step 3 is longer than"));
}

TEST(WorldAnswer, IsARowOrAReward) {
  EXPECT_THAT(read_world_row(R"({"x":[0.5,-1]})", 3, 2, 2, "w"), ElementsAre(.5, -1.));
  EXPECT_THAT(read_world_row(R"({"step":3,"x":[1]})", 3, 1, 1, "w"), ElementsAre(1.));
  EXPECT_EQ(read_world_reward(R"({"reward":-0.5})", 3, false, "w"), -.5);
  const auto row = [](const char* text) {
    return error_of<InputError>([&] { return read_world_row(text, 3, 2, 1, "w").size(); });
  };
  EXPECT_THAT(row(R"({"x":[1]})"), AllOf(StartsWith("w: the answer to step 3: field \"x\": expected 2 numbers")));
  EXPECT_THAT(row(R"({"x":[0.9,0.9]})"), HasSubstr("the norm of the row is above 1"));
  EXPECT_THAT(row(R"({"x":[0.1,NaN]})"), StartsWith("w: the answer to step 3: "));
  EXPECT_THAT(row(R"({"step":4,"x":[0,0]})"), HasSubstr("field \"step\": expected 3"));
  EXPECT_THAT(row(R"({"reward":1})"), HasSubstr("field \"x\": it is missing"));
  EXPECT_THAT(row(R"({"x":[0,0],"y":1})"), HasSubstr("\"y\""));
  EXPECT_THAT(row("nonsense"), StartsWith("w: the answer to step 3: "));
  const auto reward = [](const char* text, bool binary) {
    return error_of<InputError>([&] { return read_world_reward(text, 3, binary, "w"); });
  };
  EXPECT_THAT(reward(R"({"reward":0.5})", true), HasSubstr("field \"reward\": expected 0 or 1"));
  EXPECT_THAT(reward(R"({"reward":1.5})", false), HasSubstr("field \"reward\""));
  EXPECT_THAT(reward(R"([])", false), StartsWith("w: the answer to step 3: "));
}

TEST(WorldPath, IsUnixAndFits) {
  EXPECT_EQ(world_path("unix:/a/b.sock", "--world"), "/a/b.sock");
  for (const std::string& text : {std::string("/a/b"), std::string("unix:"), std::string("tcp:1"), std::string()}) {
    EXPECT_THAT(error_of<InputError>([&] { return world_path(text, "--world").string(); }),
                StartsWith("--world: must be unix:PATH"));
  }
  EXPECT_THAT(error_of<InputError>([&] { return world_path("unix:" + std::string(108, 'a'), "--world").string(); }),
              HasSubstr("at most"));
}

}  // namespace
}  // namespace sotto::apps::bandit::run
