#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <string>

#include "apps/kit/files/json.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/out_options.h"
#include "apps/prepare/tables/cell.h"
#include "apps/prepare/tables/prepare_log.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

constexpr const char* leave_out_word = "leave-out";

struct PrepareLogArguments {
  PrepareLogOptions options;
  std::string missing_reward;
  bool no_header = false;
  bool overwrite = false;
  bool json = false;
};

std::string path_text(const std::filesystem::path& path) { return terminal_safe(path.string()); }

nlohmann::ordered_json json_of(const PrepareLogResult& result, const PrepareLogOptions& options) {
  nlohmann::ordered_json json;
  json["log"] = result.log_file.string();
  json["events_file"] = nullptr;
  if (result.events_file) json["events_file"] = result.events_file->string();
  json["events"] = result.events;
  json["ids"] = result.customers;
  json["arms"] = result.arms;
  json["arm_names"] = result.names;
  json["missing_rewards"] = result.missing_rewards;
  json["missing_reward"] = nullptr;
  if (options.default_reward) json["missing_reward"] = *options.default_reward;
  if (options.leave_out) json["missing_reward"] = leave_out_word;
  json["warnings"] = result.warnings;
  return json;
}

std::string text_of(const PrepareLogResult& result, const PrepareLogOptions& options) {
  std::string text = fmt::format("log          {} ({}, {})\n", path_text(result.log_file),
                                 counted(result.events, "event"), counted(result.arms, "arm"));
  if (!result.names.empty())
    text += terminal_safe(fmt::format("arms         {}", fmt::join(result.names, ", "))) + "\n";
  if (result.events_file) {
    text += fmt::format("events       {} ({}, without arms and rewards)\n", path_text(*result.events_file),
                        counted(result.customers, "id"));
  }
  if (result.missing_rewards > 0) {
    text += fmt::format("rewards      {} missing, {}\n", result.missing_rewards,
                        options.leave_out ? "these events were left out; events.csv shows which events had a reward"
                                          : fmt::format("counted as {:g}", options.default_reward.value_or(0)));
  }
  for (const std::string& warning : result.warnings) text += fmt::format("warning      {}\n", terminal_safe(warning));
  return text;
}

std::string next_steps(const PrepareLogResult& result, const PrepareLogOptions& options) {
  const std::string log = terminal_safe(shell_quoted(result.log_file.string()));
  if (!result.events_file) return fmt::format("\nNext: sotto bandit --party ... --log {}\n", log);
  std::string ids;
  for (const std::string& id : options.id) ids += " --id " + terminal_safe(shell_quoted(id));
  return fmt::format(
      "\nNext: each company gets {}, which names the events in order, and makes a row for each:\n"
      "  sotto prepare party TABLE.csv{} --events events.csv\n"
      "A company whose table has only some of these columns gives only those as --id.\n",
      path_text(*result.events_file), ids);
}

void run_prepare_log(PrepareLogArguments arguments) {
  PrepareLogOptions& options = arguments.options;
  options.has_header = !arguments.no_header;
  options.leave_out = arguments.missing_reward == leave_out_word;
  if (!arguments.missing_reward.empty() && !options.leave_out) {
    TableCell cell;
    cell.text = arguments.missing_reward;
    options.default_reward = number_in(cell, CellForm{});
    if (!options.default_reward) throw InputError("--missing-reward", "expected a number, or leave-out");
  }
  check_out_folder(options.output, {"log.csv", "events.csv"}, arguments.overwrite);
  const PrepareLogResult result = prepare_log(options);
  const std::string text = arguments.json ? json_text(json_of(result, options), 2) + "\n"
                                          : text_of(result, options) + next_steps(result, options);
  std::fputs(text.c_str(), stdout);
}

}  // namespace

void add_prepare_log_command(Command& prepare) {
  Command* command = prepare.add_subcommand("log", "A log of earlier play, as it was exported");
  const auto arguments = std::make_shared<PrepareLogArguments>();
  PrepareLogOptions& options = arguments->options;
  options.output = std::filesystem::path("sotto-data") / "log";
  command->add_option("--table,table", options.table, "CSV with a header and one row for each event")->required();
  command
      ->add_option("--id", options.id,
                   "column of ids: one customer may be in many events; give it again for ids of several columns")
      ->each_time()
      ->type_name("COLUMN");
  command->add_option("--arm", options.arm, "column of the arm that was played, a name or a number from 0")
      ->type_name("COLUMN")
      ->shows_default();
  command->add_option("--reward", options.reward, "column of the reward")->type_name("COLUMN")->shows_default();
  command->add_option("--propensity", options.propensity, "column of the probability with which the arm was played")
      ->type_name("COLUMN");
  command->add_option("--keep", options.keep, "a further column for log.csv, such as the country for --segment")
      ->each_time()
      ->type_name("COLUMN");
  command
      ->add_option(
          "--arms", options.arms,
          "names of all arms in order, also of those that were never played (default: the log's names, sorted)")
      ->separated_by(',')
      ->type_name("NAME,...");
  command
      ->add_option("--missing-reward", arguments->missing_reward,
                   "a reward for events without one, such as 0; or leave-out, which leaves these events out")
      ->type_name("NUMBER");
  command->add_option("--missing", options.form.missing, "a further word for a missing value, such as -1 or unknown")
      ->each_time()
      ->type_name("WORD");
  command->add_flag("--decimal-comma", options.form.decimal_comma, "1,5 is one and a half");
  command->add_flag("--no-header", arguments->no_header,
                    "the first line is a row; columns are column_1, column_2, ...");
  command->add_option("--out", options.output, "folder to write to")->shows_default();
  add_overwrite(*command, arguments->overwrite);
  command->add_flag("--json", arguments->json, "print one JSON object");
  command->footer(
      "Examples:\n"
      "  sotto prepare log visits.csv --id customer_id --arm offer --reward bought --missing-reward 0\n"
      "  sotto prepare log visits.csv --id customer_id --id day --arm offer --reward revenue --propensity chance\n"
      "  sotto prepare log visits.csv --id customer_id --arm offer --arms card,gift,sale --keep country");
  command->callback([arguments] { run_prepare_log(*arguments); });
}

}  // namespace sotto::apps::prepare
