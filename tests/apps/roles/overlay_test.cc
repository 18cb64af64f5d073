#include "sotto/apps/kit/settings/role_settings.h"

#include "sotto/apps/commands.h"
#include "sotto/apps/kit/settings/program.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

std::string refused_variable(const std::string& name) {
  return error_of([&] { (void)settings_of_variables(all_keys(), {{name, "1"}}); });
}

std::string refused_assignment(const std::string& text) {
  return error_of([&] { (void)setting_of_assignment(all_keys(), text); });
}

TEST(Overlay, EveryKeyHasAVariableAndAPathOfItsOwn) {
  std::set<std::string> names;
  for (const Setting& key : all_keys().all()) {
    EXPECT_TRUE(names.insert(key.variable()).second) << key.variable();
    EXPECT_TRUE(names.insert(key.path()).second) << key.path();
    EXPECT_TRUE(key.flag.empty() || names.insert(key.flag).second) << key.flag;
    const auto settings = settings_of_variables(all_keys(), {{key.variable(), "text"}});
    ASSERT_EQ(settings.size(), 1u);
    EXPECT_EQ(settings.front().key.path(), key.path());
    EXPECT_EQ(setting_of_assignment(all_keys(), key.path() + "=text").key.path(), key.path());
  }
}

TEST(Overlay, AnUnknownVariableOfATableIsRefusedWithAHint) {
  EXPECT_EQ(refused_variable("SOTTO_RUN_STEP"),
            "SOTTO_RUN_STEP: no key of a config has this variable; did you mean SOTTO_RUN_STEPS?");
  EXPECT_EQ(refused_variable("SOTTO_RUN_COLOUR"),
            "SOTTO_RUN_COLOUR: no key of a config has this variable; correct its name or unset it");
  EXPECT_NE(refused_variable("SOTTO_PEERS_PARTY_9"), "");
  EXPECT_THAT(refused_variable("SOTTO_ROEL_DATA"), HasSubstr("SOTTO_ROLE_DATA"));
  for (const char* other : {"SOTTO_CPU", "SOTTO_HOME", "SOTTO_", "sotto_run_steps", "PATH", "RUN"}) {
    EXPECT_EQ(refused_variable(other), "") << other;
  }
}

TEST(Overlay, AnAssignmentIsTableKeyValue) {
  EXPECT_EQ(refused_assignment("steps=5"), "--set: 'steps' is not table.key=value, such as run.steps=100");
  EXPECT_EQ(refused_assignment("run.steps"), "--set: 'run.steps' is not table.key=value, such as run.steps=100");
  EXPECT_EQ(refused_assignment("run.stesp=5"), "--set: a config has no key run.stesp; did you mean run.steps?");
  EXPECT_EQ(refused_assignment("role.data=a=b\xff"), "--set role.data: the value is not text in UTF-8");
  EXPECT_EQ(std::get<std::string>(setting_of_assignment(all_keys(), "role.data=a=b").value.value), "a=b");
}

TEST(Overlay, AValueIsTakenAsItsKeyWantsIt) {
  const auto value = [](const char* text) { return setting_of_assignment(all_keys(), text).value.value; };
  EXPECT_EQ(std::get<std::int64_t>(value("run.steps=12")), 12);
  EXPECT_EQ(std::get<double>(value("run.epsilon=1e-3")), 1e-3);
  EXPECT_EQ(std::get<bool>(value("run.deal_ahead=true")), true);
  EXPECT_EQ(std::get<std::string>(value("run.session=12")), "12");
  // Not of the kind: kept as a text, which the reader refuses.
  for (const char* text : {"run.steps=", "run.steps=1.5", "run.steps=99999999999999999999", "run.steps=12 ",
                           "run.epsilon=much", "run.deal_ahead=yes"}) {
    EXPECT_TRUE(std::holds_alternative<std::string>(value(text))) << text;
  }
}

TEST(Overlay, TwoFlagsForOneKeyAreRefused) {
  ConfigDocument document;
  ConfigOverlay overlay;
  overlay.flags.push_back(setting_of_assignment(all_keys(), "role.data=a"));
  overlay.flags.push_back(setting_of_flag(*all_keys().find("role", "data"), "b"));
  EXPECT_EQ(error_of([&] { lay_over(document, overlay); }),
            "--data: data in [role] is given twice, by --set role.data too; give it once");
}

TEST(Overlay, WhatIsNotUtf8IsRefused) {
  for (const char* bad :
       {"\xff", "\x80", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82", "a\xe2\x82z"}) {
    EXPECT_EQ(refused_assignment(std::string("role.data=") + bad), "--set role.data: the value is not text in UTF-8");
  }
  for (const char* good : {"ä", "数", "🌍", "\xef\xbf\xbd", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(refused_assignment(std::string("role.data=") + good), "") << good;
  }
}

}  // namespace
}  // namespace sotto::apps
