#include "apps/robin/aggregator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "apps/kit/report/human.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::robin {
namespace {

constexpr double most_epsilon = 1000;

std::vector<Phase> uploads_of(const RobinSettings& settings) {
  std::vector<Phase> phases = phases_of(settings);
  std::erase_if(phases, [](const Phase& phase) { return !phase.uploads; });
  return phases;
}

BudgetTerms terms_of(const RobinSettings& settings, std::size_t releases) {
  return {settings.epsilon, settings.delta, settings.composition, std::max<std::size_t>(releases, 1),
          padded_dimension(settings.dimension)};
}

AggregateSettings aggregate_settings(const RobinSettings& settings, const Phase& phase, const ReleaseShare& share) {
  AggregateSettings release;
  release.dimension = settings.dimension;
  release.tau = tau_of(settings, phase);
  // Estimates scatter around theta, so clipping at theta's bound would move their mean towards 0. The larger bound
  // avoids this: a vector of d normal numbers of standard deviation 1 is very rarely longer than sqrt(d) + 3.
  const double sd = release.tau / settings.tau_factor;
  release.bound = settings.bound + sd * (std::sqrt(static_cast<double>(settings.dimension)) + 3);
  if (release.bound / release.tau > most_bins) {
    throw InputError(
        "--tau-factor",
        fmt::format("estimates of {} are taken to be within {:.2g} of each other, and a private range over a bound of "
                    "{:.3g} would have too many bins. Take a larger factor, fewer steps or a smaller --bound",
                    counted(estimate_steps(phase), "step"), release.tau, release.bound));
  }
  release.noise = settings.noise;
  release.share = share;
  return release;
}

double tail_of(const RobinSettings& settings) {
  const double beyond = std::erfc(2 * settings.tau_factor / std::sqrt(2.0)) / 2;
  return std::clamp(beyond, 0.01, 0.45);
}

double misfire_of(const RobinSettings& settings, const std::vector<Phase>& uploads) {
  const Budget budget(terms_of(settings, uploads.size()));
  double chance = 0;
  for (std::size_t i = 0; i < uploads.size(); ++i) {
    if (i > 0 && settings.range == RangeKind::last_release) break;
    chance +=
        misfire_chance(aggregate_settings(settings, uploads[i], budget.share()), settings.clients, tail_of(settings));
  }
  return std::min(chance, 1.0);
}

std::optional<double> least_enough(double low, double most, const std::vector<Phase>& uploads,
                                   const std::function<RobinSettings(double)>& at) {
  const auto enough = [&](double x) { return misfire_of(at(x), uploads) <= at(x).most_misfire; };
  double high = low;
  do {
    if (high >= most) return std::nullopt;
    low = high;
    high = std::min(2 * high, most);
  } while (!enough(high));
  while (high > 1.01 * low) {
    const double middle = std::sqrt(low * high);
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

std::string advice(const RobinDecision& decision, const RobinSettings& settings) {
  std::string what;
  if (decision.enough_clients) {
    what = fmt::format("{} clients would do", *decision.enough_clients);
  }
  if (decision.enough_epsilon) {
    what +=
        fmt::format("{}--eps {:.6g} would do", what.empty() ? "" : ", or ", rounded_up(*decision.enough_epsilon, 2));
  }
  if (what.empty()) what = "no number of clients and no epsilon in reach would do";
  if (settings.adaptive) return what + "; every client plays by itself instead (--adaptive)";
  return what + "; --adaptive lets every client play by itself instead";
}

}  // namespace

RobinDecision decide(const RobinSettings& settings) {
  const std::vector<Phase> uploads = uploads_of(settings);
  RobinDecision decision;
  decision.misfire = misfire_of(settings, uploads);
  if (decision.misfire <= settings.most_misfire) return decision;
  decision.mode = settings.adaptive ? RobinMode::local : RobinMode::refused;
  const auto clients = least_enough(static_cast<double>(settings.clients), static_cast<double>(most_robin_clients),
                                    uploads, [&](double m) {
                                      RobinSettings other = settings;
                                      other.clients = static_cast<std::size_t>(std::ceil(m));
                                      return other;
                                    });
  if (clients) decision.enough_clients = static_cast<std::size_t>(std::ceil(*clients));
  decision.enough_epsilon = least_enough(settings.epsilon, most_epsilon, uploads, [&](double e) {
    RobinSettings other = settings;
    other.epsilon = e;
    return other;
  });
  const std::string chance =
      decision.misfire >= 1 ? "as good as certain" : fmt::format("{:.2g}% likely", 100 * decision.misfire);
  decision.why = fmt::format(
      "{} clients are too few for epsilon {:g}: it is {} that a private range misses estimates in one of {} (limit: "
      "{:g}%), and play never recovers; {}",
      settings.clients, settings.epsilon, chance, counted(uploads.size(), "release"), 100 * settings.most_misfire,
      advice(decision, settings));
  return decision;
}

RobinAggregator::RobinAggregator(const RobinSettings& settings, Coins coins)
    : settings_(settings),
      decision_(decide(settings)),
      coins_(std::move(coins)),
      budget_(terms_of(settings, releases_of(settings))),
      uploads_(uploads_of(settings)) {}

std::vector<double> RobinAggregator::release(std::span<const double> estimates) {
  if (decision_.mode != RobinMode::federated) {
    throw std::invalid_argument("this run has no releases");
  }
  if (releases_.size() == uploads_.size()) {
    throw std::invalid_argument("all releases of this run were made");
  }
  if (estimates.size() != settings_.clients * settings_.dimension) {
    throw std::invalid_argument("a release needs one estimate of each client");
  }
  const Phase& phase = uploads_[releases_.size()];
  AggregateSettings settings = aggregate_settings(settings_, phase, budget_.share());
  const bool round_last = settings_.range == RangeKind::last_release && last_.has_value();
  if (round_last) settings.around = last_;
  // An estimate with a NaN or an infinity counts as 0. Otherwise one client could stop the release for all clients.
  std::vector<double> numbers(estimates.begin(), estimates.end());
  std::size_t no_numbers = 0;
  for (std::size_t at = 0; at < numbers.size(); at += settings_.dimension) {
    const auto row = std::span(numbers).subspan(at, settings_.dimension);
    if (std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); })) continue;
    std::fill(row.begin(), row.end(), 0.0);
    ++no_numbers;
  }
  budget_.spend();
  const AggregateResult result = aggregate(numbers, settings, coins_);
  last_ = result.mean;
  releases_.push_back({phase.number, estimate_steps(phase), settings.tau, round_last, result.noise_scale,
                       result.noise_sd, settings.share.rho, budget_.epsilon_spent(), result.clipped + no_numbers});
  return result.mean;
}

}  // namespace sotto::apps::robin
