#include "bench/lab/measure/primitives.h"

#include <ctime>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "bench/lab/experiment.h"
#include "bench/lab/measure/samples.h"
#include "net/mesh/handshake/abort.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::apps::lab {
namespace {

const char* size_unit(std::string_view name) {
  const PrimitiveKind* kind = find_primitive(name);
  return kind == nullptr ? "lane" : kind->unit;
}

std::optional<double> aim_seconds(const PrimitiveCase& what) {
  struct Aim {
    std::string_view name;
    std::size_t size;
    double seconds;
  };
  static constexpr Aim aims[] = {{"round", 1, 3e-6},
                                 {"multiply", 1'000'000, 8e-3},
                                 {"compare", 1'000'000, 100e-3},
                                 {"argmax", 1000, 1.5e-3},
                                 {"matmul", 1024, 120e-3}};
  for (const Aim& aim : aims) {
    if (what.parties == 2 && what.name == aim.name && what.size == aim.size) return aim.seconds;
  }
  return std::nullopt;
}

void check_case(const PrimitiveCase& what) {
  const PrimitiveKind* kind = find_primitive(what.name);
  if (kind == nullptr) {
    throw InputError(
        fmt::format("there is no primitive '{}': choose from {}", what.name, fmt::join(primitive_names(), ", ")));
  }
  if (what.parties < 2 || what.parties > max_parties) {
    throw InputError(fmt::format("{}: a run has 2 to {}", counted(what.parties, "party"), max_parties));
  }
  if (what.size < 1 || what.size > kind->most_size) {
    throw InputError(fmt::format("{} of {}: between 1 and {} can be measured", what.name,
                                 counted(what.size, kind->unit), kind->most_size));
  }
}

using Clock = std::chrono::steady_clock;
constexpr const char* measured_phase = "measured";

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Repetitions {
  std::size_t repeats;
  std::size_t batch;
  [[nodiscard]] std::uint64_t all() const { return (repeats + 1) * batch; }
};

struct Stamps {
  std::vector<double> wall, cpu;
  double error = 0;
};

// Every party waits for every other party, so no party is more than one message ahead.
Task<Unit> line_up(Party& party) {
  Words word(party.holds_shares() ? 1 : 0, 0);
  const Slot slot{"line up", SlotKind::open, 64, 1};
  co_await Exchange(party.rounds(), slot, word, word);
  co_return Unit{};
}

Task<Unit> repeat_primitive(Party& party, PrimitiveProgram& program, Repetitions count, Stamps& stamps) {
  co_await program.prepare(party);
  for (std::size_t repeat = 0; repeat <= count.repeats; ++repeat) {
    program.arrange();
    co_await line_up(party);
    party.enter_phase(measured_phase);
    const Clock::time_point wall = Clock::now();
    const double cpu = thread_cpu_seconds();
    for (std::size_t i = 0; i < count.batch; ++i) {
      if (i != 0) program.arrange();
      co_await program.run(party);
    }
    const double cpu_seconds = thread_cpu_seconds() - cpu;
    const double seconds = std::chrono::duration<double>(Clock::now() - wall).count();
    party.enter_phase("between");
    if (repeat == 0) continue;
    stamps.wall.push_back(seconds / static_cast<double>(count.batch));
    stamps.cpu.push_back(cpu_seconds / static_cast<double>(count.batch));
  }
  stamps.error = co_await program.error(party);
  co_return Unit{};
}

Ledger planned_costs(const PrimitiveCase& what, Repetitions count) {
  const auto program = find_primitive(what.name)->make(what.size);
  Stamps stamps;
  return protocols::plan(Topology(what.parties),
                         [&](Party& party) { return repeat_primitive(party, *program, count, stamps); });
}

// Small cases run in batches, so that reading the clock costs little.
Repetitions repetitions_of(const Cost& one, const PrimitiveOptions& options) {
  const std::uint64_t volume = one.dealt + one.sent[0];
  Repetitions count = volume <= 64 << 10  ? Repetitions{25, 20}
                      : volume <= 8 << 20 ? Repetitions{15, 1}
                                          : Repetitions{5, 1};
  if (options.repeats > 0) count.repeats = options.repeats;
  while (count.repeats > 1 && count.all() * one.dealt > options.most_dealt_bytes) --count.repeats;
  return count;
}

void run_case(const Repetitions& count, const PrimitiveOptions& options, PrimitiveFigures& figures) {
  const PrimitiveCase& what = figures.what;
  const Topology topology(what.parties);
  std::vector<std::unique_ptr<PrimitiveProgram>> programs;
  std::vector<Stamps> stamps(topology.nodes() + 1);
  for (std::size_t role = 0; role < stamps.size(); ++role) {
    programs.push_back(find_primitive(what.name)->make(what.size));
  }
  const RoleProgram program = [&](Party& party, std::size_t role) {
    return repeat_primitive(party, *programs[role], count, stamps[role]);
  };
  const RolesRun run = run_roles_dealt_ahead(topology, program, figures.planned_dealt, options.interrupted);
  for (NodeId party = 0; party < what.parties; ++party) {
    const Stamps& noted = stamps[party];
    figures.online_seconds = std::max(figures.online_seconds, median(noted.wall));
    if (noted.error > programs[party]->tolerance()) {
      throw std::logic_error(fmt::format("{} of {} between {} is wrong by {} units", what.name,
                                         counted(what.size, size_unit(what.name)), counted(what.parties, "party"),
                                         noted.error));
    }
  }
  figures.dealer_seconds = median(stamps.back().cpu);
  figures.measured_rounds = run.dealer.rounds;
  figures.measured_bytes = run.nodes[0].total_bytes_sent();
  figures.measured_dealt = run.nodes[topology.last_party()].dealt_bytes;
}

std::vector<Cell> row_of(const PrimitiveFigures& f) {
  const bool timed = f.skipped.empty();
  const std::optional<double> aim = aim_seconds(f.what);
  std::optional<double> online, dealer, a_lane, aim_us;
  std::optional<bool> met;
  if (timed) {
    online = 1e6 * f.online_seconds;
    dealer = 1e6 * f.dealer_seconds;
    a_lane = 1e9 * f.online_seconds / static_cast<double>(f.what.size);
    if (aim) met = f.online_seconds <= *aim;
  }
  if (aim) aim_us = 1e6 * *aim;
  return {f.what.name,
          f.what.size,
          noun(2, size_unit(f.what.name)),
          f.what.parties,
          f.rounds,
          f.bytes_sent,
          f.dealt_bytes,
          online,
          a_lane,
          dealer,
          f.repeats * f.batch,
          aim_us,
          met,
          f.skipped.empty() ? Cell() : Cell(f.skipped)};
}

// The wait is long, because the dealer sends nothing while it deals for a large case.
constexpr std::chrono::minutes patience{15};

std::map<NodeId, net::MeshConfig> loopback_meshes(const Topology& topology) {
  std::map<NodeId, net::MeshConfig> configs;
  std::map<NodeId, net::Address> addresses;
  std::vector<NodeId> roles{net::dealer_id};
  for (NodeId node = 0; node < topology.nodes(); ++node) roles.push_back(node);
  for (const NodeId role : roles) {
    net::MeshConfig config{topology, role, net::SessionId{}, "measure = primitives\n", ""};
    if (role == net::dealer_id || topology.is_party(role)) {
      config.listener.emplace(net::Address{"127.0.0.1", 0});
      addresses[role] = config.listener->address();
    }
    configs.emplace(role, std::move(config));
  }
  for (auto& [role, config] : configs) config.addresses = addresses;
  return configs;
}

// Keeps the first error. If this error only reports another role's error, the next error of a role's own replaces it.
class FirstError {
 public:
  void keep(const std::exception_ptr& error, bool of_another_role) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (error_ && (of_another_role || !of_another_role_)) return;
    error_ = error;
    of_another_role_ = of_another_role;
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
  bool of_another_role_ = false;
};

struct PrimitivesBench {
  std::vector<std::string> primitives = primitive_names();
  std::vector<std::size_t> parties{2, 3, 5};
  std::vector<std::size_t> lanes = usual_sizes("multiply");
  std::vector<std::size_t> arms = usual_sizes("argmax");
  std::vector<std::size_t> events = usual_sizes("choose");
  std::vector<std::size_t> rows = usual_sizes("matmul");
  std::size_t repeats = 0;
};

const std::vector<std::size_t>& sizes_of(const PrimitivesBench& arguments, const std::string& name) {
  if (name == "argmax") return arguments.arms;
  if (name == "choose") return arguments.events;
  return name == "matmul" ? arguments.rows : arguments.lanes;
}

std::vector<PrimitiveCase> cases_of(const PrimitivesBench& arguments) {
  std::vector<PrimitiveCase> cases;
  for (const std::string& name : arguments.primitives) {
    for (const std::size_t size : sizes_of(arguments, name)) {
      for (const std::size_t parties : arguments.parties) {
        cases.push_back(PrimitiveCase{name, size, parties});
      }
    }
  }
  return cases;
}

Page measure_primitives(const PrimitivesBench& arguments) {
  const std::vector<PrimitiveCase> cases = cases_of(arguments);
  for (const PrimitiveCase& what : cases) check_case(what);
  PrimitiveOptions options;
  options.repeats = arguments.repeats;
  options.interrupted = &interrupted();
  std::vector<PrimitiveFigures> figures;
  for (const PrimitiveCase& what : cases) {
    show_progress(fmt::format("{} of {}, {} ({} of {})", what.name, counted(what.size, size_unit(what.name)),
                              counted(what.parties, "party"), figures.size() + 1, cases.size()));
    figures.push_back(measure_primitive(what, options));
  }
  return {"primitives",
          "Primitives",
          "Each primitive between parties that are threads of one process, linked by plain TCP on loopback, with the "
          "same drivers and links as between processes. The dealer runs before the first round, and the last party "
          "holds its corrections in memory. A repetition starts when all parties have heard from each other; the "
          "first is not counted.",
          {},
          {primitives_table(figures)}};
}

void declare_primitives(Command& command, PrimitivesBench& arguments) {
  command.add_option("--primitive", arguments.primitives, "The measurement; several in turn")
      ->separated_by(',')
      ->one_of(primitive_names())
      ->shows("all");
  add_parties(command, arguments.parties)->shows_default();
  command.add_option("--lanes", arguments.lanes, "Lanes; several in turn", whole())->separated_by(',');
  command.add_option("--arms", arguments.arms, "Arms of argmax; several in turn", whole())->separated_by(',');
  command.add_option("--events", arguments.events, "Events of choose, of 10 arms each; several in turn", whole())
      ->separated_by(',');
  command.add_option("--rows", arguments.rows, "Rows of the square matrices; several in turn", whole())
      ->separated_by(',');
  command.add_option("--repeat", arguments.repeats, "Repetitions that are timed (default: fewer of larger cases)")
      ->number(whole(1, 10'000));
}

}  // namespace

const std::vector<std::string>& primitive_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const PrimitiveKind& kind : primitive_kinds()) all.push_back(kind.name);
    return all;
  }();
  return names;
}

std::vector<std::size_t> usual_sizes(std::string_view name) {
  const PrimitiveKind* kind = find_primitive(name);
  return kind == nullptr ? std::vector<std::size_t>{} : kind->usual_sizes;
}

PrimitiveFigures measure_primitive(const PrimitiveCase& what, const PrimitiveOptions& options) {
  check_case(what);
  PrimitiveFigures figures;
  figures.what = what;

  const Cost one = planned_costs(what, Repetitions{0, 1}).of(measured_phase);
  figures.rounds = one.rounds;
  figures.bytes_sent = one.sent[0];
  figures.dealt_bytes = one.dealt;
  const Repetitions count = repetitions_of(one, options);
  if (count.all() * one.dealt > options.most_dealt_bytes) {
    figures.skipped = fmt::format("{} deal {:.1f} GB", counted(count.all(), "repetition"),
                                  static_cast<double>(count.all() * one.dealt) / 1e9);
    return figures;
  }

  const Cost all = planned_costs(what, count).total();
  figures.planned_rounds = all.rounds;
  figures.planned_bytes = all.sent[0];
  figures.planned_dealt = all.dealt;
  figures.repeats = count.repeats;
  figures.batch = count.batch;
  run_case(count, options, figures);
  return figures;
}

FigureTable primitives_table(const std::vector<PrimitiveFigures>& figures) {
  FigureTable table("primitives", "One repetition of each primitive, correlations dealt ahead and in memory",
                    "primitive; size; unit: of; parties; rounds; sent_bytes: sent by a party, B; "
                    "dealt_bytes: dealt, B; online_us: online, us; online_ns_each: a lane, ns; "
                    "dealer_us: dealer, us; repetitions: times; aim_us: aim, us; met; note");
  std::size_t aims = 0;
  std::size_t met = 0;
  for (const PrimitiveFigures& f : figures) {
    table.add(row_of(f));
    const std::optional<double> aim = aim_seconds(f.what);
    if (!aim || !f.skipped.empty()) continue;
    ++aims;
    if (f.online_seconds <= *aim) ++met;
  }
  table.note(
      "Online: wall time of one repetition, the median of the repetitions at the slowest party. Dealer: its CPU time, "
      "one core. Sent to all other parties together, and dealt to the last party, headers included. compare is [x < 0] "
      "of 32 bits; multiply and matmul start from shares, argmax and choose from masked scores of 26 bits, choose of "
      "events with ten arms, one of which is excluded; round is one word a lane from each party to each other.");
  if (aims != 0) table.note(fmt::format("{} of {} aims are met.", met, aims));
  return table;
}

RolesRun run_roles_dealt_ahead(const Topology& topology, const RoleProgram& program, std::uint64_t planned_dealt_bytes,
                               const std::atomic<bool>* interrupted) {
  RolesRun run;
  run.nodes.resize(topology.nodes());
  FirstError first;
  const auto body = [&](net::MeshConfig& config) {
    try {
      net::DriverOptions options;
      options.round_deadline = patience;
      options.interrupted = interrupted;
      const bool dealer = config.self == net::dealer_id;
      if (config.self == topology.last_party()) {
        options.deal_ahead = true;
        options.planned_dealt_bytes = planned_dealt_bytes;
      }
      config.interrupted = interrupted;
      net::Mesh mesh = net::set_up_mesh(std::move(config));
      const std::size_t role = dealer ? topology.nodes() : mesh.self();
      auto ran = net::run_program(
          mesh, [&](Party& party) { return program(party, role); }, options);
      if (dealer) {
        run.dealer = ran.dealer;
      } else {
        run.nodes[role] = ran.node;
      }
    } catch (const net::RemoteFailure&) {
      first.keep(std::current_exception(), true);
    } catch (...) {
      first.keep(std::current_exception(), false);
    }
  };
  std::map<NodeId, net::MeshConfig> configs = loopback_meshes(topology);
  {
    std::vector<std::jthread> threads;
    threads.reserve(configs.size());
    for (auto& entry : configs) {
      threads.emplace_back([&body, config = &entry.second] { body(*config); });
    }
  }
  first.rethrow();
  return run;
}

void add_bench_primitives(Command& bench) {
  add_measurement<PrimitivesBench>(bench, "primitives",
                                   "Time each primitive, and count its rounds, bytes and dealt bytes",
                                   "Examples:\n"
                                   "  sotto-lab bench primitives\n"
                                   "  sotto-lab bench primitives --primitive compare,argmax --parties 2 --json\n"
                                   "  sotto-lab bench primitives --out primitives.md",
                                   declare_primitives, measure_primitives);
}

}  // namespace sotto::apps::lab
