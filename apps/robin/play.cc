#include "apps/robin/play.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::robin {
namespace {

double distance(std::span<const double> a, std::span<const double> b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

PhaseFigures figures_of(const Phase& phase, const PhaseReport& report, std::size_t clients,
                        std::span<const double> broadcast, std::span<const double> theta) {
  const auto count = static_cast<double>(clients);
  PhaseFigures figures{phase.number,          phase.first_step,      phase.steps, phase.local,
                       report.regret / count, report.reward / count, std::nullopt};
  if (!phase.local && !theta.empty()) figures.estimate_error = distance(broadcast, theta);
  return figures;
}

std::vector<double> plain_mean(std::span<const double> estimates, std::size_t dimension) {
  std::vector<double> mean(dimension);
  for (std::size_t i = 0; i < estimates.size(); ++i) mean[i % dimension] += estimates[i];
  const std::size_t clients = estimates.size() / dimension;
  for (double& value : mean) value /= static_cast<double>(clients);
  return mean;
}

struct Stage {
  const RobinSettings& settings;
  const std::shared_ptr<const RobinInstance>& instance;
  std::size_t threads;
  StepsPlayed played;
  const std::atomic<bool>& interrupted;
};

template <class Next, class Report>
void play_phases(const Stage& stage, const std::vector<Phase>& phases, std::size_t clients, const Next& next,
                 const Report& report) {
  ClientPool pool(stage.settings, stage.instance, 0, clients);
  std::vector<double> broadcast;
  for (const Phase& phase : phases) {
    const PhaseReport played = pool.play(phase, broadcast, stage.threads, stage.interrupted, stage.played);
    report(phase, played, broadcast);
    if (phase.uploads) broadcast = next(played.estimates);
  }
}

std::vector<PhaseFigures> play_twin(const Stage& stage, const std::vector<Phase>& phases, std::size_t clients) {
  std::vector<PhaseFigures> figures;
  play_phases(
      stage, phases, clients,
      [&](const std::vector<double>& estimates) { return plain_mean(estimates, stage.settings.dimension); },
      [&](const Phase& phase, const PhaseReport& report, std::span<const double> broadcast) {
        figures.push_back(figures_of(phase, report, clients, broadcast, stage.instance->theta()));
      });
  return figures;
}

std::size_t twin_clients(const RobinSettings& settings, const RobinPlayOptions& options) {
  return options.twins ? std::min(settings.clients, options.most_twin_clients) : 0;
}

class Steps {
 public:
  Steps(std::uint64_t total, const RobinProgress& progress) : total_(total), progress_(progress) {}

  void add(std::uint64_t steps) {
    const std::uint64_t now = played_ += steps;
    if (progress_) progress_(now, total_);
  }

 private:
  std::uint64_t total_;
  const RobinProgress& progress_;
  std::atomic<std::uint64_t> played_{0};
};

void play_twins(RobinOutcome& outcome, const Stage& stage, const RobinPlayOptions& options) {
  outcome.twin_clients = twin_clients(stage.settings, options);
  if (outcome.twin_clients == 0) return;
  outcome.local_phases = play_twin(stage, local_phases_of(stage.settings), outcome.twin_clients);
  outcome.nonprivate_phases = play_twin(stage, phases_of(stage.settings), outcome.twin_clients);
  outcome.regret_local = total_regret(outcome.local_phases);
  outcome.regret_nonprivate = total_regret(outcome.nonprivate_phases);
}

}  // namespace

void RobinOutcome::add_phase(const Phase& phase, const PhaseReport& report, std::span<const double> broadcast,
                             std::span<const double> theta) {
  phases.push_back(figures_of(phase, report, settings.clients, broadcast, theta));
  regret_per_client = regret_per_client.value_or(0) + phases.back().regret;
  reward_per_client = reward_per_client.value_or(0) + phases.back().reward;
  clipped.rewards += report.rewards_clipped;
  clipped.features += report.features_clipped;
}

void RobinOutcome::add_aggregator(const RobinAggregator& aggregator) {
  decision = aggregator.decision();
  releases = aggregator.releases();
  epsilon_spent = aggregator.epsilon_spent();
  delta_spent = aggregator.delta_spent();
  rho_spent = aggregator.rho_spent();
  clipped.estimates = 0;
  for (const Release& release : releases) clipped.estimates += release.clipped;
}

RobinOutcome play_robin(const RobinSettings& settings, std::shared_ptr<const RobinInstance> instance, Coins coins,
                        const RobinPlayOptions& options, const RobinProgress& progress,
                        const std::atomic<bool>& interrupted) {
  RobinOutcome outcome;
  outcome.settings = settings;
  RobinAggregator aggregator(settings, std::move(coins));
  outcome.add_aggregator(aggregator);
  if (outcome.decision.mode == RobinMode::refused) return outcome;
  Steps steps(settings.horizon * (settings.clients + 2 * twin_clients(settings, options)), progress);
  const StepsPlayed played = [&](std::uint64_t count) { steps.add(count); };
  const Stage stage{settings, instance, options.threads, played, interrupted};
  const bool federated = outcome.decision.mode == RobinMode::federated;
  play_phases(
      stage, federated ? phases_of(settings) : local_phases_of(settings), settings.clients,
      [&](const std::vector<double>& estimates) { return aggregator.release(estimates); },
      [&](const Phase& phase, const PhaseReport& report, std::span<const double> broadcast) {
        outcome.add_phase(phase, report, broadcast, instance->theta());
      });
  outcome.add_aggregator(aggregator);
  play_twins(outcome, stage, options);
  return outcome;
}

std::vector<PhaseFigures> play_twin(const RobinSettings& settings, std::shared_ptr<const RobinInstance> instance,
                                    bool local, std::size_t clients, std::size_t threads,
                                    const std::atomic<bool>& interrupted) {
  return play_twin({settings, instance, threads, {}, interrupted},
                   local ? local_phases_of(settings) : phases_of(settings), clients);
}

double total_regret(std::span<const PhaseFigures> phases) {
  double regret = 0;
  for (const PhaseFigures& phase : phases) regret += phase.regret;
  return regret;
}

void add_twins(RobinOutcome& outcome, std::shared_ptr<const RobinInstance> instance, const RobinPlayOptions& options,
               const RobinProgress& progress, const std::atomic<bool>& interrupted) {
  const RobinSettings& settings = outcome.settings;
  Steps steps(settings.horizon * 2 * twin_clients(settings, options), progress);
  const StepsPlayed played = [&](std::uint64_t count) { steps.add(count); };
  play_twins(outcome, {settings, instance, options.threads, played, interrupted}, options);
}

}  // namespace sotto::apps::robin
