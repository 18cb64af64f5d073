#include <stdexcept>

#include "bench/lab/robin_paper/robin.h"

namespace sotto::apps::lab {

using namespace sotto::apps::robin;
namespace {

constexpr std::size_t local_clients = 250;  // enough for an exact mean; more would take long
constexpr std::size_t most_twin_clients = 2000;

bool same_cell(const RobinSettings& a, const RobinSettings& b) {
  return a.dimension == b.dimension && a.arms == b.arms && a.clients == b.clients && a.epsilon == b.epsilon &&
         a.delta == b.delta && a.horizon == b.horizon && a.composition == b.composition && a.noise == b.noise &&
         a.range == b.range;
}

void add_twin(std::vector<RobinTwin>& twins, std::size_t dimension, std::size_t clients, std::size_t seeds) {
  const auto same = [&](const RobinTwin& twin) { return twin.dimension == dimension && twin.clients == clients; };
  if (std::any_of(twins.begin(), twins.end(), same)) return;
  twins.push_back({dimension, clients, std::vector<std::vector<PhaseFigures>>(seeds)});
}

Piece cell_piece(RobinCell& cell, std::size_t i, std::uint64_t seed, const Runner& runner) {
  const RobinSettings& s = cell.settings;
  return {[&cell, i, seed, &runner] {
            RobinSettings settings = cell.settings;
            settings.seed = seed;
            settings.adaptive = true;
            const auto instance = simulated_instance(settings);
            settings = resolved(settings, *instance);
            RobinPlayOptions alone;
            alone.twins = false;
            cell.outcomes[i] = play_robin(settings, instance, Coins::insecure(seed), alone, {}, runner.stop());
          },
          static_cast<double>(s.clients * s.horizon * s.dimension * s.arms)};
}

Piece twin_piece(RobinTwin& twin, std::size_t i, RobinSettings settings, bool local, const Runner& runner) {
  const auto cost = static_cast<double>(twin.clients * settings.horizon * settings.dimension * settings.arms);
  return {[&twin, i, settings, local, &runner] {
            const auto instance = simulated_instance(settings);
            twin.runs[i] = play_twin(resolved(settings, *instance), instance, local, twin.clients, 1, runner.stop());
          },
          local ? 6 * cost : cost};
}

}  // namespace

MeanAndSd RobinCell::regret() const {
  return mean_over(outcomes, [](const RobinOutcome& outcome) { return outcome.regret_per_client.value(); });
}

MeanAndSd RobinTwin::regret(std::uint64_t horizon) const {
  return mean_over(runs, [&](const std::vector<PhaseFigures>& phases) {
    std::size_t count = 0;
    while (count < phases.size() && phases[count].first_step < horizon) ++count;
    return total_regret(std::span(phases).first(count));
  });
}

const RobinCell* RobinPaperRuns::find(const RobinSettings& wanted) const {
  const auto found =
      std::find_if(cells.begin(), cells.end(), [&](const RobinCell& cell) { return same_cell(cell.settings, wanted); });
  return found == cells.end() ? nullptr : &*found;
}

const RobinTwin& RobinPaperRuns::local_twin(std::size_t dimension) const {
  for (const RobinTwin& twin : local) {
    if (twin.dimension == dimension) return twin;
  }
  throw std::invalid_argument("no twin of that dimension was played");
}

const RobinTwin& RobinPaperRuns::nonprivate_twin(std::size_t dimension, std::size_t clients) const {
  const RobinTwin* best = nullptr;
  const auto away = [&](const RobinTwin& twin) {
    return twin.clients > clients ? twin.clients - clients : clients - twin.clients;
  };
  for (const RobinTwin& twin : nonprivate) {
    if (twin.dimension != dimension) continue;
    if (best == nullptr || away(twin) < away(*best)) best = &twin;
  }
  if (best == nullptr) throw std::invalid_argument("no twin of that dimension was played");
  return *best;
}

RobinSettings paper_settings(std::size_t dimension, std::size_t clients, double epsilon, std::uint64_t horizon) {
  RobinSettings settings;
  settings.dimension = dimension;
  settings.arms = dimension == 8 ? 10 : 5;
  settings.clients = clients;
  settings.epsilon = epsilon;
  settings.horizon = horizon;
  settings.noise = NoiseKind::laplace;
  return settings;
}

std::vector<RobinSettings> paper_cells(const RobinPaperOptions& options) {
  std::vector<RobinSettings> cells;
  const auto add = [&](const RobinSettings& settings) {
    for (const RobinSettings& known : cells) {
      if (same_cell(known, settings)) return;
    }
    cells.push_back(settings);
  };
  const auto at = [&](std::size_t dimension, std::size_t clients, double epsilon) {
    return paper_settings(dimension, clients, epsilon, options.horizon);
  };
  for (const std::size_t clients : {200U, 600U, 1000U, 2000U, 4000U, 8000U}) {
    if (!options.quick || clients < 8000) add(at(4, clients, 1));
  }
  for (const double epsilon : {.5, .6, 1.0, 3.0, 10.0}) add(at(4, 1000, epsilon));
  for (const double epsilon : {3.0, 10.0}) add(at(4, 200, epsilon));
  add(at(4, 4000, .5));
  for (const std::uint64_t horizon : {254U, 510U, 1022U, 2046U, 4094U}) {
    if (horizon < options.horizon) add(paper_settings(4, 1000, 1, horizon));
  }
  RobinSettings variant = at(4, 1000, 1);
  variant.noise = NoiseKind::gaussian;
  add(variant);
  variant.range = RangeKind::last_release;
  add(variant);
  variant.noise = NoiseKind::laplace;
  add(variant);
  variant = at(4, 1000, 1);
  variant.composition = Composition::nested;
  add(variant);
  if (options.horizon <= 510) return cells;
  for (const double epsilon : {1.0, 3.0}) add(at(8, 1000, epsilon));
  add(at(8, 200, 10));
  return cells;
}

RobinPaperRuns play_robin_paper(const RobinPaperOptions& options, const Runner& runner) {
  if (options.seeds == 0) throw InputError("--seeds", "at least one is needed");
  if (options.horizon < 254) {
    throw InputError("--horizon", "254 steps are the least: 126 of initialisation, and one phase on a release");
  }
  RobinPaperRuns runs;
  runs.options = options;
  for (const RobinSettings& settings : paper_cells(options)) {
    runs.cells.push_back({settings, std::vector<RobinOutcome>(options.seeds)});
    add_twin(runs.local, settings.dimension, local_clients, options.seeds);
    add_twin(runs.nonprivate, settings.dimension, std::min(settings.clients, most_twin_clients), options.seeds);
  }
  std::vector<Piece> pieces;
  for (RobinCell& cell : runs.cells) {
    for (std::size_t i = 0; i < options.seeds; ++i) {
      pieces.push_back(cell_piece(cell, i, options.first_seed + i, runner));
    }
  }
  for (auto* const twins : {&runs.local, &runs.nonprivate}) {
    for (RobinTwin& twin : *twins) {
      RobinSettings settings =
          paper_settings(twin.dimension, std::max<std::size_t>(2, twin.clients), 1, options.horizon);
      for (std::size_t i = 0; i < options.seeds; ++i) {
        settings.seed = options.first_seed + i;
        pieces.push_back(twin_piece(twin, i, settings, twins == &runs.local, runner));
      }
    }
  }
  runner.play(std::move(pieces), "run");
  for (RobinCell& cell : runs.cells) cell.settings = cell.outcomes.front().settings;
  return runs;
}

}  // namespace sotto::apps::lab
