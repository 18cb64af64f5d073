#include "sotto/apps/robin/schedule.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sotto::apps {

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
  // Without noise estimates are exact but for rounding; a range needs some width.
  const double sd = std::max(settings.noise_sd, 1e-3);
  return settings.tau_factor * sd / std::sqrt(settings.lambda_min * static_cast<double>(estimate_steps(phase)));
}

}  // namespace sotto::apps
