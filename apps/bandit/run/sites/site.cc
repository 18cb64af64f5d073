#include "apps/bandit/run/sites/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "apps/bandit/run/log/estimates.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::apps::bandit::run {

PartySite::PartySite(const Table& table, unsigned fraction_bits, std::vector<std::uint64_t> turns)
    : rows_(table.rows), turns_(std::move(turns)) {
  words_.reserve(table.values.size());
  for (const double value : table.values) words_.push_back(sotto::encode(value, fraction_bits));
}

void PartySite::context(std::size_t, std::uint64_t step, std::span<std::uint64_t> out) {
  const std::uint64_t place = turns_.empty() ? step % rows_ : turns_[step];
  const auto row = words_.begin() + static_cast<std::ptrdiff_t>(place * out.size());
  std::copy(row, row + static_cast<std::ptrdiff_t>(out.size()), out.begin());
}

namespace {

class FileRewards final : public RewardSource {
 public:
  explicit FileRewards(prepare::Environment environment) : environment_(std::move(environment)) {}
  [[nodiscard]] std::size_t arms() const override { return environment_.arms(); }
  [[nodiscard]] double reward(std::uint64_t step, std::size_t arm) override {
    return environment_.reward(step % environment_.rows(), arm);
  }

 private:
  prepare::Environment environment_;
};

}  // namespace

std::unique_ptr<RewardSource> rewards_of(prepare::Environment environment) {
  return std::make_unique<FileRewards>(std::move(environment));
}

EnvironmentSite::EnvironmentSite(std::unique_ptr<RewardSource> rewards, std::uint64_t steps, unsigned reward_bits,
                                 const Seed& rounding, ArmLink* link, bool record,
                                 std::function<void(const RewardCurve&)> on_step)
    : rewards_(std::move(rewards)),
      reward_bits_(reward_bits),
      rounding_(rounding),
      link_(link),
      record_(record),
      on_step_(std::move(on_step)),
      curve_(steps),
      pulls_(rewards_->arms()) {}

void EnvironmentSite::pull(std::uint64_t step, std::size_t arm) {
  take(step, arm);
  ++pulls_[arm];
}

void EnvironmentSite::take(std::uint64_t step, std::size_t arm) {
  if (arm >= rewards_->arms()) {
    throw ProtocolError(
        ProtocolError::Kind::malformed, "actor", step,
        fmt::format("the actor names an arm that the environment has not ({} arms): it runs another program",
                    rewards_->arms()));
  }
  pulled_.push_back(arm);
  rewards_->pulled(step, arm);
}

void EnvironmentSite::decided(std::uint64_t first, std::size_t steps) {
  if (link_ == nullptr) return;
  for (std::uint64_t step = first; step < first + steps; ++step) take(step, link_->receive(step));
}

std::uint64_t EnvironmentSite::reward(std::uint64_t step) {
  if (pulled_.empty()) decided(step, 1);  // in single steps, nothing else calls decided()
  const std::size_t arm = pulled_.front();
  pulled_.pop_front();
  const double earned = rewards_->reward(step, arm);
  curve_.add(earned);
  if (record_) arms_.push_back(static_cast<std::uint32_t>(arm));
  const double uniform = std::ldexp(static_cast<double>(rounding_.next() >> 11), -53);
  return encode_unbiased(earned, reward_bits_, uniform);
}

void EnvironmentSite::proceed(RewardCurve::State curve, std::vector<std::uint32_t> arms) {
  if (record_ && arms.size() != curve.steps) {
    throw InputError(
        fmt::format("the run did not record its arms when it was begun, so it cannot be followed now: resume it "
                    "without recording them ({} of {})",
                    arms.size(), counted(curve.steps, "step")));
  }
  curve_ = RewardCurve(curve_.total_steps(), std::move(curve));
  if (record_) arms_ = std::move(arms);
}

void EnvironmentSite::step_done(std::uint64_t) {
  if (on_step_) on_step_(curve_);
}

OwnNoise::OwnNoise(const std::optional<CountPrivacy>& privacy, Coins coins, std::function<void()> before, bool by_best)
    : coins_(std::move(coins)), before_(std::move(before)) {
  if (privacy) scale_ = count_noise_scale(*privacy, by_best);
}

void OwnNoise::draw_coins(std::span<std::uint64_t> out) {
  for (std::uint64_t& word : out) word = coins_.next();
}

void OwnNoise::draw_noise(std::span<std::uint64_t> out) {
  if (before_) before_();
  for (std::uint64_t& word : out) {
    word = scale_ ? static_cast<std::uint64_t>(discrete_laplace(coins_, *scale_)) : 0;
  }
}

std::uint64_t OwnNoise::gaussian(double variance, unsigned bits) {
  if (variance == 0) return 0;
  const auto units = static_cast<std::uint64_t>(std::ceil(std::ldexp(variance, 2 * static_cast<int>(bits))));
  return static_cast<std::uint64_t>(discrete_gaussian(coins_, {units, 1}));
}

void OwnNoise::draw_gram_noise(std::size_t features, unsigned bits, std::span<std::uint64_t> out) {
  const double variance = learning_deviation_ * learning_deviation_;
  for (std::size_t at = 0; at < out.size();) {
    for (std::size_t i = 0; i < features; ++i) {
      out[at++] = gaussian(variance, bits);
      for (std::size_t j = i + 1; j < features; ++j) out[at++] = gaussian(variance / 2, bits);
    }
  }
}

void OwnNoise::draw_target_noise(unsigned bits, std::span<std::uint64_t> out) {
  for (std::uint64_t& word : out) word = gaussian(learning_deviation_ * learning_deviation_, bits);
}

LogSite::LogSite(EventLog log, LogTurns turns, const Seed& rounding, std::function<void(const RewardCurve&)> on_step)
    : log_(std::move(log)),
      turns_(std::move(turns)),
      rounding_(rounding),
      on_step_(std::move(on_step)),
      curve_(turns_.rows.size()) {}

std::size_t LogSite::logged_arm(std::uint64_t step) { return log_.arm(turns_.rows[step]); }

std::size_t LogSite::logged_cell(std::uint64_t step) { return turns_.cells.of_event.at(step - turns_.learned); }

std::uint64_t LogSite::reward(std::uint64_t step) {
  return encode_unbiased(reward_of(step), turns_.reward_bits,
                         std::ldexp(static_cast<double>(rounding_.next() >> 11), -53));
}

void LogSite::step_done(std::uint64_t step) {
  // The curve of a resumed run starts empty, so this loop also adds the rewards of the events before the checkpoint.
  while (curve_.steps() <= step) curve_.add(reward_of(curve_.steps()));
  if (on_step_) on_step_(curve_);
}

}  // namespace sotto::apps::bandit::run
