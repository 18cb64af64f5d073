#include "apps/o3m/role_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>

#include "apps/kit/deploy/announcement.h"
#include "apps/kit/deploy/finding.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/files/input_file.h"
#include "apps/kit/program/about.h"
#include "apps/kit/report/described.h"
#include "apps/o3m/leakage.h"
#include "apps/o3m/masking.h"
#include "apps/o3m/plan.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/driver/run.h"

namespace sotto::apps::o3m {
namespace {

constexpr std::uint64_t steps_between_looks = 64;

void check_shape(const std::string& file, std::size_t steps, std::size_t arms, const O3mSettings& run) {
  if (arms != run.arms) {
    throw InputError(file, fmt::format("{}, but the run has {}", counted(arms, "arm"), run.arms));
  }
  if (steps < run.steps) {
    throw InputError(
        file, fmt::format("{}, but the run has {}: set steps in [run] to fewer at all roles, or use a longer file",
                          counted(steps, "step"), run.steps));
  }
}

using Clock = std::chrono::steady_clock;

O3mPlan agree(const O3mSettings& run, const net::Mesh& mesh) {
  AnnouncedData data = announced_data(mesh);
  return plan_o3m(o3m_parameters(run, std::move(data.columns), std::move(data.bounds)));
}

void add(const MaskedRun& run, O3mRoleReport& report) {
  report.rounds = run.rounds;
  report.bytes_sent = run.bytes_sent;
  report.planned_bytes_sent = run.planned_bytes_sent;
  report.bytes_received = run.bytes_received;
  report.masking_seconds = run.seconds;
  report.waiting_seconds = run.seconds_waiting;
}

std::filesystem::path scores_file(std::filesystem::path report) { return report += ".scores"; }

std::string bytes_of(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

std::vector<double> read_scores(const std::filesystem::path& path, std::size_t count) {
  const std::string bytes = read_file(path, count * sizeof(double));
  if (bytes.size() != count * sizeof(double)) {
    throw InputError(path.string(), "not the scores of the report next to it");
  }
  std::vector<double> scores(count);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(scores.data()));
  return scores;
}

}  // namespace

O3mRoleSite::O3mRoleSite(const O3mSettings& config) : config_(config) {
  if (!config.contexts.empty()) {
    contexts_ = read_contexts(ContextFiles{config.contexts, config.arms_file, config.combine, config.arms});
    check_shape(contexts_->file, contexts_->steps, contexts_->arms, config);
  }
  if (config.environment.empty()) return;
  environment_ = O3mEnvironment::read(config.environment);
  check_shape(environment_->file(), environment_->steps(), environment_->arms(), config);
  if (contexts_->first_step.value_or(environment_->first_step()) != environment_->first_step()) {
    throw InputError(environment_->file(),
                     fmt::format("steps are counted from {}, but from {} in {}", environment_->first_step(),
                                 *contexts_->first_step, contexts_->file));
  }
}

Findings O3mSettings::check_files() const {
  if (contexts.empty()) return {};
  try {
    const O3mRoleSite reads_and_checks(*this);
    Findings findings{good("contexts", reads_and_checks.contexts_in_short())};
    if (!environment.empty()) {
      findings.push_back(good("environment", reads_and_checks.environment_in_short()));
    }
    return findings;
  } catch (const Error& error) {
    return {problem("files", error.exit_code(), error.what())};
  }
}

std::string O3mRoleSite::announcement() const {
  if (!contexts_) return {};
  return to_text(Announcement{contexts_->steps, contexts_->columns, contexts_->bound, contexts_->first_step});
}

std::string O3mRoleSite::contexts_in_short() const {
  return fmt::format("{}: {}, {}, {}", contexts_->file, counted(contexts_->steps, "step"),
                     counted(contexts_->arms, "arm"), counted(contexts_->columns, "column"));
}

std::string O3mRoleSite::environment_in_short() const {
  return fmt::format("{}: {}, {}, {}", environment_->file(), counted(environment_->steps(), "step"),
                     counted(environment_->arms(), "arm"), environment_->has_means() ? "with means" : "without means");
}

void O3mRoleSite::open(const O3mPlan& plan, bool record_scores, OnStep on_step, const std::atomic<bool>& interrupted) {
  on_step_ = std::move(on_step);
  interrupted_ = &interrupted;
  if (!environment_) return;
  const std::optional<Seed> fixed = insecure("ties and noise");
  const Seed fresh = fixed ? fixed->derive("stream") : Seed::from_os();
  std::memcpy(&stream_seed_, fresh.expose().data(), sizeof stream_seed_);
  O3mPlayerOptions options;
  options.bandit = bandit_options(plan.parameters, stream_seed_);
  options.steps = plan.parameters.steps;
  options.keep_scores = record_scores;
  player_.emplace(options, [this](std::uint64_t step, std::size_t arm) { return reward(step, arm); });
}

std::optional<Seed> O3mRoleSite::insecure(const std::string& purpose) const {
  if (!config_.insecure_seed) return std::nullopt;
  return Seed::insecure_from_number(*config_.insecure_seed)
      .derive(fmt::format("o3m, {} of role {}", purpose, role_id(config_)));
}

Seed O3mRoleSite::secret() const {
  std::optional<Seed> fixed = insecure("secret");
  return fixed ? std::move(*fixed) : Seed::from_os();
}

std::vector<double> O3mRoleSite::draw_mask(std::size_t dimension) {
  const std::optional<Seed> fixed = insecure("mask");
  return fixed ? random_orthogonal(dimension, *fixed) : random_orthogonal(dimension);
}

std::span<const double> O3mRoleSite::contexts(std::uint64_t first, std::size_t steps) {
  const std::size_t step_size = contexts_->arms * contexts_->columns;
  return std::span<const double>(contexts_->values).subspan(first * step_size, steps * step_size);
}

void O3mRoleSite::take(std::uint64_t first, std::span<const double> masked) { player_->take(first, masked); }

double O3mRoleSite::reward(std::uint64_t step, std::size_t arm) {
  const double value = environment_->reward(step, arm);
  rewards_ += value;
  if (step % steps_between_looks == 0) {
    if (interrupted_->load(std::memory_order_relaxed)) throw Interrupted();
    if (on_step_) on_step_(step + 1, rewards_ / static_cast<double>(step + 1));
  }
  return value;
}

void O3mRoleSite::finish(O3mRoleReport& report) {
  if (!player_) return;
  report.prefetched = player_->played() == 0;
  O3mPlay play = player_->finish();
  report.average_reward = rewards_ / static_cast<double>(play.rewards.size());
  if (environment_->has_means()) {
    double regret = 0;
    for (std::size_t t = 0; t < play.arms.size(); ++t) {
      regret += *environment_->regret(t, play.arms[t]);
    }
    report.cumulative_regret = regret;
  }
  report.arms = std::move(play.arms);
  report.rewards = std::move(play.rewards);
  report.scores = std::move(play.scores);
  report.play_seconds = play.seconds;
  report.stream_seed = stream_seed_;
}

O3mRoleReport run_o3m_role(const O3mSettings& config, const RoleExtras& extras, const std::atomic<bool>& interrupted) {
  const Clock::time_point begin = Clock::now();
  O3mRoleSite site(config);
  net::Mesh mesh = connect_role(config, site.announcement(), {}, extras.listen_descriptor, interrupted);
  O3mRoleReport report;
  report.role = config.name();
  report.insecure = insecure_options(config);
  RoleProgress progress(extras, config.steps);
  std::optional<O3mPlan> plan;
  try {
    plan = agree(config, mesh);
    site.open(
        *plan, extras.record, [&](std::uint64_t steps, double average) { progress.write(steps, average, 0); },
        interrupted);
  } catch (...) {
    net::fail_run(std::current_exception(), mesh);
  }
  report.leakage = leakage_words(plan->parameters);
  report.setup_seconds = seconds_since(begin);
  add(run_masked(mesh, *plan, site, site.secret(), driver_options(config, interrupted)), report);
  site.finish(report);
  report.cpu_seconds = process_cpu_seconds();
  report.peak_memory_bytes = peak_memory_bytes();
  report.total_seconds = seconds_since(begin);
  if (!config.report.empty()) write_o3m_report(config.report, report);
  return report;
}

void write_o3m_report(const std::filesystem::path& path, O3mRoleReport report) {
  if (!report.scores.empty()) {
    write_file(scores_file(path), bytes_of(report.scores));
    report.scores_beside = report.scores.size();
  }
  write_described(path, report);
}

O3mRoleReport read_o3m_report(const std::filesystem::path& path) {
  auto report = read_described_file<O3mRoleReport>(path, "the report of a role");
  if (report.scores_beside) report.scores = read_scores(scores_file(path), *report.scores_beside);
  return report;
}

}  // namespace sotto::apps::o3m
