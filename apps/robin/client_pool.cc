#include "apps/robin/client_pool.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "apps/kit/learn/doubles.h"
#include "apps/kit/learn/tasks.h"
#include "apps/robin/lanes/lane_kernels.h"
#include "apps/robin/local_ucb.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::robin {
namespace {

constexpr std::size_t clients_a_task = 128;
constexpr std::uint64_t steps_between_looks = 1 << 16;

class Player {
 public:
  Player(const RobinSettings& settings, const RobinInstance& instance, const std::atomic<bool>& interrupted)
      : dimension_(settings.dimension),
        settings_(settings),
        interrupted_(interrupted),
        kernels_(lane_kernels()),
        reader_(instance.reader()),
        ucb_(settings),
        solver_(settings.dimension),
        totals_(total_rows(settings.dimension) * step_lanes),
        chosen_(settings.dimension * step_lanes),
        weights_(step_lanes),
        sums_(total_rows(settings.dimension)) {}

  StepSums play_local(std::uint64_t client, const Phase& phase, std::span<double> sums) {
    const std::size_t triangle = triangle_size(dimension_);
    ucb_.resume(sums.first(triangle), sums.subspan(triangle));
    StepSums met;
    reader_->seek(client, phase.first_step);
    for (std::uint64_t step = phase.first_step; step < phase.end();) {
      look(step);
      const StepGroup group = reader_->next();
      do {
        ucb_.play(group, step % step_lanes, met);
        ++step;
      } while (step < phase.end() && step % step_lanes != 0);
    }
    return met;
  }

  StepSums play_greedy(std::uint64_t client, const Phase& phase, std::span<const double> estimate) {
    std::fill_n(totals_.data(), totals_.size(), 0.0);
    reader_->seek(client, phase.first_step);
    for (std::uint64_t step = phase.first_step / step_lanes * step_lanes; step < phase.end(); step += step_lanes) {
      look(step);
      for (std::size_t lane = 0; lane < step_lanes; ++lane) {
        weights_[lane] = step + lane >= phase.first_step && step + lane < phase.end() ? 1 : 0;
      }
      const StepGroup group = reader_->next();
      kernels_.greedy(totals_.data(), chosen_.data(), group.contexts, group.means, group.noise, group.noise_rows,
                      estimate.data(), weights_.data(), settings_.arms, dimension_, settings_.reward_bound);
    }
    for (std::size_t row = 0; row < sums_.size(); ++row) {
      const double* lanes = totals_.data() + row * step_lanes;
      sums_[row] = ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
    }
    const double* last = sums_.data() + sums_.size() - 3;
    return {last[0], last[1], last[2]};
  }

  [[nodiscard]] std::span<const double> sums() const { return sums_; }

  void estimate(std::span<const double> sums, std::span<double> out) {
    const std::size_t triangle = triangle_size(dimension_);
    solver_.solve(sums.first(triangle), sums.subspan(triangle, dimension_), out);
  }

 private:
  void look(std::uint64_t step) const {
    if (step % steps_between_looks < step_lanes && interrupted_) throw Interrupted();
  }

  std::size_t dimension_;
  const RobinSettings& settings_;
  const std::atomic<bool>& interrupted_;
  const LaneKernels& kernels_;
  std::unique_ptr<StepReader> reader_;
  LocalUcb ucb_;
  LeastSquares solver_;
  Doubles totals_;
  Doubles chosen_;
  Doubles weights_;
  std::vector<double> sums_;
};

}  // namespace

void PhaseReport::append(const PhaseReport& next) {
  estimates.insert(estimates.end(), next.estimates.begin(), next.estimates.end());
  regret += next.regret;
  reward += next.reward;
  rewards_clipped += next.rewards_clipped;
  features_clipped += next.features_clipped;
}

ClientPool::ClientPool(const RobinSettings& settings, std::shared_ptr<const RobinInstance> instance,
                       std::uint64_t first, std::size_t count)
    : settings_(settings),
      instance_(std::move(instance)),
      first_(first),
      count_(count),
      client_sums_(triangle_size(settings.dimension) + settings.dimension) {
  if (count == 0) throw std::invalid_argument("a pool of no clients");
  if (instance_->dimension() != settings.dimension || instance_->arms() != settings.arms) {
    throw std::invalid_argument("the settings are of another instance");
  }
}

PhaseReport ClientPool::play(const Phase& phase, std::span<const double> broadcast, std::size_t threads,
                             const std::atomic<bool>& interrupted, const StepsPlayed& played) {
  if (broadcast.size() != (phase.local ? 0 : settings_.dimension)) {
    throw std::invalid_argument("a greedy phase needs a broadcast estimate, a local one none");
  }
  if (phase.first_step != next_step_) throw std::invalid_argument("a phase out of order");
  if (phase.local) sums_.resize(count_ * client_sums_);
  std::vector<PhaseReport> parts((count_ + clients_a_task - 1) / clients_a_task);
  run_tasks(parts.size(), threads, interrupted, [&](std::size_t i) {
    const std::size_t begin = i * clients_a_task;
    const std::size_t end = std::min(begin + clients_a_task, count_);
    parts[i] = play_part(phase, broadcast, begin, end, interrupted);
    if (played) played((end - begin) * phase.steps);
  });
  next_step_ = phase.end();
  if (!phase.local || phase.uploads) sums_ = {};
  PhaseReport report;
  for (const PhaseReport& part : parts) report.append(part);
  return report;
}

PhaseReport ClientPool::play_part(const Phase& phase, std::span<const double> broadcast, std::size_t begin,
                                  std::size_t end, const std::atomic<bool>& interrupted) {
  const std::size_t d = settings_.dimension;
  Player player(settings_, *instance_, interrupted);
  PhaseReport report;
  if (phase.uploads) report.estimates.resize((end - begin) * d);
  for (std::size_t client = begin; client < end; ++client) {
    const std::uint64_t number = first_ + client;
    StepSums met;
    std::span<const double> sums;
    if (phase.local) {
      const auto own = std::span(sums_).subspan(client * client_sums_, client_sums_);
      met = player.play_local(number, phase, own);
      sums = own;
    } else {
      met = player.play_greedy(number, phase, broadcast);
      sums = player.sums();
    }
    if (phase.uploads) {
      player.estimate(sums, std::span(report.estimates).subspan((client - begin) * d, d));
    }
    report.regret += met.regret;
    report.reward += met.reward;
    report.rewards_clipped += static_cast<std::uint64_t>(met.rewards_clipped);
    report.features_clipped += instance_->features_clipped(number, phase.first_step, phase.steps);
  }
  return report;
}

}  // namespace sotto::apps::robin
