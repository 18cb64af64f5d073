#include "bench/lab/lab_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/bandit/run/result/link_model.h"
#include "apps/kit/program/option_values.h"
#include "apps/prepare/data/environment.h"
#include "bench/lab/command/lab_output.h"
#include "bench/lab/measure/live_speed.h"
#include "core/text/count.h"

namespace sotto::apps::lab {

using namespace sotto::apps::prepare;
namespace {

struct LiveBench {
  std::vector<std::string> loads{"idle", "batches", "single", "link"};
  std::vector<std::string> delays{"20ms"};
  std::size_t parties = 2;
  std::size_t features = 20;
  std::size_t arms = 10;
  std::size_t connections = 8;
  std::size_t lines = 256;
  std::uint64_t pushed = 250'000;
  std::uint64_t seconds = 10;
};

constexpr std::uint64_t patient_deadline = 60'000;  // ms, under load: no baselines

// At most so many events are asked by connections that wait between requests.
std::uint64_t events_of_pauses(const LiveLoad& load) {
  return 2 * load.seconds * load.connections * 1000 / load.pause_ms + 100;
}

std::vector<LiveLoad> loads_of(const LiveBench& arguments) {
  LiveTrial service;
  service.parties = arguments.parties;
  service.features = arguments.features;
  service.arms = arguments.arms;
  (void)even_columns(service.parties, service.features);  // refuses before anything runs
  const auto wanted = [&](const char* load) {
    return std::find(arguments.loads.begin(), arguments.loads.end(), load) != arguments.loads.end();
  };
  std::vector<LiveLoad> loads;
  if (wanted("idle")) loads.push_back(LiveLoad{"idle", service, 0, 0, 0, arguments.seconds, 0});
  if (wanted("batches")) {
    LiveLoad load{"batches", service, arguments.connections, arguments.lines, 0, arguments.seconds, arguments.pushed};
    load.service.decision_deadline = patient_deadline;
    loads.push_back(std::move(load));
  }
  if (wanted("single")) {
    LiveLoad load{"single", service, 1, 0, 20, arguments.seconds, 0};
    load.pushed = events_of_pauses(load);
    loads.push_back(std::move(load));
  }
  if (!wanted("link")) return loads;
  for (const std::string& delay : arguments.delays) {
    LiveLoad load{"single", service, 4, 0, 400, 2 * arguments.seconds, 0};
    load.service.link.delay = net::parse_delay(delay, "--delays");
    load.pushed = events_of_pauses(load);
    loads.push_back(std::move(load));
  }
  return loads;
}

Page measure_live_service(const LiveBench& arguments) {
  const std::vector<LiveLoad> loads = loads_of(arguments);
  (void)find_wrk();
  std::vector<LiveFigures> all;
  all.reserve(loads.size());
  for (const LiveLoad& load : loads) {
    show_progress(fmt::format("{} of {}: {}, {}", all.size() + 1, loads.size(), load.what,
                              load.service.link.emulated() ? net::describe(load.service.link) : "loopback"));
    all.push_back(measure_live(load, interrupted()));
  }
  show_progress("");
  return {"live",
          "The decision service",
          fmt::format("The decision service over HTTP, every role a process of one machine: {}, {}, {}; loads by wrk.",
                      counted(arguments.parties, "party"), counted(arguments.features, "feature"),
                      counted(arguments.arms, "arm")),
          {},
          {live_load_table(all), live_target_table(all), live_order_table(all), live_role_table(all)}};
}

void declare_live(Command& command, LiveBench& arguments) {
  command.add_option("--load", arguments.loads, "What is measured; several in turn")
      ->separated_by(',')
      ->one_of({"idle", "batches", "single", "link"})
      ->shows_default();
  command.add_option("--delays", arguments.delays, "One-way delays of each link between two roles, for load link")
      ->separated_by(',')
      ->type_name("TIME")
      ->shows_default();
  command.add_option("--parties", arguments.parties, "Compute parties", whole(2, max_parties));
  add_features(command, arguments.features);
  command.add_option("--arms", arguments.arms, "Arms", whole(2, max_arms));
  command.add_option("--connections", arguments.connections, "Connections that ask in batches", whole(1, 200));
  command.add_option("--lines", arguments.lines, "Events of a request of them", whole(1, 4096));
  command.add_option("--pushed", arguments.pushed, "Events whose features are pushed before they ask",
                     whole(0, 1'000'000));
  command.add_option("--seconds", arguments.seconds, "How long each load lasts; one with a delay twice as long",
                     whole(1, 600));
}

}  // namespace

void add_bench_live(Command& bench) {
  add_measurement<LiveBench>(bench, "live", "Time the decision service over HTTP, driven by wrk",
                             "Examples:\n"
                             "  sotto-lab bench live\n"
                             "  sotto-lab bench live --load batches --connections 4 --seconds 30\n"
                             "  sotto-lab bench live --load link --delays 5ms,20ms --json",
                             declare_live, measure_live_service);
}

}  // namespace sotto::apps::lab
