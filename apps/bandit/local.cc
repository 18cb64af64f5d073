#include "sotto/apps/bandit/local.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>

#include "sotto/apps/bandit/batch/private_batches.h"
#include "sotto/apps/bandit/follower.h"
#include "sotto/apps/bandit/plaintext.h"
#include "sotto/apps/bandit/private_bandit.h"
#include "sotto/apps/bandit/site.h"
#include "sotto/apps/bandit/step/step_plan.h"
#include "sotto/apps/bandit/views.h"
#include "sotto/apps/kit/deploy/role_mesh.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/random/prg.h"
#include "sotto/core/random/seed.h"
#include "sotto/core/wire/hex.h"
#include "sotto/protocols/simulate/simulate.h"

namespace sotto::apps {
namespace {

std::vector<std::size_t> columns_of(const LocalInputs& inputs) {
  std::vector<std::size_t> columns;
  for (const Block& block : inputs.blocks) columns.push_back(block.table.columns.size());
  return columns;
}

std::vector<double> bounds_of(const LocalInputs& inputs) {
  std::vector<double> bounds;
  for (const Block& block : inputs.blocks) bounds.push_back(block.bound);
  return bounds;
}

void refuse_norm_excess(const LocalInputs& inputs, double max_norm) {
  if (const auto excess = joint_norm_excess(bounds_of(inputs), max_norm)) {
    throw InputError("--max-norm", fmt::format("roles that see only their own rows refuse this: {}; {}", *excess,
                                               joint_norm_advice(inputs.blocks.size(), max_norm)));
  }
}

// The parties' rows side by side, wrapping round: what only a machine with all the files can have.
class JointContexts {
 public:
  explicit JointContexts(const LocalInputs& inputs) : rows_(inputs.blocks.front().table.rows) {
    for (const Block& block : inputs.blocks) features_ += block.table.columns.size();
    values_.reserve(rows_ * features_);
    for (std::size_t row = 0; row < rows_; ++row) {
      for (const Block& block : inputs.blocks) {
        const std::size_t columns = block.table.columns.size();
        const double* begin = block.table.values.data() + row * columns;
        values_.insert(values_.end(), begin, begin + columns);
      }
    }
  }
  [[nodiscard]] std::span<const double> at(std::uint64_t step) const {
    return std::span(values_).subspan((step % rows_) * features_, features_);
  }
  [[nodiscard]] std::size_t features() const { return features_; }

 private:
  std::size_t rows_;
  std::size_t features_ = 0;
  std::vector<double> values_;
};

double environment_reward(const LocalInputs& inputs, std::uint64_t step, std::size_t arm) {
  return inputs.environment.reward(step % inputs.environment.rows(), arm);
}

std::uint64_t twin_seed(const BanditSettings& run) {
  const Seed root = run.insecure_seed ? Seed::insecure_from_number(*run.insecure_seed) : Seed::from_os();
  return Prg(root.derive("plain-text twin")).next();
}

// In which a run that is not interrupted decides and learns.
BatchSchedule order_of(const BanditSettings& run, const LocalInputs& inputs) {
  return BatchSchedule(local_plan(run, inputs).parameters);
}

void add_twin(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run) {
  const JointContexts contexts(inputs);
  const PlaintextRun twin =
      run_plaintext([&](std::uint64_t step) { return contexts.at(step); },
                    [&](std::uint64_t step, std::size_t arm) { return environment_reward(inputs, step, arm); },
                    order_of(run, inputs), run.arms, contexts.features(), result.epsilon, twin_seed(run));
  result.plaintext_average_reward = twin.average_reward;
  result.plaintext_curve = twin.curve;
}

void add_comparison(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run,
                    const RoleReport& rewarder) {
  if (rewarder.arms.size() != run.steps) throw std::logic_error("the rewarder did not record every arm");
  const JointContexts contexts(inputs);
  PlaintextFollower follower(run.steps, run.arms, contexts.features(), result.epsilon);
  for (BatchSchedule order = order_of(run, inputs); !order.done();) {
    const auto [learns, events] = order.next();
    for (std::uint64_t step = events.first; step < events.first + events.count; ++step) {
      const std::size_t arm = rewarder.arms[step];
      if (learns) {
        follower.learned(contexts.at(step), arm, environment_reward(inputs, step, arm));
      } else {
        follower.decided(contexts.at(step), arm);
      }
    }
  }
  result.compare_plaintext = result.weights ? follower.comparison(*result.weights) : follower.comparison();
}

// What uniform play and the best arm of every row earn on average.
void add_baselines(BanditResult& result, const LocalInputs& inputs, std::uint64_t steps) {
  const std::size_t rows = inputs.environment.rows();
  const std::size_t arms = inputs.environment.arms();
  double uniform = 0;
  double best = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t visits = steps / rows + (row < steps % rows ? 1 : 0);
    const auto times = static_cast<double>(visits);
    double sum = 0;
    for (std::size_t arm = 0; arm < arms; ++arm) sum += inputs.environment.reward(row, arm);
    uniform += times * sum / static_cast<double>(arms);
    best += times * inputs.environment.best_reward(row);
  }
  result.uniform_average_reward = uniform / static_cast<double>(steps);
  result.best_average_reward = best / static_cast<double>(steps);
}

void add_views(BanditResult& result, const BanditOptions& options) {
  ViewOptions views;
  for (std::size_t p = 0; p < options.parties.size(); ++p) {
    views.party_names.push_back(fmt::format("party {} ({})", p, options.parties[p].filename().string()));
  }
  views.actor_is_rewarder = !options.run.separate_rewarder;
  views.reveal_model = options.run.reveal_model;
  result.views = bandit_views(views);
}

BanditResult describe(const BanditOptions& options, const LocalInputs& inputs, const BanditSettings& run) {
  const BanditPlan plan = local_plan(run, inputs);
  const ExplorationThreshold exploration = epsilon_threshold(run.epsilon);
  BanditResult result;
  result.settings = std::make_shared<BanditSettings>(run);
  result.steps = run.steps;
  result.arms = run.arms;
  result.features = plan.parameters.features();
  result.parties = run.parties;
  result.epsilon = used_epsilon(exploration);
  result.max_norm = plan.parameters.max_norm;
  result.joint_norm_holds = run.joint_norm_holds;
  result.fraction_bits = static_cast<int>(plan.context_bits);
  result.inverse_fraction_bits = static_cast<int>(plan.inverse_bits);
  result.comparison_bits = static_cast<int>(plan.comparison_bits);
  result.reward_bits = static_cast<int>(plan.reward_bits);
  result.batch = run.batch;
  result.reward_lag = run.reward_lag;
  result.contexts_ahead = run.contexts_ahead;
  result.batches = plan.batches;
  result.single_step = plan.step;
  result.environment = options.environment.filename().string();
  for (std::size_t p = 0; p < options.parties.size(); ++p) {
    result.inputs.push_back(PartyInput{fmt::format("party {}", p), options.parties[p].filename().string(),
                                       inputs.blocks[p].table.columns.size(), inputs.blocks[p].bound});
  }
  result.insecure = insecure_options(run);
  if (run.link.emulated()) result.link = run.link;
  result.eta_per_action = eta_per_action(run.arms, result.epsilon);
  result.eta_composed = eta_composed(run.arms, result.epsilon, run.steps);
  add_views(result, options);
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

// What earlier epochs have done, and what was done more than once, as the nodes' counts say (resume_state.h).
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

// Seconds are measured; rounds and bytes are those that the links measured and the plan says.
void add_costs(BanditResult& result, const BanditSettings& run, const BanditPlan& plan,
               const std::vector<RoleReport>& reports, double loop_seconds) {
  const Topology topology = run.topology();
  const RoleReport& last = report_of(reports, topology.name(topology.last_party()));
  const std::uint64_t played = run.steps - last.from_step;
  const auto steps = static_cast<double>(played);
  const RoleReport& dealer = report_of(reports, "dealer");
  double online = 0;
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
    // The parties run in lockstep: while the last one waits for the dealer, all do.
    online = std::max(online, report.online_seconds - last.waiting_for_dealer_seconds);
    bytes = std::max(bytes, report.step_bytes_sent);
  }
  if (played > 0) {
    result.rounds_per_step = static_cast<double>(last.step_rounds) / steps;
    result.bytes_per_step = static_cast<double>(bytes) / steps;
    result.dealt_bytes_per_step = static_cast<double>(last.step_dealt_bytes) / steps;
    result.seconds_per_step = loop_seconds / steps;
    if (loop_seconds > 0) result.events_per_second = steps / loop_seconds;
    result.dealer_seconds_per_event = dealer.cpu_seconds / steps;
  }
  result.online_seconds = online;
  result.dealer_seconds = dealer.cpu_seconds;

  const Ledger ledger = plan_costs(plan, {last.from_step, run.checkpoint_every});
  const double dealing = last.dealing_seconds + last.waiting_for_dealer_seconds;
  result.phases.push_back(PhaseCost{"setup", setup, 0, 0, 0});
  result.phases.push_back(PhaseCost{"dealing", dealing, 0, 0, static_cast<double>(last.dealt_bytes)});
  const auto add_phase = [&](std::string name, double seconds, const Cost& cost) {
    result.phases.push_back(PhaseCost{std::move(name), seconds, static_cast<double>(cost.rounds),
                                      static_cast<double>(cost.sent_by_largest_party(topology)), 0});
  };
  bool added = false;
  for (const Ledger::Phase& phase : ledger.phases()) {
    if (!plays_steps(phase.name)) {
      if (phase.name != refresh_phase) add_phase(phase.name, 0, phase.total);  // that one is online
    } else if (!std::exchange(added, true)) {
      add_phase("online", online, cost_of_steps(ledger));
    }
  }
  add_step_rounds(result, plan.batches ? plan_full_batches(plan) : ledger);
}

}  // namespace

LocalInputs read_local_inputs(const BanditOptions& options, bool apart) {
  if (options.parties.size() < 2 || options.parties.size() > max_parties) {
    throw InputError("--party", fmt::format("a run has 2 to {} parties, {} given; name one CSV a party", max_parties,
                                            options.parties.size()));
  }
  const BanditSettings& run = options.run;
  const auto arms = run.arms > 0 ? std::optional(run.arms) : std::nullopt;
  LocalInputs inputs{{}, Environment::read(options.environment, arms)};
  for (const auto& path : options.parties) inputs.blocks.push_back(read_block(path));
  check_aligned(inputs.blocks, inputs.environment.rows(), options.environment.string());
  if (run.max_norm) {
    check_max_norm(*run.max_norm);
    for (Block& block : inputs.blocks) {
      block.bound = announced_bound(block, *run.max_norm, inputs.blocks.size());
    }
    if (apart && !run.joint_norm_holds) refuse_norm_excess(inputs, *run.max_norm);
  }
  check_norms(inputs.blocks, run.max_norm.value_or(joint_bound(bounds_of(inputs))));
  return inputs;
}

BanditSettings local_run_config(const BanditOptions& options, const LocalInputs& inputs, std::uint64_t repetition) {
  BanditSettings run = options.run;
  run.parties = options.parties.size();
  if (run.steps == 0) run.steps = inputs.environment.rows();
  run.arms = inputs.environment.arms();
  run.joint_norm_holds = run.max_norm.has_value();  // read_local_inputs() has seen it
  run.binary_rewards = inputs.environment.binary_rewards();
  if (run.insecure_seed) {
    // Repetitions must differ, and the seed of a config is a positive TOML integer.
    const Seed root = Seed::insecure_from_number(*run.insecure_seed).derive(fmt::format("repetition {}", repetition));
    run.insecure_seed = Prg(root.derive("seed")).next() >> 1;
    run.session = hex(root.derive("session").expose());
  } else {
    run.session = fresh_session();
  }
  return run;
}

BanditPlan local_plan(const BanditSettings& run, const LocalInputs& inputs) {
  return plan_bandit(bandit_parameters(run, columns_of(inputs), bounds_of(inputs)));
}

namespace {

Ledger plan_steps(BanditPlan plan, BanditSchedule schedule, std::uint64_t steps) {
  plan.parameters.steps = steps;
  QuietSite site;
  return protocols::plan(plan.parameters.topology(),
                         [&](Party& party) { return private_bandit(party, plan, site, schedule); });
}

}  // namespace

Ledger plan_costs(const BanditPlan& plan, BanditSchedule schedule) {
  const std::uint64_t steps = plan.parameters.steps;
  if (plan.batches) return plan_steps(plan, schedule, steps);
  // From its second on, single steps cost the same again and again.
  const std::uint64_t refresh = plan.step->refresh_every;
  const std::uint64_t kept = schedule.checkpoint_every;
  const bool only_at_end = kept == 0 || kept >= steps;
  const std::uint64_t period = only_at_end ? refresh : std::lcm(refresh, kept);
  const std::uint64_t periods = period == 0 ? 0 : (steps - schedule.from_step) / period;
  if (periods < 4) return plan_steps(plan, schedule, steps);
  const std::uint64_t repeated = periods - 2;
  const std::uint64_t fewer = steps - repeated * period;
  Ledger ledger = plan_steps(plan, schedule, fewer);
  ledger.repeat(plan_steps(plan, schedule, fewer + period), repeated);
  return ledger;
}

Ledger plan_full_batches(const BanditPlan& plan, BanditSchedule schedule) {
  const std::size_t size = std::min<std::uint64_t>(plan.batches->batch, plan.parameters.steps - schedule.from_step);
  const auto order =
      BatchSchedule::even(schedule.from_step + 2 * size, std::max<std::size_t>(size, 1), schedule.from_step);
  QuietSite site;
  return protocols::plan(plan.parameters.topology(),
                         [&](Party& party) { return private_batches(party, *plan.batches, order, site, schedule); });
}

std::uint64_t largest_chunk(BanditPlan plan, BanditSchedule schedule) {
  if (plan.batches) return plan_full_batches(plan, schedule).largest_chunk();
  // A first step starts from masks of another kind than those that follow, which are alike, as all refreshes are.
  constexpr std::uint64_t unlike_steps = 3;
  auto step = std::make_shared<StepPlan>(*plan.step);
  const std::uint64_t every = step->refresh_every;
  step->refresh_every = plan.parameters.steps / every > schedule.from_step / every ? 2 : every;
  plan.step = step;
  plan.parameters.steps = std::min(plan.parameters.steps, schedule.from_step + unlike_steps);
  return plan_costs(plan, schedule).largest_chunk();
}

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
    result.eta_composed = eta_composed(run.arms, result.epsilon, run.steps + result.state->repeated_steps);
  }
  add_twin(result, inputs, run);
  add_baselines(result, inputs, run.steps);
  if (options.compare_plaintext) add_comparison(result, inputs, run, rewarder);
  const BanditPlan plan = local_plan(run, inputs);
  add_costs(result, run, plan, reports, loop_seconds);
  if (result.link && first.from_step < run.steps) {
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
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const RoleReport& report = report_of(reports, topology.name(node));
    const double computing =
        report.online_seconds - report.waiting_for_dealer_seconds - report.waiting_for_peers_seconds;
    arithmetic.seconds.push_back(computing / static_cast<double>(report.rounds));
    // Who hears last that all are ready starts its clock last.
    if (topology.is_party(node)) online = std::min(online, report.online_seconds);
  }
  LinkModel model = model_run(plan, run.link, arithmetic);
  // Of all rounds those of the steps; a revealed model adds a few.
  const double in_steps = static_cast<double>(last.step_rounds) / static_cast<double>(last.rounds);
  model.measured =
      (online - last.waiting_for_dealer_seconds) * in_steps / static_cast<double>(run.steps - last.from_step);
  return model;
}

BanditResult failed_result(const BanditOptions& options, const LocalInputs& inputs, const BanditSettings& run,
                           const std::string& error) {
  BanditResult result = describe(options, inputs, run);
  result.fail(error);
  return result;
}

}  // namespace sotto::apps
