#include "apps/kit/http/json_body.h"

#include <gtest/gtest.h>

#include "apps/kit/http/responder.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

using nlohmann::json;

std::string fault_of(std::string_view text, const JsonLimits& limits = {}) {
  return error_of<JsonError>([&] { static_cast<void>(read_json_body(text, limits)); });
}

TEST(JsonBody, GivesWhatAnotherParserGives) {
  for (const char* const text :
       {"1", "-0.5e3", "null", "true", "\"\\u00e9\\ud83d\\ude00\"", "[]", "{}", "[1,[2,{\"a\":[3]}],\"x\"]",
        "{\"a\":1,\"b\":{\"a\":2},\"c\":[{},{\"a\":null}]}", " \n{ \"event\" : \"ab\" }\t"}) {
    EXPECT_EQ(read_json_body(text, {.most_levels = 5}), json::parse(text)) << text;
  }
}

TEST(JsonBody, RefusesWhatIsNoJson) {
  for (const std::string text : {"",
                                 " ",
                                 "{",
                                 "{\"a\"}",
                                 "{\"a\":1,}",
                                 "[1 2]",
                                 "nul",
                                 "NaN",
                                 "Infinity",
                                 "-",
                                 "01",
                                 "1 2",
                                 "{} x",
                                 "'a'",
                                 "\"\xff\"",
                                 "\"\xc3\"",
                                 "\"\xed\xa0\x80\"",
                                 "\"a\nb\"",
                                 "\xc3\xa9",
                                 "\"\\ud800\"",
                                 "/* */ 1",
                                 "[1]]"}) {
    EXPECT_THAT(fault_of(text), testing::HasSubstr("this is no JSON")) << text;
  }
  // A parser that stops at NUL would ignore the rest of the text.
  EXPECT_THAT(fault_of(std::string("{}\0x", 4)), testing::HasSubstr("NUL"));
}

TEST(JsonBody, TakesNoNumberThatIsNoDouble) {
  EXPECT_EQ(fault_of("{\"x\":1e999}"), "a number is no finite double");
  EXPECT_EQ(fault_of("-1e999"), "a number is no finite double");
  EXPECT_EQ(read_json_body("1.7976931348623157e308").get<double>(), std::numeric_limits<double>::max());
  EXPECT_EQ(read_json_body("18446744073709551615").get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
}

TEST(JsonBody, TakesNoKeyTwice) {
  EXPECT_EQ(fault_of("{\"value\":1,\"value\":0}"), "field \"value\": it comes twice");
  EXPECT_EQ(fault_of("{\"v\\u0061lue\":1,\"value\":0}"), "field \"value\": it comes twice");
  EXPECT_EQ(fault_of("[{\"a\":1},{\"a\":2}]"), "");
}

TEST(JsonBody, EndsAtEachLimit) {
  const JsonLimits limits{.most_levels = 2, .most_values = 4, .longest_key = 3, .longest_text = 5};
  EXPECT_EQ(fault_of("[[]]", limits), "");
  EXPECT_EQ(fault_of("[[[]]]", limits), "it has more than 2 levels");
  EXPECT_EQ(fault_of("[1,2,3]", limits), "");
  EXPECT_EQ(fault_of("[1,2,3,4]", limits), "it has more than 4 values");
  EXPECT_EQ(fault_of("{\"abc\":1}", limits), "");
  EXPECT_EQ(fault_of("{\"abcd\":1}", limits), "the name of a field is longer than 3 bytes");
  EXPECT_EQ(fault_of("\"12345\"", limits), "");
  EXPECT_EQ(fault_of("\"123456\"", limits), "a text is longer than 5 bytes");
  EXPECT_EQ(fault_of(std::string(1 << 20, '[')), "it has more than 4 levels");
}

PROPERTY(JsonBody, ReadsBackWhatIsWritten) {
  const auto values = draw<std::map<std::string, std::vector<std::int64_t>>>();
  json whole = json::object();
  for (const auto& [key, numbers] : values) {
    // A drawn key may have any bytes, but JSON must be UTF-8.
    if (key.size() <= 64 && std::all_of(key.begin(), key.end(), [](char c) { return c > 0; })) whole[key] = numbers;
  }
  HOLDS(read_json_body(whole.dump(), {.most_values = 1 << 20}) == whole);
}

template <class Use>
std::string fields_fault(const char* text, Use use) {
  const json object = read_json_body(text);
  return error_of<JsonError>([&] {
    JsonFields fields(object);
    use(fields);
    fields.finish();
  });
}

TEST(JsonFields, GiveTypedValues) {
  const json object = read_json_body(
      R"({"t":"ab","f":true,"n":-1.5,"w":3.0,"x":[1,2.5],"s":["a","b"],"v":{"age":0.4},"r":[[1,2],null]})");
  JsonFields fields(object);
  EXPECT_EQ(fields.text("t", 2), "ab");
  EXPECT_EQ(fields.flag("f"), true);
  EXPECT_EQ(fields.number("n", -1.5, 0), -1.5);
  EXPECT_EQ(fields.whole("w", 0, 3), 3U);
  EXPECT_EQ(fields.numbers("x", 2), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(fields.texts("s", 2, 1), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(fields.named_numbers("v", 1), (std::map<std::string, double>{{"age", 0.4}}));
  const auto rows = fields.rows("r", 2, 2);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->at(0), (std::vector<double>{1, 2}));
  EXPECT_EQ(rows->at(1), std::nullopt);
  EXPECT_EQ(fields.text("missing", 9), std::nullopt);
  fields.finish();
}

TEST(JsonFields, SayWhichFieldIsWrongAndHow) {
  const auto none = [](JsonFields&) {};
  EXPECT_EQ(fields_fault("{\"a\":1}", none), "field \"a\": it is not known here");
  EXPECT_EQ(fields_fault("[1]", none), "expected an object, got an array");
  const auto ten = [](JsonFields& fields) { static_cast<void>(fields.numbers("x", 10)); };
  EXPECT_EQ(fields_fault("{\"x\":[1,2,3,4,5,6,7,8,9]}", ten), "field \"x\": expected 10 numbers, got 9");
  EXPECT_EQ(fields_fault("{\"x\":7}", ten), "field \"x\": expected 10 numbers, got a number");
  EXPECT_EQ(fields_fault("{\"x\":[1,2,3,4,null,6,7,8,9,0]}", ten),
            "field \"x\": expected 10 numbers, got null among them");
  const auto text = [](JsonFields& fields) { static_cast<void>(fields.text("x", 2)); };
  EXPECT_EQ(fields_fault("{\"x\":null}", text), "field \"x\": expected a text, got null");
  EXPECT_EQ(fields_fault("{\"x\":\"abc\"}", text), "field \"x\": expected a text of 1 to 2 bytes, got 3");
  EXPECT_EQ(fields_fault("{\"x\":\"\"}", text), "field \"x\": expected a text of 1 to 2 bytes, got 0");
  const auto whole = [](JsonFields& fields) { static_cast<void>(fields.whole("x", 0, 30'000)); };
  for (const char* const wrong : {"{\"x\":-1}", "{\"x\":1.5}", "{\"x\":30001}", "{\"x\":1e300}", "{\"x\":true}"}) {
    EXPECT_EQ(fields_fault(wrong, whole), "field \"x\": expected a whole number from 0 to 30000") << wrong;
  }
  const auto number = [](JsonFields& fields) { static_cast<void>(fields.number("x", -1, 1)); };
  EXPECT_EQ(fields_fault("{\"x\":1.25}", number), "field \"x\": expected a number from -1 to 1");
  const auto flag = [](JsonFields& fields) { static_cast<void>(fields.flag("x")); };
  EXPECT_EQ(fields_fault("{\"x\":1}", flag), "field \"x\": expected true or false, got a number");
  const auto named = [](JsonFields& fields) { static_cast<void>(fields.named_numbers("x", 2)); };
  EXPECT_EQ(fields_fault("{\"x\":{\"age\":\"old\"}}", named), "field \"x\": expected a number of \"age\", got a text");
  const auto rows = [](JsonFields& fields) { static_cast<void>(fields.rows("x", 2, 1)); };
  EXPECT_EQ(fields_fault("{\"x\":[[1]]}", rows), "field \"x\": expected an array of 2 rows");
  EXPECT_EQ(fields_fault("{\"x\":[[1],[1,2]]}", rows), "field \"x\": expected 1 number, got 2");
  const auto needed = [](JsonFields& fields) { static_cast<void>(fields.need(fields.flag("x"), "x")); };
  EXPECT_EQ(fields_fault("{}", needed), "field \"x\": it is missing");
}

TEST(JsonFields, ShowNoValueAndNoControlCharacter) {
  const std::string marker = "7919.125";
  const auto use = [](JsonFields& fields) {
    static_cast<void>(fields.text("t", 3));
    static_cast<void>(fields.number("n", 0, 1));
  };
  for (const std::string& text : {"{\"t\":" + marker + "}", "{\"n\":" + marker + "}", "{\"t\":\"" + marker + "\"}",
                                  "{\"n\":\"" + marker + "\"}"}) {
    EXPECT_THAT(fields_fault(text.c_str(), use), testing::Not(testing::HasSubstr("7919"))) << text;
  }
  EXPECT_THAT(fault_of("{\"a\": " + marker + " " + marker + "}"), testing::Not(testing::HasSubstr("7919")));
  EXPECT_EQ(fields_fault("{\"\\u001b[2J\":1}", [](JsonFields&) {}), "field \"?[2J\": it is not known here");
}

TEST(Lines, AreSplitAtTheirEnds) {
  using List = std::vector<std::string_view>;
  EXPECT_EQ(lines_of("a\nb\n"), (List{"a", "b"}));
  EXPECT_EQ(lines_of("a\r\nb"), (List{"a", "b"}));
  EXPECT_EQ(lines_of("\n\na"), (List{"", "", "a"}));
  EXPECT_EQ(lines_of("a\rb\n"), (List{"a\rb"}));
}

TEST(Lines, AreAtMostSoMany) {
  EXPECT_EQ(lines_of("1\n2\n3\n", 3).size(), 3U);
  const auto status = [](std::string_view body) {
    try {
      static_cast<void>(lines_of(body, 3));
    } catch (const ProblemError& error) {
      return error.problem().status;
    }
    return 200U;
  };
  EXPECT_EQ(status("1\n2\n3\n4"), 413U);
  EXPECT_EQ(status("\n\n\n\n"), 413U);
  EXPECT_EQ(status(""), 400U);
}

TEST(LineAnswers, ComeInTheOrderOfTheLines) {
  std::optional<Answer> sent;
  const LineAnswers answers(Responder({[&](Answer&& answer) { sent = std::move(answer); }}), 3);
  EXPECT_TRUE(answers.put(2, json{{"line", 2}}));
  EXPECT_TRUE(answers.put(0, json{{"line", 0}}));
  EXPECT_FALSE(answers.put(0, json{{"line", 9}})) << "a line is answered once";
  EXPECT_FALSE(sent.has_value());
  EXPECT_TRUE(answers.put(1, Problem{409, "event-conflict", "Two bodies for one event", {}, {}, {}}));
  ASSERT_TRUE(sent.has_value());
  EXPECT_EQ(sent->type, "application/x-ndjson");
  EXPECT_EQ(sent->body,
            "{\"line\":0}\n{\"type\":\"urn:sotto:event-conflict\",\"title\":\"Two bodies for one "
            "event\",\"status\":409}\n{\"line\":2}\n");
  EXPECT_FALSE(answers.waits());
  EXPECT_THROW(answers.put(3, json()), std::invalid_argument);
}

TEST(LineAnswers, ThatAreNotGivenEndTheRequest) {
  std::optional<Answer> sent;
  {
    const LineAnswers answers(Responder({[&](Answer&& answer) { sent = std::move(answer); }}), 2);
  }
  ASSERT_TRUE(sent.has_value());
  EXPECT_EQ(sent->status, 500U);
}

}  // namespace
}  // namespace sotto::apps
