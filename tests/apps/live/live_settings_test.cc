#include "apps/live/settings/live_settings.h"

#include "tests/apps/support.h"

namespace sotto::apps::live {
namespace {

LiveSettings sound() {
  LiveSettings settings;
  settings.arms = {"a", "b"};
  settings.reward_wait = 10'000;
  return settings;
}

template <class Change>
std::string refused(Change change) {
  LiveSettings settings = sound();
  change(settings);
  const std::string text = error_of<InputError>([&] {
    check(settings, 1);
    return 0;
  });
  EXPECT_EQ(text.find('\n'), std::string::npos);
  return text;
}

TEST(LiveSettings, AreCheckedKeyByKey) {
  EXPECT_NO_THROW(check(sound(), 1));
  EXPECT_THAT(refused([](auto& s) { s.arms = {"a"}; }), StartsWith("arms in [service] must be a list of 2 to 1024"));
  EXPECT_THAT(refused([](auto& s) { s.arms = {"a", "a"}; }), HasSubstr("different names"));
  EXPECT_THAT(refused([](auto& s) { s.arms = {"a", ""}; }), HasSubstr("different names"));
  EXPECT_THAT(refused([](auto& s) { s.baseline_arm = 2; }), StartsWith("baseline_arm in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.batch_sizes = {}; }), StartsWith("batch_sizes in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.batch_sizes = {1, 2, 3, 4, 5}; }), StartsWith("batch_sizes in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.batch_sizes = {4, 4}; }), StartsWith("batch_sizes in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.batch_sizes = {0, 4}; }), StartsWith("batch_sizes in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.batch_sizes = {1, 4096}; }), HasSubstr("a batch is learned at once, not 4096"));
  EXPECT_THAT(refused([](auto& s) { s.cadence = 0; }), StartsWith("cadence in [service] must be from 1 to"));
  EXPECT_THAT(refused([](auto& s) { s.cut_off = 60'001; }), StartsWith("cut_off in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.decision_deadline = 0; }), StartsWith("decision_deadline in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.reward_wait = 999; }), HasSubstr("from 1000 to 7776000000 ms, not 999"));
  EXPECT_THAT(refused([](auto& s) { s.default_reward = 1.5; }), StartsWith("default_reward in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.default_reward = std::nan(""); }), StartsWith("default_reward in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.remember = 19'999; }), HasSubstr("at least twice reward_wait, 20000 ms"));
  EXPECT_THAT(refused([](auto& s) { s.max_pending = 255; }), StartsWith("max_pending in [service] must be from 256"));
  EXPECT_THAT(refused([](auto& s) { s.max_queue = 0; }), StartsWith("max_queue in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.deal_ahead = 0; }), StartsWith("deal_ahead in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.feature_wait = 1; }), StartsWith("feature_wait in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.batch_wait = 60'001; }), StartsWith("batch_wait in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.cadence = 100; }), StartsWith("padding in [service] must be \"hidden\""));
  EXPECT_THAT(refused([](auto& s) { s.agreement_window = 999; }), StartsWith("agreement_window in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.agreement_epsilon = 0; }), StartsWith("agreement_epsilon in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.agreement_epsilon = std::nan(""); }), StartsWith("agreement_epsilon in"));
}

TEST(LiveSettings, TimesHaveAUnit) {
  EXPECT_EQ(parse_live_span("20ms"), 20u);
  EXPECT_EQ(parse_live_span("0ms"), 0u);
  EXPECT_EQ(parse_live_span("1s"), 1000u);
  EXPECT_EQ(parse_live_span("10m"), 600'000u);
  EXPECT_EQ(parse_live_span("12h"), 43'200'000u);
  EXPECT_EQ(parse_live_span("30d"), 2'592'000'000u);
  for (const char* text : {"", "s", "1", "-1s", "1.5s", "1 s", "1sec", "99999999999999999999s", "104249991375d"}) {
    EXPECT_FALSE(parse_live_span(text)) << text;
  }
}

}  // namespace
}  // namespace sotto::apps::live
