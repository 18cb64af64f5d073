#include "apps/commands.h"
#include "apps/kit/deploy/trust_entry.h"
#include "apps/kit/settings/document.h"
#include "apps/kit/settings/program.h"
#include "apps/kit/settings/role_settings.h"
#include "apps/kit/settings/toml_text.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

std::string refused_variable(const std::string& name) {
  return error_of<InputError>([&] { (void)settings_of_variables(all_keys(), {{name, "1"}}); });
}

std::string refused_assignment(const std::string& text) {
  return error_of<InputError>([&] { (void)setting_of_assignment(all_keys(), text); });
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
  EXPECT_EQ(error_of<InputError>([&] { lay_over(document, overlay); }),
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

std::string limit_refusal(const std::string& text) {
  return error_of<InputError>([&] { check_toml_limits(text, "c.toml"); });
}

TEST(TomlLimits, RefuseALongConfig) {
  EXPECT_EQ(limit_refusal(std::string(65536, '#')), "");
  EXPECT_EQ(limit_refusal(std::string(65537, '#')),
            "c.toml: the file is larger than 65536 bytes; this is no config of sotto");
}

TEST(TomlLimits, RefuseManyDotsInALine) {
  EXPECT_EQ(limit_refusal("\n[run]\n" + repeated("a.", 256) + "a = 1\n"), "");
  EXPECT_EQ(limit_refusal("\n[run]\n" + repeated("a.", 257) + "a = 1\n"),
            "c.toml:3: more than 256 dots in a line; this is no config of sotto");
  EXPECT_EQ(limit_refusal("[" + repeated("a.", 300) + "a]\n"),
            "c.toml:1: more than 256 dots in a line; this is no config of sotto");
  EXPECT_EQ(limit_refusal(repeated("a = 0.5\n", 1000)), "");
}

TEST(TomlLimits, RefuseDeepBrackets) {
  EXPECT_EQ(limit_refusal("a = " + repeated("[", 8) + repeated("]", 8)), "");
  for (const char* open : {"[", "{", "[\n", "{a=[\n", "[{a="}) {
    EXPECT_THAT(limit_refusal("a = " + repeated(open, 9)), HasSubstr(": more than 8 brackets within each other"));
  }
  EXPECT_EQ(limit_refusal(repeated("[a]\n[[b]]\nc = [[1], [2]]\n", 500)), "");
}

TEST(TomlLimits, LeaveStringsAndCommentsAlone) {
  for (const std::string& text :
       {"# " + std::string(999, '.') + repeated("[", 99) + "\n", "a = \"" + std::string(999, '.') + "\"",
        "a = '" + repeated("{", 99) + "'", "a = \"\"\"\n" + repeated("[", 99) + "\"\"\"",
        "a = '''" + repeated("['", 99) + "'''", "a = \"\\\"" + repeated("[", 99) + "\""}) {
    EXPECT_EQ(limit_refusal(text), "") << text;
  }
  const std::string deep = repeated("[", 9);
  for (const std::string& start :
       {std::string("\"]]]\""), std::string("'\\'"), std::string("\"\""), std::string("\"\"\"]\"\"\"\""),
        std::string("'''\n'''''"), std::string("\"\\\\\""), std::string("#]\n")}) {
    EXPECT_NE(limit_refusal("a = " + start + deep), "") << start;
    EXPECT_NE(limit_refusal("a = [[[[" + start + "[[[[["), "") << start;
  }
}

TEST(TomlLimits, NameNulBytes) {
  EXPECT_EQ(limit_refusal(std::string("a\0=1", 4)), "c.toml: there is a NUL byte, so this is no text, or not in UTF-8");
}

TEST(TomlLimits, AreWithinWhatTheParserBears) {
  const std::string dots = "a" + repeated(".a", 256);
  std::string text = "[" + dots + "]\n";
  for (int i = 0; i < 4; ++i) text += dots.substr(0, 500) + " = [\n{";
  EXPECT_EQ(limit_refusal(text), "");
  EXPECT_THROW((void)parse_document(all_keys(), text, "c.toml"), InputError);
  EXPECT_THROW((void)parse_document(all_keys(), "[" + dots + "]\n" + dots + " = 1\n", "c.toml"), InputError);
}

std::string print_of(char digit) { return "sha256:" + std::string(64, digit); }

const std::string head = "# the run, agreed in the meeting\n[run]\nparties = 3   # A, B and C\nsteps = 10\n";

std::string entered(const std::string& text, const std::string& role, char digit) {
  return enter_trust(all_keys(), text, "f.toml", role, print_of(digit)).text;
}

TEST(TrustEntry, MakesTheTableWhereThereIsNone) {
  EXPECT_EQ(entered(head, "dealer", 'a'), head + "\n[trust]\ndealer = \"" + print_of('a') + "\"\n");
  EXPECT_EQ(entered("", "dealer", 'a'), "[trust]\ndealer = \"" + print_of('a') + "\"\n");
  EXPECT_EQ(entered("[run]\nparties = 2", "party_1", 'a'),
            "[run]\nparties = 2\n\n[trust]\nparty_1 = \"" + print_of('a') + "\"\n");
}

TEST(TrustEntry, AddsALineAndKeepsAllOthers) {
  const std::string before = head + "\n[trust]\n# by telephone on Monday\nparty_0 = \"" + print_of('0') + "\"  # A\n";
  const std::string after = "\n[peers]\ndealer = \"d:1\"\n# end\n";
  EXPECT_EQ(entered(before + after, "party_1", '1'), before + "party_1 = \"" + print_of('1') + "\"\n" + after);
  const std::string cut = before.substr(0, before.size() - 1);
  EXPECT_EQ(entered(cut, "party_1", '1'), before + "party_1 = \"" + print_of('1') + "\"\n");
  EXPECT_EQ(entered(head + "[trust]\n[peers]\n", "actor", '1'),
            head + "[trust]\nactor = \"" + print_of('1') + "\"\n[peers]\n");
}

TEST(TrustEntry, ReplacesAValueAndKeepsItsComment) {
  const auto with = [](char digit) {
    return head + "[trust]\n'party_0' =   '" + "' # \xc3\xa4\n" + "dealer = \"" + print_of(digit) + "\" # D\n";
  };
  const TrustEntry entry = enter_trust(all_keys(), with('1'), "f.toml", "dealer", print_of('2'));
  EXPECT_EQ(entry.text, with('2'));
  EXPECT_EQ(entry.before, print_of('1'));
  // Column numbers count characters, and the text before the column has more bytes than characters.
  const std::string wide = "[trust]\n\"party_0\" = \"\xc3\xa4\xc3\xb6\" # was wrong\n";
  EXPECT_EQ(entered(wide, "party_0", '3'), "[trust]\n\"party_0\" = \"" + print_of('3') + "\" # was wrong\n");
  const std::string windows = "[trust]\r\ndealer = \"x\"\r\n";
  EXPECT_EQ(entered(windows, "dealer", '3'), "[trust]\r\ndealer = \"" + print_of('3') + "\"\r\n");
  EXPECT_EQ(entered(windows, "actor", '3'), windows + "actor = \"" + print_of('3') + "\"\r\n");
}

TEST(TrustEntry, ChangesNothingWhereItIsTrustedAlready) {
  const std::string text = entered(head, "dealer", 'a');
  const TrustEntry again = enter_trust(all_keys(), text, "f.toml", "dealer", print_of('a'));
  EXPECT_EQ(again.text, text);
  EXPECT_EQ(again.before, print_of('a'));
}

TEST(TrustEntry, EntersASecondOneBesideTheFirst) {
  const std::string text = "[run]\nprotocol = \"live\"\nparties = 2\n\n[trust]\nparty_1 = \"" + print_of('1') + "\"\n";
  const auto next = [](const std::string& config, const std::string& role, char digit) {
    return enter_trust(all_keys(), config, "f.toml", role, print_of(digit), TrustTable::next);
  };
  const TrustEntry entry = next(text, "party_1", '2');
  EXPECT_EQ(entry.text, text + "\n[next_trust]\nparty_1 = \"" + print_of('2') + "\"\n");
  EXPECT_FALSE(entry.before);
  EXPECT_EQ(next(entry.text, "party_1", '3').before, print_of('2'));
  EXPECT_THAT(error_of<InputError>([&] { (void)next(text, "dealer", '1'); }), HasSubstr("already trusted for party_1"));
  EXPECT_THAT(
      error_of<InputError>([&] { (void)enter_trust(all_keys(), entry.text, "f.toml", "dealer", print_of('2')); }),
      HasSubstr("already trusted for party_1"));
  EXPECT_THAT(enter_trust(all_keys(), entry.text, "f.toml", "party_1", print_of('2')).text,
              HasSubstr("[trust]\nparty_1 = \"" + print_of('2') + "\""));
  EXPECT_THAT(error_of<InputError>([&] { (void)next(head, "dealer", 'a'); }), HasSubstr("leave --next out"));
}

TEST(TrustEntry, RefusesNonsense) {
  const auto refused = [](const std::string& text, const std::string& role, const std::string& fingerprint) {
    return error_of<InputError>([&] { (void)enter_trust(all_keys(), text, "f.toml", role, fingerprint); });
  };
  EXPECT_THAT(refused(head, "party_3", print_of('a')), HasSubstr("party_0, party_1, party_2"));
  for (const char* role : {"party_3", "party 0", "rewarder", "", "carol", "party_00"}) {
    EXPECT_THAT(refused(head, role, print_of('a')), HasSubstr("is no role")) << role;
  }
  EXPECT_EQ(refused("[run]\nparties = 2\nseparate_rewarder = true\n", "rewarder", print_of('a')), "");
  for (const std::string& bad : {std::string("sha256:1"), std::string(), print_of('G')}) {
    EXPECT_THAT(refused(head, "dealer", bad), HasSubstr("is no fingerprint")) << bad;
  }
  EXPECT_THAT(refused(entered(head, "dealer", 'a'), "actor", print_of('a')), HasSubstr("already trusted"));
  EXPECT_THAT(refused("[run\n", "dealer", print_of('a')), HasSubstr("f.toml:1:"));
  EXPECT_THAT(refused("trust = 3\n", "dealer", print_of('a')), HasSubstr("by hand"));
  EXPECT_THAT(refused("trust = { dealer = \"x\" }\n", "actor", print_of('a')), HasSubstr("by hand"));
}

TEST(TrustEntry, KnowsTheRolesOfO3m) {
  const std::string third = "[run]\nprotocol = \"o3m\"\nparticipants = 3\n";
  for (const char* role : {"active", "passive_1", "passive_2", "mask_generator"}) {
    EXPECT_EQ(entered(third, role, 'a'), third + "\n[trust]\n" + role + " = \"" + print_of('a') + "\"\n");
  }
  EXPECT_NE(entered(third + "mask_generator = \"third party\"\n", "mask_generator", 'a'), "");
  for (const char* role : {"passive_3", "passive_0", "party_0", "dealer"}) {
    EXPECT_THROW((void)entered(third, role, 'a'), InputError) << role;
  }
  EXPECT_THROW((void)entered(third + "mask_generator = 1\n", "mask_generator", 'a'), InputError);
  EXPECT_THROW((void)entered(head, "active", 'a'), InputError);
}

TEST(TrustEntry, KeepsLinksAndPermissions) {
  const TestFolder folder;
  const fs::path real = folder.put("real.toml", head);
  const fs::path link = folder.path() / "link.toml";
  ::chmod(real.c_str(), 0640);
  fs::create_symlink("real.toml", link);
  EXPECT_EQ(write_trust(all_keys(), link, "dealer", print_of('a')), std::nullopt);
  EXPECT_EQ(write_trust(all_keys(), link, "dealer", print_of('b')), print_of('a'));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(mode_of(real), 0640u);
  EXPECT_EQ(slurp(real), entered(head, "dealer", 'b'));
  EXPECT_THROW(write_trust(all_keys(), folder.path() / "none.toml", "dealer", print_of('b')), InputError);
}

}  // namespace
}  // namespace sotto::apps
