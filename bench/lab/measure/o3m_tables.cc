#include "bench/lab/measure/o3m_trial.h"

#include <fmt/format.h>

#include <optional>

#include "apps/kit/learn/mean.h"
#include "bench/lab/measure/samples.h"

namespace sotto::apps::lab {
namespace {

const char* name_of(LinearAlgorithm algorithm) { return algorithm == LinearAlgorithm::ucb ? "ucb" : "ts"; }

// All that the active participant computes for a step.
double active_us(const O3mFigures& f) { return median(f.joining_us) + median(f.playing_us); }

std::optional<double> most_us(const O3mCase& c) {
  if (c.participants != 5) return std::nullopt;
  if (c.dimension == 100 && c.arms == 10) return 20;
  if (c.dimension == 1000 && c.arms == 100) return 10'000;
  return std::nullopt;
}

}  // namespace

FigureTable o3m_time_table(const std::vector<O3mMeasurement>& measurements) {
  FigureTable table("times", "Arithmetic of a step, one thread",
                    "algorithm; dimension: d; arms: K; participants; steps; active_us: active participant, us; "
                    "joining_us: mask and add up, us; playing_us: select and update, us; "
                    "playing_mean_us: with refreshes, us; twin_us: central twin, us; times_the_twin: times the twin; "
                    "passive_us: passive participant, us; textbook_us: textbook, us");
  for (const O3mMeasurement& m : measurements) {
    const O3mFigures& f = m.figures;
    std::optional<double> textbook;
    if (!f.textbook_us.empty()) textbook = median(f.textbook_us);
    table.add({name_of(m.what.algorithm), m.what.dimension, m.what.arms, m.what.participants, f.steps, active_us(f),
               median(f.joining_us), median(f.playing_us), mean_and_sd(f.playing_us).mean, median(f.twin_us),
               median(f.playing_us) / median(f.twin_us), median(f.passive_us), textbook});
  }
  table.note(
      "Active participant: masking its own columns, zero shares, adding up what the others send and decoding it, then "
      "selecting and updating. Medians over batches of steps; a refresh of the inverse, every 1000 steps, shows in the "
      "mean (with refreshes). Central twin: select and update on whole contexts; times the twin: those of the active "
      "participant against it, where contexts were joined ahead. Passive participant: masking, fixed point and zero "
      "shares. Textbook: select and update with A inverted (ucb) or factorised (ts) anew.");
  return table;
}

FigureTable o3m_run_table(const std::vector<O3mRunMeasurement>& measurements) {
  FigureTable table("runs", "Whole runs, every role a process on loopback",
                    "algorithm; dimension: d; arms: K; participants; links; steps; runs; "
                    "playing_us: a step, prefetched, us; twin_us: central twin, us; times_the_twin: times the twin; "
                    "end_to_end_us: with masking and sending, us; received_bytes: received a step, bytes; "
                    "arms_equal: arms of the twin");
  for (const O3mRunMeasurement& m : measurements) {
    const O3mRunFigures& f = m.figures;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < f.playing_us.size(); ++i) {
      ratios.push_back(f.playing_us[i] / f.twin_us[i]);
    }
    table.add({name_of(m.what.algorithm), m.what.dimension, m.what.arms, m.what.participants,
               m.plaintext ? "plain TCP" : "TLS", m.steps, f.playing_us.size(), median(f.playing_us), median(f.twin_us),
               median(ratios), median(f.end_to_end_us), f.received_bytes, f.arms_equal});
  }
  table.note(
      "Medians over runs. Prefetched: the active participant plays once it has the masked contexts of all steps, so "
      "that no step waits for a peer. With masking and sending: from the first round to the last step played, all "
      "roles on the cores of this machine at once.");
  return table;
}

FigureTable o3m_target_table(const std::vector<O3mMeasurement>& measurements) {
  Targets targets;
  for (const O3mMeasurement& m : measurements) {
    const std::optional<double> most = most_us(m.what);
    if (!most) continue;
    targets.add(
        fmt::format("{}, d = {}, K = {}, 5 participants", name_of(m.what.algorithm), m.what.dimension, m.what.arms),
        "active participant's arithmetic, us", active_us(m.figures), *most);
  }
  return targets.take();
}

}  // namespace sotto::apps::lab
