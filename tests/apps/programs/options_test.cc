#include <filesystem>

#include "apps/bandit/run/settings/settings.h"
#include "apps/commands.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/main.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/program/say.h"
#include "apps/kit/settings/command_config.h"
#include "apps/kit/settings/config_options.h"
#include "apps/kit/settings/section.h"
#include "apps/live/config/live_config.h"
#include "apps/o3m/settings.h"
#include "tests/apps/program_walk.h"
#include "tests/apps/support.h"
#include "tests/framework.h"
#include "tests/regex.h"

namespace sotto::apps {
namespace {

template <class Value>
std::string number_refusal(const NumberKind& takes, const std::string& text, Value& value) {
  Command app("test", "");
  Option* option = app.add_option("--number", value, "")->number(takes);
  if (option->is_list) option->separated_by(',');
  app.callback([] {});
  try {
    parse_and_run(app, {}, {"--number", text});
    return {};
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(NumberOptions, RefuseWholeNumbersAsTheyWereTyped) {
  for (const char* text : {"-5", "-0", "+5", "99999999999999999999", "-99999999999999999999", "1e3", "5.0", "0x10",
                           "five", "5 ", " 5", "nan", "0", "101"}) {
    std::uint64_t value = 7;
    EXPECT_EQ(number_refusal(whole(1, 100), text, value),
              "--number: '" + std::string(text) + "' is not a whole number from 1 to 100");
    EXPECT_EQ(value, 7U) << text;
  }
}

TEST(NumberOptions, ReadWholeNumbersAsDecimals) {
  std::uint64_t value = 0;
  EXPECT_EQ(number_refusal(whole(), "010", value), "");
  EXPECT_EQ(value, 10U);
  EXPECT_EQ(number_refusal(whole(), "9223372036854775807", value), "");
  EXPECT_EQ(value, largest_whole);
  EXPECT_EQ(number_refusal(whole(), "9223372036854775808", value),
            "--number: '9223372036854775808' is not a whole number from 0 to 2^63 - 1");
}

TEST(NumberOptions, CheckEveryElementOfAList) {
  std::vector<std::size_t> values;
  EXPECT_EQ(number_refusal(whole(2, 8), "2,8", values), "");
  EXPECT_EQ(values, (std::vector<std::size_t>{2, 8}));
  EXPECT_EQ(number_refusal(whole(2, 8), "2,-3", values), "--number: '-3' is not a whole number from 2 to 8");
}

TEST(NumberOptions, RefuseRealNumbersAsTheyWereTyped) {
  double value = 7;
  for (const char* text : {"nan", "inf", "-inf", "1e400", "-1e400", "much", "0.5.1", "0x1p3"}) {
    EXPECT_THAT(number_refusal(real(), text, value), HasSubstr("is not a finite number")) << text;
    EXPECT_EQ(value, 7) << text;
  }
  EXPECT_EQ(number_refusal(real(0, 1), "1.5", value), "--number: '1.5' is not a number from 0 to 1");
  EXPECT_EQ(number_refusal(real_from_zero(), "-1e-9", value), "--number: '-1e-9' is not a finite number from 0 on");
  EXPECT_EQ(number_refusal(real_above_zero(), "0", value), "--number: '0' is not a finite number above 0");
  EXPECT_EQ(number_refusal(real(0, 1), "0.1", value), "");
  EXPECT_EQ(value, 0.1);
}

bool is_whole(const Option& option) { return option.kind == ValueKind::whole; }

bool is_number(const Option& option) { return is_whole(option) || option.kind == ValueKind::real; }

TEST(NumberOptions, AreAllThatTheProgramHas) {
  std::size_t numbers = 0;
  walk_program([&](const Command& command, const std::string& name) {
    for (const auto& option : command.options()) {
      if (!is_number(*option)) continue;
      ++numbers;
      EXPECT_TRUE(option->range.has_value()) << name << " " << option->flag;
    }
  });
  EXPECT_GT(numbers, 100U);
}

TEST(NumberOptions, NameTheFlagAndWhatWasTypedInEveryCommand) {
  const std::unique_ptr<Command> app = make_program();
  std::size_t refused = 0;
  walk_commands(*app, "", [&](const Command& command, const std::string& name) {
    for (const auto& option : command.options()) {
      if (!option->range.has_value()) continue;
      std::vector<std::string> wrong{"1e400", "nan", "-inf"};
      if (is_whole(*option)) wrong = {"1e400", "nan", "-1", "99999999999999999999"};
      for (const std::string& text : wrong) {
        const std::string& flag = option->flag;
        std::vector<std::string> words = words_of(name);
        words.insert(words.end(), {flag, text});
        const std::string said = refusal_of(*app, words);
        EXPECT_TRUE(said.starts_with(option->flag + ": '" + text + "' is not a")) << name << ": " << said;
        ++refused;
      }
    }
  });
  EXPECT_GT(refused, 300U);
}

TEST(OutOptions, RefuseAFolderWithAFinishedRun) {
  const TestFolder folder;
  const fs::path& out = folder.path();
  const auto said = [&](bool overwrite) {
    return error_of<InputError>([&] { (void)results_folder(out, false, overwrite); });
  };
  EXPECT_EQ(said(false), "");  // empty
  (void)folder.put("run.json", R"({"status": "complete"})");
  EXPECT_THAT(said(false), HasSubstr("--overwrite"));
  EXPECT_TRUE(said(false).starts_with("--out: " + out.string()));
  EXPECT_EQ(said(true), "");
  (void)folder.put("run.json", "somebody else's");
  EXPECT_NE(said(false), "");
  (void)folder.put("run.json", R"({"status": "failed"})");
  EXPECT_EQ(said(false), "");
}

TEST(OutOptions, RefuseAFileThatIsThere) {
  const TestFolder folder;
  const fs::path file = folder.put("page.md", "a page");
  const auto said = [](const fs::path& out, bool overwrite) {
    return error_of<InputError>([&] { check_out_file(out, overwrite); });
  };
  EXPECT_THAT(said(file, false), HasSubstr("exists already"));
  EXPECT_EQ(said(file, true), "");
  EXPECT_EQ(said(folder.path() / "other.md", false), "");
  EXPECT_THAT(said(folder.path(), true), HasSubstr("is a folder"));
  EXPECT_THAT(said(folder.path() / "no" / "page.md", true), HasSubstr("there is no folder"));
  EXPECT_EQ(said("/dev/null", false), "");
  EXPECT_EQ(said("", false), "");
}

TEST(OutOptions, RefuseAFolderWithAFileOfTheirs) {
  const TestFolder folder;
  (void)folder.put("b.csv", "x\n");
  const auto said = [&](bool overwrite) {
    return error_of<InputError>([&] { check_out_folder(folder.path(), {"a.csv", "b.csv"}, overwrite); });
  };
  EXPECT_THAT(said(false), HasSubstr("b.csv exists already"));
  EXPECT_EQ(said(true), "");
  EXPECT_EQ(error_of<InputError>([&] { check_out_folder(folder.path(), {"a.csv"}, false); }), "");
}

TEST(OutOptions, GoWithEveryOut) {
  std::size_t commands = 0;
  walk_program([&](const Command& command, const std::string& name) {
    if (!has_option(command, "--out")) return;
    const bool never = name == "keys new" || name == "init";
    EXPECT_EQ(!has_option(command, "--overwrite"), never) << name;
    ++commands;
  });
  EXPECT_GT(commands, 10U);
}

TEST(Usage, NamesWhatIsWrongAndWhatWasProbablyMeant) {
  const std::pair<const char*, const char*> cases[] = {
      {"bandti", "'bandti' is no command of sotto; did you mean bandit?"},
      {"robin agregate", "'agregate' is no command of sotto robin; did you mean aggregate?"},
      {"p2b shufle", "'shufle' is no command of sotto p2b; did you mean shuffle?"},
      {"keys trst --config x", "'trst' is no command of sotto keys; did you mean trust?"},
      {"keys elsewhere", "'elsewhere' is no command of sotto keys, which has new, show, trust"},
      {"prepare digts --out x", "'digts' is no command of sotto prepare; did you mean digits?"},
      {"plan --parti a.csv", "'--parti' is no option of sotto plan; did you mean --party?"},
      {"p2b epsilon --treshold=5", "'--treshold' is no option of sotto p2b epsilon; did you mean --threshold?"},
      {"--speed 5 bandit", "'--speed' is no option of sotto"},
      {"dealer --config a --listen-descripto 5", "'--listen-descripto' is no option of sotto dealer"},
      {"plan foo", "'foo' is one word too many for sotto plan"},
      {"plan --party a --party b", "--environment is required"},
      {"", ""},  // help is printed
      {"p2b", ""},
      {"robin --clients 3 aggregate --estimates a --bound 1 --tau 1 --eps 1 --delta 1e-5",
       "--clients is no option of 'aggregate', but of 'robin' alone: leave one of them out"},
  };
  for (const auto& [line, says] : cases) EXPECT_EQ(refusal_of(words_of(line)), says);
}

TEST(Usage, NamesTheWordInEveryCommand) {
  std::size_t commands = 0;
  walk_program([&](const Command&, const std::string& name) {
    EXPECT_THAT(refusal_of(words_of(name + " --no-such-flag")),
                StartsWith("'--no-such-flag' is no option of sotto " + name));
    ++commands;
  });
  EXPECT_GT(commands, 30U);
}

TEST(Manual, HasEveryCommandAndEveryOption) {
  const auto program = make_program();
  const std::string man = man_page(*program, "1.0");
  const std::string completion = bash_completion(*program);
  walk_commands(*program, "", [&](const Command& command, const std::string& name) {
    std::string in_roff;
    for (const char c : name) in_roff += c == '-' ? std::string("\\-") : std::string(1, c);
    EXPECT_THAT(man, HasSubstr(".SS sotto " + in_roff + "\n")) << name;
    EXPECT_THAT(completion, HasSubstr("'sotto " + name + "') words='")) << name;
    for (const auto& option : command.options()) {
      if (!option->is_hidden && option->flag.starts_with("--")) {
        EXPECT_THAT(completion, HasSubstr(option->flag)) << name << " " << option->flag;
      }
    }
  });
  EXPECT_THAT(man, AllOf(HasSubstr("\\fB\\-\\-checkpoint\\-every\\fR"), Not(HasSubstr("listen\\-descriptor"))));
  EXPECT_THAT(completion, Not(HasSubstr("listen-descriptor")));
  EXPECT_THAT(man, AllOf(HasSubstr(".SH SEE ALSO\n\\fBsotto\\fR(3)"), HasSubstr("docs/guides/library.md")));
}

TEST(NamesInConfig, AreThoseOfSettingsThatHaveFlags) {
  const auto names = names_in_config(all_keys().all());
  EXPECT_EQ(names.at("--max-norm"), "max_norm in [run]");
  for (const auto& [flag, name] : names) {
    EXPECT_THAT(name, AllOf(Not(HasSubstr("[peers]")), Not(HasSubstr("trust]")))) << flag;
  }
}

TEST(Manual, HasEverySettingOfConfigs) {
  const auto program = make_program();
  const auto roles = command_roles(*program);
  const std::string text = settings_manual(all_keys(), roles);
  ASSERT_EQ(roles.size(), 5u);
  for (const auto& role : roles) {
    EXPECT_THAT(text, HasSubstr("[" + role->table() + "], of `sotto " + role->name() + "`\n"));
    for (const Setting& setting : role->program().settings)
      EXPECT_THAT(text, HasSubstr(setting.help)) << setting.path();
  }
  for (const Setting& setting : all_keys().all()) {
    if (setting.table == "peers" || setting.table == "trust" || setting.table == Program::next_trust_table) continue;
    EXPECT_THAT(text, HasSubstr(setting.help)) << setting.path();
  }
  EXPECT_THAT(text, HasSubstr("a number from 0 to 1; default 0.1\n"));
  EXPECT_THAT(text, HasSubstr("parties [the private bandit, the decision service, a program of your own]\n"));
}

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

// If all roles run on one machine, a message may name the flag --max-norm. A role has no such flag, so the role's
// message names "max_norm in [run]" instead.
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

// Names that the sources use for settings, such as "tls = true in [http]", must exist.
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
