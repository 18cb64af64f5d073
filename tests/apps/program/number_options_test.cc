#include "sotto/apps/kit/program/number_options.h"

#include "sotto/apps/kit/program/command.h"

#include "tests/apps/program_walk.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

// What is said of the value, or "".
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

// Every option of the program that is a number is read by one of the above.
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

}  // namespace
}  // namespace sotto::apps
