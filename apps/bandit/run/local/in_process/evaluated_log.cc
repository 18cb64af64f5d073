#include "apps/bandit/run/local/in_process/evaluated_log.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/run/local/in_process/role_reports.h"
#include "apps/bandit/run/local/launcher.h"
#include "apps/bandit/run/local/local.h"
#include "apps/bandit/run/log/log_weights.h"
#include "apps/bandit/run/role/role_site.h"
#include "apps/bandit/run/role/run_role.h"
#include "apps/kit/files/row_order.h"
#include "apps/kit/program/about.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::apps::bandit::run {
namespace {

// The configs that the roles would have as processes, without the dealer, which brings nothing.
std::vector<BanditSettings> roles_of(const EvaluationHere& given, const BanditSettings& run) {
  LocalRun local;
  local.run = run;
  local.data = given.options.features();
  local.log = given.options.log;
  std::vector<BanditSettings> roles = local_roles(local);
  std::erase_if(roles, [](const BanditSettings& role) { return role.role() == BanditRole::dealer; });
  for (BanditSettings& role : roles) {
    if (role.role() != BanditRole::party || role.id >= given.files.size()) continue;
    role.account = given.files[role.id].account;
    role.subjects = given.files[role.id].subjects;
    // A role with an account has its own rule for learned rows. Without one, as in `sotto evaluate`, anything is
    // allowed to the person who has all rows.
    if (!role.account.empty()) role.uncovered_learning = given.options.run.uncovered_learning;
  }
  return roles;
}

// A role and what it brings.
struct Seat {
  const BanditSettings* role;
  NodeId node;
  RoleSite inputs;
  BanditSite site{};
  std::optional<BegunFromModel> model{};

  Seat(const BanditSettings& of, NodeId at) : role(&of), node(at), inputs(of, of, of) {}
};

std::vector<std::unique_ptr<Seat>> seats_of(const std::vector<BanditSettings>& roles, const Topology& topology) {
  std::vector<std::unique_ptr<Seat>> seats;
  seats.reserve(roles.size());
  for (const BanditSettings& role : roles) {
    const NodeId node = role.role() == BanditRole::actor ? actor_of(topology) : static_cast<NodeId>(role.id);
    seats.push_back(std::make_unique<Seat>(role, node));
  }
  return seats;
}

// All accounts agree before the first one is charged.
void charge(const std::vector<std::unique_ptr<Seat>>& seats) {
  for (const auto& seat : seats) {
    if (const auto refusal = seat->inputs.refusal()) throw InputError(*refusal);
  }
  for (const auto& seat : seats) seat->inputs.charge();
}

AgreedRun agreed_run(const BanditSettings& run, const std::vector<std::unique_ptr<Seat>>& seats,
                     const std::optional<ModelName>& from) {
  try {
    AnnouncedData data =
        announced_data(run.topology(), [&](NodeId node) { return seats.at(node)->inputs.announcement(); });
    if (from) data.model = to_text(*from);
    return agree_on_run(run, std::move(data));
  } catch (const DisagreementError& error) {
    throw InputError(error.what());  // all inputs are of one caller
  }
}

void open(Seat& seat, const AgreedRun& agreed, const std::vector<EarlierModel>& models) {
  static const std::atomic<bool> never{false};
  seat.site = seat.inputs.open(agreed.plan, agreed.data, 1, false, {}, never);
  if (models.empty() || seat.role->role() != BanditRole::party) return;
  seat.site.add(seat.model.emplace(models.at(seat.role->id)));
}

protocols::SimulationOptions simulation_of(const EvaluationHere& given, const BanditSettings& run, RoleClock& clock) {
  protocols::SimulationOptions options;
  options.insecure_seed = run.insecure_seed;
  options.watch = [&](std::optional<NodeId> role, std::uint64_t, bool begins) {
    if (begins && given.tick) given.tick();
    clock.turn(role, begins);
  };
  return options;
}

}  // namespace

EvaluatedHere evaluate_here(const EvaluationHere& given) {
  LocalInputs inputs = read_local_inputs(given.options);
  if (!given.models.empty()) inputs.from = given.models.front().name;
  BanditSettings run = local_run_config(given.options, inputs, 0);
  if (given.real_rewards) run.binary_rewards = false;
  const Ledger planned = plan_costs(local_plan(run, inputs));
  check_evaluation(run, inputs);
  const std::vector<BanditSettings> roles = roles_of(given, run);
  const auto seats = seats_of(roles, run.topology());
  charge(seats);
  const AgreedRun agreed = agreed_run(run, seats, inputs.from);
  for (const auto& seat : seats) open(*seat, agreed, given.models);

  BanditSite nothing;
  RoleClock clock;
  const auto begin = std::chrono::steady_clock::now();
  const PlayedBandit played = protocols::simulate(
      run.topology(),
      [&](Party& party) {
        const auto own =
            std::find_if(seats.begin(), seats.end(), [&](const auto& seat) { return party.is(seat->node); });
        return prepared_bandit(party, agreed.plan, own == seats.end() ? nothing : (*own)->site, {},
                               protocols::draw_own_randomness(party, "in memory", run.insecure_seed));
      },
      simulation_of(given, run, clock));
  const double seconds = seconds_since(begin);

  EvaluatedHere evaluated;
  std::vector<RoleReport> reports = reports_of(run, planned, played, clock, seconds);
  for (RoleReport& report : reports) {
    for (const auto& seat : seats) {
      if (seat->role->name() != report.role) continue;
      seat->inputs.add_to(report);
      if (seat->role->role() == BanditRole::party) evaluated.charges.push_back(report.account);
    }
  }
  evaluated.result = assemble_result(given.options, inputs, run, reports, seconds);
  evaluated.rows = rows_in_turn(run.steps, run.events_held_out(), run.mixed);
  evaluated.weights =
      log_weights(*inputs.log, evaluated.rows, run.steps - run.events_held_out(), run.weight_rule()).weights;
  evaluated.warnings = inputs.log->warnings();
  const std::string unordered =
      no_order_warning(given.options.log.string(), "give the log the parties' ids, in a column id");
  std::erase(evaluated.warnings, unordered);
  return evaluated;
}

}  // namespace sotto::apps::bandit::run
