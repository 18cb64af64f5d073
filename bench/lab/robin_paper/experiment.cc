#include "bench/lab/robin_paper/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "apps/kit/learn/tasks.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {

using namespace sotto::apps::robin;
namespace {

constexpr std::size_t local_clients = 250;       // whose mean is near enough; LinUCB takes its time
constexpr std::size_t most_twin_clients = 2000;  // beyond, the plain mean's error is nothing

bool same_cell(const RobinSettings& a, const RobinSettings& b) {
  return a.dimension == b.dimension && a.arms == b.arms && a.clients == b.clients && a.epsilon == b.epsilon &&
         a.delta == b.delta && a.horizon == b.horizon && a.composition == b.composition && a.noise == b.noise &&
         a.range == b.range;
}

// A piece of work and what it takes, so that the longest come first.
struct Piece {
  double cost = 0;
  std::function<void()> work;
};

class Plan {
 public:
  Plan(RobinPaperRuns& runs, const std::atomic<bool>& interrupted) : runs_(runs), interrupted_(interrupted) {
    for (const RobinSettings& settings : paper_cells(runs.options)) {
      runs_.cells.push_back({settings, std::vector<RobinOutcome>(runs.options.seeds)});
    }
    for (const RobinCell& cell : runs_.cells) add_twins_of(cell.settings);
  }

  std::vector<Piece> pieces() {
    std::vector<Piece> pieces;
    for (RobinCell& cell : runs_.cells) {
      for (std::size_t i = 0; i < runs_.options.seeds; ++i) pieces.push_back(cell_piece(cell, i));
    }
    for (RobinTwin& twin : runs_.local) add_twin_pieces(pieces, twin, true);
    for (RobinTwin& twin : runs_.nonprivate) add_twin_pieces(pieces, twin, false);
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.cost > b.cost; });
    return pieces;
  }

 private:
  void add_twins_of(const RobinSettings& settings) {
    const auto add = [&](std::vector<RobinTwin>& twins, std::size_t clients) {
      const auto known = std::find_if(twins.begin(), twins.end(), [&](const RobinTwin& twin) {
        return twin.dimension == settings.dimension && twin.clients == clients;
      });
      if (known == twins.end()) {
        twins.push_back({settings.dimension, clients, std::vector<std::vector<PhaseFigures>>(runs_.options.seeds)});
      }
    };
    add(runs_.local, local_clients);
    add(runs_.nonprivate, std::min(settings.clients, most_twin_clients));
  }

  [[nodiscard]] std::uint64_t seed(std::size_t i) const { return runs_.options.first_seed + i; }

  Piece cell_piece(RobinCell& cell, std::size_t i) {
    const double cost = static_cast<double>(cell.settings.clients * cell.settings.horizon * cell.settings.dimension *
                                            cell.settings.arms);
    return {cost, [this, &cell, i] {
              RobinSettings settings = cell.settings;
              settings.seed = seed(i);
              settings.adaptive = true;
              const auto instance = simulated_instance(settings);
              settings = resolved(settings, *instance);
              RobinPlayOptions alone;
              alone.twins = false;
              cell.outcomes[i] =
                  play_robin(settings, instance, Coins::insecure(settings.seed), alone, {}, interrupted_);
            }};
  }

  void add_twin_pieces(std::vector<Piece>& pieces, RobinTwin& twin, bool local) {
    for (std::size_t i = 0; i < runs_.options.seeds; ++i) {
      RobinSettings settings =
          paper_settings(twin.dimension, std::max<std::size_t>(2, twin.clients), 1, runs_.options.horizon);
      settings.seed = seed(i);
      const auto cost = static_cast<double>(twin.clients * settings.horizon * settings.dimension * settings.arms);
      pieces.push_back({local ? 6 * cost : cost, [this, &twin, settings, local, i] {
                          const auto instance = simulated_instance(settings);
                          twin.runs[i] =
                              play_twin(resolved(settings, *instance), instance, local, twin.clients, 1, interrupted_);
                        }});
    }
  }

  RobinPaperRuns& runs_;
  const std::atomic<bool>& interrupted_;
};

}  // namespace

MeanAndSd RobinCell::regret() const {
  std::vector<double> values;
  for (const RobinOutcome& outcome : outcomes) values.push_back(outcome.regret_per_client.value());
  return mean_and_sd(values);
}

MeanAndSd RobinTwin::regret(std::uint64_t horizon) const {
  std::vector<double> values;
  for (const std::vector<PhaseFigures>& phases : runs) {
    std::size_t count = 0;
    while (count < phases.size() && phases[count].first_step < horizon) ++count;
    values.push_back(total_regret(std::span(phases).first(count)));
  }
  return mean_and_sd(values);
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

RobinPaperRuns play_robin_paper(const RobinPaperOptions& options,
                                const std::function<void(const std::string&)>& progress,
                                const std::atomic<bool>& interrupted) {
  if (options.seeds == 0) throw InputError("--seeds", "at least one is needed");
  if (options.horizon < 254) {
    throw InputError("--horizon", "254 steps are the least: 126 of initialisation, and one phase on a release");
  }
  RobinPaperRuns runs;
  runs.options = options;
  Plan plan(runs, interrupted);
  const std::vector<Piece> pieces = plan.pieces();
  std::atomic<std::size_t> done{0};
  std::mutex line;
  run_tasks(pieces.size(), core_count(), interrupted, [&](std::size_t i) {
    pieces[i].work();
    const std::size_t so_far = ++done;
    const std::lock_guard lock(line);
    progress(fmt::format("{} of {}", so_far, counted(pieces.size(), "run")));
  });
  for (RobinCell& cell : runs.cells) cell.settings = cell.outcomes.front().settings;
  return runs;
}

}  // namespace sotto::apps::lab
