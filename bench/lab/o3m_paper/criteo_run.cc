#include "bench/lab/o3m_paper/o3m_paper.h"

#include <stdexcept>

#include "apps/kit/learn/seeded.h"
#include "apps/kit/learn/tasks.h"

namespace sotto::apps::lab {

using namespace sotto::apps::o3m;
namespace {

constexpr std::uint64_t curve_points = 60;

class RandomPlay final : public PaperPlayer {
 public:
  RandomPlay(std::size_t arms, std::uint64_t seed) : arms_(arms), draws_(seed) {}
  std::size_t select(std::uint64_t, std::span<const double>) override { return draws_.below(arms_); }
  void update(std::size_t, double) override {}

 private:
  std::size_t arms_;
  SeededDraws draws_;
};

LinearBanditOptions criteo_bandit_options(const CriteoSettings& settings, std::size_t arms) {
  LinearBanditOptions options;
  options.dimension = criteo_dimension;
  options.arms = arms;
  options.beta = settings.beta;
  options.lambda = settings.lambda;
  options.stream_seed = settings.seed;
  return options;
}

std::vector<std::size_t> some_columns(double share, std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(std::llround(share * criteo_dimension));
  std::vector<std::size_t> columns = SeededDraws(seed).permutation(criteo_dimension);
  columns.resize(count);
  std::sort(columns.begin(), columns.end());
  return columns;
}

class MaskedFeatures final : public PaperPlayer {
 public:
  MaskedFeatures(const CriteoSettings& settings, std::size_t arms)
      : masking_(parameters(settings, arms), settings.seed),
        masked_(arms * criteo_dimension),
        bandit_(criteo_bandit_options(settings, arms)) {}

  std::size_t select(std::uint64_t step, std::span<const double> contexts) override {
    masking_.mask(contexts, masked_);
    return bandit_.select(step, masked_);
  }
  void update(std::size_t arm, double reward) override {
    bandit_.update(std::span(masked_).subspan(arm * criteo_dimension, criteo_dimension), reward);
  }

 private:
  static O3mParameters parameters(const CriteoSettings& settings, std::size_t arms) {
    O3mParameters parameters;
    parameters.steps = 1;
    parameters.arms = arms;
    const double largest_scale = *std::max_element(settings.scales.begin(), settings.scales.end());
    parameters.columns = split_columns(criteo_dimension, settings.participants);
    for (const std::size_t columns : parameters.columns) {
      // No entry of a context is larger than the largest scale plus 1.
      parameters.bounds.push_back((largest_scale + 1) * std::sqrt(static_cast<double>(columns)));
    }
    return parameters;
  }

  LocalMasking masking_;
  std::vector<double> masked_;
  LinearBandit bandit_;
};

struct Pass {
  struct Seat {
    std::unique_ptr<PaperPlayer> player;
    ReplayEstimate* estimate;
  };
  std::vector<Seat> seats;
  std::size_t central = 0, masked = 0;
  bool arms_equal = true;

  void offer(const CriteoEvent& event, std::span<const double> contexts) {
    std::vector<std::size_t> arms;
    for (Seat& seat : seats) {
      const std::size_t arm = seat.player->select(seat.estimate->kept(), contexts);
      arms.push_back(arm);
      if (seat.estimate->offer(arm, event.arm, event.reward)) seat.player->update(arm, event.reward);
    }
    arms_equal = arms_equal && arms[central] == arms[masked];
  }
};

void stream(const CriteoSettings& settings, const CriteoItems& items, Pass& pass,
            const std::atomic<bool>& interrupted) {
  CriteoEvents events(settings.file, items, settings.scales);
  const CriteoContexts contexts_of(items);
  std::vector<double> contexts(items.items.size() * criteo_dimension);
  const std::uint64_t mark_every = std::max<std::uint64_t>(1, items.kept / curve_points);
  std::uint64_t count = 0;
  while (const std::optional<CriteoEvent> event = events.next()) {
    if (interrupted) throw Interrupted();
    contexts_of.fill(event->user, contexts);
    pass.offer(*event, contexts);
    if (++count % mark_every != 0) continue;
    for (Pass::Seat& seat : pass.seats) seat.estimate->mark();
  }
}

std::vector<CriteoPolicy> policies_of(const CriteoSettings& settings) {
  const auto features = [](double share) { return static_cast<std::size_t>(std::llround(share * criteo_dimension)); };
  using Runs = std::vector<ReplayEstimate>;
  return {{"linucb", "LinUCB", criteo_dimension, Runs(1)},
          {"vfucb", "VFUCB", criteo_dimension, Runs(1)},
          {"linucb_80", "LinUCB, 80% of the features", features(most_share), Runs(settings.partitions)},
          {"linucb_20", "LinUCB, 20% of the features", features(least_share), Runs(settings.partitions)},
          {"random", "random play", 0, Runs(settings.random_states)}};
}

std::unique_ptr<PaperPlayer> make_policy(const CriteoSettings& settings, std::size_t arms, const std::string& key,
                                         std::size_t run) {
  const std::uint64_t seed = settings.seed + run;
  if (key == "random") return std::make_unique<RandomPlay>(arms, seed);
  if (key == "vfucb") return std::make_unique<MaskedFeatures>(settings, arms);
  const double share = key == "linucb_80" ? most_share : key == "linucb_20" ? least_share : 1;
  return std::make_unique<PartialBandit>(criteo_bandit_options(settings, arms), criteo_dimension,
                                         some_columns(share, seed));
}

std::vector<Pass> passes_of(CriteoRuns& runs, std::size_t count) {
  std::vector<Pass> passes(count);
  std::size_t next = 0;
  for (CriteoPolicy& policy : runs.policies) {
    const bool twin = policy.key == "linucb" || policy.key == "vfucb";
    for (std::size_t run = 0; run < policy.runs.size(); ++run) {
      Pass& pass = passes[twin ? 0 : ++next % count];
      pass.seats.push_back({make_policy(runs.settings, runs.items.items.size(), policy.key, run), &policy.runs[run]});
    }
  }
  passes.front().masked = 1;
  return passes;
}

}  // namespace

std::optional<double> CriteoPolicy::ctr() const {
  std::vector<double> values;
  for (const ReplayEstimate& run : runs) {
    if (run.value()) values.push_back(*run.value());
  }
  if (values.empty()) return std::nullopt;
  return mean_and_sd(values).mean;
}

const CriteoPolicy& CriteoRuns::policy(const std::string& key) const {
  for (const CriteoPolicy& policy : policies) {
    if (policy.key == key) return policy;
  }
  throw std::invalid_argument("no policy of that key was replayed");
}

std::vector<double> CriteoRuns::relative_ctr(const std::string& key) const {
  const std::optional<double> random = policy("random").ctr();
  std::vector<double> values;
  if (!random || *random <= 0) return values;
  for (const ReplayEstimate& run : policy(key).runs) {
    if (run.value()) values.push_back(*run.value() / *random);
  }
  return values;
}

CriteoRuns run_criteo(const CriteoSettings& settings, const std::atomic<bool>& interrupted) {
  for (const double scale : settings.scales) {
    if (!std::isfinite(scale) || scale < 0 || scale > 1000) {
      throw InputError("--criteo-scales", "a scaling factor is a number from 0 to 1000");
    }
  }
  CriteoRuns runs;
  runs.settings = settings;
  runs.items = survey_criteo(settings.file, {settings.arms, settings.rows}, interrupted);
  runs.policies = policies_of(settings);
  std::vector<Pass> passes = passes_of(runs, core_count());
  run_tasks(passes.size(), passes.size(), interrupted,
            [&](std::size_t i) { stream(settings, runs.items, passes[i], interrupted); });
  runs.arms_equal = passes.front().arms_equal;
  return runs;
}

}  // namespace sotto::apps::lab
