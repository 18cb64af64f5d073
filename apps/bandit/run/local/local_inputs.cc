#include "apps/bandit/run/local/local.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/model/twin/plaintext.h"
#include "apps/bandit/run/log/estimates.h"
#include "apps/bandit/run/log/log_cells.h"
#include "apps/bandit/run/log/log_weights.h"
#include "apps/bandit/run/log/segments.h"
#include "apps/bandit/run/sites/world_site.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/files/best_bits.h"
#include "apps/kit/files/row_order.h"
#include "apps/kit/report/human.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::bandit::run {
namespace {

std::vector<std::size_t> columns_of(const LocalInputs& inputs) {
  std::vector<std::size_t> columns;
  for (const prepare::Block& block : inputs.blocks) columns.push_back(block.table.columns.size());
  return columns;
}

std::vector<double> bounds_of(const LocalInputs& inputs) {
  std::vector<double> bounds;
  for (const prepare::Block& block : inputs.blocks) bounds.push_back(block.bound);
  return bounds;
}

void refuse_norm_excess(const LocalInputs& inputs, double max_norm, const std::vector<std::string>& names) {
  if (const auto excess = prepare::joint_norm_excess(bounds_of(inputs), max_norm, names)) {
    throw InputError("--max-norm",
                     fmt::format("roles that see only their own rows refuse this: {}; {} (here --joint-norm-holds)",
                                 *excess, prepare::joint_norm_advice(inputs.blocks.size(), max_norm)));
  }
}

prepare::Environment blank_environment(std::size_t arms) {
  Table table;
  table.columns.reserve(arms);
  for (std::size_t arm = 0; arm < arms; ++arm) table.columns.push_back(fmt::format("reward_{}", arm));
  table.rows = 1;
  table.values.assign(arms, 0);
  return prepare::Environment::from_table(table);
}

EventLog read_log(const BanditOptions& options) {
  LogExpectation expected;
  if (options.run.arms > 0) expected.arms = options.run.arms;
  expected.reward_scale = options.reward_scale;
  expected.clips_rewards = options.run.clip_rewards;
  expected.segment = options.run.segment;
  return EventLog::read(options.log, expected);
}

void align_log(EventLog& log, const BanditOptions& options, const std::vector<prepare::Block>& blocks) {
  const std::vector<std::filesystem::path> files = options.features();
  for (std::size_t p = 0; p < blocks.size(); ++p) {
    if (blocks[p].table.rows != log.rows()) {
      throw InputError(
          log.file(), fmt::format("{}, but {} has {}: an event needs a row at each party", counted(log.rows(), "event"),
                                  files[p].string(), counted(blocks[p].table.rows, "row")));
    }
    const auto order = read_order(files[p]);
    if (!order) continue;
    const auto is_theirs = [&](const std::string& digest) { return digest == *order; };
    if (!log.put_in_order(is_theirs).value_or(true)) {
      throw InputError(log.file(), log.other_cases("the rows of " + files[p].string()));
    }
  }
}

// If no file has ids, this function returns no warning: one person has all files and knows the order of their rows.
std::vector<std::string> order_warnings(const BanditOptions& options) {
  std::vector<std::filesystem::path> files = options.features();
  if (options.log.empty()) files.push_back(options.environment);
  std::string without;
  bool any = !options.log.empty();
  for (const auto& file : files) {
    if (read_order(file)) {
      any = true;
    } else {
      without += (without.empty() ? "" : ", ") + file.string();
    }
  }
  if (!any || without.empty()) return {};
  return {no_order_warning(without)};
}

std::optional<ModelName> read_from(const BanditOptions& options) {
  if (options.from.empty()) return std::nullopt;
  std::optional<ModelName> name;
  for (std::size_t id = 0; id < options.parties.size() + options.run.computing_only; ++id) {
    const ModelName own = read_earlier_model(party_state(options.from, id), id).name;
    if (name && !(*name == own)) {
      throw InputError("--from", fmt::format("the parties' stores in {} are of different checkpoints: let that run end "
                                             "first (`sotto bandit --resume`)",
                                             options.from.string()));
    }
    name = own;
  }
  return name;
}

// The person who starts all roles has all shares, so the twin can use the bits.
std::optional<std::vector<bool>> read_best(const BanditOptions& options, std::size_t rows) {
  const std::filesystem::path& first = options.parties.empty() ? options.log : options.parties.front();
  std::optional<BestBits> bits;
  std::vector<bool> best(rows, false);
  for (const auto& party : options.parties) {
    const std::optional<BestBits> own = read_best_bits(party, rows);
    if (&party != &first && own.has_value() != bits.has_value()) {
      throw InputError(best_bits_file_of(own ? first : party).string(),
                       fmt::format("is missing, and {} is there: bring the files of all parties, from the same export",
                                   best_bits_file_of(own ? party : first).string()));
    }
    if (bits && bits->id != own->id) {
      throw InputError(
          best_bits_file_of(party).string(),
          fmt::format("its shares are of other bits than those of {}: take both files from the same export",
                      best_bits_file_of(first).string()));
    }
    bits = own;
    for (std::size_t row = 0; own && row < rows; ++row) best[row] = best[row] != (own->shares[row] != 0);
  }
  if (!bits) return std::nullopt;
  if (options.run.computing_only > 0) {
    throw InputError("--computing-only",
                     "such a party has no rows, so its shares of best arms are missing: evaluate "
                     "with parties that all bring rows");
  }
  return best;
}

BanditSettings with_holders_of(const BanditOptions& options) {
  BanditSettings run = options.run;
  run.parties = options.parties.size() + run.computing_only;
  run.owners = options.owners.size();
  if (run.parties < 2 || run.parties > max_parties) {
    throw InputError(
        "--party", fmt::format("a run has 2 to {} parties, {} given; name one CSV a party", max_parties, run.parties));
  }
  require_holders(run);
  return run;
}

LocalInputs world_inputs(const BanditOptions& options) {
  BanditSettings run = options.run;
  run.parties = options.columns.size();
  prepare::check_max_norm(run.max_norm.value());
  LocalInputs inputs{{}, blank_environment(run.arms)};
  inputs.blocks.reserve(options.columns.size());
  for (const std::size_t columns : options.columns) {
    prepare::Block block;
    block.table.columns.reserve(columns);
    for (std::size_t i = 0; i < columns; ++i) block.table.columns.push_back(fmt::format("x{}", i));
    block.table.rows = run.steps;
    block.bound = world_bound(run);
    inputs.blocks.push_back(std::move(block));
  }
  return inputs;
}

// Joins the rows of all holders. After the last row comes the first row again.
class JointContexts {
 public:
  explicit JointContexts(const LocalInputs& inputs) : rows_(inputs.blocks.front().table.rows) {
    for (const prepare::Block& block : inputs.blocks) features_ += block.table.columns.size();
    values_.reserve(rows_ * features_);
    for (std::size_t row = 0; row < rows_; ++row) {
      for (const prepare::Block& block : inputs.blocks) {
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

BatchSchedule order_of(const BanditSettings& run, const LocalInputs& inputs) {
  return BatchSchedule(local_plan(run, inputs).parameters);
}

}  // namespace

LocalInputs read_local_inputs(const BanditOptions& options, bool apart) {
  if (!options.world.empty()) return world_inputs(options);
  const BanditSettings run = with_holders_of(options);
  const auto arms = run.arms > 0 ? std::optional(run.arms) : std::nullopt;
  std::optional<EventLog> log;
  if (!options.log.empty()) log = read_log(options);
  LocalInputs inputs{{},
                     log ? blank_environment(log->arm_count()) : prepare::Environment::read(options.environment, arms)};
  for (const auto& path : options.features()) inputs.blocks.push_back(prepare::read_block(path));
  if (log) {
    align_log(*log, options, inputs.blocks);
    inputs.log = std::move(log);
    if (run.task == BanditTask::evaluate) inputs.best = read_best(options, inputs.log->rows());
  } else {
    check_aligned(inputs.blocks, inputs.environment.rows(), options.environment.string());
  }
  inputs.warnings = order_warnings(options);
  if (inputs.log)
    inputs.warnings.insert(inputs.warnings.end(), inputs.log->warnings().begin(), inputs.log->warnings().end());
  inputs.from = read_from(options);
  if (run.max_norm) {
    prepare::check_max_norm(*run.max_norm);
    for (prepare::Block& block : inputs.blocks) {
      block.bound = announced_bound(block, *run.max_norm, inputs.blocks.size());
    }
    if (apart && !run.joint_norm_holds) refuse_norm_excess(inputs, *run.max_norm, holder_names(run));
  }
  check_norms(inputs.blocks, run.max_norm.value_or(prepare::joint_bound(bounds_of(inputs))));
  return inputs;
}

BanditSettings local_run_config(const BanditOptions& options, const LocalInputs& inputs, std::uint64_t repetition) {
  BanditSettings run = options.world.empty() ? with_holders_of(options) : options.run;
  if (!options.world.empty()) run.parties = inputs.blocks.size();
  run.arms = inputs.environment.arms();
  require_randomness(run);
  if (options.world.empty()) {
    const std::size_t rows = inputs.log ? inputs.log->rows() : inputs.environment.rows();
    if (run.steps == 0) run.steps = rows;
    if (inputs.log && run.steps > rows) {
      throw InputError("--steps", fmt::format("{} asked for, but the log has {}", counted(run.steps, "step"),
                                              counted(rows, "event")));
    }
    run.joint_norm_holds = run.max_norm.has_value();  // read_local_inputs() has checked the joint norms
    run.binary_rewards = inputs.log ? inputs.log->binary_rewards() : inputs.environment.binary_rewards();
  }
  const double bound = run.max_norm.value_or(prepare::joint_bound(bounds_of(inputs)));
  if (options.chooses_batch) {
    constexpr std::size_t usual = 256;
    run.batch = static_cast<std::size_t>(
        std::min<std::uint64_t>({usual, largest_event_batch(std::min(bound, prepare::largest_max_norm)), run.steps}));
  }
  if ((inputs.log || inputs.from) && !run.max_norm) {
    const double before = inputs.from ? inputs.from->max_norm : 0;
    run.max_norm = std::max(std::min(rounded_up(bound, 4), prepare::largest_max_norm), before);
    run.joint_norm_holds = true;
  }
  if (inputs.log) run.reward_scale = inputs.log->reward_scale();
  if (inputs.log && !inputs.log->segments().empty() && run.cells == 0) {
    const std::size_t most = inputs.best ? most_cells / 2 : most_cells;
    run.cells = std::min(most, run.cells_of_events() * inputs.log->segments().size());
  }
  // The person who starts all roles has all rows, so the run may learn rows without noise.
  run.uncovered_learning = run.task == BanditTask::evaluate && run.learning_epsilon == 0;
  if (inputs.from) {
    run.events_before = inputs.from->events;
    if (!inputs.log) run.reward_scale = inputs.from->reward_scale;  // the files have rewards divided by this scale
  }
  if (run.insecure_seed) {
    // Each repetition must have another seed, and the seed in a config is a positive TOML integer.
    const Seed root = Seed::insecure_from_number(*run.insecure_seed).derive(fmt::format("repetition {}", repetition));
    run.insecure_seed = Prg(root.derive("seed")).next() >> 1;
    run.session = hex(root.derive("session").expose());
  } else {
    run.session = fresh_session();
  }
  return run;
}

std::vector<CountPrivacy> local_privacy(const BanditSettings& run) {
  CountPrivacy each{run.account_epsilon, run.rows_per_subject};
  each.learning_epsilon = run.learning_epsilon;
  each.learning_delta = run.learning_delta;
  each.learned_rows = run.rows_per_subject;
  return std::vector<CountPrivacy>(run.holders().count(), each);
}

BanditPlan local_plan(const BanditSettings& run, const LocalInputs& inputs) {
  BanditParameters parameters = bandit_parameters(run, columns_of(inputs), bounds_of(inputs));
  if (inputs.from) begin_from(parameters, run, *inputs.from);
  parameters.held_out.by_best = inputs.best.has_value();
  add_learning_noise(parameters, local_privacy(run));
  return plan_bandit(std::move(parameters));
}

void check_evaluation(const BanditSettings& run, const LocalInputs& inputs) {
  if (run.task != BanditTask::evaluate) return;
  if (!run.segment.empty() && run.in_one_bit) {
    throw InputError("--segment", "divides counts, and --answers bit shows none: leave one of both out");
  }
  require_propensities(run, [](const char* key) { return bandit_program().find("run", key)->run_flag(); });
  require_best_bits(*inputs.log, run.weight_rule(), inputs.best.has_value());
  const std::uint64_t learned = run.steps - run.events_held_out();
  const std::vector<std::uint64_t> rows = rows_in_turn(run.steps, run.events_held_out(), run.mixed);
  const LogWeights weights = log_weights(*inputs.log, rows, learned, run.weight_rule());
  const LogCells cells = log_cells(*inputs.log, rows, learned, weights, run.cells_of_events(), [] { return .5; });
  require_events({*inputs.log, rows, learned, weights}, cells, noise_terms(local_privacy(run), weights.by_best()));
}

std::filesystem::path party_state(const std::filesystem::path& results, std::size_t id) {
  return results / "state" / fmt::format("party_{}", id) / "config.toml";
}

void add_plain_plays(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run,
                     const BanditOptions& options) {
  const JointContexts contexts(inputs);
  const PlainWorld world{[&](std::uint64_t step) { return contexts.at(step); },
                         [&](std::uint64_t step, std::size_t arm) { return environment_reward(inputs, step, arm); },
                         order_of(run, inputs), run.arms, result.epsilon};
  add_plain_plays(result, world, policies_of(holder_names(run), columns_of(inputs), options.compare_parts),
                  options.plain_plays, run.insecure_seed);
}

void add_plain_plays(BanditResult& result, const PlainWorld& world, const std::vector<PlainPolicy>& policies,
                     PlayTimes times, const std::optional<std::uint64_t>& insecure_seed) {
  if (insecure_seed) times.most = times.least;  // so that the number of plays does not depend on time
  const Seed root = insecure_seed ? Seed::insecure_from_number(*insecure_seed) : Seed::from_os();
  Prg seeds(root.derive("plain-text twin"));
  std::vector<PlainPlays> plays = play_in_plain_text(world, policies, times, [&] { return seeds.next(); });
  const PlainPlays& all = plays.back();
  result.plaintext_average_reward = all.average_reward;
  result.plaintext_plays = all.plays;
  result.plaintext_curve = all.reward_curve;
  if (all.plays > 1) result.sd["plaintext_average_reward"] = all.sd;
  if (plays.size() > 1) result.parts = std::move(plays);
}

std::vector<PlainPolicy> policies_of(const std::vector<std::string>& names, const std::vector<std::size_t>& columns,
                                     bool each_company) {
  std::vector<PlainPolicy> policies;
  std::size_t features = 0;
  for (std::size_t p = 0; p < columns.size(); ++p) {
    if (each_company && columns.size() > 1) policies.push_back({names[p], features, columns[p]});
    features += columns[p];
  }
  policies.push_back({"all together", 0, features});
  return policies;
}

namespace {

// The weights of single events, which are known here even if they depend on the parties' bits.
LogWeights exact_weights(LogWeights weights, const std::vector<std::uint64_t>& rows, const LocalInputs& inputs) {
  for (std::size_t event = 0; event < weights.otherwise.size(); ++event) {
    if (!inputs.best->at(rows[event])) weights.weights[event] = weights.otherwise[event];
  }
  weights.otherwise.clear();
  return weights;
}

}  // namespace

void add_plaintext_evaluation(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run) {
  if (!result.evaluation || inputs.from) return;
  const JointContexts contexts(inputs);
  const std::vector<std::uint64_t> rows = rows_in_turn(run.steps, run.events_held_out(), run.mixed);
  PlaintextBandit bandit(run.arms, contexts.features(), 0, 0);
  Evaluation& twin = result.plaintext_evaluation.emplace(*result.evaluation);
  const LogWeights weights =
      exact_weights(log_weights(*inputs.log, rows, twin.learned, run.weight_rule()), rows, inputs);
  const EvaluatedLog evaluated{*inputs.log, rows, twin.learned, weights};
  const std::vector<bool> agreements = plaintext_agreements(
      bandit, [&](std::uint64_t row) { return contexts.at(row); }, evaluated);
  twin.cells.clear();
  twin.answer.reset();
  twin.noise.clear();
  twin.noise_half_width = 0;
  twin.policies = plaintext_values(agreements, evaluated, run.rows_per_subject);
  twin.segments = plaintext_segments(agreements, evaluated, run.rows_per_subject, run.weight_rule());
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

void add_baselines(BanditResult& result, const LocalInputs& inputs, std::uint64_t steps,
                   const std::optional<std::size_t>& baseline) {
  const std::size_t rows = inputs.environment.rows();
  const std::size_t arms = inputs.environment.arms();
  double uniform = 0;
  double best = 0;
  double of_baseline = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t visits = steps / rows + (row < steps % rows ? 1 : 0);
    const auto times = static_cast<double>(visits);
    double sum = 0;
    for (std::size_t arm = 0; arm < arms; ++arm) sum += inputs.environment.reward(row, arm);
    uniform += times * sum / static_cast<double>(arms);
    best += times * inputs.environment.best_reward(row);
    if (baseline) of_baseline += times * inputs.environment.reward(row, *baseline);
  }
  result.uniform_average_reward = uniform / static_cast<double>(steps);
  result.best_average_reward = best / static_cast<double>(steps);
  if (baseline) result.baseline_arm = ArmPlay{*baseline, of_baseline / static_cast<double>(steps)};
}

}  // namespace sotto::apps::bandit::run
