#include "core/text/count.h"
#include "core/text/terminal_safe.h"
#include "tests/properties.h"

namespace sotto {
namespace {

TEST(Count, OneIsSingularAndEverythingElseIsNot) {
  EXPECT_EQ(counted(1, "step"), "1 step");
  EXPECT_EQ(counted(0, "step"), "0 steps");
  EXPECT_EQ(counted(2, "step"), "2 steps");
  EXPECT_EQ(counted(11, "arm"), "11 arms");
  EXPECT_EQ(counted(std::numeric_limits<std::uint64_t>::max(), "byte"), "18446744073709551615 bytes");
}

TEST(Count, NounsHaveThePluralThatTheyHaveInEnglish) {
  EXPECT_EQ(noun(2, "party"), "parties");
  EXPECT_EQ(noun(2, "day"), "days");
  EXPECT_EQ(noun(2, "batch"), "batches");
  EXPECT_EQ(noun(2, "process"), "processes");
  EXPECT_EQ(noun(2, "feature vector"), "feature vectors");
  EXPECT_EQ(noun(1, "party"), "party");
  EXPECT_EQ(noun(1, "batch"), "batch");
}

TEST(TerminalSafe, KeepsWhatCanBeRead) {
  for (const char* text : {"", "a.csv:3:2: not a number", "\xC3\xA9t\xC3\xA9.csv", "C:\\data",
                           "\xE6\x95\xB0\xE6\x8D\xAE", "\xF0\x9F\x8D\x8B"}) {
    EXPECT_EQ(terminal_safe(text), text);
  }
}

TEST(TerminalSafe, SpellsOutWhatATerminalObeys) {
  EXPECT_EQ(terminal_safe("a\x1b[31m\rb\nc\td\x7f"), "a\\x1b[31m\\rb\\nc\\td\\x7f");
  EXPECT_EQ(terminal_safe(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(terminal_safe("\xC2\x9B"
                          "2J"),
            "\\u009b2J");  // the control sequence introducer (CSI) as one character
  EXPECT_EQ(terminal_safe("\xE2\x80\xAEvsc.exe"), "\\u202evsc.exe");  // an override to right-to-left text
  EXPECT_EQ(terminal_safe("a\xE2\x80\xA8"
                          "b"),
            "a\\u2028b");  // a line separator
}

TEST(TerminalSafe, SpellsOutBytesThatAreNoUtf8) {
  EXPECT_EQ(terminal_safe("\x9b"
                          "2J\xff"),
            "\\x9b2J\\xff");
  EXPECT_EQ(terminal_safe("\xC3"), "\\xc3");           // the encoding is cut off
  EXPECT_EQ(terminal_safe("\xC0\x9B"), "\\xc0\\x9b");  // the encoding is longer than needed
  EXPECT_EQ(terminal_safe("\xED\xA0\x80"), "\\xed\\xa0\\x80");
}

TEST(TerminalSafe, CutsBetweenTwoCharacters) {
  EXPECT_EQ(terminal_safe("gr\xC3\xB6\xC3\x9F"
                          "e",
                          3),
            "gr");
  EXPECT_EQ(terminal_safe("gr\xC3\xB6\xC3\x9F"
                          "e",
                          4),
            "gr\xC3\xB6");
  EXPECT_EQ(terminal_safe("abc", 3), "abc");
  EXPECT_EQ(terminal_safe("abc", 0), "");
  EXPECT_LE(terminal_safe("\x1b\x1b", 5).size(), 5u);
}

PROPERTY(TerminalSafe, LeavesNoControlCharacterAndChangesNothingTheSecondTime) {
  const auto text = draw<std::string>();
  const std::string safe = terminal_safe(text);
  HOLDS(
      std::none_of(safe.begin(), safe.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }));
  HOLDS(safe.find("\xC2\x9B") == std::string::npos);
  HOLDS(terminal_safe(safe) == safe);
}

}  // namespace
}  // namespace sotto
