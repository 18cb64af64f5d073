#include "sotto/bench/lab/o3m_paper/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sotto/bench/lab/o3m_paper/charts.h"
#include "sotto/bench/lab/o3m_paper/tables.h"
#include "tests/apps/kit/data/criteo_sample.h"
#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::atomic<bool> not_interrupted{false};

PaperResult small_result(const std::optional<CriteoSettings>& criteo) {
  PaperOptions options;
  options.synthetic.arms = 3;
  options.synthetic.columns = {2, 2};
  options.synthetic.steps = 60;
  options.synthetic.repeats = 2;
  options.quick = true;
  options.criteo = criteo;
  std::size_t told = 0;
  const PaperResult result = run_paper(
      options, take_provenance(), [&](const std::string&) { ++told; }, not_interrupted);
  EXPECT_GE(told, 3u);
  return result;
}

TEST(PaperReport, HasEveryFigureAndLoadsNothing) {
  const PaperResult result = small_result(std::nullopt);
  const std::string page = paper_html(result);
  for (const char* heading : {"Figure 4 (a)", "Figure 4 (b)", "Figure 4 (c)", "Figure 4 (d)",
                              "Figure 5 (a)", "Figure 5 (b)", "Figure 5 (c)", "Figure 6 (a)",
                              "Figure 6 (b)", "Table 1", "--criteo FILE"}) {
    EXPECT_THAT(page, HasSubstr(heading));
  }
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("http:")));
  EXPECT_THAT(page, Not(HasSubstr("https:")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("nan,")));
  EXPECT_THAT(page, Not(HasSubstr("inf")));
  EXPECT_THAT(page, HasSubstr("regret was not compared"));
}

TEST(PaperReport, WritesJsonWithTheSameFigures) {
  const TestFolder folder;
  CriteoSettings criteo;
  criteo.file = folder.put("<log>.txt", criteo_sample(1500, 2));
  const PaperResult result = small_result(criteo);
  write_paper(folder.path() / "out", result);
  const auto json = nlohmann::json::parse(slurp(folder.path() / "out" / "run.json"));
  EXPECT_EQ(json["status"], "complete");
  EXPECT_EQ(json["settings"]["steps"], 60);
  EXPECT_EQ(json["synthetic"].size(), 2u);
  EXPECT_EQ(json["synthetic"][0]["points"].size(), 60u);
  EXPECT_EQ(json["synthetic"][0]["policies"].size(), 9u);
  EXPECT_EQ(json["synthetic"][0]["arms_equal"], true);
  EXPECT_EQ(json["tables"]["table_1"].size(), 4u);
  EXPECT_EQ(json["criteo"]["policies"].size(), 5u);
  EXPECT_EQ(json["criteo"]["rows"], 1500);
  const std::string page = slurp(folder.path() / "out" / "report.html");
  EXPECT_THAT(page, HasSubstr("Figure 6 (c)"));
  EXPECT_THAT(page, Not(HasSubstr("<log>")));
  EXPECT_THAT(to_text(result), Not(HasSubstr("--criteo FILE")));
}

TEST(PaperReport, TellsAFailedCheck) {
  PaperResult result = small_result(std::nullopt);
  EXPECT_TRUE(result.all_passed());
  result.checks[0].passed = false;
  EXPECT_FALSE(result.all_passed());
  EXPECT_THAT(paper_html(result), HasSubstr("verdict failed"));
  EXPECT_THAT(paper_tables(result)[0].to_text(), HasSubstr("no"));
}

}  // namespace
}  // namespace sotto::apps
