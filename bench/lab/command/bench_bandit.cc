#include "bench/lab/lab_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/kit/program/option_values.h"
#include "apps/prepare/data/environment.h"
#include "bench/lab/command/lab_output.h"
#include "bench/lab/measure/bandit_trial.h"
#include "core/text/count.h"

namespace sotto::apps::lab {

using namespace sotto::apps::prepare;
namespace {

struct BanditBench {
  std::vector<std::size_t> parties;
  std::vector<std::size_t> arms;
  std::vector<std::size_t> batches;
  std::size_t features = 20;
  std::uint64_t steps = 0;  // 0: by the batch
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

// Every configuration once, then every one again: what drifts concerns all alike.
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
  const std::vector<BanditMeasurement> measurements = measure(arguments);
  Page page{"bandit",
            "A step of the private bandit",
            fmt::format("The private bandit on synthetic contexts of norm 1, every role a process, beside the floor of "
                        "its messages; {}. Links are plain TCP on loopback, and TLS over it where a table says so.",
                        counted(arguments.repeat, "repetition")),
            {},
            {}};
  for (const auto& table : {bandit_time_table, bandit_tls_table, bandit_cost_table, bandit_event_table,
                            bandit_ratio_table, bandit_target_table}) {
    FigureTable figures = table(measurements);
    if (figures.rows() > 0) page.tables.push_back(std::move(figures));
  }
  return page;
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
