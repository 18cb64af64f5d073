#include "sotto/apps/kit/report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "sotto/core/ring/kernels.h"

namespace sotto::apps {
namespace {

using ::testing::HasSubstr;

Page example() {
  Page page{"floor", "The floor", "What was measured.", take_provenance(), {}};
  page.provenance.command = "sotto-lab bench floor --parties 2";
  page.tables.emplace_back("first", "First table", std::vector<Column>{{"a", "a, us"}});
  page.tables.emplace_back("second", "Second table", std::vector<Column>{{"b", "b"}});
  page.tables.back().add({1.5});
  return page;
}

TEST(Provenance, SaysWhatRan) {
  const Provenance p = take_provenance();
  EXPECT_TRUE(std::regex_match(p.commit, std::regex("unknown|[0-9a-f]{10,40}(-dirty)?"))) << p.commit;
  EXPECT_TRUE(std::regex_match(p.version, std::regex("\\d+\\.\\d+\\.\\d+"))) << p.version;
  EXPECT_TRUE(std::regex_match(p.date, std::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ"))) << p.date;
  EXPECT_TRUE(std::regex_search(p.compiler, std::regex("^(g\\+\\+|clang) \\d+"))) << p.compiler;
  EXPECT_EQ(p.kernels, kernels().name);
  EXPECT_GE(p.cores, 1u);
  EXPECT_FALSE(p.cpu.empty());
  for (const double load : p.load) EXPECT_GE(load, 0);
}

TEST(Page, HasEveryTableInJson) {
  const auto json = nlohmann::json::parse(to_json(example()).dump());
  EXPECT_EQ(json.at("bench"), "floor");
  EXPECT_EQ(json.at("provenance").at("command"), "sotto-lab bench floor --parties 2");
  for (const char* key : {"version", "commit", "date", "cpu", "cores", "kernels", "system", "compiler", "load"}) {
    EXPECT_TRUE(json.at("provenance").contains(key)) << key;
  }
  EXPECT_EQ(json.at("tables").at("first"), nlohmann::json::array());
  EXPECT_EQ(json.at("tables").at("second").at(0).at("b"), 1.5);
}

TEST(Page, SaysInMarkdownWhatWasRun) {
  const std::string text = to_markdown(example());
  EXPECT_THAT(text, HasSubstr("# The floor\n\nWhat was measured.\n\n- commit: "));
  EXPECT_THAT(text, HasSubstr("\n```\nsotto-lab bench floor --parties 2\n```\n"));
  EXPECT_THAT(text, HasSubstr("\n## Second table\n\n| b |\n|--:|\n| 1.50 |\n"));
}

TEST(Page, PrintsTablesBelowTheirProvenance) {
  const Page page = example();
  EXPECT_EQ(to_text(page), to_text(page.provenance) + "\nFirst table\n  a, us\n\nSecond table\n" + "     b\n  1.50\n");
}

}  // namespace
}  // namespace sotto::apps
