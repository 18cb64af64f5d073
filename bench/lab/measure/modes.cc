#include "bench/lab/measure/modes.h"

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/run/local/launcher.h"
#include "apps/bandit/run/local/local.h"
#include "apps/kit/files/output_file.h"
#include "apps/prepare/data/environment.h"
#include "bench/lab/experiment.h"
#include "bench/lab/measure/labelled_data.h"
#include "bench/lab/measure/samples.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit::run;
using namespace sotto::apps::bandit;
namespace {

constexpr std::uint64_t rows_of_modes = 2000;

ModeCase of_whole_batches(ModeCase c) {
  c.steps = std::max<std::uint64_t>(c.steps - c.steps % c.batch, c.batch);
  return c;
}

BanditOptions files_of(const ModeCase& c, const std::filesystem::path& folder) {
  const std::size_t rows = std::min(c.steps, rows_of_modes);
  BanditOptions options = write_data(make_data(rows, c.features, c.arms, 1), c.parties(), folder);
  options.run.steps = c.steps;
  options.run.batch = c.batch;
  options.run.update = c.update;
  return options;
}

class ModeTrial {
 public:
  explicit ModeTrial(const ModeCase& wanted);

  [[nodiscard]] const ModeMeasurement& measurement() const noexcept { return measurement_; }

  void measure(const std::atomic<bool>& interrupted);

 private:
  [[nodiscard]] BanditResult played(RandomnessBy by, bool ahead, const std::atomic<bool>& interrupted) const;

  ModeMeasurement measurement_;
  PrivateFolder folder_;
  BanditOptions options_;
  LocalInputs inputs_;
};

ModeTrial::ModeTrial(const ModeCase& wanted)
    : measurement_{of_whole_batches(wanted), {}, {}},
      options_(files_of(measurement_.configuration, folder_.path())),
      inputs_(read_local_inputs(options_)) {}

BanditResult ModeTrial::played(RandomnessBy by, bool ahead, const std::atomic<bool>& interrupted) const {
  BanditOptions options = options_;
  options.run.preprocessing = by;
  options.run.deal_ahead = ahead;
  BanditSettings run = local_run_config(options, inputs_, 0);
  run.insecure_plaintext = true;
  const LaunchOutcome outcome = launch_local_run({run, options.parties, options.environment}, {}, interrupted);
  return assemble_result(options, inputs_, run, outcome.reports, outcome.loop_seconds);
}

void ModeTrial::measure(const std::atomic<bool>& interrupted) {
  const auto a_step = [&](const std::optional<double>& seconds) {
    return 1e6 * seconds.value_or(0) / static_cast<double>(measurement_.configuration.steps);
  };
  const BanditResult made = played(measurement_.configuration.mode, false, interrupted);
  measurement_.made.all_us.push_back(1e6 * made.seconds_per_step.value_or(0));
  measurement_.made.online_us.push_back(a_step(made.online_seconds));
  measurement_.made.preprocessing_us.push_back(a_step(made.preprocessing_seconds));
  measurement_.made.preprocessing_rounds = made.preprocessing_rounds_per_step.value_or(0);
  measurement_.made.preprocessing_bytes = made.preprocessing_bytes_per_step.value_or(0);

  const BanditResult beside = played(RandomnessBy::dealer, false, interrupted);
  const BanditResult ahead = played(RandomnessBy::dealer, true, interrupted);
  measurement_.dealt.all_us.push_back(1e6 * beside.seconds_per_step.value_or(0));
  measurement_.dealt.online_us.push_back(a_step(ahead.online_seconds));
  measurement_.dealt.preprocessing_us.push_back(a_step(ahead.dealer_seconds));
  measurement_.dealt.preprocessing_bytes = ahead.dealt_bytes_per_step.value_or(0);

  for (const auto& [figures, result] : {std::pair{&measurement_.made, &made}, {&measurement_.dealt, &ahead}}) {
    figures->rounds = result->rounds_per_step.value_or(0);
    figures->sent_bytes = result->bytes_per_step.value_or(0);
  }
}

struct ModeRow {
  RandomnessBy by;
  const ModeFigures& figures;
};

std::vector<ModeRow> rows_of(const ModeMeasurement& m) {
  return {{m.configuration.mode, m.made}, {RandomnessBy::dealer, m.dealt}};
}

bool is_usual(const ModeCase& c, RandomnessBy mode, std::size_t batch) {
  return c.mode == mode && c.features == 20 && c.arms == 10 && c.batch == batch && (batch > 1 || c.selects_first());
}

Cell update_of(const ModeCase& c) {
  if (c.batch > 1) return {};
  return c.selects_first() ? "pulled arm" : "all arms";
}

std::string title_of(const ModeCase& c) {
  return fmt::format("{}, {}{}", name_of(c.mode), counted(c.parties(), "party"),
                     c.batch > 1         ? fmt::format(", batches of {}", c.batch)
                     : c.selects_first() ? ", the pulled arm first"
                                         : "");
}

FigureTable mode_time_table(const std::vector<ModeMeasurement>& measurements) {
  FigureTable table("times", "Time a step, preprocessing included and apart",
                    "preprocessing; parties; batch; update; steps; all_us: in all, us; steps_per_second: in all/s; "
                    "times_the_dealer: times the dealer; online_us: online alone, us; "
                    "online_times_the_dealer: times the dealer; preprocessing_us: preprocessing, us");
  for (const ModeMeasurement& m : measurements) {
    const ModeCase& c = m.configuration;
    for (const auto& [by, figures] : rows_of(m)) {
      const double all = median(figures.all_us);
      const double online = median(figures.online_us);
      table.add({name_of(by), c.parties(), c.batch, update_of(c), c.steps, all, 1e6 / all, all / median(m.dealt.all_us),
                 online, online / median(m.dealt.online_us), median(figures.preprocessing_us)});
    }
  }
  table.note(
      "In all: from the first round to the last, all roles on the same cores, with what the parties make ahead, or the "
      "dealer dealing next to them. Online alone: the parties' rounds without that; the dealer's are of runs dealt "
      "ahead. Preprocessing: what the parties make ahead; of the dealer its CPU time, dealt ahead. In batches a step "
      "is an event. Medians over the repetitions, quotients of medians.");
  return table;
}

FigureTable mode_byte_table(const std::vector<ModeMeasurement>& measurements) {
  FigureTable table(
      "bytes", "Bytes and rounds a step",
      "preprocessing; parties; batch; update; sent_bytes: sent by a party in all, B; online_bytes: online, B; "
      "preprocessing_bytes: preprocessing, B; dealt_bytes: dealt, B; rounds: rounds online; "
      "preprocessing_rounds: rounds of preprocessing");
  for (const ModeMeasurement& m : measurements) {
    const ModeCase& c = m.configuration;
    const ModeFigures& f = m.made;
    table.add({name_of(c.mode), c.parties(), c.batch, update_of(c), f.sent_bytes + f.preprocessing_bytes, f.sent_bytes,
               f.preprocessing_bytes, Cell(), f.rounds, f.preprocessing_rounds});
    table.add({name_of(RandomnessBy::dealer), c.parties(), c.batch, update_of(c), m.dealt.sent_bytes,
               m.dealt.sent_bytes, 0., m.dealt.preprocessing_bytes, m.dealt.rounds, 0.});
  }
  table.note(
      "Sent by the largest party to all others, headers included, a step or an event; agreeing on keys and on "
      "transfers is shared out among the steps of the run. Dealt: to the last party.");
  return table;
}

FigureTable mode_target_table(const std::vector<ModeMeasurement>& measurements) {
  Targets targets;
  for (const ModeMeasurement& m : measurements) {
    const ModeCase& c = m.configuration;
    const double all = median(m.made.all_us);
    if (is_usual(c, RandomnessBy::replicated, 1)) {
      targets.add(title_of(c), "times the dealer", all / median(m.dealt.all_us), 1.6);
    }
    if (is_usual(c, RandomnessBy::replicated, 256)) targets.add(title_of(c), "an event, us", all, 1e6 / 12'000);
    if (is_usual(c, RandomnessBy::ot, 1)) targets.add(title_of(c), "a step, ms", all / 1e3, 6);
    if (is_usual(c, RandomnessBy::ot, 1024)) {
      targets.add(title_of(c), "an event, ms", all / 1e3, 3);
      targets.add(title_of(c), "sent by a party, KB", (m.made.sent_bytes + m.made.preprocessing_bytes) / 1e3, 320);
    }
  }
  return targets.take();
}

struct ModesBench {
  std::vector<std::string> modes{"replicated", "helper", "ot"};
  std::vector<std::size_t> batches;
  std::vector<std::string> updates{"all-arms", "pulled-arm"};
  std::size_t features = 20;
  std::size_t arms = 10;
  std::uint64_t steps = 0;  // 0: chosen by mode and batch size
  std::uint64_t repeat = 3;
};

// The first batches of a run are small and cost more for each event, so there must be many large batches.
std::uint64_t usual_steps(const ModeCase& c) {
  const bool by_transfers = c.mode == RandomnessBy::ot;
  if (c.batch == 1) return by_transfers ? 512 : 2048;
  return c.batch * std::max<std::uint64_t>(2, (by_transfers && c.batch <= 256 ? 4096 : 16384) / c.batch);
}

template <class E>
E named(const std::string& word) {
  for (const auto& [value, name] : names_of(E{})) {
    if (name == word) return value;
  }
  throw std::invalid_argument("nothing has that name");
}

std::vector<ModeCase> modes_to_measure(const ModesBench& arguments) {
  std::vector<ModeCase> cases;
  for (const std::string& mode : arguments.modes) {
    ModeCase c{named<RandomnessBy>(mode), arguments.features, arguments.arms};
    std::vector<std::size_t> batches = arguments.batches;
    if (batches.empty())
      batches = c.mode == RandomnessBy::ot ? std::vector<std::size_t>{1, 256, 1024} : std::vector<std::size_t>{1, 256};
    for (const std::size_t batch : batches) {
      c.batch = batch;
      c.steps = arguments.steps > 0 ? arguments.steps : usual_steps(c);
      for (const std::string& update : arguments.updates) {
        c.update = named<StepUpdate>(update);
        cases.push_back(c);
        if (batch > 1) break;
      }
    }
  }
  return cases;
}

std::vector<ModeMeasurement> measurements_of(const ModesBench& arguments) {
  std::vector<std::unique_ptr<ModeTrial>> trials;
  for (const ModeCase& c : modes_to_measure(arguments)) trials.push_back(std::make_unique<ModeTrial>(c));
  for (std::uint64_t repetition = 0; repetition < arguments.repeat; ++repetition) {
    for (const auto& trial : trials) {
      const ModeCase& c = trial->measurement().configuration;
      show_progress(fmt::format("repetition {} of {}: {}, batches of {}", repetition + 1, arguments.repeat,
                                name_of(c.mode), c.batch));
      trial->measure(interrupted());
    }
  }
  std::vector<ModeMeasurement> measurements;
  measurements.reserve(trials.size());
  for (const auto& trial : trials) measurements.push_back(trial->measurement());
  return measurements;
}

Page measure_modes(const ModesBench& arguments) {
  return {"modes",
          "The bandit without a dealer",
          fmt::format("The private bandit on synthetic contexts of norm 1, {}, {}, epsilon 0.1, without a dealer and "
                      "with one for as many parties in the same run; every role a process, plain TCP on loopback; {}.",
                      counted(arguments.features, "feature"), counted(arguments.arms, "arm"),
                      counted(arguments.repeat, "repetition")),
          {},
          mode_tables(measurements_of(arguments))};
}

void declare_modes(Command& command, ModesBench& arguments) {
  command
      .add_option("--mode", arguments.modes,
                  "The maker of the randomness: three parties, two with a helper, or two; several in turn")
      ->separated_by(',')
      ->one_of({"replicated", "helper", "ot"})
      ->shows_default();
  command
      .add_option(
          "--batch", arguments.batches,
          "Events that are decided, and learned, at once; several in turn (default: 1 and 256, with ot 1024 too)")
      ->separated_by(',')
      ->number(whole(1, largest_event_batch(1)));
  command.add_option("--update", arguments.updates, "The arms that a single step computes for; both in turn")
      ->separated_by(',')
      ->one_of({"all-arms", "pulled-arm"})
      ->shows_default();
  add_features(command, arguments.features);
  command.add_option("--arms", arguments.arms, "Arms", whole(1, 64));
  command
      .add_option("--steps", arguments.steps,
                  "Steps of a run, in batches events (default: 2048, in batches 16384; by transfers 512, in batches of "
                  "256 4096)")
      ->number(whole(1, 1'000'000));
  command.add_option("--repeat", arguments.repeat, "Repetitions of each configuration", whole(1, 1000));
}

}  // namespace

std::vector<FigureTable> mode_tables(const std::vector<ModeMeasurement>& measurements) {
  return with_rows({mode_time_table(measurements), mode_byte_table(measurements), mode_target_table(measurements)});
}

void add_bench_modes(Command& bench) {
  add_measurement<ModesBench>(
      bench, "modes", "Time the private bandit without a dealer, next to one for as many parties",
      "Replicated keys are of three parties, or of two and a helper; oblivious transfers are of two.\n"
      "Examples:\n"
      "  sotto-lab bench modes\n"
      "  sotto-lab bench modes --mode replicated --batch 1 --repeat 10 --json\n"
      "  sotto-lab bench modes --mode ot --batch 1024 --steps 4096\n"
      "  sotto-lab bench modes --out modes.md",
      declare_modes, measure_modes);
}

}  // namespace sotto::apps::lab
