#include "apps/bandit/run/role/run_role.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <span>
#include <utility>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/model/phases.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/run/result/role_page.h"
#include "apps/bandit/run/role/earlier_model.h"
#include "apps/bandit/run/role/role_site.h"
#include "apps/bandit/run/role/role_state.h"
#include "apps/bandit/run/stock/stock.h"
#include "apps/kit/account/seen_accounts.h"
#include "apps/kit/deploy/announcement.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/say.h"
#include "apps/kit/report/human.h"
#include "apps/kit/settings/config_options.h"
#include "apps/prepare/data/contexts.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/preprocessing/program_role.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::apps::bandit::run {
namespace {

using Clock = std::chrono::steady_clock;

BanditSchedule schedule_of(const BanditRun& run, const ResumePoint& opening) {
  return BanditSchedule{opening.from_step, run.checkpoint_every};
}

net::DriverOptions options_of(const BanditLinks& role, const BanditRun& run, const BanditPlan& plan,
                              const ResumePoint& opening, const std::atomic<bool>& interrupted) {
  net::DriverOptions options = driver_options(role, interrupted);
  options.epoch = opening.epoch;
  const Topology topology = run.nodes();
  if (topology.has_dealer() && role.role() == BanditRole::party && role.id == topology.last_party()) {
    const BanditSchedule schedule = schedule_of(run, opening);
    options.largest_chunk = largest_chunk(plan, schedule);
    options.deal_ahead = run.deal_ahead;
    if (options.deal_ahead) options.planned_dealt_bytes = plan_costs(plan, schedule).total().dealt;
  }
  return options;
}

class DecisionClock final : public StepObserver {
 public:
  void step_begins(std::uint64_t) override {
    if (!begin_) begin_ = Clock::now();
  }
  void decided(std::uint64_t, std::size_t) override {
    if (begin_) seconds_ += seconds_since(*begin_);
    begin_.reset();
  }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  std::optional<Clock::time_point> begin_;
  double seconds_ = 0;
};

class ShownSteps final : public StepObserver {
 public:
  ShownSteps(const EnvironmentSite* rewards, const Rounds& rounds, std::uint64_t steps)
      : rewards_(rewards), rounds_(rounds), steps_(steps), line_(progress_on_terminal()) {}

  void step_done(std::uint64_t step) override {
    if (!line_.due()) return;
    ProgressState state{step + 1, steps_, {}, rounds_.round()};
    if (rewards_ != nullptr) state.average_reward = rewards_->curve().average();
    line_.update(state);
  }

 private:
  const EnvironmentSite* rewards_;
  const Rounds& rounds_;
  std::uint64_t steps_;
  ProgressLine line_;
};

Matrix decode_weights(const Words& words, const BanditParameters& p, unsigned bits) {
  const std::size_t d = p.features();
  Matrix rows(p.arms, std::vector<double>(d));
  for (std::size_t arm = 0; arm < p.arms; ++arm) {
    for (std::size_t i = 0; i < d; ++i) rows[arm][i] = decode(words[arm * d + i], bits);
  }
  return rows;
}

std::vector<Matrix> decode_inverses(const Words& words, const BanditPlan& plan) {
  const std::size_t d = plan.parameters.features();
  std::vector<Matrix> matrices(plan.parameters.arms, Matrix(d, std::vector<double>(d)));
  std::size_t at = 0;
  for (Matrix& matrix : matrices) {
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = i; j < d; ++j) {
        matrix[i][j] = matrix[j][i] = decode(words[at++], plan.inverse_bits);
      }
    }
  }
  return matrices;
}

void add_node_costs(const net::NodeStatistics& statistics, const Ledger& ledger, NodeId self, RoleReport& report) {
  const Cost steps = cost_of_steps(ledger);
  const Cost ahead = ledger.of(preprocessing_phase);
  report.preprocessing_rounds = ahead.rounds;
  report.preprocessing_bytes_sent = ahead.sent[self];
  report.preprocessing_seconds = statistics.seconds_preprocessing;
  report.rounds = statistics.rounds;
  report.bytes_sent = statistics.total_bytes_sent();
  report.planned_bytes_sent = ledger.total().sent[self];
  report.step_rounds = steps.rounds;
  report.step_bytes_sent = steps.sent[self];
  report.step_dealt_bytes = steps.dealt;
  report.dealt_bytes = statistics.dealt_bytes;
  report.dealing_seconds = statistics.set_up_seconds;
  report.online_seconds = statistics.seconds;
  report.waiting_for_dealer_seconds = statistics.seconds_waiting_for_dealer;
  report.waiting_for_peers_seconds = statistics.seconds_waiting_for_peers;
}

void add_dealer_costs(const net::DealerStatistics& statistics, const Ledger& ledger, RoleReport& report) {
  report.rounds = statistics.rounds;
  report.dealt_bytes = statistics.dealt_bytes;
  report.step_rounds = cost_of_steps(ledger).rounds;
  report.step_dealt_bytes = cost_of_steps(ledger).dealt;
  report.dealing_seconds = statistics.seconds;
  report.cpu_seconds = statistics.cpu_seconds;
}

std::string stock_line(const Stock& stock, std::uint64_t steps) {
  if (stock.stretches() == 0) return "the stock is empty: all randomness is made in the run";
  if (stock.is_whole()) return "the stock has the randomness of the whole run";
  return fmt::format("the stock has the randomness of {} of {}: the rest is made in the run", stock.steps(),
                     counted(steps, "step"));
}

void add_model(const BanditModel& model, const BanditPlan& plan, RoleReport& report) {
  model.weights.if_known(
      [&](const Words& words) { report.weights = decode_weights(words, plan.parameters, model.weights.scale()); });
  model.inverse_triangles.if_known([&](const Words& words) { report.inverse_matrices = decode_inverses(words, plan); });
}

// Only the role's own user learns which rows have too little epsilon left.
[[noreturn]] void refuse(const InputError& refusal, const BanditLinks& role, net::Mesh& mesh) {
  try {
    net::fail_run(std::make_exception_ptr(InputError(role.name() + " refuses this evaluation, by its account")), mesh);
  } catch (const Error&) {
    throw InputError(refusal);
  }
}

net::Mesh connect(const BanditLinks& role, const RoleSite& role_site, net::Resume resume, const RoleExtras& extras,
                  const std::optional<InputError>& refusal, const std::atomic<bool>& interrupted) {
  if (refusal) say("sotto: the account refuses this evaluation; the other roles learn this once they connect");
  try {
    return connect_role(role, role_site.announcement(), std::move(resume), extras.listen_descriptor, interrupted);
  } catch (const Error&) {
    if (refusal) throw InputError(*refusal);
    throw;
  }
}

std::filesystem::path page_of(const std::filesystem::path& report) {
  std::filesystem::path page = report;
  return page.replace_extension(page.extension() == ".html" ? ".page.html" : ".html");
}

// Compares the other roles' accounts with their earlier positions, before this role sends anything of the run.
std::vector<std::string> meet(const BanditLinks& role, const RoleFolders& folders, const AnnouncedData& data) {
  std::filesystem::path seen = folders.seen;
  if (seen.empty()) {
    seen = role.key.empty() ? std::filesystem::path(role.role_key()) : role.key;
    seen += ".seen";
  }
  return check_seen_accounts(seen, data.accounts);
}

}  // namespace

RoleReport run_role(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs, const RoleFolders& folders,
                    const RoleExtras& extras, const std::atomic<bool>& interrupted) {
  const Clock::time_point begin = Clock::now();
  const std::string started = utc_now();
  RoleSite role_site(role, run, inputs);
  RoleState state(role, run, inputs, folders);
  const std::unique_ptr<Stock> stock =
      folders.stock.empty() ? nullptr : open_stock(role, folders.stock, role_site.data_digest());
  const StockState stocked = stock ? stock->state() : StockState{};
  role_site.charge();
  const std::optional<InputError> refusal = role_site.refusal();
  net::Mesh mesh = connect(role, role_site, role_resume(role.topology(), state.resume_state(), stocked), extras,
                           refusal, interrupted);
  if (refusal) refuse(*refusal, role, mesh);
  RoleReport report;
  report.role = role.name();
  report.insecure = insecure_options(role);
  report.joint_norm_holds = run.joint_norm_holds;
  ProgressWriter progress(extras.progress_descriptor);
  const Rounds* rounds = nullptr;  // null before the program runs
  std::optional<AgreedRun> agreed;
  BanditSite site;
  DecisionClock decisions;
  std::optional<ShownSteps> shown;
  net::DriverOptions options;
  ResumePoint opening;
  std::vector<std::string> warnings;
  try {
    const Opening both = opening_of(mesh);
    opening = both.from;
    agreed = agree_on_run(run, mesh);
    warnings = meet(role, folders, agreed->data);
    if (stock) stock->open(both.stock, stocked_data(*agreed), mesh.session());
    options = options_of(role, run, agreed->plan, opening, interrupted);
    site = role_site.open(
        agreed->plan, agreed->data, opening.epoch, extras.record,
        [&](const RewardCurve& curve) { progress.write(curve.steps(), curve.average(), rounds->round()); },
        interrupted);
    // begin() comes after all checks, because afterwards no other run can use this stock. begin() and open_epoch()
    // write to the disk before this role sends the first frame of the epoch.
    if (stock) stock->begin();
    state.open_epoch(opening);
    if (run.in_batches()) site.add(decisions);
    state.attach(site, role_site.rewards(), mesh.session());
  } catch (...) {
    net::fail_run(std::current_exception(), mesh);
  }
  report.setup_seconds = seconds_since(begin);
  // A role that the launcher has started does not warn, because the user of the launcher has all files.
  const std::string risk = order_warning(agreed->data.without_order, role.topology());
  if (!extras.progress_descriptor && !risk.empty()) say("sotto: warning: " + risk);
  if (!extras.progress_descriptor) {
    for (const std::string& warning : warnings) say("sotto: warning: " + warning);
    const auto names = names_in_config(role.program().settings);
    for (const std::string& warning : role_site.warnings()) say("sotto: warning: " + respell_flags(warning, names));
    if (run.task == BanditTask::evaluate && brings_features(role, run)) {
      say(std::string("sotto: ") + evaluation_promise);
      if (inputs.account.empty())
        say("sotto: warning: there is no file in [account], so nothing counts this evaluation");
    }
  }
  if (stock && !extras.progress_descriptor) say("sotto: " + stock_line(*stock, run.steps));
  const std::string label = protocols::expansion_label(net::text_of(mesh.session()), opening.epoch);
  const auto program = [&](Party& party) {
    rounds = &party.rounds();
    if (!extras.progress_descriptor && is_terminal(STDERR_FILENO)) {
      site.add(shown.emplace(role_site.rewards(), *rounds, run.steps));
    }
    return prepared_bandit(party, agreed->plan, site, schedule_of(run, opening),
                           protocols::draw_own_randomness(party, label, role.insecure_seed), stock.get());
  };
  const auto played = [&] {
    try {
      return net::run_program(mesh, program, options, role.insecure_seed);
    } catch (...) {
      if (role_site.charged()) say("sotto: the account keeps what this run has cost: its counts may have been seen");
      throw;
    }
  }();
  if (role.role() == BanditRole::dealer) {
    add_dealer_costs(played.dealer, played.ledger, report);
  } else {
    add_node_costs(played.node, played.ledger, mesh.self(), report);
    report.cpu_seconds = process_cpu_seconds();
    if (run.in_batches()) report.decide_seconds = decisions.seconds();
    if (mesh.self() == 0 && run.reveal_model) add_model(*played.result, agreed->plan, report);
  }
  role_site.add_to(report);
  if (report.account && !extras.progress_descriptor) say("sotto: " + charged_text(*report.account));
  report.peak_memory_bytes = peak_memory_bytes();
  state.add_to(report);
  if (!role.report.empty()) write_role_report(role.report, report);
  if (!role.report.empty() && !extras.progress_descriptor && output_place(role.report).by_rename) {
    write_file(page_of(role.report), role_page(report, run, agreed->plan, started));
  }
  state.mark_complete();
  return report;
}

AgreedRun agree_on_run(const BanditRun& run, const net::Mesh& mesh) {
  return agree_on_run(run, announced_data(mesh, run.computing_only));
}

AgreedRun agree_on_run(const BanditRun& run, AnnouncedData data) {
  if (run.max_norm && !run.joint_norm_holds) {
    if (const auto excess = prepare::joint_norm_excess(data.bounds, *run.max_norm, holder_names(run))) {
      throw DisagreementError(
          fmt::format("{}: {}", *excess, prepare::joint_norm_advice(data.bounds.size(), *run.max_norm)));
    }
  }
  BanditParameters parameters = bandit_parameters(run, data.columns, data.bounds);
  if (data.model) {
    begin_from(parameters, run, parse_model_name(*data.model, run.nodes().name(0)));
  } else if (run.events_before > 0) {
    throw DisagreementError("events_before in [run] says that the run begins from a model, and the parties have none");
  }
  if (run.task == BanditTask::evaluate && data.counts.empty()) {
    throw DisagreementError("a log is evaluated, and nobody who brings features adds noise: they run another version");
  }
  if (run.task != BanditTask::play && run.steps > data.rows) {
    throw DisagreementError(
        fmt::format("steps = {} in [run], but the log is about {}", run.steps, counted(data.rows, "row")));
  }
  parameters.held_out.by_best = run.task == BanditTask::evaluate && data.best.has_value();
  add_learning_noise(parameters, data.counts);
  BanditPlan plan = plan_bandit(std::move(parameters));
  return AgreedRun{std::move(plan), std::move(data)};
}

std::string stocked_data(const AgreedRun& agreed) {
  const BanditParameters& p = agreed.plan.parameters;
  return fmt::format("columns = {}\nmax_norm = {}\nmodel = {}\n", fmt::join(p.columns, ", "), p.max_norm,
                     agreed.data.model.value_or("none"));
}

net::Resume role_resume(const Topology& topology, const ResumeState& mine, const StockState& stock) {
  net::Resume state = resume_from(topology, mine);
  return topology.has_dealer() ? state : with_stock(topology, stock, std::move(state));
}

Opening opening_of(const net::Mesh& mesh) {
  std::span<const std::byte> bytes = mesh.resume_point();
  const auto stock = mesh.topology().has_dealer() ? std::optional(StockPoint{}) : take_stock_point(bytes);
  const auto from = decode_resume_point(bytes);
  if (stock && from) return Opening{*from, *stock};
  throw ProtocolError(ProtocolError::Kind::malformed, "", 0,
                      "the peers agreed on a point from which no run can continue");
}

}  // namespace sotto::apps::bandit::run
