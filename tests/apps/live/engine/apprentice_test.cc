// Mode apprentice with the engines of all roles: the callers' arms are told and learned, and of full windows the actor
// is shown how many agree, with noise.
#include "tests/apps/live/engine/visitors.h"

namespace sotto::apps::live::testing {

using namespace sotto::apps::bandit;
using namespace sotto::apps::bandit::testing;
namespace {

constexpr std::uint64_t short_window = 60;

LiveSettings apprentice_settings() {
  LiveSettings settings = engine_settings();
  settings.mode = LiveMode::apprentice;
  settings.agreement_window = short_window;
  settings.agreement_epsilon = 10;  // noise of scale 1/10: most often none
  return settings;
}

// All events allow one arm, so that all agree, but for noise that is above 3 a window with a chance below 1e-13.
void expect_agreement(const Engines& engines, std::size_t events) {
  const Agreement agreement = engines.actor->status().agreement;
  EXPECT_EQ(agreement.all.events + agreement.counted, events);
  EXPECT_GE(agreement.opened, 1u);
  EXPECT_LE(agreement.opened, events / short_window);
  EXPECT_GE(agreement.last.events, short_window);
  const auto shown = static_cast<std::int64_t>(agreement.all.events);
  EXPECT_LE(std::abs(agreement.all.agreed - shown), 6 * static_cast<std::int64_t>(agreement.opened));
  EXPECT_EQ(agreement.spent, 10. * static_cast<double>(agreement.opened + (agreement.is_full ? 1 : 0)));
  for (const auto& party : engines.party) {
    const Agreement of_party = party->status().agreement;
    EXPECT_EQ(of_party.opened, agreement.opened);
    EXPECT_EQ(of_party.events, agreement.events);
    EXPECT_EQ(of_party.spent, agreement.spent);
    EXPECT_EQ(of_party.share, 0u) << "no share leaves the role's rows";
    EXPECT_EQ(of_party.all, AgreedEvents{}) << "the sums are the actor's";
  }
  EXPECT_EQ(engines.rewarder->status().agreement.opened, agreement.opened);
  EXPECT_EQ(engines.actor->status().decisions_ever, 0u) << "no arm was shown";
}

class Apprentices : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Apprentices, LearnFromTheCallersArms) {
  Engines engines(GetParam(), apprentice_settings());
  Visitors visitors(engines, 200);
  visitors.play_own_arms();
  engines.start();
  ASSERT_TRUE(engines.run_until([&] {
    visitors.go_on(20);
    const LiveStatus status = engines.actor->status();
    return visitors.all_done() && status.pending == 0 && status.queue == 0 && status.running == 0;
  }));
  for (std::size_t i = 0; i < visitors.visits().size(); ++i) {
    EXPECT_EQ(visitors.visits()[i].told->arm, i % engines.settings().arms.size());
  }
  const BatchPlan plan = engines.plan();
  const IntegerSums expected = visitors.expected(plan);
  const ModelWords model = model_on_disks(engines, plan);
  EXPECT_EQ(model.gram, expected.gram);
  EXPECT_EQ(model.targets, expected.targets);
  expect_agreement(engines, 200);
}

INSTANTIATE_TEST_SUITE_P(Live, Apprentices, ::testing::Values(2, 3, 5));

// The noise of each of so many windows of one event, which agrees: what the actor was shown beyond it.
std::vector<double> noise_of_windows(Engines& engines, std::size_t windows) {
  std::vector<double> noise;
  std::size_t asked = 0;
  bool all_answered = true;
  engines.start();
  EXPECT_TRUE(engines.run_until([&] {
    const Agreement agreement = engines.actor->status().agreement;
    if (agreement.opened > noise.size()) {
      EXPECT_EQ(agreement.opened, noise.size() + 1);
      EXPECT_EQ(agreement.last.events, 1u);
      noise.push_back(static_cast<double>(agreement.last.agreed) - 1);
    }
    const bool is_shown = noise.size() + 1 >= asked;
    if (all_answered && is_shown && engines.all_ready() && asked <= windows) {
      DecisionRequest request;
      request.event = EventId{static_cast<std::byte>(asked), static_cast<std::byte>(asked >> 8), std::byte{1}};
      request.own_arm = 0;
      request.barred = {1, 2, 3};
      all_answered = false;
      ++asked;
      engines.actor->ask({request}, true, [&](const auto& replies, Trouble) {
        all_answered = replies.at(0).second.status == AskStatus::answered;
      });
    }
    return noise.size() == windows;
  }));
  return noise;
}

// Of x with a chance in proportion to exp(-|x| / scale).
double variance_of_noise(double scale) {
  const double next = std::exp(-1 / scale);
  return 2 * next / ((1 - next) * (1 - next));
}

// Every party adds noise of its own to each window, of scale 1 / epsilon. Without that of one party the variance would
// be two thirds of this, with twice the scale four times as much, with the same noise at all parties three times as
// much.
TEST(LiveApprentice, ShowsSumsWithTheNoiseOfEveryParty) {
  constexpr std::size_t parties = 3;
  constexpr std::size_t windows = 400;
  LiveSettings settings = apprentice_settings();
  settings.batch_sizes = {1};
  settings.cut_off = 0;
  settings.agreement_window = 1;
  settings.agreement_epsilon = .05;
  settings.reward_wait = 3'600'000;
  settings.remember = 8'000'000;
  Engines engines(parties, settings);
  for (NodeId party = 0; party < parties; ++party) engines.insecure_seeds[party] = 71u + party;
  const std::vector<double> noise = noise_of_windows(engines, windows);
  ASSERT_EQ(noise.size(), windows);
  const double expected = parties * variance_of_noise(1 / settings.agreement_epsilon);
  double sum = 0;
  double squares = 0;
  double neighbours = 0;
  for (std::size_t i = 0; i < windows; ++i) {
    sum += noise[i];
    squares += noise[i] * noise[i];
    if (i > 0) neighbours += noise[i] * noise[i - 1];
  }
  constexpr double count = windows;
  EXPECT_GT(squares / count, .8 * expected);
  EXPECT_LT(squares / count, 1.25 * expected);
  EXPECT_LT(std::abs(sum / count), 4 * std::sqrt(expected / count));
  // One window's says nothing of the next one's.
  EXPECT_LT(std::abs(neighbours / count), 4 * expected / std::sqrt(count));
}

// Any role ends at any time: each event is in one window, and each window is shown once.
TEST(LiveApprentice, CountsEachEventOnceWhateverEnds) {
  LiveSettings settings = apprentice_settings();
  settings.reward_wait = 3'600'000;
  settings.remember = 8'000'000;
  Engines engines(2, settings);
  Visitors visitors(engines, 500);
  visitors.play_own_arms();
  ASSERT_NO_FATAL_FAILURE(play_through_kills(engines, visitors, 20, 10, 40, 9, [&] {
    return visitors.all_done() && engines.all_ready() && engines.actor->status().running == 0;
  }));
  expect_agreement(engines, 500);
}

}  // namespace
}  // namespace sotto::apps::live::testing
