#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/prepare/data/environment.h"
#include "bench/lab/experiment.h"
#include "bench/lab/measure/bandit_trial.h"
#include "bench/lab/measure/samples.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
using namespace sotto::apps::prepare;
namespace {

const char* dealing(const BanditCase& c) { return c.streaming ? "streaming" : "ahead"; }

bool has(const BanditCase& c, std::size_t parties, std::size_t arms, bool streaming) {
  return c.features == 20 && c.parties == parties && c.arms == arms && c.streaming == streaming && !c.in_batches();
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

double step_us(const BanditMeasurement& m) { return median(m.figures.tcp.step_us); }

std::string name_of(const BanditCase& c) {
  std::string name = fmt::format("{}, {}", counted(c.parties, "party"), counted(c.arms, "arm"));
  if (c.in_batches()) name += fmt::format(", batches of {}", c.batch);
  if (c.reward_lag > 0) name += fmt::format(", reward lag {}", c.reward_lag);
  return name + (c.streaming ? ", streaming" : ", dealt ahead");
}

const BanditMeasurement* dealt_ahead(const std::vector<BanditMeasurement>& measurements, const BanditCase& c) {
  if (!c.streaming) return nullptr;
  for (const BanditMeasurement& m : measurements) {
    const BanditCase& other = m.configuration;
    if (!other.streaming && other.parties == c.parties && other.features == c.features && other.arms == c.arms &&
        other.batch == c.batch && other.reward_lag == c.reward_lag) {
      return &m;
    }
  }
  return nullptr;
}

FigureTable bandit_time_table(const std::vector<BanditMeasurement>& measurements) {
  FigureTable table("times", "Time of a bandit step",
                    "parties; features; arms; dealing: dealt; steps; step_us: step, us; step_least_us: least, us; "
                    "floor_us: floor, us; floor_least_us: least, us; times_the_floor: times the floor; computing_us: "
                    "computing, us; times_floor_and_computing: times floor and computing; twin_us: plain text, us");
  for (const BanditMeasurement& m : measurements) {
    if (m.configuration.in_batches()) continue;
    const BanditCase& c = m.configuration;
    const BanditFigures& f = m.figures;
    const double computing = median(f.computing_us);
    table.add({c.parties, c.features, c.arms, dealing(c), c.steps, step_us(m), least(f.tcp.step_us),
               median(f.tcp.floor_us), least(f.tcp.floor_us), step_us(m) / median(f.tcp.floor_us), computing,
               step_us(m) / (median(f.tcp.floor_us) + computing), median(f.twin_us)});
  }
  table.note(
      "Step: dealt ahead, the steps alone; streaming, all roles together, the dealer included. Floor: the same "
      "messages between the same processes without arithmetic, measured in turn with the runs. Computing: what the "
      "parties' program takes in one process that has a core and its caches to itself, in each round at the slowest "
      "party, without the dealer and the actor. Links are plain TCP on loopback. Medians over the repetitions.");
  return table;
}

FigureTable bandit_tls_table(const std::vector<BanditMeasurement>& measurements) {
  FigureTable table(
      "tls", "The step over TLS",
      "parties; arms; dealing: dealt; rounds; plain_step_us: step, plain, us; tls_step_us: step, TLS, us; "
      "times_plain: times plain; plain_rounds_per_second: rounds/s, plain; "
      "tls_rounds_per_second: rounds/s, TLS; plain_floor_us: floor, plain, us; tls_floor_us: floor, TLS, us");
  for (const BanditMeasurement& m : measurements) {
    if (m.configuration.in_batches()) continue;
    const BanditCase& c = m.configuration;
    const BanditFigures& f = m.figures;
    const double plain = step_us(m);
    const double tls = median(f.tls.step_us);
    const auto rate = [&](double us) { return std::round(1e6 * f.rounds / us); };
    table.add({c.parties, c.arms, dealing(c), f.rounds, plain, tls, tls / plain, rate(plain), rate(tls),
               median(f.tcp.floor_us), median(f.tls.floor_us)});
  }
  table.note(
      "TLS 1.3 with AES-128-GCM on every link, as runs have it by default, and the same over plain TCP "
      "(insecure_plaintext), measured in turn. Medians over the repetitions.");
  return table;
}

FigureTable bandit_cost_table(const std::vector<BanditMeasurement>& measurements) {
  FigureTable table("costs", "Cost of a bandit step",
                    "parties; arms; dealing: dealt; rounds; sent_bytes: sent by a party, B; "
                    "dealt_bytes: dealt, B; dealer_cpu_us: dealer's CPU, us; memory_mb: memory of a role, MB");
  for (const BanditMeasurement& m : measurements) {
    if (m.configuration.in_batches()) continue;
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

FigureTable bandit_event_table(const std::vector<BanditMeasurement>& measurements) {
  FigureTable table(
      "events", "Events in batches",
      "parties; arms; batch; reward_lag: lag; dealing: dealt; link; events; events_per_second: events/s; "
      "event_us: an event, us; floor_us: floor, us; times_the_floor: times the floor; "
      "decisions_per_second: decisions alone/s; decide_us: deciding, us; decide_floor_us: its floor, us; "
      "rounds: rounds an event; sent_bytes_per_event: sent by a party, B; dealt_bytes_per_event: dealt, B; "
      "dealer_seconds_per_event: dealer's CPU, s; memory_mb: memory of a role, MB; twin_us: plain text, us");
  for (const BanditMeasurement& m : measurements) {
    if (!m.configuration.in_batches()) continue;
    const BanditFigures& f = m.figures;
    const BanditCase& c = m.configuration;
    for (const auto& [link, s] : {std::pair{"TCP", &f.tcp}, std::pair{"TLS", &f.tls}}) {
      const double event = median(s->step_us);
      const double decide = median(s->decide_us);
      table.add({c.parties,
                 c.arms,
                 c.batch,
                 c.reward_lag,
                 dealing(c),
                 link,
                 c.steps,
                 std::round(1e6 / event),
                 event,
                 median(s->floor_us),
                 event / median(s->floor_us),
                 std::round(1e6 / decide),
                 decide,
                 median(s->decide_floor_us),
                 f.rounds,
                 f.sent_bytes,
                 f.dealt_bytes,
                 1e-6 * median(f.dealer_cpu_us),
                 static_cast<double>(f.memory_bytes) / 1e6,
                 median(f.twin_us)});
    }
  }
  table.note(
      "Decided and learned: dealt ahead, the events alone; streaming, all roles together, the dealer next to them. "
      "Deciding: from the first round of each decision to its last, at the slowest party, in the same runs, and "
      "streaming also waiting for the dealer. Floor: the same messages between the same processes without arithmetic, "
      "measured in turn with the runs. Medians over the repetitions.");
  table.note(
      "TCP is plain TCP on loopback, TLS is TLS 1.3 over it, as runs have it by default. The dealer's CPU time and the "
      "memory are those of the runs over TCP.");
  return table;
}

FigureTable bandit_ratio_table(const std::vector<BanditMeasurement>& measurements) {
  FigureTable table(
      "ratios", "The comparison",
      "what; configuration; ratio; least: of the least times; over_us: the upper, us; under_us: the lower, us");
  const auto add = [&](const char* what, const BanditMeasurement& m, const std::vector<double>& over,
                       const std::vector<double>& under) {
    table.add({what, name_of(m.configuration), median(over) / median(under), least(over) / least(under), median(over),
               median(under)});
  };
  for (const BanditMeasurement& m : measurements) {
    const BanditFigures& f = m.figures;
    const char* const unit = m.configuration.in_batches() ? "event over floor" : "step over floor";
    if (!m.configuration.streaming) add(unit, m, f.tcp.step_us, f.tcp.floor_us);
    if (m.configuration.in_batches() && !m.configuration.streaming) {
      add("deciding over floor", m, f.tcp.decide_us, f.tcp.decide_floor_us);
    }
    add("TLS over plain TCP", m, f.tls.step_us, f.tcp.step_us);
    if (const BanditMeasurement* const ahead = dealt_ahead(measurements, m.configuration)) {
      add("all roles at once over dealt ahead", m, f.tcp.step_us, ahead->figures.tcp.step_us);
    }
  }
  table.note(
      "Both times of a quotient are of this run, over plain TCP where nothing else is said, and medians of the "
      "repetitions; the second quotient is that of the least ones.");
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
      targets.add(name_of(c), "times the floor", step_us(m) / median(m.figures.tcp.floor_us), *most);
    }
    if (has(c, 2, 10, false)) {
      targets.add(name_of(c), "sent by a party, KB", static_cast<double>(m.figures.sent_bytes) / 1e3, 30);
      targets.add(name_of(c), "dealt, KB", static_cast<double>(m.figures.dealt_bytes) / 1e3, 80);
      targets.add(name_of(c), "dealer's CPU, us", median(m.figures.dealer_cpu_us), 100);
    }
    const std::optional<double> most = most_times_ten_arms(c);
    if (most && ten_arms_us) {
      targets.add(name_of(c), "times the step of 10 arms", step_us(m) / *ten_arms_us, *most);
    }
    if (has(c, 2, 10, true)) targets.add(name_of(c), "all roles together, us", step_us(m), 200);
  }
  return targets.take();
}

struct BanditBench {
  std::vector<std::size_t> parties;
  std::vector<std::size_t> arms;
  std::vector<std::size_t> batches;
  std::size_t features = 20;
  std::uint64_t steps = 0;  // 0: chosen by the batch size
  std::uint64_t reward_lag = 0;
  std::uint64_t repeat = 5;
  bool streaming = false;

  [[nodiscard]] bool names_none() const {
    return parties.empty() && arms.empty() && batches.empty() && reward_lag == 0 && !streaming;
  }
};

constexpr std::uint64_t single_steps = 3000;
constexpr std::uint64_t least_events = 8192;
constexpr std::uint64_t least_batches = 32;

std::uint64_t steps_of(const BanditBench& arguments, const BanditCase& c) {
  if (arguments.steps > 0) return arguments.steps;
  return c.in_batches() ? std::max(least_events, least_batches * c.batch) : single_steps;
}

std::vector<BanditCase> cases_of(const BanditBench& arguments) {
  std::vector<BanditCase> cases;
  const auto add = [&](std::size_t parties, std::size_t arms, bool streaming, std::size_t batch) {
    BanditCase c{parties, arguments.features, arms, 0, streaming, batch, arguments.reward_lag};
    c.steps = steps_of(arguments, c);
    cases.push_back(c);
  };
  const auto add_events = [&](std::size_t parties, std::size_t arms, std::size_t batch) {
    if (!arguments.streaming) add(parties, arms, false, batch);
    add(parties, arms, true, batch);
  };
  if (arguments.names_none()) {
    for (const std::size_t parties : {2, 3, 8}) add(parties, 10, false, 1);
    for (const std::size_t arms : {40, 100}) add(2, arms, false, 1);
    add(2, 10, true, 1);
    for (const std::size_t batch : {64, 256}) add_events(2, 10, batch);
    return cases;
  }
  const auto or_else = [](std::vector<std::size_t> list, std::size_t value) {
    return list.empty() ? std::vector<std::size_t>{value} : list;
  };
  for (const std::size_t parties : or_else(arguments.parties, 2)) {
    for (const std::size_t arms : or_else(arguments.arms, 10)) {
      for (const std::size_t batch : or_else(arguments.batches, 1)) {
        if (batch > 1 || arguments.reward_lag > 0) {
          add_events(parties, arms, batch);
        } else {
          add(parties, arms, arguments.streaming, batch);
        }
      }
    }
  }
  return cases;
}

std::string in_short(const BanditCase& c) {
  return fmt::format("{}, {}{}{}", counted(c.parties, "party"), counted(c.arms, "arm"),
                     c.in_batches() ? fmt::format(", batches of {}", c.batch) : "", c.streaming ? ", streaming" : "");
}

// Measures all configurations in turn, so that drift affects all of them equally.
std::vector<BanditMeasurement> measure(const BanditBench& arguments) {
  std::vector<std::unique_ptr<BanditTrial>> trials;
  for (const BanditCase& c : cases_of(arguments)) {
    trials.push_back(std::make_unique<BanditTrial>(c));
  }
  for (std::uint64_t repetition = 0; repetition < arguments.repeat; ++repetition) {
    for (const auto& trial : trials) {
      show_progress(
          fmt::format("repetition {} of {}: {}", repetition + 1, arguments.repeat, in_short(trial->configuration())));
      trial->measure(interrupted());
    }
  }
  std::vector<BanditMeasurement> measurements;
  measurements.reserve(trials.size());
  for (const auto& trial : trials) {
    measurements.push_back({trial->configuration(), trial->figures()});
  }
  return measurements;
}

Page measure_bandit(const BanditBench& arguments) {
  return {"bandit",
          "A step of the private bandit",
          fmt::format("The private bandit on synthetic contexts of norm 1, every role a process, next to the floor of "
                      "its messages; {}. Links are plain TCP on loopback, and TLS over it where a table says so.",
                      counted(arguments.repeat, "repetition")),
          {},
          bandit_tables(measure(arguments))};
}

void declare_bandit(Command& command, BanditBench& arguments) {
  add_parties(command, arguments.parties);
  add_features(command, arguments.features);
  command.add_option("--arms", arguments.arms, "Arms; several in turn")->separated_by(',')->number(whole(1, max_arms));
  command
      .add_option("--batch", arguments.batches,
                  "Events that are decided, and learned, at once; several in turn, dealt ahead and streaming")
      ->separated_by(',')
      ->number(whole(1, largest_event_batch(1)));
  command.add_option("--reward-lag", arguments.reward_lag, "Events that are decided before the reward of one is known",
                     whole(0, 10'000'000));
  command
      .add_option("--steps", arguments.steps,
                  "Steps of a run, in batches events; fewer where what is dealt ahead would take over 256 MB (default: "
                  "3000, in batches 8192 or 32 batches)")
      ->number(whole(1, 10'000'000));
  command.add_option("--repeat", arguments.repeat, "Repetitions of each configuration", whole(1, 1000));
  command.add_flag("--streaming", arguments.streaming, "Let the dealer send as the run goes, instead of ahead of it");
}

}  // namespace

std::vector<FigureTable> bandit_tables(const std::vector<BanditMeasurement>& measurements) {
  return with_rows({bandit_time_table(measurements), bandit_tls_table(measurements), bandit_cost_table(measurements),
                    bandit_event_table(measurements), bandit_ratio_table(measurements),
                    bandit_target_table(measurements)});
}

void add_bench_bandit(Command& bench) {
  add_measurement<BanditBench>(bench, "bandit",
                               "Time the private bandit and its floor in turn, and compare with the targets",
                               "Without --parties, --arms, --batch, --reward-lag and --streaming it measures 2, 3 and "
                               "8 parties with 10 arms, two "
                               "parties\nwith 40 and 100 arms, all dealt ahead, two parties streaming, and two parties "
                               "in batches of 64 and 256, "
                               "dealt ahead\nand streaming. The table of ratios has what is to be compared.\n"
                               "Examples:\n"
                               "  sotto-lab bench bandit\n"
                               "  sotto-lab bench bandit --parties 2 --arms 10,40,100 --json\n"
                               "  sotto-lab bench bandit --batch 16,64,256 --json\n"
                               "  sotto-lab bench bandit --parties 2 --streaming --out streaming.md",
                               declare_bandit, measure_bandit);
}

}  // namespace sotto::apps::lab
