#include "apps/kit/files/json.h"
#include "apps/kit/report/described.h"
#include "apps/kit/report/human.h"
#include "apps/kit/report/markup.h"
#include "apps/kit/report/run_header.h"
#include "apps/kit/report/table.h"
#include "core/ring/kernels.h"
#include "tests/apps/support.h"
#include "tests/framework.h"
#include "tests/properties.h"
#include "tests/regex.h"

namespace sotto::apps {
namespace {

Page example_page() {
  Page page{"floor", "The floor", "What was measured.", take_provenance(), {}};
  page.provenance.command = "sotto-lab bench floor --parties 2";
  page.tables.emplace_back("first", "First table", "a: a, us");
  page.tables.emplace_back("second", "Second table", "b");
  page.tables.back().add({1.5});
  return page;
}

TEST(Provenance, SaysWhatRan) {
  const Provenance p = take_provenance();
  EXPECT_TRUE(matches(p.commit, "unknown|[0-9a-f]{10,40}(-dirty)?")) << p.commit;
  EXPECT_TRUE(matches(p.version, "\\d+\\.\\d+\\.\\d+")) << p.version;
  EXPECT_TRUE(matches(p.date, "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ")) << p.date;
  EXPECT_TRUE(has_match(p.compiler, "^(g\\+\\+|clang) \\d+")) << p.compiler;
  EXPECT_EQ(p.kernels, kernels().name);
  EXPECT_GE(p.cores, 1u);
  EXPECT_FALSE(p.cpu.empty());
  for (const double load : p.load) EXPECT_GE(load, 0);
}

TEST(Page, HasEveryTableInJson) {
  const auto json = nlohmann::json::parse(to_json(example_page()).dump());
  EXPECT_EQ(json.at("bench"), "floor");
  EXPECT_EQ(json.at("provenance").at("command"), "sotto-lab bench floor --parties 2");
  for (const char* key : {"version", "commit", "date", "cpu", "cores", "kernels", "system", "compiler", "load"}) {
    EXPECT_TRUE(json.at("provenance").contains(key)) << key;
  }
  EXPECT_EQ(json.at("tables").at("first"), nlohmann::json::array());
  EXPECT_EQ(json.at("tables").at("second").at(0).at("b"), 1.5);
}

TEST(Page, SaysInMarkdownWhatWasRun) {
  const std::string text = to_markdown(example_page());
  EXPECT_THAT(text, HasSubstr("# The floor\n\nWhat was measured.\n\n- commit: "));
  EXPECT_THAT(text, HasSubstr("\n```\nsotto-lab bench floor --parties 2\n```\n"));
  EXPECT_THAT(text, HasSubstr("\n## Second table\n\n| b |\n|--:|\n| 1.50 |\n"));
}

TEST(Page, PrintsTablesBelowTheirProvenance) {
  const Page page = example_page();
  EXPECT_EQ(to_text(page), to_text(page.provenance) + "\nFirst table\n  a, us\n\nSecond table\n" + "     b\n  1.50\n");
}

FigureTable example_table() {
  FigureTable table("steps", "Time a step", "parties; how; time_us: time, us; met");
  table.add({2u, "dealt | ahead", 41.26, true});
  table.add({8u, "streaming", 950.4, false});
  table.add({std::uint64_t{60'000}, std::string("none"), Cell(), Cell()});
  return table;
}

TEST(FigureTable, AlignsColumns) {
  EXPECT_EQ(example_table().to_text(),
            "Time a step\n"
            "  parties  how            time, us  met\n"
            "        2  dealt | ahead      41.3  yes\n"
            "        8  streaming           950   no\n"
            "   60,000  none                  -    -\n");
}

TEST(FigureTable, WritesMarkdown) {
  FigureTable table = example_table();
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
  FigureTable table("t", "T", "what: what <b>; n");
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
  const auto json = example_table().to_json();
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
  FigureTable table("t", "t", "a; b");
  EXPECT_THROW(table.add({1.0}), std::invalid_argument);
  EXPECT_THROW(table.add({1.0, 2.0, 3.0}), std::invalid_argument);
  EXPECT_EQ(table.rows(), 0u);
}

TEST(ThreeDigits, ShowsThree) {
  const std::pair<double, const char*> cases[] = {{0, "0"},         {0.001234, "0.00123"}, {0.09996, "0.100"},
                                                  {4.104, "4.10"},  {9.996, "10.0"},       {41, "41.0"},
                                                  {-950.4, "-950"}, {999.6, "1,000"},      {95'000.4, "95,000"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(three_digits(value), text);
}

TEST(Check, CountsWhatIsWithin) {
  const Check good{"1", "noise 1", "regret", "3 +- 1", "3.2 +- .5", true};
  Check bad = good;
  bad.passed = false;
  EXPECT_TRUE(all_passed({}));
  EXPECT_TRUE(all_passed({good, good}));
  EXPECT_FALSE(all_passed({good, bad}));
  EXPECT_EQ(verdict({good, bad, good}), "2 of 3 figures are within what was expected of them");
}

TEST(Check, TableHasARowACheckAndTheNote) {
  const FigureTable table = check_table({{"1", "noise 1", "regret", "3 +- 1", "9", false}}, "What within means.");
  EXPECT_EQ(table.key(), "checks");
  ASSERT_EQ(table.rows(), 1U);
  const auto json = table.to_json();
  EXPECT_EQ(json[0]["expected"], "3 +- 1");
  EXPECT_EQ(json[0]["passed"], false);
  EXPECT_THAT(table.to_text(), HasSubstr("What within means."));
}

TEST(EscapeHtml, ReplacesWhatHasAMeaning) {
  EXPECT_EQ(escape_html("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
  EXPECT_EQ(escape_html("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x99\x82\t\n"),
            "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x99\x82\t\n");
  EXPECT_EQ(escape_html(""), "");
}

TEST(EscapeHtml, ReplacesWhatIsNoText) {
  const std::string sign = "\xEF\xBF\xBD";
  const std::pair<std::string, std::string> cases[] = {{std::string("\0", 1), sign},
                                                       {"\x1b[31m", sign + "[31m"},
                                                       {"\x7f", sign},
                                                       {"\xff<", sign + "&lt;"},
                                                       {"\xC3", sign},             // the sequence is cut off
                                                       {"\xC3<", sign + "&lt;"},   // the < is no part of the sequence
                                                       {"\xC0\xBC", sign + sign},  // an overlong encoding of <
                                                       {"\xED\xA0\x80", sign + sign + sign},  // a surrogate
                                                       {"\xF4\x90\x80\x80", sign + sign + sign + sign}};
  for (const auto& [text, escaped] : cases) EXPECT_EQ(escape_html(text), escaped);
}

PROPERTY(EscapeHtml, NeverLetsMarkupThrough) {
  const auto text = draw<std::string>();
  const std::string escaped = escape_html(text);
  HOLDS(escaped.find_first_of("<>\"'") == std::string::npos);
  HOLDS(escape_html(std::string("<") + text).starts_with("&lt;"));
}

TEST(ScientificHtml, WritesPowersOfTen) {
  EXPECT_EQ(scientific_html(1e-6), "10<sup>&minus;6</sup>");
  EXPECT_EQ(scientific_html(2.5e-7), "2.5 &middot; 10<sup>&minus;7</sup>");
  EXPECT_EQ(scientific_html(.01), "0.01");
  EXPECT_EQ(scientific_html(0), "0");
}

enum class Fruit { apple, pear };
constexpr auto names_of(Fruit) { return std::array{std::pair{Fruit::apple, "apple"}, std::pair{Fruit::pear, "pear"}}; }

struct Seed {
  std::uint32_t weight = 0;
  friend bool operator==(const Seed&, const Seed&) = default;
  static void describe(auto& self, auto&& field) { field("weight", self.weight); }
};

struct Basket {
  Fruit fruit = Fruit::apple;
  std::optional<double> price{};
  std::optional<std::string> note{};
  std::vector<Seed> seeds{};
  std::vector<std::pair<std::string, std::string>> labels{};
  bool ripe = false;

  friend bool operator==(const Basket&, const Basket&) = default;
  static void describe(auto& self, auto&& field) {
    field("fruit", self.fruit);
    field("price", self.price);
    field.unless_empty("note", self.note);
    field("seeds", self.seeds);
    field.unless_empty("labels", self.labels);
    field("ripe", self.ripe);
    field.derived("count", self.seeds.size());
  }
};

Basket full_basket() { return {Fruit::pear, 0.1, "\xc3\xa9", {{1}, {4294967295}}, {{"a", "b"}}, true}; }

std::string basket_refusal(const std::string& text) {
  Basket basket;
  return error_of<NotAsDescribed>([&] { read_described(nlohmann::json::parse(text), basket); });
}

TEST(Described, HasWhatIsMissingAsNullOrNotAtAll) {
  EXPECT_EQ(json_of(Basket{}).dump(), R"({"fruit":"apple","price":null,"seeds":[],"ripe":false,"count":0})");
  EXPECT_EQ(json_of(full_basket()).dump(),
            "{\"fruit\":\"pear\",\"price\":0.1,\"note\":\"\xc3\xa9\",\"seeds\":[{\"weight\":1},{\"weight\":4294967295}]"
            ",\"labels\":[[\"a\",\"b\"]],\"ripe\":true,\"count\":2}");
}

TEST(Described, ComesBackFromAFile) {
  const TestFolder folder;
  for (const Basket& basket : {Basket{}, full_basket()}) {
    write_described(folder.path() / "b.json", basket);
    EXPECT_EQ(read_described_file<Basket>(folder.path() / "b.json", "a basket"), basket);
  }
}

TEST(Described, NamesTheFieldThatIsAnother) {
  EXPECT_EQ(basket_refusal("[]"), "it is no object");
  EXPECT_EQ(basket_refusal("{}"), "fruit is missing");
  EXPECT_EQ(basket_refusal(R"({"fruit":"plum"})"), "fruit is none of its names");
  EXPECT_EQ(basket_refusal(R"({"fruit":"pear","price":"1"})"), "price is no number");
  EXPECT_EQ(basket_refusal(R"({"fruit":"pear","price":1,"note":2})"), "note is no text");
  EXPECT_EQ(basket_refusal(R"({"fruit":"pear","price":1,"seeds":{}})"), "seeds is no list");
  EXPECT_EQ(basket_refusal(R"({"fruit":"pear","price":1,"seeds":[1]})"), "seeds is no object");
  EXPECT_EQ(basket_refusal(R"({"fruit":"pear","price":1,"seeds":[{}]})"), "seeds.weight is missing");
  for (const char* weight : {"-1", "1.5", "4294967296", "\"1\"", "null"}) {
    EXPECT_EQ(basket_refusal(fmt::format(R"({{"fruit":"pear","price":1,"seeds":[{{"weight":{}}}]}})", weight)),
              "seeds.weight is no whole number of its range");
  }
  EXPECT_EQ(basket_refusal(R"({"fruit":"pear","price":1,"seeds":[],"labels":[["a"]]})"), "labels is no pair");
  EXPECT_EQ(basket_refusal(R"({"fruit":"pear","price":1,"seeds":[],"ripe":1})"), "ripe is neither true nor false");
}

TEST(Described, ARefusalOfAFileIsOneLine) {
  const TestFolder folder;
  const auto path = folder.put("b.json", R"({"fruit":"pear"})");
  EXPECT_EQ(message_of<InputError>(folder, [&] { (void)read_described_file<Basket>(path, "a basket"); }),
            "b.json: is not a basket: price is missing");
}

TEST(RunHeader, IsInOneObjectWithTheResult) {
  RunHeader header;
  header.fail("lost");
  header.insecure = {"insecure-seed"};
  EXPECT_EQ(json_of(header).dump(), R"({"status":"failed","error":"lost","version":"","command":"","started":"",)"
                                    R"("insecure":["insecure-seed"]})");
}

TEST(HumanUnits, KeepThreeDigits) {
  const std::pair<double, const char*> seconds[] = {
      {0, "0 s"},      {8.4e-7, "840 ns"},    {9.996e-7, "1.00 us"}, {41.34e-6, "41.3 us"}, {.5, "500 ms"},
      {1.2, "1.20 s"}, {99.96, "1 min 40 s"}, {185, "3 min 05 s"},   {7260, "2 h 01 min"}};
  for (const auto& [value, text] : seconds) EXPECT_EQ(human_seconds(value), text);
  const std::pair<double, const char*> bytes[] = {{0, "0 B"},          {999, "999 B"},     {999.7, "1.00 KB"},
                                                  {30'412, "30.4 KB"}, {1.2e6, "1.20 MB"}, {5e15, "5000 TB"}};
  for (const auto& [value, text] : bytes) EXPECT_EQ(human_bytes(value), text);
  const std::pair<double, const char*> counts[] = {
      {950, "950"}, {60'000, "60,000"}, {-1234567, "-1,234,567"}, {12.3e6, "12.3 M"}, {2e9, "2.00 G"}};
  for (const auto& [value, text] : counts) EXPECT_EQ(human_count(value), text);
  EXPECT_EQ(human_eta(4.506), "4.51");
  EXPECT_EQ(human_eta(265'825.4), "265,825");
}

}  // namespace
}  // namespace sotto::apps
