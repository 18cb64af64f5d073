#include "sotto/apps/kit/settings/toml_text.h"

#include "sotto/apps/commands.h"
#include "sotto/apps/kit/settings/document.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

std::string limit_refusal(const std::string& text) {
  return error_of([&] { check_toml_limits(text, "c.toml"); });
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

// Strings and comments are text: what stands in them opens and closes nothing.
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

// What is just within the limits is as deep as it gets.
TEST(TomlLimits, AreWithinWhatTheParserBears) {
  const std::string dots = "a" + repeated(".a", 256);
  std::string text = "[" + dots + "]\n";
  for (int i = 0; i < 4; ++i) text += dots.substr(0, 500) + " = [\n{";
  EXPECT_EQ(limit_refusal(text), "");
  EXPECT_THROW((void)parse_document(all_keys(), text, "c.toml"), InputError);
  EXPECT_THROW((void)parse_document(all_keys(), "[" + dots + "]\n" + dots + " = 1\n", "c.toml"), InputError);
}

}  // namespace
}  // namespace sotto::apps
