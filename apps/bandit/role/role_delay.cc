#include "sotto/apps/bandit/role/role_delay.h"

#include <utility>

#include "sotto/core/error/errors.h"
#include "sotto/core/random/seed.h"

namespace sotto::apps {

AnswerDelay role_delay(const BanditSettings& config) {
  const std::string where = "delay in [role]";
  const AnswerDelay delay = parse_answer_delay(config.delay, where);
  if (delay.kind == AnswerDelay::Kind::none) return delay;
  if (config.role() != BanditRole::actor && config.role() != BanditRole::rewarder) {
    throw InputError(where, config.name() + " has none: the actor and the rewarder answer");
  }
  require_delay_within(delay, config.round_deadline_seconds, where);
  return delay;
}

std::unique_ptr<BanditSite> with_delay(std::unique_ptr<BanditSite> site, const BanditSettings& config,
                                       const std::atomic<bool>& interrupted) {
  const AnswerDelay delay = role_delay(config);
  if (delay.kind == AnswerDelay::Kind::none) return site;
  const Seed root = config.insecure_seed ? Seed::insecure_from_number(*config.insecure_seed) : Seed::from_os();
  const DelayedSite::Answers answers{config.role() == BanditRole::actor,
                                     config.role() == BanditRole::rewarder || !config.separate_rewarder};
  return std::make_unique<DelayedSite>(std::move(site), answers, delay,
                                       Prg(root.derive("delay of the " + config.name())),
                                       steady_delay_clock(interrupted));
}

}  // namespace sotto::apps
