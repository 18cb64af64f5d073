// What is printed from the lists of commands and settings has all of them.
#include "sotto/apps/kit/program/manual.h"

#include <gtest/gtest.h>

#include "sotto/apps/commands.h"
#include "sotto/apps/kit/settings/manual.h"
#include "tests/apps/program_walk.h"

namespace sotto::apps {
namespace {

bool contains(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

TEST(Manual, HasEveryCommandAndEveryOption) {
  const auto program = make_program();
  const std::string man = man_page(*program, "1.0");
  const std::string completion = bash_completion(*program);
  walk_commands(*program, "", [&](const Command& command, const std::string& name) {
    EXPECT_TRUE(contains(man, ".SS sotto " + name + "\n")) << name;
    EXPECT_TRUE(contains(completion, "'sotto " + name + "') words='")) << name;
    for (const auto& option : command.options()) {
      if (!option->is_hidden && option->flag.starts_with("--")) {
        EXPECT_TRUE(contains(completion, option->flag)) << name << " " << option->flag;
      }
    }
  });
  EXPECT_TRUE(contains(man, "\\fB\\-\\-checkpoint\\-every\\fR"));
  EXPECT_FALSE(contains(man, "listen\\-descriptor"));
  EXPECT_FALSE(contains(completion, "listen-descriptor"));
}

TEST(Manual, HasEverySettingOfConfigs) {
  const auto program = make_program();
  const auto roles = command_roles(*program);
  const std::string text = settings_manual(all_keys(), roles);
  ASSERT_EQ(roles.size(), 5u);
  for (const auto& role : roles) {
    EXPECT_TRUE(contains(text, "[" + role->table() + "], of `sotto " + role->name() + "`\n")) << role->name();
    for (const Setting& setting : role->program().settings) EXPECT_TRUE(contains(text, setting.help)) << setting.path();
  }
  for (const Setting& setting : all_keys().all()) {
    if (setting.table == "peers" || setting.table == "trust") continue;
    EXPECT_TRUE(contains(text, setting.help)) << setting.path();
  }
  EXPECT_TRUE(contains(text, "a number from 0 to 1; default 0.1\n"));
  EXPECT_TRUE(contains(text, "parties [the private bandit]\n"));
}

TEST(Parse, OptionsOfACommandAreNotForThoseBelowIt) {
  EXPECT_EQ(refusal_of(words_of("robin --clients 3 aggregate --estimates a --bound 1 --tau 1 --eps 1 --delta 1e-5")),
            "--clients is no option of 'aggregate', but of 'robin' alone: leave one of them out");
}

}  // namespace
}  // namespace sotto::apps
