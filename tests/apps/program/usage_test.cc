#include <gtest/gtest.h>

#include "tests/apps/program_walk.h"

namespace sotto::apps {
namespace {

TEST(Usage, NamesAnUnknownCommandAndWhatWasProbablyMeant) {
  const std::pair<const char*, const char*> cases[] = {
      {"bandti", "'bandti' is no command of sotto; did you mean bandit?"},
      {"robin agregate", "'agregate' is no command of sotto robin; did you mean aggregate?"},
      {"p2b shufle", "'shufle' is no command of sotto p2b; did you mean shuffle?"},
      {"keys trst --config x", "'trst' is no command of sotto keys; did you mean trust?"},
      {"keys elsewhere", "'elsewhere' is no command of sotto keys, which has new, show, trust"},
      {"prepare digts --out x", "'digts' is no command of sotto prepare; did you mean digits?"},
  };
  for (const auto& [line, says] : cases) EXPECT_EQ(refusal_of(words_of(line)), says);
}

TEST(Usage, NamesAnUnknownFlagEvenWhereOthersAreMissing) {
  EXPECT_EQ(refusal_of(words_of("plan --parti a.csv")), "'--parti' is no option of sotto plan; did you mean --party?");
  EXPECT_EQ(refusal_of(words_of("p2b epsilon --treshold=5")),
            "'--treshold' is no option of sotto p2b epsilon; did you mean --threshold?");
  EXPECT_EQ(refusal_of(words_of("--speed 5 bandit")), "'--speed' is no option of sotto");
  // What is for launched roles only is nobody's slip of the finger.
  EXPECT_EQ(refusal_of(words_of("dealer --config a --listen-descripto 5")),
            "'--listen-descripto' is no option of sotto dealer");
}

TEST(Usage, NamesAWordTooManyAndWhatIsMissing) {
  EXPECT_EQ(refusal_of(words_of("plan foo")), "'foo' is one word too many for sotto plan");
  EXPECT_EQ(refusal_of(words_of("plan --party a --party b")), "--environment is required");
  EXPECT_EQ(refusal_of({}), "");  // help is printed
  EXPECT_EQ(refusal_of({"p2b"}), "");
}

// No command of the program lets an unknown word pass, or says what it means by another one's name.
TEST(Usage, NamesTheWordInEveryCommand) {
  std::size_t commands = 0;
  walk_program([&](const Command&, const std::string& name) {
    std::vector<std::string> words = words_of(name);
    words.push_back("--no-such-flag");
    EXPECT_TRUE(refusal_of(words).starts_with("'--no-such-flag' is no option of sotto " + name))
        << name << ": " << refusal_of(words);
    ++commands;
  });
  EXPECT_GT(commands, 30U);
}

}  // namespace
}  // namespace sotto::apps
