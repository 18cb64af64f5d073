#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "apps/kit/files/json.h"
#include "apps/kit/files/json_text.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/number_options.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/report/human.h"
#include "apps/prepare/tables/prepare_party.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

struct PreparePartyArguments {
  PreparePartyOptions options;
  bool no_header = false;
  bool raw_norms = false;
  bool overwrite = false;
  bool json = false;
};

std::string shown(const std::filesystem::path& path) { return terminal_safe(path.string()); }

nlohmann::ordered_json json_of(const PreparePartyResult& result) {
  nlohmann::ordered_json json;
  json["rows_file"] = result.rows_file.string();
  json["recipe"] = nullptr;
  if (result.recipe_file) json["recipe"] = result.recipe_file->string();
  json["environment"] = nullptr;
  if (result.environment_file) json["environment"] = result.environment_file->string();
  json["rows"] = result.rows;
  json["features"] = result.features;
  json["norm"] = result.norm;
  json["missing"] = result.notes.missing;
  json["unknown"] = result.notes.unknown;
  json["clipped"] = result.notes.clipped;
  json["shortened"] = result.notes.shortened;
  json["arms"] = result.arms;
  json["labels"] = result.labels;
  json["explained_variance"] = nullptr;
  if (result.kept_variance) json["explained_variance"] = *result.kept_variance;
  json["columns"] = nlohmann::ordered_json::array();
  for (const ColumnFinding& column : result.columns) {
    json["columns"].push_back({{"name", column.name}, {"done", column.done}});
  }
  json["warnings"] = result.warnings;
  return json;
}

std::string text_of(const PreparePartyResult& result) {
  std::string text =
      fmt::format("rows         {} ({}, {}, norm at most {})\n", shown(result.rows_file), counted(result.rows, "row"),
                  counted(result.features.size(), "feature"), advised(result.norm));
  if (result.recipe_file) text += fmt::format("recipe       {} (keep it as the table)\n", shown(*result.recipe_file));
  if (result.environment_file) {
    text += fmt::format("environment  {} ({})\n", shown(*result.environment_file), counted(result.arms, "arm"));
  }
  if (result.kept_variance) text += fmt::format("kept         {:.1f}% of the variance\n", 100 * *result.kept_variance);
  const RowNotes& notes = result.notes;
  text += fmt::format("cells        {} missing, {} clipped; {} shortened\n", notes.missing, notes.clipped,
                      counted(notes.shortened, "row"));
  return text + findings_text(result.columns, result.warnings);
}

std::string next_steps(const PreparePartyArguments& arguments, const PreparePartyResult& result) {
  if (!result.recipe_file) return "";
  return fmt::format(
      "\nNext: `data = \"{}\"` in [role] of this party's config. Later tables, the same way:\n"
      "  sotto prepare party NEW.csv --recipe {} --out {}\n",
      shown(result.rows_file.filename()), terminal_safe(shell_quoted(result.recipe_file->string())),
      terminal_safe(shell_quoted((arguments.options.output / "new").string())));
}

// Nothing is fitted with a recipe, so nothing else can be asked for.
void check_alone_with_recipe(const Command& command) {
  if (command.count("--recipe") == 0) return;
  for (const char* const flag :
       {"--id", "--label", "--drop", "--one-hot", "--number", "--percent", "--missing", "--not-missing",
        "--decimal-comma", "--categories", "--robust", "--clip", "--components", "--constant", "--no-normalise",
        "--parties", "--max-norm", "--share"}) {
    if (command.count(flag) > 0) {
      throw InputError(flag, "the recipe of --recipe has decided that; leave one of them out");
    }
  }
}

void run_prepare_party(const Command& command, const PreparePartyArguments& arguments) {
  check_alone_with_recipe(command);
  PreparePartyOptions options = arguments.options;
  options.has_header = !arguments.no_header;
  options.fit.unit = !arguments.raw_norms;
  std::vector<std::string> written{"rows.csv", "environment.csv"};
  if (!options.recipe) written.emplace_back("recipe.toml");
  check_out_folder(options.output, written, arguments.overwrite);
  const PreparePartyResult result = prepare_party(options);
  const std::string text =
      arguments.json ? json_text(json_of(result), 2) + "\n" : text_of(result) + next_steps(arguments, result);
  std::fputs(text.c_str(), stdout);
}

}  // namespace

void add_prepare_party_command(Command& prepare) {
  Command* command = prepare.add_subcommand("party", "One company's own table, without the others");
  const auto arguments = std::make_shared<PreparePartyArguments>();
  PreparePartyOptions& options = arguments->options;
  options.output = std::filesystem::path("sotto-data") / "party";
  command->add_option("--table,table", options.table, "CSV with a header; cells may be numbers, texts or missing")
      ->required();
  command->add_option("--id", options.fit.id, "column of ids: no feature, each once")->type_name("COLUMN");
  command->add_option("--label", options.fit.label, "column of the best arm, whole numbers or texts: no feature")
      ->type_name("COLUMN");
  command->add_option("--recipe", options.recipe, "the recipe.toml of an earlier table, for rows of the same kind")
      ->type_name("FILE");
  command->add_option("--out", options.output, "folder to write to")->shows_default();
  add_overwrite(*command, arguments->overwrite);
  command->add_flag("--sort", options.sort, "rows in the order of the ids; all companies must have the same ids");
  command->add_flag("--no-header", arguments->no_header,
                    "the first line is a row; columns are column_1, column_2, ...");
  command->add_option("--parties", options.parties, "companies of the run: each has 1 / sqrt(N) of the norm",
                      whole(2, 8));
  command->add_option("--max-norm", options.max_norm, "of a joint row", real_above_zero());
  command->add_option("--share", options.share, "the norm of this company's rows, instead of the same for all")
      ->number(real_above_zero());
  command->add_option("--components,-d", options.fit.components, "principal components; 0: the features themselves",
                      whole());
  command->add_option("--constant", options.fit.constant,
                      "a further feature that is the same in each row, in parts of their usual length; 0: none",
                      real(0, 100));
  command->add_flag("--no-normalise", arguments->raw_norms,
                    "scale all rows alike and shorten longer ones, instead of bringing every row to the norm");
  add_fit_options(*command, options.fit);
  command->add_flag("--json", arguments->json, "print one JSON object");
  command->footer(
      "Examples:\n"
      "  sotto prepare party customers.csv --id customer_id --parties 2\n"
      "  sotto prepare party customers.csv --id customer_id --drop remarks --one-hot postcode --robust\n"
      "  sotto prepare party november.csv --recipe sotto-data/party/recipe.toml --out november");
  command->callback([command, arguments] { run_prepare_party(*command, *arguments); });
}

}  // namespace sotto::apps::prepare
