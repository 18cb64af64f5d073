#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/phases.h"
#include "apps/bandit/run/command/commands.h"
#include "apps/kit/settings/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "apps/bandit/model/step/step_plan.h"
#include "apps/bandit/run/local/local.h"
#include "apps/bandit/run/local/mode_costs.h"
#include "apps/bandit/run/result/link_model.h"
#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/kit/files/json.h"
#include "apps/kit/program/command.h"
#include "apps/kit/report/described.h"
#include "apps/kit/report/human.h"
#include "apps/kit/settings/config_options.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

nlohmann::ordered_json cost_json(const Cost& cost, const Topology& topology) {
  return {{"rounds", cost.rounds}, {"bytes", cost.sent_by_largest_party(topology)}, {"dealt_bytes", cost.dealt}};
}

const std::vector<sotto::RoundCost>& rounds_of(const Ledger::Phase& phase, const Ledger& full) {
  for (const Ledger::Phase& of_full : full.phases()) {
    if (plays_steps(phase.name) && of_full.name == phase.name) return of_full.rounds;
  }
  return phase.rounds;
}

nlohmann::ordered_json to_json(const BanditPlan& plan, const Ledger& ledger, const Ledger& full,
                               bool joint_norm_holds) {
  const Topology& topology = ledger.topology();
  nlohmann::ordered_json json;
  json["parties"] = topology.parties();
  json["computing_only"] = plan.parameters.computing_only;
  json["owners"] = topology.owners();
  json["steps"] = plan.parameters.steps;
  json["arms"] = plan.parameters.arms;
  json["features"] = plan.parameters.features();
  json["max_norm"] = plan.parameters.max_norm;
  json["joint_norm_holds"] = joint_norm_holds;
  json["comparison_bits"] = plan.comparison_bits;
  json["reward_bits"] = plan.reward_bits;
  json["batch"] = plan.parameters.batch;
  json["reward_lag"] = plan.parameters.reward_lag;
  if (plan.batches) {
    json["batches"] = json_of(*plan.batches);
    if (plan.evaluation) json["evaluation"] = json_of(*plan.evaluation);
  } else {
    json["contexts_ahead"] = plan.parameters.contexts_ahead;
    json["single_step"] = json_of(*plan.step);
    json["division_rounds"] = plan.step->division.rounds();
  }
  const Cost steps = cost_of_steps(ledger);
  const auto count = static_cast<double>(plan.parameters.steps);
  json["rounds_per_step"] = static_cast<double>(steps.rounds) / count;
  json["bytes_per_step"] = static_cast<double>(steps.sent_by_largest_party(topology)) / count;
  json["dealt_bytes_per_step"] = static_cast<double>(steps.dealt) / count;
  const Cost ahead = ledger.of(preprocessing_phase);
  json["preprocessing"] = name_of(plan.parameters.preprocessing);
  json["preprocessing_rounds"] = ahead.rounds;
  json["preprocessing_bytes"] = ahead.sent_by_largest_party(topology);
  json["phases"] = nlohmann::ordered_json::array();
  for (const Ledger::Phase& phase : ledger.phases()) {
    nlohmann::ordered_json entry{{"name", phase.name}, {"passes", phase.passes}};
    entry.update(cost_json(phase.total, topology));
    entry["rounds_of_a_pass"] = nlohmann::ordered_json::array();
    for (const sotto::RoundCost& round : rounds_of(phase, full)) {
      nlohmann::ordered_json row{{"labels", round.labels}};
      row.update(cost_json(round.cost, topology));
      entry["rounds_of_a_pass"].push_back(row);
    }
    json["phases"].push_back(entry);
  }
  json["total"] = cost_json(ledger.total(), topology);
  return json;
}

std::string events_text(const BanditPlan& plan, const Cost& steps, const Topology& topology) {
  const auto each = [&](std::uint64_t all) {
    return static_cast<double>(all) / static_cast<double>(plan.parameters.steps);
  };
  return fmt::format("{:<10} {:>6.3g}  {:<52} {:>12} {:>12}\n\nrounds are shown of a batch of {}\n", "an event",
                     each(steps.rounds), "", human_bytes(each(steps.sent_by_largest_party(topology))),
                     human_bytes(each(steps.dealt)),
                     counted(std::min<std::uint64_t>(plan.parameters.batch, plan.parameters.steps), "event"));
}

std::string parties_text(const BanditParameters& p) {
  std::string text = counted(p.holders().parties, "party");
  if (p.computing_only > 0) text += fmt::format(", {} of them only to compute", p.computing_only);
  if (p.owners > 0) text += ", " + counted(p.owners, "owner");
  return text;
}

std::string to_text(const BanditPlan& plan, const Ledger& ledger, const Ledger& full) {
  const Topology& topology = ledger.topology();
  const BanditParameters& p = plan.parameters;
  const std::string steps =
      plan.batches
          ? fmt::format("{} in batches of {}{}", counted(p.steps, "event"), p.batch,
                        p.reward_lag == 0 ? "" : fmt::format(", rewards {} late", counted(p.reward_lag, "event")))
          : counted(p.steps, "step");
  std::string text = fmt::format(
      "{}, {}, {}, {}; |x| <= {}; scores compared in {}; {}\n\n", parties_text(p), counted(p.features(), "feature"),
      counted(p.arms, "arm"), steps, advised(p.max_norm), counted(plan.comparison_bits, "bit"),
      plan.batches ? fmt::format("step lengths from a table of 2^{}", plan.batches->table_bits)
                   : counted(plan.step->division.rounds(), "division round"));
  text +=
      fmt::format("{:<10} {:>6}  {:<52} {:>12} {:>12}\n", "phase", "rounds", "in each round", "a party sends", "dealt");
  for (const Ledger::Phase& phase : ledger.phases()) {
    if (phase.total.rounds == 0) continue;
    const bool ahead = phase.name == preprocessing_phase;
    text += fmt::format("{:<10} {:>6}  {:<52} {:>12} {:>12}\n", ahead ? "made ahead" : phase.name, phase.total.rounds,
                        ahead              ? "randomness, by the parties themselves"
                        : phase.passes > 1 ? fmt::format("{} passes", phase.passes)
                                           : "",
                        human_bytes(static_cast<double>(phase.total.sent_by_largest_party(topology))),
                        human_bytes(static_cast<double>(phase.total.dealt)));
    if (ahead) continue;
    const std::vector<sotto::RoundCost>& rounds = rounds_of(phase, full);
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      const sotto::RoundCost& round = rounds[i];
      text += fmt::format("{:<10} {:>6}  {:<52} {:>12} {:>12}\n", "", i + 1, round.labels,
                          human_bytes(static_cast<double>(round.cost.sent_by_largest_party(topology))),
                          human_bytes(static_cast<double>(round.cost.dealt)));
    }
  }
  const Cost total = ledger.total();
  text += fmt::format("{:<10} {:>6}  {:<52} {:>12} {:>12}\n", "total", total.rounds, "",
                      human_bytes(static_cast<double>(total.sent_by_largest_party(topology))),
                      human_bytes(static_cast<double>(total.dealt)));
  if (plan.batches) text += events_text(plan, cost_of_steps(ledger), topology);
  return text;
}

std::string link_text(const LinkModel& model, const net::LinkConditions& link, bool in_batches) {
  return fmt::format("\non links with {}, {} takes {} without its arithmetic: {}\n", net::describe(link),
                     in_batches ? "an event" : "a step", human_seconds(model.total()), link_parts(model));
}

std::string randomness_text(const ModeCosts& costs, RandomnessBy by, const net::LinkConditions& link) {
  const bool dealt = by == RandomnessBy::dealer;
  std::string text =
      fmt::format("\n{} some {} of work on two cores of the reference machine\n",
                  dealt ? "a dealer takes" : "what is made ahead takes", human_seconds(costs.work_seconds));
  if (costs.link_seconds > 0) {
    text += fmt::format("and {} for its rounds and bytes on links with {}\n", human_seconds(costs.link_seconds),
                        net::describe(link));
  }
  return text;
}

struct PlanArguments {
  BanditOptions options;
  bool all_modes = false;
  bool kept_best = false;
  std::vector<std::size_t> columns;
  std::filesystem::path config;
};

struct Planned {
  BanditSettings run;
  BanditPlan plan;
};

Planned plan_of_files(const BanditOptions& options) {
  const LocalInputs inputs = read_local_inputs(options, true);
  BanditSettings run = local_run_config(options, inputs, 0);
  const BanditPlan plan = local_plan(run, inputs);
  run.joint_norm_holds = options.run.joint_norm_holds;
  return {std::move(run), plan};
}

// Without --max-norm, the plan assumes that the parties scale their rows to a joint norm of 1.
Planned plan_of_shapes(const PlanArguments& arguments, BanditSettings run) {
  require_randomness(run);
  require_holders(run);
  const std::size_t holders = run.holders().count();
  if (holders != arguments.columns.size()) {
    throw InputError("--columns",
                     run.owners == 0 && run.computing_only == 0
                         ? fmt::format("{} given, but the run has {}: say how many features each party has",
                                       counted(arguments.columns.size(), "number"), counted(run.parties, "party"))
                         : fmt::format("{} given, but {} bring features: say how many each has, parties first, then "
                                       "owners",
                                       counted(arguments.columns.size(), "number"), holders));
  }
  const double bound = 1 / std::sqrt(static_cast<double>(holders));
  BanditParameters parameters = bandit_parameters(run, arguments.columns, std::vector<double>(holders, bound));
  if (arguments.kept_best) {
    if (run.task != BanditTask::evaluate) throw InputError("--kept-best", "is of --task evaluate: leave it out");
    parameters.held_out.by_best = true;
  }
  return {std::move(run), plan_bandit(std::move(parameters))};
}

BanditSettings run_of_flags(const PlanArguments& arguments) {
  const BanditOptions& options = arguments.options;
  if (options.run.steps == 0) throw UsageError("--steps is required with --columns");
  if (options.run.arms == 0) throw UsageError("--arms is required with --columns");
  BanditSettings run = options.run;
  if (run.owners > arguments.columns.size()) {
    throw InputError("--owners", fmt::format("{} of {} in --columns", counted(run.owners, "owner"),
                                             counted(arguments.columns.size(), "number")));
  }
  run.parties = arguments.columns.size() - run.owners + run.computing_only;
  if (run.parties < 2 || run.parties > max_parties) {
    throw InputError("--columns", fmt::format("a run has 2 to {} parties, {} given", max_parties, run.parties));
  }
  return run;
}

BanditSettings run_of_config(const std::filesystem::path& file) {
  const Keys keys({&bandit_program()});
  ConfigDocument document = read_document(keys, file);
  document.program = &program_of(document);
  BanditSettings run;
  read_settings(document, run, {"run", "link"});
  return run;
}

Planned planned(const PlanArguments& arguments) {
  if (!arguments.config.empty()) {
    return plan_of_shapes(arguments, run_of_config(arguments.config));
  }
  if (!arguments.columns.empty()) return plan_of_shapes(arguments, run_of_flags(arguments));
  return plan_of_files(arguments.options);
}

void run_plan(const PlanArguments& arguments) {
  const Planned planned_run = planned(arguments);
  const BanditPlan& plan = planned_run.plan;
  const BanditSettings& settings = planned_run.run;
  const Ledger ledger = plan_costs(plan, {0, settings.checkpoint_every});
  const Ledger full = plan.batches ? plan_full_batches(plan) : ledger;
  nlohmann::ordered_json json = to_json(plan, ledger, full, settings.joint_norm_holds);
  std::string text = to_text(plan, ledger, full);
  if (settings.link.emulated() && settings.task == BanditTask::play) {
    const LinkModel model = model_run(plan, settings.link);
    json["link_seconds_per_step"] = model.total();
    text += link_text(model, settings.link, plan.batches != nullptr);
  }
  const ModeCosts costs = mode_costs(plan, ledger, settings.link);
  json["preprocessing_work_seconds"] = costs.work_seconds;
  json["preprocessing_link_seconds"] = costs.link_seconds;
  json["preprocessing_seconds"] = costs.seconds();
  text += randomness_text(costs, settings.preprocessing, settings.link);
  if (arguments.all_modes) {
    const FigureTable modes = mode_table(mode_choices(settings, plan), ledger.topology());
    json["modes"] = modes.to_json();
    text += "\n" + modes.to_text();
  }
  if (arguments.options.json) text = json_text(json, 2) + "\n";
  std::fputs(text.c_str(), stdout);
}

void require_one_kind(const Command& command) {
  const bool files = command.count("--party") > 0 || command.count("--owner") > 0 || command.count("--environment") > 0;
  const bool shapes = command.count("--columns") > 0;
  if (command.count("--config") > 0) {
    if (!shapes) throw UsageError("--columns is required with --config: a config does not know other parties' data");
    for (const auto& option : command.options()) {
      const bool fits = option->flag == "--config" || option->flag == "--columns" || option->flag == "--json" ||
                        option->flag == "--compare-preprocessing" || option->flag == "--kept-best";
      if (option->count() > 0 && !fits) {
        throw UsageError(fmt::format("--config excludes {}: the config says it", option->flag));
      }
    }
  } else if (shapes && files) {
    throw UsageError("--columns excludes --party, --owner and --environment: it stands in for files");
  } else if (!shapes) {
    if (command.count("--kept-best") > 0) throw UsageError("--kept-best needs --columns");
    if (command.count("--owners") > 0) throw UsageError("--owners needs --columns: name each owner's file by --owner");
    for (const char* flag : {"--party", "--environment"}) {
      const bool only_owners = flag == std::string("--party") && command.count("--owner") > 0;
      if (command.count(flag) == 0 && !only_owners) throw UsageError(std::string(flag) + " is required");
    }
  }
}

}  // namespace

void add_plan_command(Command& app) {
  Command* command = app.add_subcommand("plan", "Print the exact rounds and bytes of a run before anything runs");
  const auto arguments = std::make_shared<PlanArguments>();
  add_bandit_options(*command, arguments->options);
  command->option("--party")->required(false);
  command->option("--environment")->required(false);
  command
      ->add_option("--columns", arguments->columns,
                   "Features of each party, then of each owner, instead of files: then with --arms and --steps")
      ->separated_by(',')
      ->type_name("N,...")
      ->number(whole(1, 1U << 20));
  add_setting_option(*command, arguments->options.run, "run.owners")->help =
      "How many of --columns are of organisations that do not compute";
  for (const char* setting : {"run.task", "run.events_before", "run.held_out", "run.cells", "run.answers"}) {
    add_setting_option(*command, arguments->options.run, setting);
  }
  command->add_flag("--compare-preprocessing", arguments->all_modes,
                    "Also plan the run with every way to make its randomness, in a table");
  command->add_flag("--kept-best", arguments->kept_best,
                    "Plan an evaluation whose parties have shares of best arms, as a live service archives them");
  command->add_option("--config", arguments->config, "A role's config, with --columns")->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  sotto plan --columns 10,10 --arms 10 --steps 1000\n"
      "  sotto plan --columns 10,10 --arms 10 --steps 1000000 --batch 256 --reward-lag 1000\n"
      "  sotto plan --columns 10,10 --arms 10 --steps 100000 --batch 256 --task evaluate\n"
      "  sotto plan --columns 10,10 --arms 10 --steps 1000 --compare-preprocessing\n"
      "  sotto plan --columns 5,5,5,5 --owners 4 --computing-only 3 --preprocessing replicated --arms 10 --steps 1000\n"
      "  sotto plan --config party_0/config.toml --columns 10,10\n"
      "  sotto plan --party a.csv --party b.csv --environment labels.csv --max-norm 1 --joint-norm-holds\n"
      "Roles that are started apart see only their own rows: the plan refuses bounds that they would refuse.");
  command->callback([command, arguments] {
    require_one_kind(*command);
    run_plan(*arguments);
  });
}

}  // namespace sotto::apps::bandit::run
