#include "apps/prepare/command/prepare.h"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "apps/kit/files/json.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/program/say.h"
#include "apps/kit/report/human.h"
#include "apps/prepare/data/contexts.h"
#include "apps/prepare/tables/prepare_log.h"
#include "apps/prepare/tables/prepare_party.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

struct PrepareArguments {
  PrepareOptions options;
  std::string split;
  bool raw_norms = false;
  bool raw_columns = false;
  bool overwrite = false;
  bool json = false;
};

const std::vector<std::string> written_files{"environment.csv", "party_0.csv", "party_1.csv",
                                             "party_2.csv",     "party_3.csv", "party_4.csv",
                                             "party_5.csv",     "party_6.csv", "party_7.csv"};

std::string next_command(const PrepareResult& result) {
  std::string command = "sotto bandit";
  for (const auto& party : result.parties) command += " --party " + terminal_safe(shell_quoted(party.string()));
  command += fmt::format(" --environment {} --epsilon 0.1 --max-norm {}",
                         terminal_safe(shell_quoted(result.environment.string())), result.max_norm);
  return result.has_each_label ? command : command + fmt::format(" --arms {}", result.arms);
}

nlohmann::ordered_json to_json(const PrepareResult& result) {
  nlohmann::ordered_json json;
  json["party_files"] = nlohmann::ordered_json::array();
  for (const auto& party : result.parties) json["party_files"].push_back(party.string());
  json["environment"] = result.environment.string();
  json["max_norm"] = result.max_norm;
  json["joint_norm_holds"] = true;
  json["rows"] = result.rows;
  json["split"] = result.split;
  json["arms"] = result.arms;
  json["zero_rows"] = result.zero_rows;
  json["explained_variance"] = nullptr;
  if (result.explained_variance) json["explained_variance"] = *result.explained_variance;
  json["best_reward"] = result.best_reward;
  json["uniform_reward"] = result.uniform_reward;
  json["columns"] = nlohmann::ordered_json::array();
  for (const ColumnFinding& column : result.columns) {
    json["columns"].push_back({{"name", column.name}, {"done", column.done}});
  }
  json["labels"] = result.labels;
  json["warnings"] = result.warnings;
  json["next"] = next_command(result);
  return json;
}

std::string to_text(const PrepareResult& result) {
  std::string text;
  for (std::size_t p = 0; p < result.parties.size(); ++p) {
    text += fmt::format("party {}      {} ({}, {})\n", p, terminal_safe(result.parties[p].string()),
                        counted(result.rows, "row"), counted(result.split[p], "column"));
  }
  text += fmt::format("environment  {} ({}; the best arm earns {:.3f} on average, a random one {:.3f})\n",
                      terminal_safe(result.environment.string()), counted(result.arms, "arm"), result.best_reward,
                      result.uniform_reward);
  if (result.explained_variance) {
    text += fmt::format("kept         {:.1f}% of the variance\n", 100 * *result.explained_variance);
  }
  if (result.zero_rows > 0) {
    text +=
        fmt::format("warning      {} {}\n", counted(result.zero_rows, "row"),
                    result.zero_rows == 1 ? "has no direction and is all zero" : "have no direction and are all zero");
  }
  if (result.max_norm > largest_max_norm) {
    text += fmt::format(
        "warning      sotto bandit takes norms up to {}: leave out --no-normalise, or multiply the raw columns by "
        "{:.2g}\n",
        largest_max_norm, 0.95 * largest_max_norm / result.max_norm);
  }
  text += findings_text(result.columns, result.warnings);
  text += fmt::format("use          --max-norm {} --joint-norm-holds\n", result.max_norm);
  return text + fmt::format("\nNext:\n  {}\n", next_command(result));
}

std::map<std::string, std::string> own_flags() { return {{"--label", "--label-column"}}; }

void run_prepare(const PrepareArguments& arguments) {
  PrepareOptions options = arguments.options;
  if (!arguments.split.empty()) options.split = parse_split(arguments.split);
  options.normalise = !arguments.raw_norms;
  options.fit.standardise = !arguments.raw_columns;
  check_out_folder(options.output, written_files, arguments.overwrite);
  PrepareResult result = prepare(options);
  for (std::string& warning : result.warnings) warning = respell_flags(warning, own_flags());
  const std::string text = arguments.json ? json_text(to_json(result), 2) + "\n" : to_text(result);
  std::fputs(text.c_str(), stdout);
}

Command* add_source(Command& parent, DataSource source, const std::string& name, const std::string& about,
                    const std::string& examples) {
  Command* command = parent.add_subcommand(name, about);
  const auto arguments = std::make_shared<PrepareArguments>();
  PrepareOptions& options = arguments->options;
  options.source = source;
  options.output = std::filesystem::path("sotto-data") / name;
  const char* input_about = source == DataSource::mnist ? "folder of MNIST's IDX files (see scripts/get-mnist)"
                            : source == DataSource::csv ? "CSV with a header; cells may be numbers, texts or missing"
                                                        : "another file than the digits that come with sotto";
  auto* input = command->add_option("--input,input", options.input, input_about);
  if (source != DataSource::digits) input->required();
  if (source == DataSource::csv) {
    command->add_option("--label-column", options.label_column,
                        "column of labels (whole numbers or texts); it is not a feature");
    command->add_option("--id", options.fit.id, "column of ids; it is not a feature")->each_time()->type_name("COLUMN");
    command->add_flag("--no-standardise", arguments->raw_columns, "leave the numbers of columns as they are");
    add_fit_options(*command, options.fit);
    command->renames_flags(own_flags());
  }
  command->add_option("--out", options.output, "folder to write to")->shows_default();
  add_overwrite(*command, arguments->overwrite);
  command
      ->add_option("--components,-d", options.components,
                   "principal components; 0 keeps the columns (default 20, or all if fewer)")
      ->number(whole());
  command->add_option("--split", arguments->split, "columns of each party, as 10,10 (default: two halves)");
  command->add_flag("--no-normalise", arguments->raw_norms, "leave the norms of the rows as they are");
  command->add_option("--kmeans", options.kmeans, "make so many arms from clusters of the contexts, instead of labels")
      ->number(whole());
  command->add_option("--seed", options.seed, "seed of the clusters and their rewards", whole());
  command->add_option("--shuffle", options.shuffle, "permute the rows by this seed (default: file order)")
      ->number(whole());
  command->add_option("--limit", options.limit, "keep the first so many rows")->number(whole());
  command->add_flag("--json", arguments->json, "print one JSON object");
  command->footer("Examples:\n" + examples);
  command->callback([arguments] { run_prepare(*arguments); });
  return command;
}

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
  json["absent"] = result.absent;
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
  if (result.absent > 0) {
    text += fmt::format("absent       {} of an id that the table lacks: every value is missing\n",
                        counted(result.absent, "event"));
  }
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

void check_alone_with_recipe(const Command& command) {
  if (command.count("--recipe") == 0) return;
  for (const char* const flag :
       {"--id", "--subject", "--label", "--drop", "--one-hot", "--number", "--percent", "--missing", "--not-missing",
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

void add_prepare_command(Command& app) {
  Command* command = app.add_subcommand("prepare", "Turn raw data into the files of a run");
  add_source(*command, DataSource::digits, "digits", "The UCI digits that come with sotto (1797 rows)",
             "  sotto prepare digits\n"
             "  sotto prepare digits --split 8,6,6 --out three-parties");
  add_source(*command, DataSource::mnist, "mnist", "MNIST's 60,000 training rows",
             "  scripts/get-mnist build/mnist && sotto prepare mnist build/mnist\n"
             "  sotto prepare mnist build/mnist --kmeans 20 --shuffle 1");
  add_source(*command, DataSource::csv, "csv", "A CSV with the columns of all companies",
             "  sotto prepare csv patients.csv --label-column best_therapy\n"
             "  sotto prepare csv patients.csv --components 0 --split 3,5 --kmeans 4 --no-standardise");
  add_prepare_party_command(*command);
  add_prepare_log_command(*command);
  command->footer("Each of them has a --help of its own.");
}

void add_prepare_party_command(Command& prepare) {
  Command* command = prepare.add_subcommand("party", "One company's own table, without the others");
  const auto arguments = std::make_shared<PreparePartyArguments>();
  PreparePartyOptions& options = arguments->options;
  options.output = std::filesystem::path("sotto-data") / "party";
  command->add_option("--table,table", options.table, "CSV with a header; cells may be numbers, texts or missing")
      ->required();
  command
      ->add_option("--id", options.fit.id,
                   "column of ids: no feature, each once; give it again for ids of several columns")
      ->each_time()
      ->type_name("COLUMN");
  command
      ->add_option("--events", options.events,
                   "the events.csv of `sotto prepare log`: a row for each event, so a customer may be in many events")
      ->type_name("FILE");
  command
      ->add_flag("--absent-missing", options.allows_absent,
                 "events whose id is not in the table get a row in which every value is missing")
      ->needs("--events");
  command
      ->add_option("--subject", options.fit.subject,
                   "column of whom a row is about, where that is not the id: no feature, may come more than once")
      ->type_name("COLUMN");
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
      "  sotto prepare party visits.csv --id visit_id --subject customer_id\n"
      "  sotto prepare party customers.csv --id customer_id --events events.csv\n"
      "  sotto prepare party customers.csv --id customer_id --drop remarks --one-hot postcode --robust\n"
      "  sotto prepare party november.csv --recipe sotto-data/party/recipe.toml --out november");
  command->callback([command, arguments] { run_prepare_party(*command, *arguments); });
}

}  // namespace sotto::apps::prepare
