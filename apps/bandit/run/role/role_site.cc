#include "apps/bandit/run/role/role_site.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "apps/bandit/run/log/estimates.h"
#include "apps/bandit/run/log/segments.h"
#include "apps/bandit/run/settings/answer_delay.h"
#include "apps/bandit/run/sites/local_socket.h"
#include "apps/kit/deploy/announcement.h"
#include "apps/kit/files/row_order.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::bandit::run {
namespace {

// The seed depends on the epoch, because the rewarder rounds the rewards of repeated steps again.
Seed rounding_seed(const RoleSettings& role, std::uint32_t epoch) {
  const Seed root = role.insecure_seed ? Seed::insecure_from_number(*role.insecure_seed) : Seed::from_os();
  return root.derive(fmt::format("rounding of rewards, epoch {}", epoch));
}

EventLog read_log(const std::filesystem::path& file, const std::string& segment, const BanditRun& run) {
  LogExpectation expected;
  expected.segment = segment;
  expected.arms = run.arms;
  expected.reward_scale = run.reward_scale;
  expected.clips_rewards = run.clip_rewards;
  EventLog log = EventLog::read(file, expected);
  if (run.binary_rewards && !log.binary_rewards()) {
    throw InputError(file.string(), "rewards other than 0 and 1 need rewards = \"real\" in [run]");
  }
  return log;
}

std::string receiver_of(const BanditLinks& role) {
  const auto actor = role.trust.find("actor");
  return actor == role.trust.end() ? "the actor" : "the actor " + actor->second;
}

std::vector<std::uint64_t> turns_of(const BanditRun& run) {
  const std::uint64_t held_out = run.task == BanditTask::evaluate ? run.events_held_out() : 0;
  return rows_in_turn(run.steps, held_out, run.mixed);
}

std::optional<std::string> order_of(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs) {
  const bool brings = brings_features(role, run);
  const std::filesystem::path& file = brings ? inputs.data : inputs.environment;
  if (file.empty() || (!brings && !gets_rewards(role, run))) return std::nullopt;
  const auto order = read_order(file);
  return order ? std::optional(keyed_order(*order, role.session)) : std::nullopt;
}

}  // namespace

RoleSite::RoleSite(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs)
    : role_(role), run_(run), inputs_(inputs), order_(order_of(role, run, inputs)) {
  (void)role_delay(role, inputs);  // throws if a delay in the config is wrong
  if (!inputs.from.empty()) {
    model_.emplace(read_earlier_model(inputs.from, role.id));
    if (model_->name().events != run.events_before) {
      throw InputError(inputs.from.string(), fmt::format("the model there has learned {0}: set events_before = {0} in "
                                                         "[run] at all roles",
                                                         model_->name().events));
    }
  }
  if (!inputs.log.empty()) log_ = read_log(inputs.log, inputs.segment, run);
  if (!inputs.world.empty()) return;
  if (brings_features(role, run)) {
    block_ = prepare::read_block(inputs.data);
    if (const auto max_norm = run.max_norm) {
      check_norms(std::span(&*block_, 1), *max_norm);
      block_->bound = announced_bound(*block_, *max_norm, run.holders().count());
    }
    if (run.task == BanditTask::evaluate) {
      evaluated_ = std::make_unique<EvaluatedRows>(inputs, inputs.data, block_->table, turns_of(run),
                                                   run.events_held_out(), run.in_one_bit);
      if (role.role() == BanditRole::party) best_ = read_best_bits(inputs.data, block_->table.rows);
    }
  }
  if (!gets_rewards(role, run) || log_) return;
  environment_ = prepare::Environment::read(inputs.environment, run.arms);
  if (environment_->arms() != run.arms) {
    throw InputError(inputs.environment.string(),
                     fmt::format("rewards of {}, but the run has {}", counted(environment_->arms(), "arm"), run.arms));
  }
  if (run.binary_rewards && !environment_->binary_rewards()) {
    throw InputError(inputs.environment.string(), "rewards other than 0 and 1 need rewards = \"real\" in [run]");
  }
}

void RoleSite::charge() {
  if (evaluated_) evaluated_->charge(receiver_of(role_));
}

std::optional<InputError> RoleSite::refusal() const {
  if (!evaluated_ || !evaluated_->refusal()) return std::nullopt;
  return InputError(inputs_.account.string(), *evaluated_->refusal());
}

std::string RoleSite::announcement() const {
  if (!inputs_.world.empty() && role_.role() == BanditRole::party) {
    Announcement announcement{run_.steps, inputs_.columns.value_or(0), world_bound(run_)};
    announcement.by_step = true;
    return to_text(announcement);
  }
  Announcement announcement;  // stays empty for a role without features
  if (block_) {
    announcement = {block_->table.rows, block_->table.columns.size(), block_->bound};
    announcement.order = order_;
    if (evaluated_) {
      announcement.counts = evaluated_->privacy();
      announcement.account = evaluated_->position();
    }
  } else if (role_.role() != BanditRole::party) {
    return {};
  }
  if (model_) announcement.model = to_text(model_->name());
  if (best_) announcement.best = keyed_order(best_->id, role_.session);
  return to_text(announcement);
}

std::vector<std::string> RoleSite::warnings() const {
  if (log_) return log_->warnings();
  if (!environment_ || order_) return {};
  return {no_order_warning(inputs_.environment.string())};
}

net::Digest RoleSite::data_digest() const {
  RunningHash hash;
  const auto add = [&](std::span<const double> values) { hash.add(std::as_bytes(values)); };
  if (block_) add(block_->table.values);
  if (best_) hash.add(std::as_bytes(std::span(best_->shares)));
  if (environment_) {
    std::vector<double> row(environment_->arms());
    for (std::size_t r = 0; r < environment_->rows(); ++r) {
      for (std::size_t arm = 0; arm < row.size(); ++arm) row[arm] = environment_->reward(r, arm);
      add(row);
    }
  }
  if (log_) {
    for (std::size_t r = 0; r < log_->rows(); ++r) {
      const double propensity = log_->has_propensities() ? log_->propensity(r) : 0;
      const double segment = log_->segments().empty() ? 0 : log_->segment(r);
      add(std::array{static_cast<double>(log_->arm(r)), log_->reward(r), propensity, segment});
      if (log_->has_best_probabilities()) add(std::array{log_->best_probability(r), log_->least_probability(r)});
    }
  }
  return hash.finish();
}

void RoleSite::open_log(const BanditPlan& plan, const AnnouncedData& data, std::uint32_t epoch,
                        std::function<void(const RewardCurve&)> on_step) {
  if (log_->rows() != data.rows) {
    throw InputError(inputs_.log.string(), fmt::format("{}, but the parties have {}: an event needs a row at each",
                                                       counted(log_->rows(), "event"), counted(data.rows, "row")));
  }
  const auto is_theirs = [&](const std::string& order) { return keyed_order(order, role_.session) == data.order; };
  if (data.order && !log_->put_in_order(is_theirs).value_or(true)) {
    throw InputError(inputs_.log.string(), log_->other_cases("the parties' rows"));
  }
  LogTurns turns{turns_of(run_), plan.reward_bits};
  if (plan.evaluation) {
    require_best_bits(*log_, run_.weight_rule(), plan.evaluation->by_best);
    turns.learned = plan.evaluation->learned;
    turns.weights = log_weights(*log_, turns.rows, turns.learned, run_.weight_rule());
    Prg rounding(rounding_seed(role_, epoch).derive("cells"));
    turns.cells = log_cells(*log_, turns.rows, turns.learned, turns.weights, plan.evaluation->cells,
                            [&] { return std::ldexp(static_cast<double>(rounding.next() >> 11), -53); });
    privacy_ = data.counts;
    const EvaluatedLog evaluated{*log_, turns.rows, turns.learned, turns.weights};
    const CountNoiseTerms noise = noise_terms(privacy_, plan.evaluation->by_best);
    require_events(evaluated, turns.cells, noise);
    if (plan.evaluation->in_one_bit) turns.question = bit_question(evaluated, turns.cells, noise).question;
  }
  log_site_ = std::make_unique<LogSite>(*log_, std::move(turns), rounding_seed(role_, epoch), std::move(on_step));
}

void RoleSite::add_log(RoleReport& report) const {
  const EventLog& log = log_site_->log();
  report.average_reward = log.reward_scale() * log_site_->curve().average();
  report.reward_curve = log_site_->curve().points();
  for (CurvePoint& point : report.reward_curve) point.average_reward *= log.reward_scale();
  if (!log_site_->counts() && !log_site_->answer()) return;
  const LogTurns& turns = log_site_->turns();
  const EvaluatedLog evaluated{log, turns.rows, turns.learned, turns.weights};
  const CountNoiseTerms noise = noise_terms(privacy_, turns.cells.by_best());
  Evaluation& evaluation = report.evaluation.emplace();
  evaluation.evaluated = turns.rows.size() - turns.learned;
  evaluation.learned = turns.learned;
  evaluation.propensities = run_.propensities;
  evaluation.least_propensity = run_.least_propensity;
  evaluation.clipped = turns.weights.clipped;
  evaluation.clipped_rewards = log.clipped_rewards();
  const std::vector<std::string> names = holder_names(run_);
  for (std::size_t holder = 0; holder < privacy_.size(); ++holder) {
    evaluation.noise.push_back({names.at(holder), privacy_[holder]});
  }
  evaluation.noise_half_width = noise_half_width(evaluated, turns.cells, noise);
  if (log_site_->answer()) {
    evaluation.answer = BitAnswer{*log_site_->answer(), !turns.weights.full_support};
    evaluation.policies = log_values(evaluated, noise);
    return;
  }
  const OpenedCounts& counts = *log_site_->counts();
  const std::vector<std::uint64_t> events = turns.cells.events();
  for (std::size_t cell = 0; cell < events.size(); ++cell) {
    std::optional<std::string> segment;
    if (!log.segments().empty()) segment = log.segments()[turns.cells.segment(cell)];
    evaluation.cells.push_back({std::move(segment), turns.cells.weight(cell),
                                log.reward_scale() * turns.cells.reward(cell), events[cell], counts.agreed.at(cell)});
    if (!turns.cells.by_best()) continue;
    evaluation.cells.back().weight_otherwise = turns.cells.weight_otherwise(cell);
    evaluation.cells.back().agreed_otherwise = counts.otherwise.at(cell);
  }
  evaluation.policies = policy_values(counts, evaluated, turns.cells, noise);
  if (log.segments().empty()) return;
  evaluation.segment_column = inputs_.segment;
  evaluation.segments = segment_values(counts, evaluated, turns.cells, noise, run_.weight_rule());
}

void RoleSite::join_actor_and_rewarder(const std::atomic<bool>& interrupted) {
  if (!run_.separate_rewarder) return;
  if (role_.role() == BanditRole::rewarder) {
    link_ = listen_for_arms(inputs_.arm_socket, role_.connect_deadline_seconds, interrupted);
  } else if (role_.role() == BanditRole::actor) {
    link_ = connect_for_arms(inputs_.arm_socket, role_.connect_deadline_seconds, interrupted);
  }
}

BanditSite RoleSite::open(const BanditPlan& plan, const AnnouncedData& data, std::uint32_t epoch, bool record_arms,
                          std::function<void(const RewardCurve&)> on_step, const std::atomic<bool>& interrupted) {
  if (environment_ && environment_->rows() != data.rows) {
    throw InputError(inputs_.environment.string(),
                     fmt::format("{}, but the parties have {}: rows must be aligned, one context a row",
                                 counted(environment_->rows(), "row"), data.rows));
  }
  if (environment_ && order_ && data.order && *order_ != *data.order) {
    throw InputError(inputs_.environment.string(),
                     "its rows are about other cases than the parties', or in another order: prepare all from tables "
                     "of the same ids, by `sotto prepare party --id COLUMN --sort`");
  }
  join_actor_and_rewarder(interrupted);
  BanditSite site;
  if (block_) {
    const bool about_a_log = plan.parameters.task != BanditTask::play;
    rows_ = std::make_unique<PartySite>(block_->table, plan.context_bits,
                                        about_a_log ? turns_of(run_) : std::vector<std::uint64_t>{});
    site.add(*rows_);
  } else if (log_) {
    open_log(plan, data, epoch, std::move(on_step));
    site.add(*log_site_);
  } else if (role_.role() == BanditRole::party && !inputs_.world.empty()) {
    world_ = std::make_unique<WorldPartySite>(role_, run_, inputs_, plan.context_bits, interrupted);
    site.add(*world_);
  } else if (gets_rewards(role_, run_)) {
    auto source = environment_ ? rewards_of(*environment_) : world_rewards(role_, run_, inputs_, interrupted);
    rewards_ =
        std::make_unique<EnvironmentSite>(std::move(source), plan.parameters.steps, plan.reward_bits,
                                          rounding_seed(role_, epoch), link_.get(), record_arms, std::move(on_step));
    site.add(*rewards_);
  } else if (link_) {
    actor_ = std::make_unique<ActorSite>(*link_, plan.parameters.arms);
    site.add(*actor_);
  }
  if (model_) site.add(*model_);
  if (best_ && plan.evaluation) {
    best_site_ = std::make_unique<KeptBestSite>(best_->shares, turns_of(run_));
    site.add(*best_site_);
  }
  if (plan.evaluation && (role_.role() == BanditRole::party || role_.role() == BanditRole::owner)) {
    // The number of the role is added, so that roles with the same seed draw different noise.
    const std::uint64_t number = role_.id + (role_.role() == BanditRole::owner ? run_.parties : 0);
    const auto seed = role_.insecure_seed ? std::optional(*role_.insecure_seed + number) : std::nullopt;
    std::function<void()> draws;
    if (evaluated_) draws = [this] { evaluated_->draws(); };
    noise_ = std::make_unique<OwnNoise>(evaluated_ ? std::optional(evaluated_->privacy()) : std::nullopt,
                                        Coins::of(seed), std::move(draws), plan.evaluation->by_best);
    if (evaluated_ && evaluated_->privacy().learning_epsilon > 0) {
      noise_->add_to_learning(learning_deviation_of(evaluated_->privacy(), plan.parameters));
    }
    site.add(*noise_);
  }
  delayed_ = with_delay(site, role_, run_, inputs_, interrupted);
  if (delayed_) site.add(*delayed_);
  return site;
}

void RoleSite::add_to(RoleReport& report) const {
  if (log_site_) add_log(report);
  if (evaluated_) report.account = evaluated_->charged();
  if (block_) {
    const Table& table = block_->table;
    report.data = OwnData{inputs_.data.filename().string(), table.rows, table.columns.size(), block_->bound};
  }
  if (actor_) report.pulls = actor_->pulls();
  if (!rewards_) return;
  if (role_.role() == BanditRole::actor) report.pulls = rewards_->pulls();
  report.average_reward = rewards_->curve().average();
  report.reward_curve = rewards_->curve().points();
  report.arms = rewards_->arms();
}

AnswerDelay role_delay(const BanditLinks& role, const RoleInputs& inputs) {
  const std::string where = "delay in [role]";
  const AnswerDelay delay = parse_answer_delay(inputs.delay, where);
  if (delay.kind == AnswerDelay::Kind::none) return delay;
  if (!is_outside(role)) {
    throw InputError(where, role.name() + " has none: the actor and the rewarder answer");
  }
  require_delay_within(delay, role.round_deadline_seconds, where);
  return delay;
}

std::unique_ptr<DelayedSite> with_delay(const BanditSite& site, const BanditLinks& role, const BanditRun& run,
                                        const RoleInputs& inputs, const std::atomic<bool>& interrupted) {
  const AnswerDelay delay = role_delay(role, inputs);
  if (delay.kind == AnswerDelay::Kind::none) return nullptr;
  const Seed root = role.insecure_seed ? Seed::insecure_from_number(*role.insecure_seed) : Seed::from_os();
  const DelayedSite::Answers answers{role.role() == BanditRole::actor,
                                     role.role() == BanditRole::rewarder || !run.separate_rewarder};
  return std::make_unique<DelayedSite>(site, answers, delay, Prg(root.derive("delay of the " + role.name())),
                                       steady_delay_clock(interrupted), run.in_batches());
}

}  // namespace sotto::apps::bandit::run
