#include "sotto/bench/lab/lab_commands.h"

#include <fmt/format.h>

#include <vector>

#include "sotto/apps/kit/data/environment.h"
#include "sotto/apps/kit/program/number_options.h"
#include "sotto/bench/lab/command/lab_output.h"
#include "sotto/bench/lab/measure/bandit_trial.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

struct BanditBench {
  std::vector<std::size_t> parties;
  std::vector<std::size_t> arms;
  std::size_t features = 20;
  std::uint64_t steps = 3000;
  std::uint64_t repeat = 5;
  bool streaming = false;
};

std::vector<BanditCase> cases_of(const BanditBench& arguments) {
  std::vector<BanditCase> cases;
  const auto add = [&](std::size_t parties, std::size_t arms, bool streaming) {
    cases.push_back({parties, arguments.features, arms, arguments.steps, streaming});
  };
  if (arguments.parties.empty() && arguments.arms.empty() && !arguments.streaming) {
    for (const std::size_t parties : {2, 3, 8}) add(parties, 10, false);
    for (const std::size_t arms : {40, 100}) add(2, arms, false);
    add(2, 10, true);
    return cases;
  }
  const auto or_else = [](std::vector<std::size_t> list, std::size_t value) {
    return list.empty() ? std::vector<std::size_t>{value} : list;
  };
  for (const std::size_t parties : or_else(arguments.parties, 2)) {
    for (const std::size_t arms : or_else(arguments.arms, 10)) {
      add(parties, arms, arguments.streaming);
    }
  }
  return cases;
}

// Every configuration once, then every one again: what drifts concerns all alike.
std::vector<BanditMeasurement> measure(const BanditBench& arguments) {
  std::vector<std::unique_ptr<BanditTrial>> trials;
  for (const BanditCase& c : cases_of(arguments)) {
    trials.push_back(std::make_unique<BanditTrial>(c));
  }
  for (std::uint64_t repetition = 0; repetition < arguments.repeat; ++repetition) {
    for (const auto& trial : trials) {
      const BanditCase& c = trial->configuration();
      show_progress(fmt::format("repetition {} of {}: {}, {}{}", repetition + 1, arguments.repeat,
                                counted(c.parties, "party"), counted(c.arms, "arm"), c.streaming ? ", streaming" : ""));
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
  const std::vector<BanditMeasurement> measurements = measure(arguments);
  Page page{"bandit",
            "A step of the private bandit",
            fmt::format("The private bandit on synthetic contexts of norm 1, every role a process, beside the floor of "
                        "its messages; {}. Links are plain TCP on loopback, and TLS over it where a table says so.",
                        counted(arguments.repeat, "repetition")),
            {},
            {bandit_time_table(measurements), bandit_tls_table(measurements), bandit_cost_table(measurements)}};
  FigureTable targets = bandit_target_table(measurements);
  if (targets.rows() > 0) page.tables.push_back(std::move(targets));
  return page;
}

void declare_bandit(Command& command, BanditBench& arguments) {
  add_parties(command, arguments.parties);
  add_features(command, arguments.features);
  command.add_option("--arms", arguments.arms, "Arms; several in turn")->separated_by(',')->number(whole(1, max_arms));
  command.add_option("--steps", arguments.steps,
                     "Steps of a run; fewer where what is dealt ahead would take over 256 MB", whole(1, 10'000'000));
  command.add_option("--repeat", arguments.repeat, "Repetitions of each configuration", whole(1, 1000));
  command.add_flag("--streaming", arguments.streaming, "Let the dealer send as the run goes, instead of ahead of it");
}

}  // namespace

void add_bench_bandit(Command& bench) {
  add_measurement<BanditBench>(
      bench, "bandit", "Time the private bandit and its floor in turn, and compare with the targets",
      "Without --parties, --arms and --streaming it measures 2, 3 and 8 parties with 10 arms, two parties with 40 "
      "and\n100 arms, all dealt ahead, and two parties streaming.\n"
      "Examples:\n"
      "  sotto-lab bench bandit\n"
      "  sotto-lab bench bandit --parties 2 --arms 10,40,100 --json\n"
      "  sotto-lab bench bandit --parties 2 --streaming --out streaming.md",
      declare_bandit, measure_bandit);
}

}  // namespace sotto::apps
