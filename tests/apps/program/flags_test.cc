#include "apps/kit/program/flags.h"

#include <filesystem>

#include "apps/bandit/run/settings/settings.h"
#include "apps/kit/program/command.h"
#include "apps/kit/settings/section.h"
#include "apps/live/config/live_config.h"
#include "apps/o3m/settings.h"
#include "tests/apps/program_walk.h"
#include "tests/paths.h"
#include "tests/regex.h"

namespace sotto::apps {
namespace {

TEST(Flags, AreRespeltOutsideOfBackticks) {
  const auto spelt = [](const std::string& text) {
    return respell_flags(text, [](const std::string& flag) { return "<" + flag.substr(2) + ">"; });
  };
  EXPECT_EQ(spelt("raise --max-norm, or --steps"), "raise <max-norm>, or <steps>");
  EXPECT_EQ(spelt("--a-2: x (--b)"), "<a-2>: x (<b>)");
  EXPECT_EQ(spelt("`sotto keys new --out K` or --key"), "`sotto keys new --out K` or <key>");
  for (const std::string same : {"", "--", "a -- b", "a---b", "--A", "no flag", "`open --ended", "-v"}) {
    EXPECT_EQ(spelt(same), same);
  }
  EXPECT_EQ(respell_flags("--a --b-", std::map<std::string, std::string>{{"--b", "B"}}), "--a B-");
}

// A role says "max_norm in [run]", where the run of all roles on one machine has --max-norm.
TEST(Flags, OfOtherCommandsAreSettingsInTheErrorsOfARole) {
  const auto program = make_program();
  const std::string message = "raise --max-norm or --epsilon; --data, --nothing";
  EXPECT_EQ(program->subcommand("party")->in_its_words(message),
            "raise max_norm in [run] or epsilon in [run]; --data, --nothing");
  EXPECT_EQ(program->subcommand("serve")->in_its_words(message),
            "raise max_norm in [run] or epsilon in [run]; --data, --nothing");
  EXPECT_EQ(program->subcommand("bandit")->in_its_words(message), message);
  EXPECT_EQ(program->subcommand("prepare")->subcommand("csv")->in_its_words("--label x"), "--label-column x");
}

// "http_tls" was none: what sources call a setting, "tls = true in [http]", is one.
TEST(Flags, SettingsThatMessagesNameAreThere) {
  const Keys& keys = all_keys();
  const std::set<std::string> no_names{"it", "so", "is"};
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(sotto_source) + "/apps")) {
    if (entry.path().extension() != ".cc") continue;
    const std::string text = without_matches(slurp(entry.path()), "\"\\s*\n\\s*\"");
    for (const auto& named : matches_in(text, R"(([a-z_]+)(?: = [^ "]+)? in \[([a-z]+)\])")) {
      const std::string& name = named[1];
      const std::string& table = named[2];
      if (table == "peers" || table == "trust" || no_names.contains(name)) continue;
      EXPECT_NE(keys.find(table, name), nullptr) << entry.path() << ": " << named[0];
      ++found;
    }
  }
  EXPECT_GT(found, 40U);
}

TEST(Flags, ErrorsOfACommandAreInItsWords) {
  Command program("sotto", "sotto");
  Command* const role = program.add_subcommand("role", "A role");
  role->renames_flags({{"--steps", "steps in [run]"}});
  role->callback([] { throw InputError("--steps", "too many"); });
  EXPECT_EQ(refusal_of(program, {"role"}), "steps in [run]: too many");
}

}  // namespace
}  // namespace sotto::apps
