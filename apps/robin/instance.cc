#include "apps/robin/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "apps/kit/learn/doubles.h"
#include "apps/kit/learn/instance.h"
#include "apps/kit/learn/symmetric_eigen.h"
#include "apps/robin/lanes/lane_kernels.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/random/prg.h"

namespace sotto::apps::robin {
namespace {

// Each key serves few groups, so a reader that begins at any step skips only a small part of the key's stream.
constexpr std::uint64_t groups_a_key = 4;

constexpr double least_part = 0.01;  // smallest fraction of the steps that must satisfy the margin
constexpr std::uint64_t sample_client = (std::uint64_t{1} << 24) - 1;

struct Simulation {
  std::size_t dimension = 0;
  std::size_t arms = 0;
  double noise_sd = 0;
  double margin = 0;
  std::uint64_t seed = 0;
  std::vector<double> theta;
  std::vector<double> scales;

  // Returns the number of pairs of rows of normal numbers that one group needs. The number is even, because random
  // words come in groups of 2.
  [[nodiscard]] std::size_t pairs() const { return (arms * dimension + 1 + 3) / 4 * 2; }
};

std::uint64_t sample_steps(const Simulation& simulation) {
  const std::uint64_t quick = (std::uint64_t{1} << 24) / (simulation.arms * simulation.dimension);
  const std::uint64_t steps =
      std::max<std::uint64_t>(64 * simulation.dimension, std::min<std::uint64_t>(quick, 1 << 16));
  return steps / step_lanes * step_lanes;
}

// Each (seed, client, part) has its own key. No LinearInstance or StepStream uses such a key. The highest bit of the
// second word of this key is bit 61. In the other keys, the second word is below 2^61, or one of its upper two bits is
// 1.
std::array<std::byte, 16> key_of(std::uint64_t seed, std::uint64_t client, std::uint64_t part) {
  if (client >> 24 != 0 || part >> 36 != 0) {
    throw std::invalid_argument("a simulated instance has less than 2^24 clients and 2^41 steps");
  }
  const std::array<std::uint64_t, 2> words{seed, std::uint64_t{1} << 61 | client << 36 | part};
  std::array<std::byte, 16> key{};
  std::memcpy(key.data(), words.data(), key.size());
  return key;
}

class SimulatedReader final : public StepReader {
 public:
  explicit SimulatedReader(const Simulation& simulation)
      : simulation_(simulation),
        kernels_(lane_kernels()),
        words_(simulation.pairs() * LaneKernels::pair_words),
        rows_(simulation.pairs() * 2 * step_lanes),
        means_(simulation.arms * step_lanes),
        noise_(step_lanes) {
    if (simulation.margin > 0) {
      again_.emplace(simulation.pairs() * 2 * step_lanes);
      means_again_.emplace(simulation.arms * step_lanes);
    }
  }

  void seek(std::uint64_t client, std::uint64_t step) override {
    client_ = client;
    const std::uint64_t group = step / step_lanes;
    group_ = group / groups_a_key * groups_a_key;
    // With a margin, the number of words that a group uses is unknown, so this loop draws the earlier groups too.
    while (group_ < group) {
      begin_group();
      if (simulation_.margin > 0) {
        draw();
      } else {
        draw_words();
      }
      ++group_;
    }
  }

  StepGroup next() override {
    begin_group();
    draw();
    ++group_;
    return {rows_.data(), means_.data(), noise_.data(), 1};
  }

  [[nodiscard]] double part_left() const {
    return drawn_ == 0 ? 1 : static_cast<double>(kept_) / static_cast<double>(drawn_);
  }

 private:
  void begin_group() {
    if (group_ % groups_a_key != 0) return;
    stream_.emplace(key_of(simulation_.seed, client_, group_ / groups_a_key), expansion());
  }

  void draw_words() {
    stream_->write(
        {static_cast<unsigned char*>(static_cast<void*>(words_.data())), words_.size() * sizeof(std::uint64_t)});
  }

  void draw_rows(Doubles& rows, Doubles& means) {
    const std::size_t arms = simulation_.arms;
    const std::size_t d = simulation_.dimension;
    kernels_.normals(rows.data(), words_.data(), simulation_.pairs());
    kernels_.normalize(rows.data(), simulation_.scales.data(), arms, d);
    kernels_.products(means.data(), rows.data(), simulation_.theta.data(), arms, d);
  }

  void draw() {
    draw_words();
    draw_rows(rows_, means_);
    if (simulation_.margin > 0) draw_again();
    const double* normals = rows_.data() + simulation_.arms * simulation_.dimension * step_lanes;
    for (std::size_t lane = 0; lane < step_lanes; ++lane) {
      noise_[lane] = simulation_.noise_sd * normals[lane];
    }
  }

  void draw_again() {
    unsigned open = too_close(means_, (1U << step_lanes) - 1);
    for (unsigned tries = 0; open != 0; ++tries) {
      // If a hundredth of the steps satisfies the margin, 4000 draws in a row fail with a probability of about 10^-17.
      if (tries == 4000) break;
      draw_words();
      draw_rows(*again_, *means_again_);
      const unsigned still = too_close(*means_again_, open);
      take(open & ~still);
      open = still;
    }
  }

  unsigned too_close(const Doubles& means, unsigned lanes) {
    unsigned close = 0;
    for (std::size_t lane = 0; lane < step_lanes; ++lane) {
      if ((lanes >> lane & 1U) == 0) continue;
      double best = means[lane];
      double second = -INFINITY;
      for (std::size_t arm = 1; arm < simulation_.arms; ++arm) {
        const double mean = means[arm * step_lanes + lane];
        second = std::max(second, std::min(best, mean));
        best = std::max(best, mean);
      }
      ++drawn_;
      if (best - second < simulation_.margin) {
        close |= 1U << lane;
      } else {
        ++kept_;
      }
    }
    return close;
  }

  void take(unsigned lanes) {
    for (std::size_t lane = 0; lane < step_lanes; ++lane) {
      if ((lanes >> lane & 1U) == 0) continue;
      for (std::size_t at = lane; at < rows_.size(); at += step_lanes) rows_[at] = (*again_)[at];
      for (std::size_t at = lane; at < means_.size(); at += step_lanes) {
        means_[at] = (*means_again_)[at];
      }
    }
  }

  const Simulation& simulation_;
  const LaneKernels& kernels_;
  std::uint64_t client_ = 0;
  std::uint64_t group_ = 0;
  std::optional<KeyStream> stream_;
  std::vector<std::uint64_t> words_;
  Doubles rows_;
  Doubles means_;
  Doubles noise_;
  std::optional<Doubles> again_;
  std::optional<Doubles> means_again_;
  std::uint64_t drawn_ = 0;
  std::uint64_t kept_ = 0;
};

class SimulatedInstance final : public RobinInstance {
 public:
  explicit SimulatedInstance(const RobinSettings& settings) {
    if (settings.bound < 1) {
      throw InputError("--bound",
                       fmt::format("theta of a simulated instance has norm 1, more than {:g}", settings.bound));
    }
    simulation_.dimension = settings.dimension;
    simulation_.arms = settings.arms;
    simulation_.noise_sd = settings.noise_sd;
    simulation_.margin = settings.margin;
    simulation_.seed = settings.seed;
    const auto theta = LinearInstance({settings.dimension, settings.arms, settings.noise_sd, settings.seed});
    simulation_.theta.assign(theta.theta().begin(), theta.theta().end());
    simulation_.scales.assign(settings.dimension, settings.diversity);
    simulation_.scales[0] = 1;
    look_around();
  }

  [[nodiscard]] std::size_t dimension() const override { return simulation_.dimension; }
  [[nodiscard]] std::size_t arms() const override { return simulation_.arms; }
  [[nodiscard]] std::unique_ptr<StepReader> reader() const override {
    return std::make_unique<SimulatedReader>(simulation_);
  }
  [[nodiscard]] std::span<const double> theta() const override { return simulation_.theta; }
  [[nodiscard]] double lambda_min() const override { return lambda_min_; }
  [[nodiscard]] std::uint64_t features_clipped(std::uint64_t, std::uint64_t, std::uint64_t) const override { return 0; }

 private:
  void look_around() {
    const std::size_t d = simulation_.dimension;
    const LaneKernels& kernels = lane_kernels();
    Doubles totals(total_rows(d) * step_lanes);
    Doubles chosen(d * step_lanes);
    Doubles weights(step_lanes);
    std::fill_n(weights.data(), step_lanes, 1.0);
    SimulatedReader reader(simulation_);
    reader.seek(sample_client, 0);
    const std::uint64_t steps = sample_steps(simulation_);
    for (std::uint64_t step = 0; step < steps; step += step_lanes) {
      const StepGroup group = reader.next();
      kernels.greedy(totals.data(), chosen.data(), group.contexts, group.means, group.noise, 1,
                     simulation_.theta.data(), weights.data(), simulation_.arms, d, 1);
      if (reader.part_left() < least_part) {
        throw InputError("--margin", fmt::format("less than one step in {:.0f} has a best arm that leads by {:g}; take "
                                                 "a smaller margin, or more diverse contexts",
                                                 1 / least_part, simulation_.margin));
      }
    }
    lambda_min_ = least_eigenvalue(totals, steps);
  }

  [[nodiscard]] double least_eigenvalue(const Doubles& totals, std::uint64_t steps) const {
    const std::size_t d = simulation_.dimension;
    std::vector<double> gram(d * (d + 1) / 2);
    const double* row = totals.data();
    for (double& entry : gram) {
      for (std::size_t lane = 0; lane < step_lanes; ++lane) entry += row[lane];
      entry /= static_cast<double>(steps);
      row += step_lanes;
    }
    return symmetric_eigenvalues(gram, d)[0];
  }

  Simulation simulation_;
  double lambda_min_ = 0;
};

}  // namespace

std::shared_ptr<const RobinInstance> simulated_instance(const RobinSettings& settings) {
  return std::make_shared<SimulatedInstance>(checked(settings));
}

double default_lambda_min(const RobinSettings& settings) {
  return 0.5 * std::min(1.0, settings.bound * settings.bound) / static_cast<double>(settings.dimension);
}

RobinSettings resolved(const RobinSettings& settings, const RobinInstance& instance) {
  RobinSettings resolved = checked(settings);
  if (instance.dimension() != resolved.dimension || instance.arms() != resolved.arms) {
    throw std::invalid_argument("the settings are of another instance");
  }
  if (resolved.lambda_min == 0) resolved.lambda_min = instance.lambda_min();
  if (resolved.lambda_min == 0) resolved.lambda_min = default_lambda_min(resolved);
  return resolved;
}

}  // namespace sotto::apps::robin
