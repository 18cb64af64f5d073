#include "apps/robin/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::robin {
namespace {

void require(bool holds, const char* flag, const std::string& message) {
  if (!holds) throw InputError(flag, message);
}

void require_positive(double value, const char* flag) {
  require(std::isfinite(value) && value > 0, flag, fmt::format("{:g} is not a finite number above 0", value));
}

void require_not_negative(double value, const char* flag) {
  require(std::isfinite(value) && value >= 0, flag, fmt::format("{:g} is not a finite number from 0 on", value));
}

void check_sizes(const RobinSettings& s) {
  require(s.clients >= 2, "--clients",
          fmt::format("{} is too few: a mean over one client hides nothing, 2 are the least", s.clients));
  require(s.clients <= most_robin_clients, "--clients",
          fmt::format("{} are too many, {} are the most", s.clients, most_robin_clients));
  require(s.dimension >= 1 && s.dimension <= most_robin_dimension, "--dim",
          fmt::format("{} is not from 1 to {}", s.dimension, most_robin_dimension));
  require(s.arms >= 1 && s.arms <= most_robin_arms, "--arms",
          fmt::format("{} is not from 1 to {}", s.arms, most_robin_arms));
  require(s.horizon >= 2 && s.horizon <= most_robin_horizon, "--horizon",
          fmt::format("{} is not from 2 to {}", s.horizon, most_robin_horizon));
  require(s.init_phases <= 40, "--init-phases",
          fmt::format("{} have more than 2^40 steps", counted(s.init_phases, "phase")));
}

void check_numbers(const RobinSettings& s) {
  check_privacy(s.epsilon, s.delta);
  require(s.composition == Composition::zcdp || s.noise == NoiseKind::laplace, "--noise",
          "gaussian noise needs --composition zcdp; take --noise laplace");
  require_not_negative(s.noise_sd, "--noise-sd");
  require_not_negative(s.margin, "--margin");
  require(s.diversity > 0 && s.diversity <= 1, "--diversity",
          fmt::format("{:g} is not above 0 and at most 1", s.diversity));
  require_positive(s.tau_factor, "--tau-factor");
  require_not_negative(s.alpha, "--alpha");
  require_positive(s.ridge, "--ridge");
  require_positive(s.bound, "--bound");
  const double most_lambda = s.bound * s.bound / static_cast<double>(s.dimension);
  require(s.lambda_min >= 0 && s.lambda_min <= most_lambda, "--lambda-min",
          fmt::format("{:g} is not from 0 to {:.6g}: feature vectors have norm {:g} at most, and no more than that for "
                      "each of {} directions",
                      s.lambda_min, most_lambda, s.bound, s.dimension));
  require_not_negative(s.reward_bound, "--reward-bound");
  require(s.most_misfire >= 0 && s.most_misfire <= 1, "--most-misfire",
          fmt::format("{:g} is not from 0 to 1", s.most_misfire));
}

}  // namespace

std::size_t chosen_init_phases(std::size_t dimension) {
  const std::uint64_t steps = 8 * static_cast<std::uint64_t>(dimension) * dimension;
  return static_cast<std::size_t>(std::bit_width(steps - 1)) - 1;
}

double chosen_reward_bound(const RobinSettings& settings) {
  if (settings.reward_bound != 0) return settings.reward_bound;
  return settings.bound * settings.bound + 6 * settings.noise_sd;
}

RobinSettings checked(RobinSettings settings) {
  check_sizes(settings);
  check_numbers(settings);
  const bool chosen = settings.init_phases == 0;
  if (chosen) settings.init_phases = chosen_init_phases(settings.dimension);
  const std::uint64_t init = (std::uint64_t{2} << settings.init_phases) - 2;
  require(
      settings.horizon > init, "--horizon",
      fmt::format(
          "all {} are within the initialisation, {} of {} together, after which estimates are shared first; {}",
          counted(settings.horizon, "step"), counted(settings.init_phases, "phase"), counted(init, "step"),
          chosen ? "take more steps, or fewer --init-phases than that" : "take more steps, or fewer --init-phases"));
  settings.reward_bound = chosen_reward_bound(settings);
  return settings;
}

std::string noise_text(NoiseKind noise) { return noise == NoiseKind::laplace ? "laplace" : "gaussian"; }

std::string range_text(RangeKind range) { return range == RangeKind::last_release ? "last" : "private"; }

NoiseKind parse_noise(std::string_view text, const std::string& where) {
  for (const NoiseKind noise : {NoiseKind::laplace, NoiseKind::gaussian}) {
    if (text == noise_text(noise)) return noise;
  }
  throw InputError(where, fmt::format("expected \"gaussian\" or \"laplace\", not \"{}\"", text));
}

RangeKind parse_range(std::string_view text, const std::string& where) {
  for (const RangeKind range : {RangeKind::private_range, RangeKind::last_release}) {
    if (text == range_text(range)) return range;
  }
  throw InputError(where, fmt::format("expected \"private\" or \"last\", not \"{}\"", text));
}

std::vector<Phase> phases_of(const RobinSettings& settings) {
  std::vector<Phase> phases = local_phases_of(settings);
  for (Phase& phase : phases) {
    phase.local = phase.number <= settings.init_phases;
    phase.uploads = phase.number >= settings.init_phases && phase.end() < settings.horizon;
  }
  return phases;
}

std::vector<Phase> local_phases_of(const RobinSettings& settings) {
  std::vector<Phase> phases;
  Phase phase;
  while (phase.first_step < settings.horizon) {
    phase.steps = std::min(std::uint64_t{1} << phase.number, settings.horizon - phase.first_step);
    phases.push_back(phase);
    phase.first_step += phase.steps;
    ++phase.number;
  }
  return phases;
}

std::size_t releases_of(const RobinSettings& settings) {
  const std::vector<Phase> phases = phases_of(settings);
  return static_cast<std::size_t>(
      std::count_if(phases.begin(), phases.end(), [](const Phase& phase) { return phase.uploads; }));
}

std::uint64_t estimate_steps(const Phase& phase) { return phase.local ? phase.end() : phase.steps; }

double tau_of(const RobinSettings& settings, const Phase& phase) {
  if (!(settings.lambda_min > 0)) throw std::invalid_argument("lambda_min is not known");
  // With noise_sd = 0, the estimates are exact up to rounding. The constant 1e-3 then keeps the range wider than 0.
  const double sd = std::max(settings.noise_sd, 1e-3);
  return settings.tau_factor * sd / std::sqrt(settings.lambda_min * static_cast<double>(estimate_steps(phase)));
}

}  // namespace sotto::apps::robin
