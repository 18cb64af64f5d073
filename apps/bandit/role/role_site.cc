#include "sotto/apps/bandit/role/role_site.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "sotto/apps/bandit/role/arm_socket.h"
#include "sotto/apps/kit/deploy/announcement.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/random/seed.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

// Rewards of steps that are repeated are rounded anew.
Seed rounding_seed(const BanditSettings& run, std::uint32_t epoch) {
  const Seed root = run.insecure_seed ? Seed::insecure_from_number(*run.insecure_seed) : Seed::from_os();
  return root.derive(fmt::format("rounding of rewards, epoch {}", epoch));
}

}  // namespace

RoleSite::RoleSite(const BanditSettings& config) : config_(config) {
  (void)role_delay(config);  // refused before anything is connected
  if (config.role() == BanditRole::party) {
    block_ = read_block(config.data);
    if (const auto max_norm = config.max_norm) {
      check_norms(std::span(&*block_, 1), *max_norm);
      block_->bound = announced_bound(*block_, *max_norm, config.parties);
    }
  }
  if (!gets_rewards(config)) return;
  environment_ = Environment::read(config.environment, config.arms);
  if (environment_->arms() != config.arms) {
    throw InputError(config.environment.string(), fmt::format("rewards of {}, but the run has {}",
                                                              counted(environment_->arms(), "arm"), config.arms));
  }
  if (config.binary_rewards && !environment_->binary_rewards()) {
    throw InputError(config.environment.string(), "rewards other than 0 and 1 need rewards = \"real\" in [run]");
  }
}

std::string RoleSite::announcement() const {
  if (!block_) return {};
  return to_text(Announcement{block_->table.rows, block_->table.columns.size(), block_->bound});
}

BanditSite& RoleSite::open(const BanditPlan& plan, std::size_t rows, std::uint32_t epoch, bool record_arms,
                           std::function<void(const RewardCurve&)> on_step, const std::atomic<bool>& interrupted) {
  if (environment_ && environment_->rows() != rows) {
    throw InputError(config_.environment.string(),
                     fmt::format("{}, but the parties have {}: rows must be aligned, one context a row",
                                 counted(environment_->rows(), "row"), rows));
  }
  if (config_.separate_rewarder && config_.role() == BanditRole::rewarder) {
    link_ = listen_for_arms(config_.arm_socket, config_.connect_deadline_seconds, interrupted);
  } else if (config_.separate_rewarder && config_.role() == BanditRole::actor) {
    link_ = connect_for_arms(config_.arm_socket, config_.connect_deadline_seconds, interrupted);
  }
  if (block_) {
    site_ = std::make_unique<PartySite>(block_->table, plan.context_bits);
  } else if (environment_) {
    auto rewards =
        std::make_unique<EnvironmentSite>(*environment_, plan.parameters.steps, plan.reward_bits,
                                          rounding_seed(config_, epoch), link_.get(), record_arms, std::move(on_step));
    rewards_ = rewards.get();
    site_ = std::move(rewards);
  } else if (link_) {
    site_ = std::make_unique<ActorSite>(*link_);
  } else {
    site_ = std::make_unique<QuietSite>();
  }
  site_ = with_delay(std::move(site_), config_, interrupted);
  return *site_;
}

void RoleSite::add_to(RoleReport& report) const {
  if (rewards_ == nullptr) return;
  report.average_reward = rewards_->curve().average();
  report.reward_curve = rewards_->curve().points();
  report.arms = rewards_->arms();
}

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
                                       steady_delay_clock(interrupted), config.in_batches());
}

}  // namespace sotto::apps
