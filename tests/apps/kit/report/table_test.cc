#include "sotto/apps/kit/report/table.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

namespace sotto::apps {
namespace {

FigureTable example() {
  FigureTable table("steps", "Time a step",
                    {{"parties", "parties"}, {"how", "how"}, {"time_us", "time, us"}, {"met", "met"}});
  table.add({2u, "dealt | ahead", 41.26, true});
  table.add({8u, "streaming", 950.4, false});
  table.add({std::uint64_t{60'000}, std::string("none"), Cell(), Cell()});
  return table;
}

TEST(FigureTable, AlignsColumns) {
  EXPECT_EQ(example().to_text(),
            "Time a step\n"
            "  parties  how            time, us  met\n"
            "        2  dealt | ahead      41.3  yes\n"
            "        8  streaming           950   no\n"
            "   60,000  none                  -    -\n");
}

TEST(FigureTable, WritesMarkdown) {
  FigureTable table = example();
  table.note("A note.");
  EXPECT_EQ(table.to_markdown(),
            "## Time a step\n\n"
            "| parties | how | time, us | met |\n"
            "|--:|---|--:|--:|\n"
            "| 2 | dealt \\| ahead | 41.3 | yes |\n"
            "| 8 | streaming | 950 | no |\n"
            "| 60,000 | none | - | - |\n"
            "\nA note.\n");
}

TEST(FigureTable, WritesHtml) {
  FigureTable table("t", "T", {{"what", "what <b>"}, {"n", "n"}});
  table.add({"a & b", 41.26});
  table.note("x < y");
  std::string html = table.to_html();
  std::erase(html, '\n');
  EXPECT_EQ(html,
            "<div class=\"scroll\"><table><thead><tr><th>what &lt;b&gt;</th><th "
            "class=\"number\">n</th></tr></thead><tbody><tr><td>a &amp; b</td><td "
            "class=\"number\">41.3</td></tr></tbody></table></div><p class=\"note\">x &lt; y</p>");
}

TEST(FigureTable, KeepsAllDigitsInJson) {
  const auto json = example().to_json();
  EXPECT_EQ(json.dump(), R"([{"parties":2,"how":"dealt | ahead","time_us":41.26,"met":true},)"
                         R"({"parties":8,"how":"streaming","time_us":950.4,"met":false},)"
                         R"({"parties":60000,"how":"none","time_us":null,"met":null}])");
}

TEST(FigureTable, HasNoNumberForWhatIsNoNumber) {
  EXPECT_EQ(Cell(std::numeric_limits<double>::quiet_NaN()).shown(), "-");
  EXPECT_TRUE(Cell(std::numeric_limits<double>::infinity()).json().is_null());
  EXPECT_EQ(Cell(std::optional<double>()).shown(), "-");
  EXPECT_EQ(Cell(std::optional<double>(2.0)).shown(), "2.00");
}

TEST(FigureTable, RefusesRowsOfAnotherLength) {
  FigureTable table("t", "t", {{"a", "a"}, {"b", "b"}});
  EXPECT_THROW(table.add({1.0}), std::invalid_argument);
  EXPECT_THROW(table.add({1.0, 2.0, 3.0}), std::invalid_argument);
  EXPECT_EQ(table.rows(), 0u);
}

TEST(ThreeDigits, ShowsThree) {
  EXPECT_EQ(three_digits(0), "0");
  EXPECT_EQ(three_digits(0.001234), "0.00123");
  EXPECT_EQ(three_digits(0.09996), "0.100");
  EXPECT_EQ(three_digits(4.104), "4.10");
  EXPECT_EQ(three_digits(9.996), "10.0");
  EXPECT_EQ(three_digits(41), "41.0");
  EXPECT_EQ(three_digits(-950.4), "-950");
  EXPECT_EQ(three_digits(999.6), "1,000");
  EXPECT_EQ(three_digits(95'000.4), "95,000");
}

}  // namespace
}  // namespace sotto::apps
