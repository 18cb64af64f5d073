#include "apps/o3m/files.h"

#include <fmt/format.h>

#include "apps/kit/files/table.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::o3m {
namespace {

std::string contexts_refusal(const TestFolder& folder, const ContextFiles& files) {
  return message_of<InputError>(folder, [&] { (void)read_contexts(files); });
}

std::string contexts_refusal(const std::string& text) {
  const TestFolder folder;
  return contexts_refusal(folder, {folder.put("a.csv", text)});
}

TEST(O3mFiles, ReadsRowsInAnyOrder) {
  const TestFolder folder;
  const auto file = folder.put("a.csv", "x,arm,t,y\n5,1,2,6\n1,0,1,2\n7,0,2,8\n3,1,1,4\n");
  const ParticipantContexts contexts = read_contexts({file});
  EXPECT_EQ(contexts.steps, 2u);
  EXPECT_EQ(contexts.arms, 2u);
  EXPECT_EQ(contexts.columns, 2u);
  EXPECT_EQ(contexts.values, (std::vector<double>{1, 2, 3, 4, 7, 8, 5, 6}));
  EXPECT_EQ(contexts.first_step, 1u);
  EXPECT_TRUE(contexts.depends_on_arm);
  EXPECT_EQ(contexts.at(1)[3], 6);
  EXPECT_EQ(contexts.bound, 10.6875);  // the norm of (7, 8), rounded up to sixteenths
}

PROPERTY(O3mFiles, ReadsBackWhatWasWritten) {
  const auto steps = draw_in_range<std::size_t>(1, 12);
  const auto arms = draw_in_range<std::size_t>(1, 6);
  const auto columns = draw_in_range<std::size_t>(1, 5);
  const auto first = draw_in_range(0, 2);
  std::mt19937 random(draw<std::uint32_t>());
  std::normal_distribution<double> normal(0, 100);
  std::vector<double> values(steps * arms * columns);
  for (double& value : values) value = normal(random);
  std::vector<std::size_t> order(steps * arms);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::string> names{"t", "arm"};
  for (std::size_t c = 0; c < columns; ++c) names.push_back(fmt::format("f{}", c));
  std::vector<double> cells;
  double largest = 0;
  for (const std::size_t pair : order) {
    cells.push_back(static_cast<double>(pair / arms) + first);
    cells.push_back(static_cast<double>(pair % arms));
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(pair * columns);
    const auto end = begin + static_cast<std::ptrdiff_t>(columns);
    cells.insert(cells.end(), begin, end);
    largest = std::max(largest, std::sqrt(std::inner_product(begin, end, begin, 0.0)));
  }
  const TestFolder folder;
  write_csv(folder.path() / "a.csv", names, cells);
  const ParticipantContexts contexts = read_contexts({folder.path() / "a.csv"});
  HOLDS(contexts.steps == steps);
  HOLDS(contexts.arms == arms);
  HOLDS(contexts.columns == columns);
  HOLDS(contexts.values == values);
  HOLDS(contexts.first_step == static_cast<std::uint64_t>(first));
  HOLDS(contexts.bound >= largest * (1 - 1e-8));
  HOLDS(contexts.bound <= largest + 0.0626);
}

PROPERTY(O3mFiles, EveryPairOnceOrRefused) {
  const auto pairs = draw_vector(draw_length(1), [] { return std::pair(draw_in_range(0, 4), draw_in_range(0, 3)); });
  std::string text = "t,arm,f\n";
  int first = 9;
  int last = 0;
  int arms = 0;
  for (const auto& [t, arm] : pairs) {
    text += fmt::format("{},{},1\n", t, arm);
    first = std::min(first, t);
    last = std::max(last, t);
    arms = std::max(arms, arm + 1);
  }
  bool whole = first <= 1;
  for (int t = first; t <= last; ++t) {
    for (int arm = 0; arm < arms; ++arm) {
      whole = whole && std::count(pairs.begin(), pairs.end(), std::pair(t, arm)) == 1;
    }
  }
  const TestFolder folder;
  const auto file = folder.put("a.csv", text);
  if (whole) {
    const ParticipantContexts contexts = read_contexts({file});
    HOLDS(contexts.steps == static_cast<std::size_t>(last - first + 1));
    HOLDS(contexts.arms == static_cast<std::size_t>(arms));
  } else {
    HOLDS(error_of<InputError>([&] { (void)read_contexts({file}); }) != "");
  }
}

TEST(O3mFiles, NamesThePairThatIsMissingOrTwice) {
  EXPECT_EQ(
      contexts_refusal("t,arm,f\n0,0,9\n0,1,9\n1,1,9\n"),
      "a.csv:4: no row of step 1, arm 0, which belongs about here; every step with every arm from 0 to 1 needs one");
  EXPECT_EQ(contexts_refusal("t,arm,f\n0,0,9\n0,1,9\n1,0,9\n").substr(0, 28), "a.csv:4: no row of step 1, a");
  EXPECT_EQ(contexts_refusal("t,arm,f\n1,0,9\n3,0,9\n").substr(0, 27), "a.csv:3: no row of step 2, ");
  EXPECT_EQ(contexts_refusal("t,arm,f\n1,1,9\n1,0,9\n1,1,9\n"),
            "a.csv:4: a second row of step 1, arm 1; the first is a.csv:2");
  EXPECT_EQ(contexts_refusal("t,f\n0,9\n0,9\n"), "a.csv:3: a second row of step 0; the first is a.csv:2");
  EXPECT_EQ(contexts_refusal("t,f\n0,9\n2,9\n"),
            "a.csv:3: no row of step 1, which belongs about here; each up to the largest needs one");
}

TEST(O3mFiles, RefusesStepsAndArmsThatAreNone) {
  EXPECT_EQ(contexts_refusal("t,arm,f\n2,0,9\n3,0,9\n"),
            "a.csv:2:1: the smallest step is neither 0 nor 1; number the steps from 0 or from 1");
  EXPECT_EQ(contexts_refusal("t,arm,f\n0.5,0,9\n"), "a.csv:2:1: the step is not an integer from 0 (column 't')");
  EXPECT_EQ(contexts_refusal("arm,f,t\n0,9,-1\n"), "a.csv:2:3: the step is not an integer from 0 (column 't')");
  EXPECT_EQ(contexts_refusal("t,arm,f\n0,-1,9\n"), "a.csv:2:2: the arm is not an integer from 0 (column 'arm')");
  EXPECT_EQ(contexts_refusal("t,arm,f\n0,1024,9\n"),
            "a.csv:2:2: the arm is outside 0 to 1023, the most arms there can be (column 'arm')");
  EXPECT_EQ(contexts_refusal("t,arm,f\n0,1023,9\n").substr(0, 35), "a.csv:2: no row of step 0, arm 0, w");
  EXPECT_EQ(contexts_refusal("t,arm,f\n0,0,9\n1e15,0,9\n").substr(0, 26), "a.csv:3: no row of step 1,");
  EXPECT_NE(contexts_refusal("t,arm,f\n0,0,9\n1e29,0,9\n").find("not an integer"), std::string::npos);
}

TEST(O3mFiles, RefusesFilesWithoutFeatures) {
  EXPECT_EQ(contexts_refusal("t,arm\n0,0\n"),
            "a.csv:1: no column is a feature; give at least one other than t and arm");
  EXPECT_EQ(contexts_refusal("t\n0\n"), "a.csv:1: no column is a feature; give at least one other than t and arm");
  EXPECT_EQ(contexts_refusal("arm,f\n0,9\n"),
            "a.csv:1: a column 'arm' without a column 't'; rows are of steps, or of steps and arms");
}

TEST(O3mFiles, RefusesCellsThatAreNoNumbers) {
  EXPECT_EQ(contexts_refusal("t,arm,f\n0,0,nan\n"), "a.csv:2:3: not a finite number (column 'f')");
  EXPECT_EQ(contexts_refusal("t,arm,f\n0,0,inf\n"), "a.csv:2:3: not a finite number (column 'f')");
  EXPECT_EQ(contexts_refusal("t,arm,f\n0,0,secret\n"), "a.csv:2:3: not a number (column 'f')");
}

TEST(O3mFiles, RefusesNormsThatAreTooLarge) {
  const std::string words = "the norm of this context is above 524288; scale the features down";
  EXPECT_EQ(contexts_refusal("t,arm,f\n0,0,1\n0,1,524289\n"), "a.csv:3: " + words);
  EXPECT_EQ(contexts_refusal("t,arm,f\n0,1,1\n0,0,1e29\n"), "a.csv:3: " + words);
  const TestFolder folder;
  EXPECT_EQ(contexts_refusal(folder, {.features = folder.put("a.csv", "t,f\n1,1e29\n0,1\n"), .arms = 3}),
            "a.csv:2: " + words);
  EXPECT_EQ(read_contexts({folder.put("a.csv", "t,arm,f\n0,0,524288\n")}).bound, 524288);
}

TEST(O3mFiles, AllZeroIsAccepted) {
  const TestFolder folder;
  const ParticipantContexts contexts = read_contexts({folder.put("a.csv", "t,arm,f,g\n0,0,0,0\n0,1,0,0\n")});
  EXPECT_EQ(contexts.values, std::vector<double>(4, 0.0));
  EXPECT_EQ(contexts.bound, 0.0625);
}

TEST(O3mFiles, UserFeaturesAreTheSameForAllArms) {
  const TestFolder folder;
  for (const char* text : {"t,f,g\n1,3,4\n0,1,2\n", "f,g\n1,2\n3,4\n"}) {
    const ParticipantContexts contexts = read_contexts({.features = folder.put("a.csv", text), .arms = 2});
    EXPECT_EQ(contexts.steps, 2u);
    EXPECT_EQ(contexts.arms, 2u);
    EXPECT_FALSE(contexts.depends_on_arm);
    EXPECT_EQ(contexts.values, (std::vector<double>{1, 2, 1, 2, 3, 4, 3, 4}));
    EXPECT_EQ(contexts.first_step.has_value(), text[0] == 't');
  }
  EXPECT_EQ(contexts_refusal(folder, {folder.put("a.csv", "f\n1\n")}),
            "a.csv:1: without a column 'arm', the number of arms or an arms file is needed");
}

TEST(O3mFiles, CombinesUserAndArmFeatures) {
  const TestFolder folder;
  const auto users = folder.put("users.csv", "t,u,v\n0,1,2\n1,3,4\n");
  const auto arms = folder.put("arms.csv", "p,arm,q,r\n100,1,200,300\n10,0,20,30\n");
  const ParticipantContexts joined = read_contexts({users, arms, Combine::concatenate, std::nullopt});
  EXPECT_EQ(joined.columns, 5u);
  EXPECT_EQ(joined.arms, 2u);
  EXPECT_TRUE(joined.depends_on_arm);
  EXPECT_EQ(joined.values, (std::vector<double>{1, 2, 10, 20, 30, 1, 2, 100, 200, 300,  //
                                                3, 4, 10, 20, 30, 3, 4, 100, 200, 300}));
  const ParticipantContexts sum = read_contexts({users, arms, Combine::outer_sum, 2});
  EXPECT_EQ(sum.columns, 6u);
  EXPECT_EQ(sum.values, (std::vector<double>{11, 21, 31, 12, 22, 32, 101, 201, 301, 102, 202, 302,  //
                                             13, 23, 33, 14, 24, 34, 103, 203, 303, 104, 204, 304}));
}

TEST(O3mFiles, RefusesArmsFilesThatDoNotFit) {
  const TestFolder folder;
  const auto users = folder.put("users.csv", "u\n1\n");
  const auto with = [&](const char* text, std::optional<std::size_t> arms = std::nullopt) {
    return contexts_refusal(folder, {users, folder.put("arms.csv", text), Combine::outer_sum, arms});
  };
  EXPECT_EQ(with("p\n1\n"), "arms.csv:1: no column 'arm'; an arms file has columns arm,<features>, one row an arm");
  EXPECT_EQ(with("t,arm,p\n0,0,1\n"),
            "arms.csv:1: a column 't'; an arms file has columns arm,<features>, one row an arm");
  EXPECT_EQ(with("arm\n0\n"), "arms.csv:1: no column is a feature; give at least one other than t and arm");
  EXPECT_EQ(with("arm,p\n0,1\n2,1\n"),
            "arms.csv:3: no row of arm 1, which belongs about here; each up to the largest needs one");
  EXPECT_EQ(with("arm,p\n0,1\n0,1\n"), "arms.csv:3: a second row of arm 0; the first is arms.csv:2");
  EXPECT_EQ(with("arm,p\n0,1\n1,1\n", 3), "arms.csv: rows of 2 arms, but the run has 3 by its environment");
  EXPECT_EQ(with("arm,p\n0,1\n1,1e9\n").substr(0, 12), "users.csv:2:");
  EXPECT_EQ(contexts_refusal(folder, {folder.put("a.csv", "t,arm,f\n0,0,1\n"), folder.put("arms.csv", "arm,p\n0,1\n"),
                                      Combine::concatenate, 1}),
            "a.csv:1: features of arms come from the arms file; this one is to have user features, one row a step, "
            "without a column 'arm'");
  EXPECT_EQ(contexts_refusal(folder, {.features = users, .arms_file = folder.path() / "none.csv"}).substr(0, 8),
            "none.csv");
}

TEST(O3mFiles, KnowsHowFeaturesAreCombined) {
  EXPECT_EQ(parse_combine("sum", "--combine"), Combine::outer_sum);
  EXPECT_EQ(parse_combine(combine_text(Combine::concatenate), ""), Combine::concatenate);
  EXPECT_THROW((void)parse_combine("product", "--combine"), InputError);
}

}  // namespace
}  // namespace sotto::apps::o3m
