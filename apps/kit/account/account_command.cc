#include "apps/kit/account/account_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/kit/account/account.h"
#include "apps/kit/files/json.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/report/human.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

struct AccountArguments {
  std::filesystem::path file;
  std::filesystem::path copy;
  double spent = 0;
  std::string before;
  std::optional<std::string> id;
  bool json = false;
};

std::int64_t day(const std::string& text) {
  std::tm parts{};
  int end = 0;
  const bool is_date =
      std::sscanf(text.c_str(), "%4d-%2d-%2d%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday, &end) == 3;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  const std::tm asked = parts;
  const std::time_t time = timegm(&parts);
  // timegm() turns the 31st of June into the 1st of July.
  if (!is_date || text.size() != std::string_view("2026-01-31").size() || end != static_cast<int>(text.size()) ||
      parts.tm_mday != asked.tm_mday || parts.tm_mon != asked.tm_mon) {
    throw InputError("--before", fmt::format("'{}' is no day, such as 2026-01-31", text));
  }
  return time;
}

nlohmann::ordered_json to_json(Account& account) {
  nlohmann::ordered_json json{{"subjects", account.subjects()},
                              {"held", account.held()},
                              {"most_spent", account.most_spent()},
                              {"spent_before", account.spent_before()},
                              {"entries", nlohmann::ordered_json::array()}};
  for (const AccountEntry& entry : account.entries()) {
    json["entries"].push_back({{"number", entry.number},
                               {"time", utc_text(entry.time)},
                               {"receiver", entry.release.receiver},
                               {"about", entry.release.about},
                               {"epsilon", entry.release.epsilon},
                               {"bits", entry.release.bits},
                               {"subjects", entry.subjects},
                               {"takes_back", entry.takes_back},
                               {"counts", entry.counts},
                               {"head", entry.head}});
  }
  return json;
}

std::vector<std::string> lines_of(const std::vector<AccountEntry>& entries) {
  std::map<std::string, std::uint64_t> numbers;
  std::set<std::string> taken_back;
  for (const AccountEntry& entry : entries) {
    numbers[entry.release.id] = entry.number;
    taken_back.insert(entry.takes_back);
  }
  std::vector<std::string> lines;
  for (const AccountEntry& entry : entries) {
    const std::string begin = fmt::format("{:>4}  {}  ", entry.number, utc_text(entry.time));
    if (!entry.takes_back.empty()) {
      lines.push_back(begin + fmt::format("takes {} back: nothing was opened", numbers[entry.takes_back]));
      continue;
    }
    const bool was_taken_back = taken_back.contains(entry.release.id);
    const char* note = entry.counts ? "" : was_taken_back ? "  (taken back)" : "  (forgotten)";
    const std::string bits = entry.release.bits > 0 ? " and " + counted(entry.release.bits, "bit") : "";
    lines.push_back(begin + fmt::format("epsilon {:g}{} of {}  {}, to {}{}", entry.release.epsilon, bits,
                                        human_count(entry.subjects, "subject"), entry.release.about,
                                        entry.release.receiver, note));
  }
  return lines;
}

void show(const AccountArguments& arguments) {
  Account account(arguments.file);
  if (arguments.id) {
    const double spent = account.spent(account.key_of(*arguments.id));
    if (arguments.json) {
      fmt::print("{}\n", json_text(nlohmann::ordered_json{{"spent", spent}}, 2));
    } else {
      fmt::print("spent {:g}\n", spent);
    }
    return;
  }
  if (arguments.json) {
    fmt::print("{}\n", json_text(to_json(account), 2));
    return;
  }
  fmt::print("{}, most spent {:g}{}\n", human_count(account.subjects(), "subject"), account.most_spent(),
             account.spent_before() > 0
                 ? fmt::format(", of which {:g} before this account began", account.spent_before())
                 : "");
  for (const std::string& line : lines_of(account.entries())) fmt::print("{}\n", line);
  if (const std::uint64_t held = account.held(); held > 0) {
    fmt::print("{} charged for a window of agreement that is being gathered\n", human_count(held, "subject"));
  }
}

void add_show(Command& above) {
  Command* command = above.add_subcommand("show", "Show what was given away, or how much one person has spent");
  const auto arguments = std::make_shared<AccountArguments>();
  command->add_option("file", arguments->file, "The account")->required()->type_name("FILE");
  command->add_option("--id", arguments->id, "The person whose spending is shown, by the id in the rows")
      ->type_name("ID");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "An account has no ids, only keyed hashes of them.\n"
      "Examples:\n"
      "  sotto account show account\n"
      "  sotto account show account --id customer-4711");
  command->callback([arguments] { show(*arguments); });
}

void add_begin(Command& above) {
  Command* command = above.add_subcommand("begin", "Begin an account, in which nobody has spent anything");
  const auto arguments = std::make_shared<AccountArguments>();
  command->add_option("file", arguments->file, "The account to make")->required()->type_name("FILE");
  command
      ->add_option("--spent", arguments->spent,
                   "The epsilon that everybody has spent already, where an account was lost")
      ->type_name("E")
      ->shows_default()
      ->number(real_from_zero());
  command->footer(
      "Keep copies of the account: with an old copy, a party gives away more than the budget.\n"
      "Examples:\n"
      "  sotto account begin account\n"
      "  sotto account begin account --spent 1.5");
  command->callback([arguments] {
    Account::begin(arguments->file, arguments->spent);
    fmt::print("{} begins{}\n", arguments->file.string(),
               arguments->spent > 0 ? fmt::format(": everybody has spent {:g}", arguments->spent) : "");
  });
}

void add_forget(Command& above) {
  Command* command = above.add_subcommand("forget", "Let entries before a day no longer count");
  const auto arguments = std::make_shared<AccountArguments>();
  command->add_option("file", arguments->file, "The account")->required()->type_name("FILE");
  command->add_option("--before", arguments->before, "The first day of which entries still count")
      ->required()
      ->type_name("DAY");
  command->footer(
      "The promise of the budget then holds separately for the time before that day and for the time after it.\n"
      "Examples:\n"
      "  sotto account forget account --before 2026-01-01");
  command->callback([arguments] {
    Account account(arguments->file);
    fmt::print("{} forgotten\n", human_count(account.forget(day(arguments->before)), "entry"));
  });
}

void add_merge(Command& above) {
  Command* command = above.add_subcommand("merge", "Put two copies of an account together that were both used");
  const auto arguments = std::make_shared<AccountArguments>();
  command->add_option("file", arguments->file, "The account to keep")->required()->type_name("FILE");
  command->add_option("copy", arguments->copy, "Its copy, which stays as it is")->required()->type_name("COPY");
  command->footer(
      "Each release counts once. Use the copy no more.\n"
      "Examples:\n"
      "  sotto account merge account account.copy");
  command->callback([arguments] {
    std::error_code ignored;
    if (std::filesystem::equivalent(arguments->file, arguments->copy, ignored)) {
      throw InputError(arguments->copy.string(), "is the account itself: name a copy of it");
    }
    Account account(arguments->file);
    Account copy(arguments->copy);
    fmt::print("{} taken from the copy\n", human_count(account.merge(copy), "entry"));
  });
}

}  // namespace

void add_account_command(Command& app) {
  Command* command =
      app.add_subcommand("account", "Show, begin, join and thin out the account of what a party gives away");
  add_show(*command);
  add_begin(*command);
  add_merge(*command);
  add_forget(*command);
  command->footer(
      "A party or an owner with `file` in [account] counts there what each evaluation of a log costs each person.\n"
      "Examples:\n"
      "  sotto account begin account\n"
      "  sotto account show account");
}

}  // namespace sotto::apps
