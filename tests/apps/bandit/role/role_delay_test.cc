#include "sotto/apps/bandit/role/role_site.h"

#include "sotto/apps/bandit/site.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

BanditSettings config_of(BanditRole role, const std::string& delay) {
  BanditSettings config;
  config.set_role(role);
  config.delay = delay;
  config.parties = 2;
  config.insecure_seed = 1;
  return config;
}

TEST(RoleDelay, IsOfTheActorAndTheRewarder) {
  EXPECT_EQ(role_delay(config_of(BanditRole::party, "")).kind, AnswerDelay::Kind::none);
  EXPECT_EQ(role_delay(config_of(BanditRole::actor, "until 1ms")).kind, AnswerDelay::Kind::until);
  EXPECT_EQ(role_delay(config_of(BanditRole::rewarder, "uniform 0ms 1ms")).kind, AnswerDelay::Kind::uniform);
  EXPECT_THROW((void)role_delay(config_of(BanditRole::party, "until 1ms")), InputError);
  EXPECT_THROW((void)role_delay(config_of(BanditRole::dealer, "until 1ms")), InputError);
  EXPECT_THROW((void)role_delay(config_of(BanditRole::actor, "1ms")), InputError);
}

TEST(RoleDelay, MustEndBeforeTheRolesDeadline) {
  BanditSettings config = config_of(BanditRole::actor, "until 1s");
  config.round_deadline_seconds = 1;
  EXPECT_THROW((void)role_delay(config), InputError);
  config.round_deadline_seconds = 1.5;
  EXPECT_EQ(role_delay(config).time, std::chrono::seconds(1));
}

TEST(RoleDelay, LeavesASiteAloneWhereThereIsNone) {
  const std::atomic<bool> interrupted{false};
  auto site = std::make_unique<QuietSite>();
  const BanditSite* const before = site.get();
  const auto same = with_delay(std::move(site), config_of(BanditRole::actor, ""), interrupted);
  EXPECT_EQ(same.get(), before);
}

class Pulled final : public QuietSite {
 public:
  void pull(std::uint64_t, std::size_t) override {}
  std::uint64_t reward(std::uint64_t) override { return 1; }
};

// Whether a call waits shows where the run is interrupted: a wait throws.
TEST(RoleDelay, DelaysOnceWhereOneProcessIsActorAndRewarder) {
  const std::atomic<bool> interrupted{true};
  const auto delayed = [&](BanditRole role, bool separate) {
    BanditSettings config = config_of(role, "until 10s");
    config.separate_rewarder = separate;
    return with_delay(std::make_unique<Pulled>(), config, interrupted);
  };
  const auto both = delayed(BanditRole::actor, false);
  both->pull(0, 1);
  EXPECT_THROW((void)both->reward(0), Interrupted);
  EXPECT_THROW(delayed(BanditRole::actor, true)->pull(0, 1), Interrupted);
  EXPECT_THROW((void)delayed(BanditRole::rewarder, true)->reward(0), Interrupted);
}

}  // namespace
}  // namespace sotto::apps
