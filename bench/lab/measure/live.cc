#include "bench/lab/measure/live.h"

#include <cmath>

#include "apps/bandit/run/result/link_model.h"
#include "apps/kit/settings/program.h"
#include "apps/prepare/data/environment.h"
#include "bench/lab/experiment.h"

namespace sotto::apps::lab {

using namespace sotto::apps::prepare;
namespace {

using RoleMetrics = std::map<std::string, std::map<std::string, double>>;

RoleMetrics all_metrics(const LiveRoles& roles, const std::atomic<bool>& interrupted) {
  RoleMetrics all;
  for (const std::string& role : roles.roles()) all[role] = metrics_of(roles, role, interrupted);
  return all;
}

RoleMetrics difference(const RoleMetrics& before, RoleMetrics after) {
  for (auto& [role, metrics] : after) {
    const auto& earlier = before.at(role);
    for (auto& [name, value] : metrics) {
      const auto found = earlier.find(name);
      if (found != earlier.end()) value -= found->second;
    }
  }
  return after;
}

constexpr std::chrono::milliseconds between_looks_at_idle{20};
constexpr const char* cpu_metric = "process_cpu_seconds_total";

std::uint64_t whole_of(double value) { return value > 0 ? static_cast<std::uint64_t>(std::llround(value)) : 0; }

std::string batches_of(const char* kind) { return fmt::format("sotto_batches_total{{kind=\"{}\"}}", kind); }

std::string phase_of(const char* part, const char* kind, const char* phase) {
  return fmt::format("sotto_batch_seconds_{}{{kind=\"{}\",phase=\"{}\"}}", part, kind, phase);
}

Cell phase_ms(const LiveFigures& figures, const std::string& role, const char* kind, const char* phase) {
  const double count = figures.grown_by(role, phase_of("count", kind, phase));
  if (count == 0) return {};
  return 1000 * figures.grown_by(role, phase_of("sum", kind, phase)) / count;
}

std::string link_of(const LiveFigures& figures) {
  const net::LinkConditions& link = figures.load.service.link;
  return link.emulated() ? net::describe(link) : "loopback";
}

FigureTable live_load_table(const std::vector<LiveFigures>& all) {
  FigureTable table("load", "Decisions over HTTP",
                    "what; link; parties; features; arms; connections; lines: events a request; decided; "
                    "decisions_per_second: decisions a second; p50_ms: request, median, ms; p99_ms: 99%, ms; "
                    "longest_ms: longest, ms; baselines; errors; learned; rewards; missing: without features");
  for (const LiveFigures& figures : all) {
    if (figures.load.connections == 0) continue;
    const LiveTrial& service = figures.load.service;
    table.add({figures.load.what, link_of(figures), service.parties, service.features, service.arms,
               figures.load.connections, figures.load.lines == 0 ? std::size_t{1} : figures.load.lines,
               figures.of_wrk.decided, figures.decisions_per_second(), figures.of_wrk.p50_ms, figures.of_wrk.p99_ms,
               figures.of_wrk.longest_ms, figures.of_wrk.baselines, figures.of_wrk.errors, figures.learned,
               figures.rewards, whole_of(figures.grown_by("party_0", "sotto_missing_features_total"))});
  }
  table.note(
      "TLS between roles; wrk and the actor speak HTTP over TCP on loopback. Features were pushed before the load "
      "began; one event in three is rewarded, within a second, and all are learned two seconds after they were "
      "decided. Stores are on the disk of TMPDIR.");
  return table;
}

FigureTable live_order_table(const std::vector<LiveFigures>& all) {
  FigureTable table(
      "order", "Batches, and their times at the actor",
      "what; link; decides; events_of_decide: events a decide; padding: empty places; learns; "
      "events_of_learn: events a learn; skipped: programs skipped; decide_rounds_ms: decide, rounds, ms; "
      "decide_wait_ms: waiting for all, ms; decide_store_ms: store, ms; learn_rounds_ms: learn, rounds at "
      "party 0, ms; learn_wait_ms: waiting for all, ms; learn_store_ms: store, ms");
  for (const LiveFigures& figures : all) {
    if (figures.load.connections == 0) continue;
    const auto grown = [&](const std::string& metric) { return figures.grown_by("actor", metric); };
    const auto each = [](double events, double batches) { return batches > 0 ? Cell(events / batches) : Cell(); };
    const double decides = grown(batches_of("decide"));
    const double learns = grown(batches_of("learn"));
    table.add({figures.load.what, link_of(figures), whole_of(decides),
               each(grown("sotto_events_total{outcome=\"decided\"}"), decides), whole_of(grown("sotto_padding_total")),
               whole_of(learns), each(static_cast<double>(figures.learned), learns),
               whole_of(grown("sotto_programs_skipped_total")), phase_ms(figures, "actor", "decide", "rounds"),
               phase_ms(figures, "actor", "decide", "wait"), phase_ms(figures, "actor", "decide", "store"),
               phase_ms(figures, "party_0", "learn", "rounds"), phase_ms(figures, "actor", "learn", "wait"),
               phase_ms(figures, "actor", "learn", "store")});
  }
  return table;
}

FigureTable live_role_table(const std::vector<LiveFigures>& all) {
  FigureTable table("roles", "The cost of a decision at each role",
                    "what; link; role; cpu_us: processor time a decision, us; cores: cores in use; syncs: changes of "
                    "the store; sync_ms: a change, ms; push_us: processor time a row that is pushed, us");
  for (const LiveFigures& figures : all) {
    for (const auto& [role, metrics] : figures.grown) {
      const double cpu = figures.grown_by(role, cpu_metric);
      const double syncs = figures.grown_by(role, "sotto_store_sync_seconds_count");
      const double decided = figures.grown_by("actor", "sotto_events_total{outcome=\"decided\"}");
      const double seconds = figures.of_wrk.seconds;
      const auto pushes = figures.push_seconds.find(role);
      const bool takes_rows =
          role.starts_with("party") && pushes != figures.push_seconds.end() && figures.load.pushed > 0;
      table.add({figures.load.what, link_of(figures), role, decided > 0 ? Cell(1e6 * cpu / decided) : Cell(),
                 seconds > 0 ? Cell(cpu / seconds) : Cell(), whole_of(syncs),
                 syncs > 0 ? Cell(1000 * figures.grown_by(role, "sotto_store_sync_seconds_sum") / syncs) : Cell(),
                 takes_rows ? Cell(1e6 * pushes->second / static_cast<double>(figures.load.pushed)) : Cell()});
    }
  }
  table.note("Processor time is of all threads of a role, waiting for peers with sched_yield included.");
  return table;
}

FigureTable live_target_table(const std::vector<LiveFigures>& all) {
  FigureTable table("targets", "Targets", "what; link; target; wanted; measured; reached");
  constexpr std::chrono::milliseconds far{20};
  for (const LiveFigures& figures : all) {
    const LiveTrial& service = figures.load.service;
    if (service.parties != 2 || service.features != 20 || service.arms != 10 || figures.load.connections == 0) continue;
    const bool complete = figures.of_wrk.errors == 0 && figures.of_wrk.baselines == 0 && figures.of_wrk.decided > 0;
    const auto at_most = [&](const char* what, double measured, double wanted) {
      table.add({figures.load.what, link_of(figures), what, wanted, measured, complete && measured <= wanted});
    };
    if (figures.load.lines > 0) {
      constexpr double wanted = 10'000;
      const double measured = figures.decisions_per_second();
      if (!service.link.emulated()) {
        table.add({figures.load.what, link_of(figures), "decisions a second, at least", wanted, measured,
                   complete && measured >= wanted});
      }
    } else if (!service.link.emulated()) {
      at_most("median, ms, at most", figures.of_wrk.p50_ms, 2);
      at_most("99%, ms, at most", figures.of_wrk.p99_ms, 15);
    } else if (service.link.delay == far) {
      at_most("99%, ms, at most", figures.of_wrk.p99_ms, 600);
    }
  }
  table.note("A load of which a request failed, or an event was told the baseline, reaches nothing.");
  return table;
}

LiveFigures measure_live(const LiveLoad& load, const std::atomic<bool>& interrupted) {
  LiveFigures figures{load, {}, 0, 0, {}, {}};
  LiveRoles roles(load.service, interrupted);
  const std::string prefix = fresh_session().substr(0, 16);
  const RoleMetrics at_first = all_metrics(roles, interrupted);
  push_features(roles, prefix, load.pushed, interrupted);
  const RoleMetrics before = all_metrics(roles, interrupted);
  for (const auto& [role, metrics] : difference(at_first, before)) figures.push_seconds[role] = metrics.at(cpu_metric);
  if (load.connections == 0) {
    figures.of_wrk.seconds = static_cast<double>(load.seconds);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(load.seconds);
    for (; std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(between_looks_at_idle)) {
      if (interrupted) throw Interrupted();
      roles.check();
    }
    figures.grown = difference(before, all_metrics(roles, interrupted));
    return figures;
  }
  LateRewards rewards(roles, prefix, interrupted);
  WrkLoad wrk;
  wrk.url = fmt::format("http://{}", std::get<net::Address>(roles.interface("actor")).text());
  wrk.authorization = roles.authorization("actor");
  wrk.prefix = prefix;
  wrk.connections = load.connections;
  wrk.lines = load.lines;
  wrk.pause_ms = load.pause_ms;
  wrk.seconds = load.seconds;
  figures.of_wrk = run_wrk(
      wrk, roles.folder(), [&] { roles.check(); }, interrupted);
  figures.grown = difference(before, all_metrics(roles, interrupted));
  figures.rewards = rewards.stop();
  figures.learned = whole_of(figures.grown_by("actor", "sotto_events_total{outcome=\"decided\"}") -
                             figures.grown_by("actor", "sotto_pending_events"));
  return figures;
}

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

constexpr std::uint64_t patient_deadline = 60'000;  // ms; so long that the baseline never decides, even under load

std::uint64_t events_of_pauses(const LiveLoad& load) {
  return 2 * load.seconds * load.connections * 1000 / load.pause_ms + 100;
}

std::vector<LiveLoad> loads_of(const LiveBench& arguments) {
  LiveTrial service;
  service.parties = arguments.parties;
  service.features = arguments.features;
  service.arms = arguments.arms;
  (void)bandit::run::even_columns(service.parties, service.features);
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
          live_tables(all)};
}

void declare_live(Command& command, LiveBench& arguments) {
  command.add_option("--load", arguments.loads, "The measurement; several in turn")
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

double LiveFigures::decisions_per_second() const {
  return of_wrk.seconds > 0 ? static_cast<double>(of_wrk.decided) / of_wrk.seconds : 0;
}

double LiveFigures::grown_by(const std::string& role, const std::string& metric) const {
  const auto of_role = grown.find(role);
  if (of_role == grown.end()) return 0;
  const auto found = of_role->second.find(metric);
  return found == of_role->second.end() ? 0 : found->second;
}

std::vector<FigureTable> live_tables(const std::vector<LiveFigures>& all) {
  return {live_load_table(all), live_target_table(all), live_order_table(all), live_role_table(all)};
}

void add_bench_live(Command& bench) {
  add_measurement<LiveBench>(bench, "live", "Time the decision service over HTTP, driven by wrk",
                             "Examples:\n"
                             "  sotto-lab bench live\n"
                             "  sotto-lab bench live --load batches --connections 4 --seconds 30\n"
                             "  sotto-lab bench live --load link --delays 5ms,20ms --json",
                             declare_live, measure_live_service);
}

}  // namespace sotto::apps::lab
