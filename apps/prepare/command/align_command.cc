#include "apps/prepare/align/align_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/deploy/role_process.h"
#include "apps/kit/files/json.h"
#include "apps/kit/process/progress.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/interrupt.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/report/human.h"
#include "apps/kit/settings/config_options.h"
#include "apps/prepare/align/align_ids.h"
#include "apps/prepare/tables/doubts.h"
#include "apps/prepare/tables/row_ids.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

struct AlignArguments {
  ConfigArguments config;
  std::filesystem::path table;
  std::string id;
  bool no_header = false;
  bool is_log = false;
  std::filesystem::path out = std::filesystem::path("sotto-data") / "aligned";
  bool overwrite = false;
  bool json = false;
};

// The folder is created before the role waits for other roles. So an alignment cannot run and then fail to write its
// files.
class OutFolder {
 public:
  explicit OutFolder(std::filesystem::path path) : path_(std::move(path)), is_new_(!std::filesystem::exists(path_)) {
    make_run_directory(path_);
  }
  ~OutFolder() {
    std::error_code ignored;
    if (is_new_) std::filesystem::remove(path_, ignored);
  }
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;
  void keep() { is_new_ = false; }

 private:
  std::filesystem::path path_;
  bool is_new_;
};

// With many ids, a company may compute for longer between two rounds than the usual deadline of a service allows.
constexpr std::chrono::milliseconds least_deadline{120'000};

Alignment align_with_others(const AlignSettings& config, std::vector<std::string> ids) {
  net::Mesh mesh = connect_role(config, "", {}, std::nullopt, interrupted());
  ProgressLine line = progress_on_terminal();
  const auto progress = [&](const protocols::IntersectProgress& so_far) {
    if (!line.due()) return;
    ProgressState state;
    state.step = so_far.done;
    state.total_steps = so_far.all;
    state.unit = "ids";
    line.update(state);
  };
  net::DriverOptions options = driver_options(config, interrupted());
  options.round_deadline = std::max(options.round_deadline, least_deadline);
  return align_ids(mesh, std::move(ids), options, progress);
}

void warn_of_ids(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", terminal_safe(warning));
}

[[noreturn]] void refuse_empty(const AlignSettings& config, const std::vector<std::string>& warnings) {
  std::string names;
  for (const RunRole& role : config.roles()) names += (names.empty() ? "" : ", ") + role.name;
  throw DisagreementError(fmt::format(
      "the tables of {} have no id in common, and nothing was written. Name the column of the same ids with --id at "
      "all roles, and let unicode, case and blanks in [align] make them alike{}",
      names, warnings.empty() ? "" : "; " + warnings.front()));
}

std::string figure(std::uint64_t count) { return human_count(static_cast<double>(count)); }

// Events of a log.
struct EventCounts {
  std::size_t common;  // of ids that all companies have
  std::size_t all;
};

nlohmann::ordered_json json_of(const AlignSettings& config, const Alignment& alignment,
                               const std::filesystem::path& out, const std::vector<std::string>& warnings,
                               const std::optional<EventCounts>& events) {
  nlohmann::ordered_json json;
  json["status"] = "complete";
  json["role"] = config.name();
  json["ids"] = nlohmann::ordered_json::object();
  for (const RunRole& role : config.roles()) json["ids"][role.key] = alignment.sizes.at(role.node);
  json["common"] = alignment.rows.size();
  if (events) json["events"] = events->common;
  json["aligned"] = aligned_file(out).string();
  json["pseudonyms"] = pseudonyms_file(out).string();
  json["rounds"] = alignment.rounds;
  json["bytes_sent"] = alignment.bytes_sent;
  json["seconds"] = alignment.seconds;
  json["insecure"] = insecure_options(config);
  json["warnings"] = warnings;
  return json;
}

std::string text_of(const AlignSettings& config, const Alignment& alignment, const std::filesystem::path& out,
                    const std::vector<std::string>& warnings, const std::optional<EventCounts>& events) {
  const bool is_log = events.has_value();
  SummaryLines insecure(false);
  insecure.insecure(insecure_options(config));
  const NodeId self = role_id(config);
  const std::uint64_t own = alignment.sizes.at(self);
  std::string others;
  for (const RunRole& role : config.roles()) {
    if (role.node != self) others += fmt::format("; {} {}", role.name, figure(alignment.sizes.at(role.node)));
  }
  std::string text = insecure.text();
  text += fmt::format("ids         {} here{}\n", figure(own), others);
  text += fmt::format("common      {}, {:.1f}% of this {}\n", figure(alignment.rows.size()),
                      100 * static_cast<double>(alignment.rows.size()) / static_cast<double>(own),
                      is_log ? "log's ids" : "table's rows");
  if (2 * alignment.rows.size() < own) {
    for (const std::string& warning : warnings) text += fmt::format("warning     {}\n", terminal_safe(warning));
  }
  text += fmt::format("aligned     {} ({} in the order of the {})\n", terminal_safe(aligned_file(out).string()),
                      is_log ? "events" : "rows", is_log ? "log" : "pseudonyms");
  text += fmt::format("pseudonyms  {} (says whose each is: keep it as the table)\n",
                      terminal_safe(pseudonyms_file(out).string()));
  text += fmt::format("links       {}, {} sent, {}\n", counted(alignment.rounds, "round"),
                      human_bytes(static_cast<double>(alignment.bytes_sent)), human_seconds(alignment.seconds));
  if (events) text += fmt::format("events      {} of {}\n", figure(events->common), figure(events->all));
  text += fmt::format("\nNext: sotto prepare {} {} --id {} --out {}\n", is_log ? "log" : "party",
                      terminal_safe(shell_quoted(aligned_file(out).string())), subject_column,
                      terminal_safe(shell_quoted((out / "prepared").string())));
  return text;
}

void run_align(const Keys& keys, const AlignArguments& arguments) {
  catch_interrupts();
  const EffectiveConfig effective = effective_config(keys, arguments.config);
  const AlignSettings config(*effective.config);
  if (arguments.config.print) {
    fmt::print("{}", annotated_toml(config, effective.origins));
    return;
  }
  check_out_folder(arguments.out, {aligned_file("").string(), pseudonyms_file("").string()}, arguments.overwrite);
  const TextTable table = TextTable::read(arguments.table, !arguments.no_header);
  const std::size_t id_column = table.column(arguments.id, "--id");
  const TableIds ids = read_ids(table, id_column, config.form(), arguments.is_log);
  const std::vector<std::string> warnings =
      arguments.is_log ? damaged_ids(table, {id_column}) : damaged_ids(table, id_column, views_of(ids.ids));
  warn_of_ids(warnings);
  OutFolder folder(arguments.out);
  const Alignment alignment = align_with_others(config, ids.ids);
  if (alignment.rows.empty()) refuse_empty(config, warnings);
  const std::vector<AlignedRow> rows = arguments.is_log ? rows_of_log(ids, alignment.rows) : alignment.rows;
  write_files(aligned_files(table, id_column, rows, arguments.out, arguments.is_log));
  folder.keep();
  const auto events = arguments.is_log ? std::optional(EventCounts{rows.size(), table.rows()}) : std::nullopt;
  const std::string text = arguments.json
                               ? json_text(json_of(config, alignment, arguments.out, warnings, events), 2) + "\n"
                               : text_of(config, alignment, arguments.out, warnings, events);
  std::fputs(text.c_str(), stdout);
}

std::vector<Setting> settings_of_alignments(const Keys& keys) {
  const std::vector<std::string> wanted{"run.insecure_plaintext", "role.key", "role.listen",
                                        "role.round_deadline_seconds", "role.connect_deadline_seconds"};
  std::vector<Setting> settings;
  std::copy_if(keys.all().begin(), keys.all().end(), std::back_inserter(settings), [&](const Setting& setting) {
    return setting.table == align_table || std::find(wanted.begin(), wanted.end(), setting.path()) != wanted.end();
  });
  return settings;
}

}  // namespace

void add_align_command(Command& app, const Keys& keys) {
  Command* command = app.add_subcommand(
      "align", "Find the rows that all companies have, with a pseudonym each, in one order; no id is shown");
  const auto arguments = std::make_shared<AlignArguments>();
  command->add_option("--table,table", arguments->table, "This company's own CSV, a row a case")->required();
  command->add_option("--id", arguments->id, "Column of the ids that the companies have in common")
      ->required()
      ->type_name("COLUMN");
  command->add_flag(
      "--log", arguments->is_log,
      "The table is a log of events: an id may come in many rows, and all rows of the common ids stay, in "
      "their order");
  command->add_flag("--no-header", arguments->no_header,
                    "The first line is a row; columns are column_1, column_2, ...");
  command->add_option("--out", arguments->out, "Folder to write to")->type_name("DIR")->shows_default();
  add_overwrite(*command, arguments->overwrite);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  add_config_options(*command, arguments->config, settings_of_alignments(keys));
  command->footer(
      "Each party of the run starts it with its own config and its own table, at about the same time. All learn how "
      "many rows the tables have, and each which of its own ids all have (docs/explain/threat-model.md). `sotto doctor "
      "--align` tries names, keys and ports before.\nExamples:\n  sotto align --config config.toml customers.csv --id "
      "customer_id --out aligned\n  sotto align --config config.toml customers.csv --id email --case fold --blanks "
      "none\n  sotto align --config config.toml visits.csv --id email --log --also actor");
  command->callback([&keys, arguments] { run_align(keys, *arguments); });
}

}  // namespace sotto::apps::prepare
