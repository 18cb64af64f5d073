#include "apps/bandit/run/local/in_process/simulated_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/phases.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/twin/plaintext.h"
#include "apps/bandit/run/local/in_process/role_reports.h"
#include "apps/bandit/run/local/local.h"
#include "apps/bandit/run/sites/site.h"
#include "apps/kit/program/about.h"
#include "apps/kit/report/human.h"
#include "apps/prepare/data/contexts.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::apps::bandit::run {
namespace {

Seed root_of(const BanditSettings& run) {
  return run.insecure_seed ? Seed::insecure_from_number(*run.insecure_seed) : Seed::from_os();
}

class CheckedRewards final : public RewardSource {
 public:
  CheckedRewards(const SimulatedRun& run, std::vector<double>* record)
      : run_(run), rows_(run.parts.front().rows), record_(record) {}

  [[nodiscard]] std::size_t arms() const override { return run_.settings.arms; }
  [[nodiscard]] double reward(std::uint64_t step, std::size_t arm) override {
    const double earned = of_row(step % rows_, arm);
    if (record_ != nullptr) record_->push_back(earned);
    return earned;
  }
  [[nodiscard]] double of_row(std::uint64_t row, std::size_t arm) const {
    const double earned = run_.reward(row, arm);
    if (!(earned >= -1 && earned <= 1)) {
      throw InputError(
          fmt::format("row {}: a reward is not a number in [-1, 1]; divide all by the largest size of one", row));
    }
    if (run_.settings.binary_rewards && earned != 0 && earned != 1) {
      throw InputError(fmt::format("row {}: a reward is neither 0 nor 1; give rewards=\"real\" to the bandit", row));
    }
    return earned;
  }

 private:
  const SimulatedRun& run_;
  std::uint64_t rows_;
  std::vector<double>* record_;
};

class AllContexts final : public Contexts {
 public:
  AllContexts(const SimulatedRun& run, unsigned context_bits) : run_(run), context_bits_(context_bits) {}
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    encode_view(run_.parts[party], step, context_bits_, out);
  }

 private:
  const SimulatedRun& run_;
  unsigned context_bits_;
};

BanditOptions options_of(const SimulatedRun& run) {
  BanditOptions options;
  options.world = "memory";
  options.columns.reserve(run.parts.size());
  for (const RowsView& part : run.parts) options.columns.push_back(part.columns);
  options.run = run.settings;
  options.run.parties = run.parts.size();
  options.run.joint_norm_holds = true;  // check_rows() has checked the joint norms
  return options;
}

// Stores the rewards of the caller's function. The function may be slow or random, so it is called once for each row
// and arm.
class KeptRewards {
 public:
  explicit KeptRewards(const SimulatedRun& run) : rewards_(run, nullptr), rows_(run.parts.front().rows) {
    if (rows_ <= most / run.settings.arms) kept_.resize(rows_ * run.settings.arms, unknown);
  }
  [[nodiscard]] double at(std::uint64_t step, std::size_t arm) {
    const std::uint64_t row = step % rows_;
    if (kept_.empty()) return rewards_.of_row(row, arm);
    double& kept = kept_[row * rewards_.arms() + arm];
    if (std::isnan(kept)) kept = rewards_.of_row(row, arm);
    return kept;
  }

 private:
  static constexpr std::uint64_t most = 1 << 25;  // number of stored rewards; they need 256 MB
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  CheckedRewards rewards_;
  std::uint64_t rows_;
  std::vector<double> kept_;
};

void add_plain_plays(const SimulatedRun& run, const BanditSettings& settings, const BanditPlan& plan,
                     BanditResult& result) {
  KeptRewards rewards(run);
  std::vector<double> context(plan.parameters.features());
  std::uint64_t read = 0;
  const auto context_of = [&](std::uint64_t step) -> std::span<const double> {
    if (run.tick) run.tick();
    if (run.progress) run.progress(plan.parameters.steps, ++read);
    std::size_t at = 0;
    for (const RowsView& part : run.parts) {
      const auto row = static_cast<std::size_t>(step % part.rows);
      for (std::size_t column = 0; column < part.columns; ++column) context[at++] = part.at(row, column);
    }
    return context;
  };
  const PlainWorld world{context_of, [&](std::uint64_t step, std::size_t arm) { return rewards.at(step, arm); },
                         BatchSchedule(plan.parameters), plan.parameters.arms, result.epsilon};
  add_plain_plays(result, world, policies_of(holder_names(settings), plan.parameters.columns, true),
                  BanditOptions().plain_plays, run.settings.insecure_seed);
}

void add_bounds(const SimulatedRun& run, BanditResult& result) {
  const CheckedRewards rewards(run, nullptr);
  const std::uint64_t rows = run.parts.front().rows;
  double uniform = 0;
  double best = 0;
  for (std::uint64_t row = 0; row < std::min(rows, result.steps); ++row) {
    const std::uint64_t often = result.steps / rows + (row < result.steps % rows ? 1 : 0);
    const auto visits = static_cast<double>(often);
    double sum = 0;
    double most = -1;
    for (std::size_t arm = 0; arm < result.arms; ++arm) {
      const double earned = rewards.of_row(row, arm);
      sum += earned;
      most = std::max(most, earned);
    }
    uniform += visits * sum / static_cast<double>(result.arms);
    best += visits * most;
  }
  result.uniform_average_reward = uniform / static_cast<double>(result.steps);
  result.best_average_reward = best / static_cast<double>(result.steps);
}

void check_shapes(std::span<const RowsView> parts) {
  if (parts.size() < 2 || parts.size() > max_parties) {
    throw InputError(fmt::format("a bandit has 2 to {} parties, {} given: one matrix of features a party", max_parties,
                                 parts.size()));
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const RowsView& part = parts[p];
    if (part.columns == 0) throw InputError(fmt::format("X[{}] has no columns", p));
    if (part.rows == 0) throw InputError(fmt::format("X[{}] has no rows", p));
    if (part.rows != parts.front().rows) {
      throw InputError(fmt::format("X[{}] has {}, but X[0] has {}: row t of all is about the same case", p,
                                   counted(part.rows, "row"), parts.front().rows));
    }
  }
}

}  // namespace

SimulatedBandit simulate_bandit(const SimulatedRun& run) {
  if (!run.settings.max_norm) throw InputError("--max-norm", "is required for rows in memory");
  check_rows(run.parts, *run.settings.max_norm);
  const BanditOptions options = options_of(run);
  const LocalInputs shapes = read_local_inputs(options);
  const BanditSettings settings = local_run_config(options, shapes, 0);
  const BanditPlan plan = local_plan(settings, shapes);
  const Ledger planned = plan_costs(plan);

  SimulatedBandit simulated{{}, {}, {}, {}, settings.topology()};
  EnvironmentSite rewards(std::make_unique<CheckedRewards>(run, &simulated.rewards), settings.steps, plan.reward_bits,
                          root_of(settings).derive("rounding of rewards"), nullptr, true, {});
  AllContexts contexts(run, plan.context_bits);
  BanditSite site(contexts);
  site.add<Arms>(rewards);
  site.add<Rewards>(rewards);
  RoleClock clock;
  protocols::SimulationOptions simulation;
  simulation.insecure_seed = settings.insecure_seed;
  simulation.watch = [&](std::optional<NodeId> role, std::uint64_t, bool begins) {
    if (begins && run.tick) run.tick();
    if (begins && run.progress) run.progress(simulated.rewards.size(), 0);
    clock.turn(role, begins);
  };
  const auto begin = std::chrono::steady_clock::now();
  const PlayedBandit played = protocols::simulate(
      simulated.topology,
      [&](Party& party) {
        return prepared_bandit(party, plan, site, {},
                               protocols::draw_own_randomness(party, "in memory", settings.insecure_seed));
      },
      std::move(simulation));
  const double seconds = seconds_since(begin);
  std::vector<RoleReport> reports = reports_of(settings, planned, played, clock, seconds);
  for (std::size_t role = 0; role < reports.size(); ++role) {
    if (settings.roles()[role].node != rewarder_of(simulated.topology)) continue;
    reports[role].average_reward = rewards.curve().average();
    reports[role].reward_curve = rewards.curve().points();
  }
  simulated.result = assemble_result(options, shapes, settings, reports, seconds);
  simulated.arms = rewards.arms();
  simulated.cost = Cost{played.rounds, played.sent, played.dealt};
  if (run.plays_twin) add_plain_plays(run, settings, plan, simulated.result);
  if (run.knows_all_rewards) add_bounds(run, simulated.result);
  return simulated;
}

BanditPlan plan_of(const BanditSettings& settings, const std::vector<std::size_t>& columns) {
  BanditSettings run = settings;
  run.parties = columns.size();
  return plan_bandit(bandit_parameters(run, columns, std::vector<double>(columns.size(), run.max_norm.value_or(1))));
}

net::LinkConditions parse_link(const std::string& text) {
  net::LinkConditions link;
  std::size_t times = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view part = std::string_view(text).substr(begin, end - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    begin = end + 1;
    if (part.ends_with("bit") && link.bits_per_second == 0) {
      link.bits_per_second = net::parse_rate(part, "link");
    } else if (times == 0) {
      link.delay = net::parse_delay(part, "link");
      ++times;
    } else if (times == 1) {
      link.jitter = net::parse_delay(part, "link");
      ++times;
    } else {
      throw InputError("link", "expected a delay, a jitter and a rate at most, such as \"20ms,2ms,100mbit\"");
    }
  }
  return link;
}

RowsView view_of(std::span<const double> values, std::size_t columns) {
  require_argument(columns > 0 && values.size() % columns == 0, "whole rows of at least one column");
  const auto column_stride = static_cast<std::ptrdiff_t>(sizeof(double));
  return RowsView{std::as_bytes(values).data(), values.size() / columns, columns,
                  column_stride * static_cast<std::ptrdiff_t>(columns), column_stride};
}

void check_rows(std::span<const RowsView> parts, double max_norm) {
  prepare::check_max_norm(max_norm);
  check_shapes(parts);
  const double limit = max_norm * (1 + prepare::norm_slack);
  for (std::size_t row = 0; row < parts.front().rows; ++row) {
    double sum = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (std::size_t column = 0; column < parts[p].columns; ++column) {
        const double value = parts[p].at(row, column);
        if (!std::isfinite(value)) {
          throw InputError(fmt::format(
              "X[{}], row {}, column {}: not a finite number, but NaN or inf; fill it, or leave the row out at all "
              "parties",
              p, row, column));
        }
        sum += value * value;
      }
    }
    if (std::sqrt(sum) <= limit) continue;
    throw InputError(fmt::format(
        "X, row {}: its norm over all parties is above {}; raise --max-norm (at most 8), or divide all of X by "
        "np.sqrt(sum((x * x).sum(axis=1) for x in X)).max()",
        row, advised(max_norm)));
  }
}

void encode_view(const RowsView& part, std::uint64_t first, unsigned fraction_bits, std::span<std::uint64_t> out) {
  std::size_t at = 0;
  for (std::uint64_t number = first; at < out.size(); ++number) {
    const auto row = static_cast<std::size_t>(number % part.rows);
    for (std::size_t column = 0; column < part.columns; ++column) {
      out[at++] = sotto::encode(part.at(row, column), fraction_bits);
    }
  }
}

}  // namespace sotto::apps::bandit::run
