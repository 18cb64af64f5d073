#include "apps/bandit/run/local/local.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/phases.h"
#include "apps/bandit/model/step/step_plan.h"
#include "apps/bandit/run/result/run_facts.h"
#include "apps/bandit/run/result/views.h"
#include "apps/kit/deploy/role_mesh.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/random/prg.h"

namespace sotto::apps::bandit::run {
namespace {

std::string input_name(const BanditOptions& options, std::size_t holder) {
  return options.world.empty() ? options.features()[holder].filename().string() : options.world;
}

void add_views(BanditResult& result, const BanditOptions& options, const BanditSettings& run) {
  ViewOptions views = view_options(run);
  const std::size_t bring = run.parties - run.computing_only;
  for (std::size_t p = 0; p < bring; ++p) views.party_names[p] += fmt::format(" ({})", input_name(options, p));
  for (std::size_t owner = 0; owner < run.owners; ++owner) {
    views.owner_names[owner] += fmt::format(" ({})", input_name(options, bring + owner));
  }
  result.views = bandit_views(views);
}

BanditResult describe(const BanditOptions& options, const LocalInputs& inputs, const BanditSettings& run) {
  BanditResult result = facts_of(run, local_plan(run, inputs));
  result.settings = std::make_shared<BanditSettings>(run);
  result.environment = options.world.empty() ? options.environment.filename().string() : options.world;
  if (inputs.log) result.log = LoggedRun{run.task, options.log.filename().string(), run.reward_scale};
  if (inputs.from) result.from = BegunFrom{inputs.from->id, inputs.from->events, inputs.from->reward_scale};
  if (!options.money.unit.empty()) result.money = options.money;
  const std::vector<std::string> names = holder_names(run);
  for (std::size_t p = 0; p < inputs.blocks.size(); ++p) {
    result.inputs.push_back(
        PartyInput{names[p], input_name(options, p), inputs.blocks[p].table.columns.size(), inputs.blocks[p].bound});
  }
  result.insecure = insecure_options(run);
  if (run.link.emulated()) result.link = run.link;
  add_views(result, options, run);
  return result;
}

const RoleReport& report_of(const std::vector<RoleReport>& reports, const std::string& role) {
  const auto found = std::find_if(reports.begin(), reports.end(), [&](const RoleReport& r) { return r.role == role; });
  if (found == reports.end()) throw std::logic_error("no report of role " + role);
  return *found;
}

std::vector<std::string> split_labels(const std::string& labels) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= labels.size();) {
    const std::size_t end = std::min(labels.find(", ", begin), labels.size());
    result.push_back(labels.substr(begin, end - begin));
    begin = end + 2;
  }
  return result;
}

KeptState kept_state(const BanditSettings& run, const std::vector<RoleReport>& reports) {
  const RoleReport& first = report_of(reports, "party 0");
  KeptState state;
  state.checkpoint_every = run.checkpoint_every;
  state.epochs = first.epoch;
  state.from_step = first.from_step;
  for (const RoleReport& report : reports) {
    if (report.steps_begun <= run.steps) continue;
    state.repeated_steps = std::max(state.repeated_steps, report.steps_begun - run.steps);
  }
  return state;
}

void add_step_rounds(BanditResult& result, const Ledger& ledger) {
  for (const Ledger::Phase& phase : ledger.phases()) {
    if (!plays_steps(phase.name) && phase.name != refresh_phase) continue;
    const auto name = phase.name == step_phase ? std::nullopt : std::optional(phase.name);
    std::uint64_t number = 0;
    for (const sotto::RoundCost& round : phase.rounds) {
      result.step_rounds.push_back(RoundCost{++number, split_labels(round.labels),
                                             static_cast<double>(round.cost.sent_by_largest_party(ledger.topology())),
                                             std::nullopt, name});
    }
  }
}

void add_preprocessing(BanditResult& result, const Ledger& ledger, double seconds, std::uint64_t played) {
  const Cost cost = ledger.of(preprocessing_phase);
  const auto rounds = static_cast<double>(cost.rounds);
  const auto bytes = static_cast<double>(cost.sent_by_largest_party(ledger.topology()));
  result.phases.push_back(PhaseCost{std::string(preprocessing_phase), seconds, rounds, bytes, 0});
  result.preprocessing_seconds = seconds;
  if (played == 0) return;
  result.preprocessing_rounds_per_step = rounds / static_cast<double>(played);
  result.preprocessing_bytes_per_step = bytes / static_cast<double>(played);
}

// The result does not list phases without rounds, such as the phase between preprocessing and the first step.
bool is_shown_elsewhere(const Ledger::Phase& phase) {
  return phase.name == refresh_phase || phase.name == preprocessing_phase || phase.total.rounds == 0;
}

// Throws std::logic_error if a role has not sent the planned number of bytes.
void add_costs(BanditResult& result, const BanditSettings& run, const BanditPlan& plan,
               const std::vector<RoleReport>& reports, double loop_seconds) {
  const Topology topology = run.topology();
  const RoleReport& last = report_of(reports, topology.name(topology.last_party()));
  const std::uint64_t played = run.steps - last.from_step;
  const auto steps = static_cast<double>(played);
  const bool dealt = topology.has_dealer();
  const double dealer_cpu = dealt ? report_of(reports, "dealer").cpu_seconds : 0;
  double online = 0;
  double ahead = 0;
  std::uint64_t bytes = 0;
  double setup = 0;
  for (const RoleReport& report : reports) {
    setup = std::max(setup, report.setup_seconds);
    result.roles.push_back(RoleCost{report.role, report.cpu_seconds, report.peak_memory_bytes});
    if (report.bytes_sent != report.planned_bytes_sent) {
      throw std::logic_error(fmt::format("{} sent {} bytes where the plan says {}", report.role, report.bytes_sent,
                                         report.planned_bytes_sent));
    }
    if (!report.role.starts_with("party")) continue;
    // The parties run in lockstep: while the last party waits for the dealer, all parties wait.
    online = std::max(online, report.online_seconds - last.waiting_for_dealer_seconds - report.preprocessing_seconds);
    ahead = std::max(ahead, report.preprocessing_seconds);
    bytes = std::max(bytes, report.step_bytes_sent);
  }
  if (played > 0) {
    result.rounds_per_step = static_cast<double>(last.step_rounds) / steps;
    result.bytes_per_step = static_cast<double>(bytes) / steps;
    if (dealt) result.dealt_bytes_per_step = static_cast<double>(last.step_dealt_bytes) / steps;
    result.seconds_per_step = loop_seconds / steps;
    if (loop_seconds > 0) result.events_per_second = steps / loop_seconds;
    if (dealt) result.dealer_seconds_per_event = dealer_cpu / steps;
  }
  result.online_seconds = online;
  if (dealt) result.dealer_seconds = dealer_cpu;

  const Ledger ledger = plan_costs(plan, {last.from_step, run.checkpoint_every});
  result.phases.push_back(PhaseCost{"setup", setup, 0, 0, 0});
  if (dealt) {
    const double dealing = last.dealing_seconds + last.waiting_for_dealer_seconds;
    result.phases.push_back(PhaseCost{"dealing", dealing, 0, 0, static_cast<double>(last.dealt_bytes)});
  }
  const auto add_phase = [&](std::string name, double seconds, const Cost& cost) {
    result.phases.push_back(PhaseCost{std::move(name), seconds, static_cast<double>(cost.rounds),
                                      static_cast<double>(cost.sent_by_largest_party(topology)), 0});
  };
  if (!dealt) add_preprocessing(result, ledger, ahead, played);
  bool added = false;
  for (const Ledger::Phase& phase : ledger.phases()) {
    if (!plays_steps(phase.name)) {
      if (!is_shown_elsewhere(phase)) add_phase(phase.name, 0, phase.total);
    } else if (!std::exchange(added, true)) {
      add_phase("online", online, cost_of_steps(ledger));
    }
  }
  add_step_rounds(result, plan.batches ? plan_full_batches(plan) : ledger);
}

}  // namespace

BanditResult assemble_result(const BanditOptions& options, const LocalInputs& inputs, const BanditSettings& run,
                             const std::vector<RoleReport>& reports, double loop_seconds) {
  BanditResult result = describe(options, inputs, run);
  const RoleReport& rewarder = report_of(reports, run.topology().name(rewarder_of(run.topology())));
  const RoleReport& first = report_of(reports, "party 0");
  result.average_reward = rewarder.average_reward;
  result.reward_curve = rewarder.reward_curve;
  result.weights = first.weights;
  result.inverse_matrices = first.inverse_matrices;
  if (run.checkpoint_every > 0) {
    result.state = kept_state(run, reports);
    if (run.task == BanditTask::play) {
      result.eta_composed = eta_composed(run.arms, result.epsilon, run.steps + result.state->repeated_steps);
    }
  }
  result.evaluation = report_of(reports, "actor").evaluation;
  if (inputs.log) {
    add_plaintext_evaluation(result, inputs, run);
  } else if (options.world.empty()) {
    // Plays in plain text cannot continue from an earlier model, because they cannot read it.
    if (!inputs.from && options.plain_plays.least > 0) add_plain_plays(result, inputs, run, options);
    add_baselines(result, inputs, run.steps, options.baseline);
  }
  if (options.compare_plaintext) add_comparison(result, inputs, run, rewarder);
  const BanditPlan plan = local_plan(run, inputs);
  add_costs(result, run, plan, reports, loop_seconds);
  if (result.link && first.from_step < run.steps && run.task == BanditTask::play) {
    result.link_model = compare_with_model(run, plan, reports);
  }
  return result;
}

LinkModel compare_with_model(const BanditSettings& run, const BanditPlan& plan,
                             const std::vector<RoleReport>& reports) {
  const Topology topology = run.topology();
  const RoleReport& last = report_of(reports, topology.name(topology.last_party()));
  Arithmetic arithmetic;
  arithmetic.cores = std::max(std::thread::hardware_concurrency(), 1u);
  double online = last.online_seconds;
  double ahead = 0;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const RoleReport& report = report_of(reports, topology.name(node));
    ahead = std::max(ahead, report.preprocessing_seconds);
    const double computing =
        report.online_seconds - report.waiting_for_dealer_seconds - report.waiting_for_peers_seconds;
    arithmetic.seconds.push_back(computing / static_cast<double>(report.rounds));
    // The clock of each party starts when the party learns that all roles are ready. The last clock shows the shortest
    // time.
    if (topology.is_party(node)) online = std::min(online, report.online_seconds);
  }
  LinkModel model = model_run(plan, run.link, arithmetic);
  const auto online_rounds = static_cast<double>(last.rounds - last.preprocessing_rounds);
  const double in_steps = static_cast<double>(last.step_rounds) / online_rounds;
  model.measured =
      (online - last.waiting_for_dealer_seconds - ahead) * in_steps / static_cast<double>(run.steps - last.from_step);
  return model;
}

BanditResult failed_result(const BanditOptions& options, const LocalInputs& inputs, const BanditSettings& run,
                           const std::string& error) {
  BanditResult result = describe(options, inputs, run);
  result.fail(error);
  return result;
}

}  // namespace sotto::apps::bandit::run
