#include "sotto/apps/bandit/commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "sotto/apps/bandit/command/bandit_options.h"
#include "sotto/apps/bandit/link_model.h"
#include "sotto/apps/bandit/local.h"
#include "sotto/apps/bandit/private_bandit.h"
#include "sotto/apps/bandit/result.h"
#include "sotto/apps/kit/files/rounded.h"
#include "sotto/apps/kit/report/json_text.h"
#include "sotto/core/text/count.h"
#include "sotto/core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

nlohmann::ordered_json cost_json(const Cost& cost, const Topology& topology) {
  return {{"rounds", cost.rounds},
          {"bytes", cost.sent_by_largest_party(topology)},
          {"dealt_bytes", cost.dealt}};
}

nlohmann::ordered_json to_json(const BanditPlan& plan, const Ledger& ledger,
                               bool joint_norm_holds) {
  const Topology& topology = ledger.topology();
  nlohmann::ordered_json json;
  json["parties"] = topology.parties();
  json["steps"] = plan.parameters.steps;
  json["arms"] = plan.parameters.arms;
  json["features"] = plan.parameters.features();
  json["max_norm"] = plan.parameters.max_norm;
  json["joint_norm_holds"] = joint_norm_holds;
  json["comparison_bits"] = plan.comparison_bits;
  json["reward_bits"] = plan.reward_bits;
  json["division_rounds"] = plan.division.rounds();
  const Cost steps = ledger.of(step_phase);
  const auto count = static_cast<double>(plan.parameters.steps);
  json["rounds_per_step"] = static_cast<double>(steps.rounds) / count;
  json["bytes_per_step"] = static_cast<double>(steps.sent_by_largest_party(topology)) / count;
  json["dealt_bytes_per_step"] = static_cast<double>(steps.dealt) / count;
  json["phases"] = nlohmann::ordered_json::array();
  for (const Ledger::Phase& phase : ledger.phases()) {
    nlohmann::ordered_json entry{{"name", phase.name}, {"passes", phase.passes}};
    entry.update(cost_json(phase.total, topology));
    entry["rounds_of_a_pass"] = nlohmann::ordered_json::array();
    for (const sotto::RoundCost& round : phase.rounds) {
      nlohmann::ordered_json row{{"labels", round.labels}};
      row.update(cost_json(round.cost, topology));
      entry["rounds_of_a_pass"].push_back(row);
    }
    json["phases"].push_back(entry);
  }
  json["total"] = cost_json(ledger.total(), topology);
  return json;
}

std::string to_text(const BanditPlan& plan, const Ledger& ledger) {
  const Topology& topology = ledger.topology();
  const BanditParameters& p = plan.parameters;
  std::string text = fmt::format(
      "{}, {}, {}, {}; |x| <= {}; scores compared in {}; {}\n\n",
      counted(p.columns.size(), "party"), counted(p.features(), "feature"), counted(p.arms, "arm"),
      counted(p.steps, "step"), advised(p.max_norm), counted(plan.comparison_bits, "bit"),
      counted(plan.division.rounds(), "division round"));
  text += fmt::format("{:<10} {:>6}  {:<52} {:>12} {:>12}\n", "phase", "rounds", "in each round",
                      "a party sends", "dealt");
  for (const Ledger::Phase& phase : ledger.phases()) {
    text +=
        fmt::format("{:<10} {:>6}  {:<52} {:>12} {:>12}\n", phase.name, phase.total.rounds,
                    phase.passes > 1 ? fmt::format("{} passes", phase.passes) : "",
                    human_bytes(static_cast<double>(phase.total.sent_by_largest_party(topology))),
                    human_bytes(static_cast<double>(phase.total.dealt)));
    for (std::size_t i = 0; i < phase.rounds.size(); ++i) {
      const sotto::RoundCost& round = phase.rounds[i];
      text +=
          fmt::format("{:<10} {:>6}  {:<52} {:>12} {:>12}\n", "", i + 1, round.labels,
                      human_bytes(static_cast<double>(round.cost.sent_by_largest_party(topology))),
                      human_bytes(static_cast<double>(round.cost.dealt)));
    }
  }
  const Cost total = ledger.total();
  text += fmt::format("{:<10} {:>6}  {:<52} {:>12} {:>12}\n", "total", total.rounds, "",
                      human_bytes(static_cast<double>(total.sent_by_largest_party(topology))),
                      human_bytes(static_cast<double>(total.dealt)));
  return text;
}

// What the messages of a step take on the links that were asked for.
std::string link_text(const LinkModel& model, const net::LinkConditions& link) {
  return fmt::format("\non links with {}, a step takes {} without its arithmetic: {}\n",
                     net::describe(link), human_seconds(model.total()), link_parts(model));
}

void run(const BanditOptions& options) {
  const LocalInputs inputs = read_local_inputs(options, true);
  const BanditPlan plan = local_plan(local_run_config(options, inputs, 0), inputs);
  const Ledger ledger = plan_costs(plan, {0, options.checkpoint_every});
  nlohmann::ordered_json json = to_json(plan, ledger, options.joint_norm_holds);
  std::string text = to_text(plan, ledger);
  if (options.link.emulated()) {
    const LinkModel model = model_step(step_frames(plan), options.link);
    json["link_seconds_per_step"] = model.total();
    text += link_text(model, options.link);
  }
  if (options.json) text = json_text(json, 2) + "\n";
  std::fputs(text.c_str(), stdout);
}

}  // namespace

void add_plan_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("plan", "Print the exact rounds and bytes of a run before anything runs");
  const auto options = std::make_shared<BanditOptions>();
  add_bandit_options(*command, *options);
  command->footer(
      "Example:\n"
      "  sotto plan --party a.csv --party b.csv --environment labels.csv --max-norm 1 "
      "--joint-norm-holds\n"
      "Roles that are started apart see only their own rows: the plan refuses bounds that they "
      "would "
      "refuse.");
  command->callback([options] { run(*options); });
}

}  // namespace sotto::apps
