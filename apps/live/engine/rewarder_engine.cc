#include "apps/live/engine/rewarder_engine.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "apps/kit/dp/samplers.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::apps::live {
namespace {

Prg rounding_of(const EngineConfig& config) {
  const Seed root = config.insecure_seed ? Seed::insecure_from_number(*config.insecure_seed) : Seed::from_os();
  return Prg(root.derive("rounding of rewards"));
}

}  // namespace

RewarderEngine::RewarderEngine(net::Io& io, LiveRows& rows, EngineConfig config)
    : rows_(rows),
      core_(io, *this, std::move(config)),
      rounding_(rounding_of(core_.config())),
      coins_(Coins::of(core_.config().insecure_seed)) {}

RewarderEngine::~RewarderEngine() { core_.stop(); }

void RewarderEngine::view(const EventId& event, Answered<std::optional<EventView>> answer) {
  ask_view(views_, event, std::move(answer));
}

void RewarderEngine::post(std::vector<RewardCall> rewards, Answered<std::vector<RewardStatus>> answer) {
  posts_.ask(std::move(rewards), std::move(answer));
}

void RewarderEngine::work(LiveTime now) {
  posts_.work([&](std::span<const RewardCall> rewards) { return rewarder_->post(rewards, now); });
  work_on_views(views_, *rewarder_);
  if (!forgets_.is_due(now)) return;
  (void)rewarder_->forget(now);
  forgets_.done(now, rewarder_->forgets_more());
}

void RewarderEngine::fail_calls(CallRefusal trouble) {
  posts_.fail(trouble);
  views_.fail(trouble);
}

void RewarderEngine::make() {
  rewarder_ = std::make_unique<LiveRewarder>(rows_, core_.config().settings, core_.config().recovery_request);
  // One reward moves at most four counts of the lift.
  const LiveSettings& settings = core_.config().settings;
  const Ratio scale = laplace_scale(settings.agreement_epsilon, 4 * settings.agreement_rows_per_subject);
  rewarder_->draw_lift_noise_by([this, scale] { return discrete_laplace(coins_, scale); });
  rewarder_->begin_figures(core_.now());
}

void RewarderEngine::report_figures(LiveCounters& counters) const {
  fill_figures(counters, *rewarder_);
  counters.rewards = rewarder_->figures().rewards;
  const OrderTally& tally = rewarder_->book().last().tally;
  counters.clipped = tally.clipped;
  counters.reward_sum = tally.reward_sum;
  counters.rewards_learned = tally.rewards_learned;
}

void RewarderEngine::play(const Epoch& epoch) {
  is_playing_ = false;
  NodeEpoch node(core_, epoch);
  open(node, epoch);
  core_.say_open();
  for (;;) {
    std::optional<OrderEntry> entry;
    core_.with_role([&] {
      if (rewarder_->running() != nullptr) entry = *rewarder_->running();
    });
    if (entry) {
      run(node, *entry);
    } else if (const auto received = node.wait(core_.until({}))) {
      receive(node, received->first, received->second);
    }
  }
}

void RewarderEngine::open(NodeEpoch& node, const Epoch& epoch) {
  std::optional<RestateFrame> restated;
  const auto& recovery = epoch.opening.recovery;
  if (recovery && recovery->recovery.rewarder) take_known(node);
  if (!recovery && epoch.opening.number > 0) restated = take_restated(node);
  core_.with_role([&] {
    const bool lacks = rewarder_->lacks(epoch.opening);
    rewarder_->open(epoch.opening, epoch.mesh.session(), lacks && restated ? &*restated : nullptr, core_.now());
  });
  node.send(0, OpenedFrame{epoch.opening.epoch});
}

void RewarderEngine::take_known(NodeEpoch& node) {
  for (bool last = false; !last;) {
    const auto received = node.wait(core_.until({}));
    if (!received) continue;
    const auto* const known = std::get_if<KnownFrame>(&received->second.frame);
    if (received->first != 0 || received->second.origin != 0 || known == nullptr) {
      refuse_message(node.topology(), received->first, "does not tell of the batches that it knows");
    }
    core_.with_role([&] { rewarder_->adopt(*known); });
    last = known->last;
  }
}

RestateFrame RewarderEngine::take_restated(NodeEpoch& node) {
  for (;;) {
    const auto received = node.wait(core_.until({}));
    if (!received) continue;
    const auto* const restated = std::get_if<RestateFrame>(&received->second.frame);
    if (received->first == 0 && received->second.origin == 0 && restated != nullptr) return *restated;
    refuse_message(node.topology(), received->first, "does not restate the number of the opening");
  }
}

void RewarderEngine::receive(NodeEpoch& node, NodeId from, const OrderMessage& message) {
  if (from != 0 || message.origin != node.actor()) {
    refuse_message(node.topology(), from, "says what only party 0 relays");
  }
  if (const auto* plan = std::get_if<PlanFrame>(&message.frame)) return node.plan(*plan);
  if (const auto* skip = std::get_if<SkipFrame>(&message.frame)) return node.skip(*skip);
  if (const auto* learn = std::get_if<BeginFrame>(&message.frame)) return begin_learn(node, *learn);
  if (const auto* propose = std::get_if<ProposeFrame>(&message.frame)) {
    return core_.with_role([&] { rewarder_->propose(propose->entry); });
  }
  if (const auto* settled = std::get_if<SettledFrame>(&message.frame)) {
    return core_.with_role([&] { rewarder_->settle(*settled); });
  }
  refuse_message(node.topology(), from, "relays what the actor does not say");
}

void RewarderEngine::run(NodeEpoch& node, const OrderEntry& entry) {
  if (entry.shape.kind == EntryKind::learn && is_playing_) {
    refuse_message(node.topology(), 0, "relays a learn whose rounds have not ended");
  }
  const DoneFrame done = core_.timed(entry.shape, LiveObserver::Phase::store,
                                     [&] { return core_.with_role([&] { return rewarder_->prepare(core_.now()); }); });
  node.send(0, done);
  core_.with_role([&] { rows_.at_rest(); });
  if (entry.shape.kind == EntryKind::decide) node.pass(entry);
}

void RewarderEngine::begin_learn(NodeEpoch& node, const BeginFrame& learn) {
  bandit::LearnInputs inputs;
  core_.with_role([&] {
    rewarder_->begin(learn);
    inputs = learn_inputs(node.plan(), rewarder_->learned_rewards());
    inputs.lift.noise = rewarder_->shown_lift();
  });
  is_playing_ = true;
  node.begin(learn, std::move(inputs), [this](const bandit::LearnResult&) { is_playing_ = false; });
}

bandit::LearnInputs RewarderEngine::learn_inputs(const bandit::BatchPlan& plan,
                                                 const std::vector<LearnedReward>& rewards) {
  bandit::LearnInputs inputs;
  inputs.rewards.reserve(rewards.size());
  inputs.learned.reserve(rewards.size());
  for (const LearnedReward& reward : rewards) {
    const double uniform = std::ldexp(static_cast<double>(rounding_.next() >> 11), -53);
    inputs.rewards.push_back(reward.learned ? encode_unbiased(reward.value, plan.reward_bits, uniform) : 0);
    inputs.learned.push_back(reward.learned ? 1 : 0);
  }
  const std::vector<double>& levels = core_.config().settings.lift_levels;
  if (levels.empty()) return inputs;
  for (const LearnedReward& reward : rewards) {
    inputs.lift.rewards.push_back(reward.learned ? std::optional(level_of(reward.value, levels)) : std::nullopt);
  }
  return inputs;
}

// A reward between two levels goes to one of them at random, so that the expected level is the reward.
std::size_t RewarderEngine::level_of(double reward, const std::vector<double>& levels) {
  const auto above = std::upper_bound(levels.begin(), levels.end(), reward);
  if (above == levels.begin()) return 0;
  if (above == levels.end()) return levels.size() - 1;
  const double below = *(above - 1);
  const double uniform = std::ldexp(static_cast<double>(rounding_.next() >> 11), -53);
  const auto place = static_cast<std::size_t>(above - levels.begin());
  return uniform < (reward - below) / (*above - below) ? place : place - 1;
}

}  // namespace sotto::apps::live
