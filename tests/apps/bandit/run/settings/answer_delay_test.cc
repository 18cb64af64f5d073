#include "apps/bandit/run/settings/answer_delay.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/run/role/role_site.h"
#include "apps/bandit/run/sites/delayed_site.h"
#include "sotto/protocol/random/seed.h"
#include "tests/apps/support.h"

namespace sotto::apps::bandit::run {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

AnswerDelay delay_of(std::string_view text) { return parse_answer_delay(text, "here"); }
Prg coins_of(std::uint64_t number) { return Prg(Seed::insecure_from_number(number)); }

TEST(AnswerDelays, AreReadAndWritten) {
  EXPECT_EQ(delay_of(""), AnswerDelay{});
  EXPECT_EQ(delay_of("uniform 0ms 50ms"), (AnswerDelay{AnswerDelay::Kind::uniform, 0ns, 50ms}));
  EXPECT_EQ(delay_of("uniform 10us 1.5s"), (AnswerDelay{AnswerDelay::Kind::uniform, 10us, 1500ms}));
  EXPECT_EQ(delay_of("  exponential   20ms "), (AnswerDelay{AnswerDelay::Kind::exponential, 0ns, 20ms}));
  EXPECT_EQ(delay_of("until 1us"), (AnswerDelay{AnswerDelay::Kind::until, 0ns, 1us}));
  for (const char* text : {"uniform 250us 50ms", "exponential 20ms", "until 1.5s", "until 3600s"}) {
    EXPECT_EQ(answer_delay_text(delay_of(text)), text);
  }
  EXPECT_EQ(answer_delay_text(AnswerDelay{}), "");
}

TEST(AnswerDelays, OthersAreRefused) {
  const std::string texts =
      " |50ms|uniform|uniform 50ms|uniform 50ms 50ms|uniform 60ms 50ms|uniform 0ms 50ms 60ms|exponential|exponential "
      "20|"
      "exponential -20ms|exponential nanms|exponential infs|exponential 1e300s|exponential 20ms 30ms|until 0ms|"
      "until 0.5us|until 3601s|Until 50ms|until 50 ms|until 50min|laplace 20ms|until\t50ms";
  for (const std::string& text : split(texts, '|')) {
    EXPECT_THAT(error_of<InputError>([&] { (void)parse_answer_delay(text, "role.toml:3:1: delay"); }),
                AllOf(HasSubstr("role.toml:3:1: delay"), HasSubstr("until 50ms")))
        << text;
  }
}

TEST(AnswerDelays, MustEndBeforeTheDeadline) {
  EXPECT_EQ(longest_delay(delay_of("uniform 10ms 50ms")), 50ms);
  EXPECT_EQ(longest_delay(delay_of("exponential 20ms")), 600ms);
  EXPECT_EQ(longest_delay(delay_of("until 50ms")), 50ms);
  require_delay_within(delay_of("exponential 20ms"), 0.61, "delay");
  EXPECT_THROW(require_delay_within(delay_of("exponential 20ms"), 0.6, "delay"), InputError);
  require_delay_within(delay_of("uniform 0ms 1s"), 1.5, "delay");
  EXPECT_THROW(require_delay_within(delay_of("until 1s"), 1.0, "delay"), InputError);
  require_delay_within(AnswerDelay{}, 0, "delay");
}

// Checks the distance of `samples` from a distribution against the bound of Dvoretzky, Kiefer, Wolfowitz and Massart.
// Correct samples exceed the bound with a probability of 1e-12. The seed is fixed.
template <class Distribution>
void expect_distributed(std::vector<double> samples, Distribution distribution) {
  std::sort(samples.begin(), samples.end());
  const auto count = static_cast<double>(samples.size());
  double distance = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double expected = distribution(samples[i]);
    distance = std::max({distance, std::abs(expected - static_cast<double>(i) / count),
                         std::abs(expected - static_cast<double>(i + 1) / count)});
  }
  EXPECT_LT(distance, std::sqrt(std::log(2 / 1e-12) / (2 * count)));
}

std::vector<double> milliseconds_drawn(std::string_view text) {
  const AnswerDelay delay = delay_of(text);
  Prg coins = coins_of(7);
  std::vector<double> samples;
  for (int i = 0; i < 50'000; ++i) {
    const nanoseconds drawn = draw_delay(delay, coins);
    EXPECT_GE(drawn, delay.least);
    EXPECT_LE(drawn, longest_delay(delay));
    samples.push_back(1e-6 * static_cast<double>(drawn.count()));
  }
  return samples;
}

TEST(AnswerDelays, HaveTheStatedDistribution) {
  expect_distributed(milliseconds_drawn("uniform 10ms 50ms"), [](double t) { return (t - 10) / 40; });
  expect_distributed(milliseconds_drawn("exponential 20ms"), [](double t) { return 1 - std::exp(-t / 20); });
}

TEST(AnswerDelays, OfAGridAreMultiplesOfItsStep) {
  const AnswerDelay delay = delay_of("until 50ms");
  Prg coins = coins_of(1);
  for (const nanoseconds elapsed : {0ns, 1ns, 3'000'000ns, 49'999'999ns}) {
    EXPECT_EQ(answer_after(delay, elapsed, coins), 50ms);
  }
  EXPECT_EQ(answer_after(delay, 50ms, coins), 100ms);
  EXPECT_EQ(answer_after(delay, 99ms, coins), 100ms);
  EXPECT_EQ(answer_after(delay, 1s, coins), 1050ms);
}

// A clock that advances only while the site handles a call or a role waits.
struct FakeTime {
  nanoseconds present{1s};
  std::vector<nanoseconds> answers;
};

class FakeClock final : public DelayClock {
 public:
  explicit FakeClock(FakeTime& time) : time_(time) {}
  nanoseconds now() override { return time_.present; }
  void wait_until(nanoseconds until) override {
    EXPECT_GE(until, time_.present);
    time_.present = until;
    time_.answers.push_back(until);
  }

 private:
  FakeTime& time_;
};

// A pull of the arm with number n takes n ms, and the reward of the pull takes 10 n ms.
class SlowSite final : public SiteOf<Contexts, Arms, Rewards, StepObserver> {
 public:
  explicit SlowSite(FakeTime& time) : time_(time) {}
  void context(std::size_t, std::uint64_t, std::span<std::uint64_t> out) override { out[0] = 77; }
  void pull(std::uint64_t, std::size_t arm) override {
    arm_ = arm;
    time_.present += arm * 1ms;
  }
  std::uint64_t reward(std::uint64_t step) override {
    time_.present += arm_ * 10ms;
    return 100 * step + arm_;
  }
  void step_begins(std::uint64_t) override { time_.present += 1h; }
  void step_done(std::uint64_t) override { time_.present += 1s; }

 private:
  FakeTime& time_;
  std::size_t arm_ = 0;
};

class DelayedSlowSite final : public BanditSite {
 public:
  DelayedSlowSite(FakeTime& time, DelayedSite::Answers answers, std::string_view text, bool in_batches = false)
      : BanditSite(),
        slow_(time),
        delayed_(slow_, answers, delay_of(text), coins_of(3), std::make_unique<FakeClock>(time), in_batches) {
    add<Contexts>(slow_);
    add<StepObserver>(slow_);
    add(delayed_);
  }

 private:
  SlowSite slow_;
  DelayedSite delayed_;
};

using Numbers = std::vector<std::uint64_t>;

std::vector<nanoseconds> answer_times(std::string_view text, const std::vector<std::size_t>& arms) {
  FakeTime time;
  DelayedSlowSite site(time, {true, true}, text);
  std::vector<nanoseconds> taken;
  for (std::size_t step = 0; step < arms.size(); ++step) {
    const nanoseconds came = time.present;
    site.arms().pull(step, arms[step]);
    EXPECT_EQ(time.answers.size(), step);
    EXPECT_EQ(site.rewards().reward(step), 100 * step + arms[step]);
    taken.push_back(time.present - came);
    site.step_done(step);
  }
  return taken;
}

TEST(DelayedSites, OnAGridDoNotTellArmsApart) {
  const auto some = answer_times("until 50ms", {0, 1, 2, 3, 4});
  EXPECT_EQ(some, answer_times("until 50ms", {4, 3, 0, 0, 1}));
  EXPECT_EQ(some, std::vector<nanoseconds>(5, 50ms));
  EXPECT_EQ(answer_times("until 50ms", {5}), std::vector<nanoseconds>{100ms});
}

TEST(DelayedSites, AtRandomAddToTheArmsOwnTime) {
  const auto none = answer_times("uniform 30ms 50ms", std::vector<std::size_t>(1000, 0));
  const auto slow = answer_times("uniform 30ms 50ms", std::vector<std::size_t>(1000, 2));
  for (std::size_t i = 0; i < none.size(); ++i) {
    EXPECT_GE(none[i], 30ms);
    EXPECT_LE(none[i], 50ms);
    EXPECT_EQ(slow[i] - none[i], 22ms);
  }
}

TEST(DelayedSites, TellArmsApartNoMoreOftenThanStated) {
  const auto fast = answer_times("exponential 20ms", std::vector<std::size_t>(20'000, 0));
  const auto told = std::count_if(fast.begin(), fast.end(), [](nanoseconds t) { return t < 22ms; });
  const double stated = 1 - std::exp(-22.0 / 20);
  EXPECT_NEAR(static_cast<double>(told) / 20'000, stated, 0.0263);  // Hoeffding's bound, for probability 1e-12
}

TEST(DelayedSites, OfAnActorAloneDelayThePullAndOfARewarderTheReward) {
  FakeTime at_actor;
  DelayedSlowSite actor(at_actor, {true, false}, "until 50ms");
  actor.arms().pull(0, 3);
  EXPECT_EQ(at_actor.present, 1s + 50ms);

  FakeTime at_rewarder;
  DelayedSlowSite rewarder(at_rewarder, {false, true}, "until 50ms");
  EXPECT_EQ(rewarder.rewards().reward(0), 0u);
  EXPECT_EQ(at_rewarder.present, 1s + 50ms);
  EXPECT_THROW(DelayedSlowSite(at_actor, {false, false}, "until 50ms"), std::invalid_argument);
}

TEST(DelayedSites, InBatchesDelayOnceABatch) {
  Numbers words(3);
  FakeTime at_actor;
  DelayedSlowSite actor(at_actor, {true, false}, "until 50ms", true);
  for (std::uint64_t step = 0; step < 3; ++step) actor.arms().pull(step, 10 * step);
  EXPECT_EQ(at_actor.present, 1s + 30ms);
  actor.decided(0, 3);
  EXPECT_EQ(at_actor.present, 1s + 50ms);

  FakeTime at_rewarder;
  DelayedSlowSite rewarder(at_rewarder, {false, true}, "until 50ms", true);
  rewarder.decided(0, 3);
  EXPECT_EQ(at_rewarder.present, 1s);
  rewarder.rewards().rewards(0, words);
  EXPECT_EQ(words, (Numbers{0, 100, 200}));
  EXPECT_EQ(at_rewarder.present, 1s + 50ms);

  FakeTime at_both;
  DelayedSlowSite both(at_both, {true, true}, "until 50ms", true);
  for (std::uint64_t step = 0; step < 3; ++step) both.arms().pull(step, 1);
  both.decided(0, 3);
  EXPECT_EQ(at_both.present, 1s + 3ms);
  both.rewards().rewards(0, words);
  EXPECT_EQ(words, (Numbers{1, 101, 201}));
  EXPECT_EQ(at_both.present, 1s + 50ms);
  both.rewards().rewards(3, words);
  EXPECT_EQ(at_both.present, 1s + 100ms);
  EXPECT_EQ(at_both.answers.size(), 2u);
}

TEST(DelayedSites, HandTheRestOn) {
  FakeTime time;
  DelayedSlowSite site(time, {true, true}, "until 50ms");
  std::uint64_t word = 0;
  site.contexts().context(0, 0, std::span(&word, 1));
  EXPECT_EQ(word, 77u);
  site.step_done(0);
  EXPECT_EQ(time.present, 2s);
  site.step_begins(1);
  EXPECT_EQ(time.present, 1h + 2s);
  EXPECT_TRUE(time.answers.empty());
}

TEST(SteadyDelayClock, StopsWaitingWhenTheRunIsInterrupted) {
  const auto clock = steady_delay_clock(always_interrupted);
  const nanoseconds before = clock->now();
  EXPECT_THROW(clock->wait_until(before + 1h), Interrupted);

  const auto another = steady_delay_clock(not_interrupted);
  another->wait_until(before);
  EXPECT_GE(another->now(), before);
}

BanditSettings config_of(BanditRole role, const std::string& delay) {
  BanditSettings config;
  config.set_role(role);
  config.delay = delay;
  config.parties = 2;
  config.insecure_seed = 1;
  return config;
}

AnswerDelay delay_of_role(const BanditSettings& config) { return role_delay(config, config); }

TEST(RoleDelay, IsOfTheActorAndTheRewarder) {
  EXPECT_EQ(delay_of_role(config_of(BanditRole::party, "")).kind, AnswerDelay::Kind::none);
  EXPECT_EQ(delay_of_role(config_of(BanditRole::actor, "until 1ms")).kind, AnswerDelay::Kind::until);
  EXPECT_EQ(delay_of_role(config_of(BanditRole::rewarder, "uniform 0ms 1ms")).kind, AnswerDelay::Kind::uniform);
  EXPECT_THROW((void)delay_of_role(config_of(BanditRole::party, "until 1ms")), InputError);
  EXPECT_THROW((void)delay_of_role(config_of(BanditRole::dealer, "until 1ms")), InputError);
  EXPECT_THROW((void)delay_of_role(config_of(BanditRole::actor, "1ms")), InputError);
}

TEST(RoleDelay, MustEndBeforeTheRolesDeadline) {
  BanditSettings config = config_of(BanditRole::actor, "until 1s");
  config.round_deadline_seconds = 1;
  EXPECT_THROW((void)delay_of_role(config), InputError);
  config.round_deadline_seconds = 1.5;
  EXPECT_EQ(delay_of_role(config).time, std::chrono::seconds(1));
}

TEST(RoleDelay, LeavesASiteAloneWhereThereIsNone) {
  const BanditSettings config = config_of(BanditRole::actor, "");
  EXPECT_EQ(with_delay(BanditSite(), config, config, config, not_interrupted), nullptr);
}

class Pulled final : public SiteOf<Arms, Rewards> {
 public:
  void pull(std::uint64_t, std::size_t) override {}
  std::uint64_t reward(std::uint64_t) override { return 1; }
};

// The run is interrupted from the start, so a call throws if and only if the call would wait.
TEST(RoleDelay, DelaysOnceWhereOneProcessIsActorAndRewarder) {
  const Pulled pulled;
  const auto delayed = [&](BanditRole role, bool separate) {
    BanditSettings config = config_of(role, "until 10s");
    config.separate_rewarder = separate;
    return with_delay(pulled, config, config, config, always_interrupted);
  };
  const auto both = delayed(BanditRole::actor, false);
  both->pull(0, 1);
  EXPECT_THROW((void)both->reward(0), Interrupted);
  EXPECT_THROW(delayed(BanditRole::actor, true)->pull(0, 1), Interrupted);
  EXPECT_THROW((void)delayed(BanditRole::rewarder, true)->reward(0), Interrupted);
}

}  // namespace
}  // namespace sotto::apps::bandit::run
