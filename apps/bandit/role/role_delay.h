// The delay of a role's answers, `delay` in [role], put around its site (apps/bandit/delay.h).
#pragma once

#include <atomic>
#include <memory>

#include "sotto/apps/bandit/delay.h"
#include "sotto/apps/bandit/settings.h"

namespace sotto::apps {

// None where the config has none. Throws InputError if the text is no delay, the role is neither actor nor rewarder, or
// the delay may take longer than the role's round deadline.
[[nodiscard]] AnswerDelay role_delay(const BanditSettings& config);

// `site` itself where the config has no delay. Coins are from the operating system, or repeatable with insecure_seed.
// `interrupted` must outlive the site.
[[nodiscard]] std::unique_ptr<BanditSite> with_delay(std::unique_ptr<BanditSite> site, const BanditSettings& config,
                                                     const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
