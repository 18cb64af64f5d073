#include "bench/lab/experiment.h"
#include "bench/lab/measure/o3m_trial.h"
#include "bench/lab/measure/samples.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::lab {

namespace {

const char* name_of(LinearAlgorithm algorithm) { return algorithm == LinearAlgorithm::ucb ? "ucb" : "ts"; }

double active_us(const O3mFigures& f) { return median(f.joining_us) + median(f.playing_us); }

std::optional<double> most_us(const O3mCase& c) {
  if (c.participants != 5) return std::nullopt;
  if (c.dimension == 100 && c.arms == 10) return 20;
  if (c.dimension == 1000 && c.arms == 100) return 10'000;
  return std::nullopt;
}

constexpr std::size_t most_features = 5000;
constexpr std::size_t most_arms = 1000;
constexpr std::uint64_t steps_of_a_run = 5000;
constexpr std::size_t most_numbers_of_a_run = 1000;

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
      "shares. Textbook: select and update with A inverted (ucb) or factorised (ts) again.");
  return table;
}

FigureTable o3m_run_table(const std::vector<O3mRunMeasurement>& measurements) {
  FigureTable table("runs", "Whole runs, every role a process on loopback",
                    "algorithm; dimension: d; arms: K; participants; links; steps; runs; playing_us: a step, "
                    "prefetched, us; twin_us: central twin, us; times_the_twin: times the twin; end_to_end_us: with "
                    "masking and sending, us; received_bytes: received a step, bytes; arms_equal: arms of the twin");
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

struct O3mBench {
  std::vector<std::string> sizes{"100x10", "500x10", "500x100", "1000x100"};
  std::vector<std::string> algorithms{"ucb", "ts"};
  std::size_t participants = 5;
  std::uint64_t steps = 3000;
  std::uint64_t textbook_steps = 5;
  std::size_t runs = 9;
};

struct Size {
  std::size_t dimension = 0;
  std::size_t arms = 0;
};

Size size_of(const std::string& text) {
  const std::size_t cross = std::min(text.find('x'), text.size());
  const auto dimension = sotto::number_of<std::size_t>(text.substr(0, cross));
  const auto arms = sotto::number_of<std::size_t>(text.substr(std::min(cross + 1, text.size())));
  if (dimension && arms && *arms >= 1 && *arms <= most_arms && *dimension <= most_features) return {*dimension, *arms};
  throw InputError(
      "--size", fmt::format("'{}' is no size: write features x arms, as 100x10, with at most {} features and {} arms",
                            text, most_features, most_arms));
}

std::vector<O3mCase> cases_of(const O3mBench& arguments) {
  std::vector<O3mCase> cases;
  for (const std::string& algorithm : arguments.algorithms) {
    for (const std::string& text : arguments.sizes) {
      const Size size = size_of(text);
      if (size.dimension < arguments.participants) {
        throw InputError("--size",
                         fmt::format("{} for {}, each of which has one at least", counted(size.dimension, "feature"),
                                     counted(arguments.participants, "participant")));
      }
      cases.push_back({algorithm == "ucb" ? LinearAlgorithm::ucb : LinearAlgorithm::ts, size.dimension, size.arms,
                       arguments.participants});
    }
  }
  return cases;
}

// Whole runs are measured only for small sizes, because writing larger files takes longer than playing the runs.
std::vector<O3mRunMeasurement> whole_runs(const O3mBench& arguments, const std::vector<O3mCase>& cases) {
  std::vector<O3mRunMeasurement> measurements;
  for (const O3mCase& what : cases) {
    if (what.dimension * what.arms > most_numbers_of_a_run || arguments.runs == 0) continue;
    for (const bool plaintext : {false, true}) {
      show_progress(fmt::format("whole runs of {}, {}", counted(what.dimension, "feature"), counted(what.arms, "arm")));
      measurements.push_back({what, steps_of_a_run, plaintext,
                              measure_o3m_runs(what, steps_of_a_run, arguments.runs, plaintext, interrupted())});
    }
  }
  return measurements;
}

Page measure_o3m(const O3mBench& arguments) {
  const std::vector<O3mCase> cases = cases_of(arguments);
  std::vector<O3mMeasurement> measurements;
  for (const O3mCase& what : cases) {
    show_progress(fmt::format("{}, {} ({} of {})", counted(what.dimension, "feature"), counted(what.arms, "arm"),
                              measurements.size() + 1, cases.size()));
    measurements.push_back({what, measure_o3m(what, arguments.steps, arguments.textbook_steps, interrupted())});
  }
  return {"o3m",
          "A step of O3M",
          "What the participants of O3M compute for a step, on synthetic contexts of norm 1 whose columns are split "
          "evenly: first in one process and one thread, without links, the central twin in turn with the active "
          "participant; then in whole runs.",
          {},
          o3m_tables(measurements, whole_runs(arguments, cases))};
}

void declare_o3m(Command& command, O3mBench& arguments) {
  command.add_option("--size", arguments.sizes, "Features x arms; several in turn")->separated_by(',')->shows_default();
  command.add_option("--algorithm", arguments.algorithms, "ucb or ts; several in turn")
      ->separated_by(',')
      ->one_of({"ucb", "ts"})
      ->shows_default();
  command.add_option("--participants", arguments.participants, "Participants, 2 to 8", whole(2, max_parties));
  command.add_option("--steps", arguments.steps, "Steps of each, at least", whole(1, 10'000'000));
  command.add_option("--textbook-steps", arguments.textbook_steps, "Steps that invert a matrix, for comparison",
                     whole(0, 100'000));
  command.add_option("--runs", arguments.runs, "Whole runs of each size up to 1000 numbers a step; 0: none",
                     whole(0, 1000));
}

}  // namespace

std::vector<FigureTable> o3m_tables(const std::vector<O3mMeasurement>& measurements,
                                    const std::vector<O3mRunMeasurement>& runs) {
  return with_rows({o3m_time_table(measurements), o3m_run_table(runs), o3m_target_table(measurements)});
}

void add_bench_o3m(Command& bench) {
  add_measurement<O3mBench>(bench, "o3m", "Time what the participants of O3M compute, next to the central twin",
                            "Examples:\n"
                            "  sotto-lab bench o3m\n"
                            "  sotto-lab bench o3m --size 100x10 --algorithm ucb --json\n"
                            "  sotto-lab bench o3m --out bench/results/o3m.md",
                            declare_o3m, measure_o3m);
}

}  // namespace sotto::apps::lab
