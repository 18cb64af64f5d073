// What the program says of itself and of a slip; what is printed from the lists of commands and settings has all of them.
#include "sotto/apps/commands.h"
#include "sotto/apps/kit/program/manual.h"
#include "sotto/apps/kit/settings/manual.h"
#include "tests/apps/program_walk.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

TEST(Usage, NamesWhatIsWrongAndWhatWasProbablyMeant) {
  const std::pair<const char*, const char*> cases[] = {
      {"bandti", "'bandti' is no command of sotto; did you mean bandit?"},
      {"robin agregate", "'agregate' is no command of sotto robin; did you mean aggregate?"},
      {"p2b shufle", "'shufle' is no command of sotto p2b; did you mean shuffle?"},
      {"keys trst --config x", "'trst' is no command of sotto keys; did you mean trust?"},
      {"keys elsewhere", "'elsewhere' is no command of sotto keys, which has new, show, trust"},
      {"prepare digts --out x", "'digts' is no command of sotto prepare; did you mean digits?"},
      // A flag is named even where others are missing.
      {"plan --parti a.csv", "'--parti' is no option of sotto plan; did you mean --party?"},
      {"p2b epsilon --treshold=5", "'--treshold' is no option of sotto p2b epsilon; did you mean --threshold?"},
      {"--speed 5 bandit", "'--speed' is no option of sotto"},
      // What is for launched roles only is nobody's slip of the finger.
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

// No command of the program lets an unknown word pass, or says what it means by another one's name.
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
    EXPECT_THAT(man, HasSubstr(".SS sotto " + name + "\n")) << name;
    EXPECT_THAT(completion, HasSubstr("'sotto " + name + "') words='")) << name;
    for (const auto& option : command.options()) {
      if (!option->is_hidden && option->flag.starts_with("--")) {
        EXPECT_THAT(completion, HasSubstr(option->flag)) << name << " " << option->flag;
      }
    }
  });
  EXPECT_THAT(man, HasSubstr("\\fB\\-\\-checkpoint\\-every\\fR"));
  EXPECT_THAT(man, Not(HasSubstr("listen\\-descriptor")));
  EXPECT_THAT(completion, Not(HasSubstr("listen-descriptor")));
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
    if (setting.table == "peers" || setting.table == "trust") continue;
    EXPECT_THAT(text, HasSubstr(setting.help)) << setting.path();
  }
  EXPECT_THAT(text, HasSubstr("a number from 0 to 1; default 0.1\n"));
  EXPECT_THAT(text, HasSubstr("parties [the private bandit]\n"));
}

}  // namespace
}  // namespace sotto::apps
