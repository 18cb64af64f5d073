#include "apps/bandit/run/sites/world_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::apps::bandit::run {
namespace {

// So that the role says what was missing before its peers say that it is silent.
constexpr double part_of_the_deadline = 0.5;

WorldEnds ends_of(const BanditLinks& role, const RoleInputs& inputs, const std::atomic<bool>& interrupted) {
  return WorldEnds{world_path(inputs.world, "world in [role]"), role.connect_deadline_seconds,
                   part_of_the_deadline * role.round_deadline_seconds, interrupted};
}

class WorldRewards final : public RewardSource {
 public:
  WorldRewards(WorldEnds ends, const BanditRun& run)
      : line_(std::move(ends), fmt::format(R"({{"line":"world","arms":{},"rewards":"{}","steps":{}}})", run.arms,
                                           run.binary_rewards ? "binary" : "real", run.steps)),
        arms_(run.arms),
        binary_(run.binary_rewards) {}

  [[nodiscard]] std::size_t arms() const override { return arms_; }
  void pulled(std::uint64_t step, std::size_t arm) override {
    line_.send(fmt::format(R"({{"step":{},"arm":{}}})", step, arm));
  }
  [[nodiscard]] double reward(std::uint64_t step, std::size_t) override {
    return read_world_reward(line_.receive(step), step, binary_, line_.path().string());
  }

 private:
  WorldLine line_;
  std::size_t arms_;
  bool binary_;
};

}  // namespace

double world_bound(const BanditRun& run) {
  const double most = run.max_norm.value_or(1);
  return run.joint_norm_holds ? most : most / std::sqrt(static_cast<double>(run.parties));
}

WorldPartySite::WorldPartySite(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                               unsigned fraction_bits, const std::atomic<bool>& interrupted)
    : line_(ends_of(role, inputs, interrupted), fmt::format(R"({{"line":"party {}","columns":{},"steps":{}}})", role.id,
                                                            inputs.columns.value_or(0), run.steps)),
      bound_(world_bound(run)),
      fraction_bits_(fraction_bits) {}

void WorldPartySite::context(std::size_t, std::uint64_t step, std::span<std::uint64_t> out) {
  std::vector<std::uint64_t>& words = rows_[step];
  if (words.empty()) {
    line_.send(fmt::format(R"({{"step":{}}})", step));
    const auto row = read_world_row(line_.receive(step), step, out.size(), bound_, line_.path().string());
    words.reserve(row.size());
    for (const double value : row) words.push_back(sotto::encode(value, fraction_bits_));
  }
  std::copy(words.begin(), words.end(), out.begin());
}

void WorldPartySite::step_done(std::uint64_t step) { rows_.erase(rows_.begin(), rows_.upper_bound(step)); }

std::unique_ptr<RewardSource> world_rewards(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                                            const std::atomic<bool>& interrupted) {
  return std::make_unique<WorldRewards>(ends_of(role, inputs, interrupted), run);
}

}  // namespace sotto::apps::bandit::run
