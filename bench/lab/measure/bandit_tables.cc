#include "sotto/bench/lab/measure/bandit_trial.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "sotto/bench/lab/measure/samples.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

const char* dealing(const BanditCase& c) { return c.streaming ? "streaming" : "ahead"; }

bool has(const BanditCase& c, std::size_t parties, std::size_t arms, bool streaming) {
  return c.features == 20 && c.parties == parties && c.arms == arms && c.streaming == streaming;
}

std::optional<double> most_times_the_floor(const BanditCase& c) {
  if (has(c, 2, 10, false)) return 2.0;
  if (has(c, 3, 10, false)) return 1.6;
  if (has(c, 8, 10, false)) return 1.3;
  return std::nullopt;
}

std::optional<double> most_times_ten_arms(const BanditCase& c) {
  if (has(c, 2, 40, false)) return 3;
  if (has(c, 2, 100, false)) return 10;
  return std::nullopt;
}

double step_us(const BanditMeasurement& m) { return median(m.figures.step_us); }

std::string name_of(const BanditCase& c) {
  return fmt::format("{}, {}, {}", counted(c.parties, "party"), counted(c.arms, "arm"),
                     c.streaming ? "streaming" : "dealt ahead");
}

class Targets {
 public:
  void add(const BanditCase& c, const char* what, double measured, double target) {
    table_.add({name_of(c), what, measured, target, measured <= target});
  }
  [[nodiscard]] FigureTable take() { return std::move(table_); }

 private:
  FigureTable table_{"targets",
                     "Targets",
                     {{"configuration", "configuration"},
                      {"what", "what"},
                      {"measured", "measured"},
                      {"at_most", "at most"},
                      {"met", "met"}}};
};

}  // namespace

FigureTable bandit_time_table(const std::vector<BanditMeasurement>& measurements) {
  FigureTable table("times", "Time of a bandit step",
                    {{"parties", "parties"},
                     {"features", "features"},
                     {"arms", "arms"},
                     {"dealing", "dealt"},
                     {"steps", "steps"},
                     {"step_us", "step, us"},
                     {"step_least_us", "least, us"},
                     {"floor_us", "floor, us"},
                     {"floor_least_us", "least, us"},
                     {"times_the_floor", "times the floor"},
                     {"twin_us", "plain text, us"}});
  for (const BanditMeasurement& m : measurements) {
    const BanditCase& c = m.configuration;
    const BanditFigures& f = m.figures;
    table.add({c.parties, c.features, c.arms, dealing(c), c.steps, step_us(m), least(f.step_us), median(f.floor_us),
               least(f.floor_us), step_us(m) / median(f.floor_us), median(f.twin_us)});
  }
  table.note(
      "Step: dealt ahead, the steps alone; streaming, all roles together, the dealer included. Floor: the same "
      "messages between the same processes without arithmetic, measured in turn with the runs. Links are plain TCP on "
      "loopback. Medians over the repetitions.");
  return table;
}

FigureTable bandit_tls_table(const std::vector<BanditMeasurement>& measurements) {
  FigureTable table("tls", "The step over TLS",
                    {{"parties", "parties"},
                     {"arms", "arms"},
                     {"dealing", "dealt"},
                     {"rounds", "rounds"},
                     {"plain_step_us", "step, plain, us"},
                     {"tls_step_us", "step, TLS, us"},
                     {"times_plain", "times plain"},
                     {"plain_rounds_per_second", "rounds/s, plain"},
                     {"tls_rounds_per_second", "rounds/s, TLS"},
                     {"plain_floor_us", "floor, plain, us"},
                     {"tls_floor_us", "floor, TLS, us"}});
  for (const BanditMeasurement& m : measurements) {
    const BanditCase& c = m.configuration;
    const BanditFigures& f = m.figures;
    const double plain = step_us(m);
    const double tls = median(f.tls_step_us);
    const auto rate = [&](double us) { return std::round(1e6 * f.rounds / us); };
    table.add({c.parties, c.arms, dealing(c), f.rounds, plain, tls, tls / plain, rate(plain), rate(tls),
               median(f.floor_us), median(f.tls_floor_us)});
  }
  table.note(
      "TLS 1.3 with AES-128-GCM on every link, as runs have it by default, and the same over plain TCP "
      "(insecure_plaintext), measured in turn. Medians over the repetitions.");
  return table;
}

FigureTable bandit_cost_table(const std::vector<BanditMeasurement>& measurements) {
  FigureTable table("costs", "Cost of a bandit step",
                    {{"parties", "parties"},
                     {"arms", "arms"},
                     {"dealing", "dealt"},
                     {"rounds", "rounds"},
                     {"sent_bytes", "sent by a party, B"},
                     {"dealt_bytes", "dealt, B"},
                     {"dealer_cpu_us", "dealer's CPU, us"},
                     {"memory_mb", "memory of a role, MB"}});
  for (const BanditMeasurement& m : measurements) {
    const BanditCase& c = m.configuration;
    const BanditFigures& f = m.figures;
    table.add({c.parties, c.arms, dealing(c), f.rounds, f.sent_bytes, f.dealt_bytes, median(f.dealer_cpu_us),
               static_cast<double>(f.memory_bytes) / 1e6});
  }
  table.note(
      "Sent by the largest party to all others, headers included; dealt to the last party. Memory: resident, of the "
      "largest role at its worst moment, everything that was dealt ahead included.");
  return table;
}

FigureTable bandit_target_table(const std::vector<BanditMeasurement>& measurements) {
  Targets targets;
  std::optional<double> ten_arms_us;
  for (const BanditMeasurement& m : measurements) {
    if (has(m.configuration, 2, 10, false)) ten_arms_us = step_us(m);
  }
  for (const BanditMeasurement& m : measurements) {
    const BanditCase& c = m.configuration;
    if (const std::optional<double> most = most_times_the_floor(c)) {
      targets.add(c, "times the floor", step_us(m) / median(m.figures.floor_us), *most);
    }
    if (has(c, 2, 10, false)) {
      targets.add(c, "sent by a party, KB", static_cast<double>(m.figures.sent_bytes) / 1e3, 30);
      targets.add(c, "dealt, KB", static_cast<double>(m.figures.dealt_bytes) / 1e3, 80);
      targets.add(c, "dealer's CPU, us", median(m.figures.dealer_cpu_us), 100);
    }
    const std::optional<double> most = most_times_ten_arms(c);
    if (most && ten_arms_us) {
      targets.add(c, "times the step of 10 arms", step_us(m) / *ten_arms_us, *most);
    }
    if (has(c, 2, 10, true)) targets.add(c, "all roles together, us", step_us(m), 200);
  }
  return targets.take();
}

}  // namespace sotto::apps
