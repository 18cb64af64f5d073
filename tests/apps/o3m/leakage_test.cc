#include "sotto/apps/o3m/leakage.h"
#include "tests/framework.h"

#include <nlohmann/json.hpp>

namespace sotto::apps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

O3mParameters with_columns(std::vector<std::size_t> columns) {
  O3mParameters parameters;
  parameters.arms = 3;
  parameters.steps = 10;
  parameters.bounds.assign(columns.size(), 1);
  parameters.columns = std::move(columns);
  return parameters;
}

std::string all_of(const O3mParameters& parameters, const std::string& role) {
  std::string text;
  for (const auto& [name, sentence] : leakage_words(parameters)) {
    if (name == role) text += sentence + "\n";
  }
  return text;
}

std::vector<std::string> roles_of(const O3mParameters& parameters) {
  std::vector<std::string> roles;
  for (const auto& entry : leakage_words(parameters)) {
    if (roles.empty() || roles.back() != entry.first) roles.push_back(entry.first);
  }
  return roles;
}

TEST(Leakage, NamesEveryRoleOnceAndThenTheGroups) {
  EXPECT_THAT(roles_of(with_columns({4, 6, 6})),
              ElementsAre("active participant", "passive participant 1", "passive participant 2", "mask generator",
                          "active participant and mask generator", "active participant and passive participants"));
}

TEST(Leakage, APassiveParticipantThatGeneratesIsNamedSo) {
  O3mParameters parameters = with_columns({4, 6, 6});
  parameters.mask_generator = NodeId{2};
  EXPECT_THAT(roles_of(parameters),
              ElementsAre("active participant", "passive participant 1", "passive participant 2, the mask generator",
                          "active participant and mask generator", "active participant and passive participants"));
  EXPECT_THAT(all_of(parameters, "passive participant 2, the mask generator"), HasSubstr("all of the mask"));
  EXPECT_THAT(all_of(parameters, "passive participant 1"), HasSubstr("its own block of the mask"));
}

TEST(Leakage, CountsTheKnownContextsThatUndoTheMask) {
  const std::string words = all_of(with_columns({4, 6, 6}), "active participant");
  EXPECT_THAT(words, HasSubstr("Knowing 12 contexts"));
  EXPECT_THAT(words, HasSubstr("knowing 11, up to one sign"));
  EXPECT_THAT(words, HasSubstr("summed securely"));
  EXPECT_THAT(words, Not(HasSubstr("passive participant 1")));
}

TEST(Leakage, WithTwoParticipantsSaysThatSecureSummationHidesNothing) {
  O3mParameters parameters = with_columns({4, 12});
  for (const bool insecure : {false, true}) {
    parameters.insecure_blocks = insecure;
    const std::string words = all_of(parameters, "active participant");
    EXPECT_THAT(words, HasSubstr("secure summation hides nothing here"));
    EXPECT_THAT(words, HasSubstr("Knowing 12 contexts"));
  }
  for (const std::string& role : roles_of(parameters)) {
    EXPECT_NE(role, "active participant and passive participants");
  }
}

TEST(Leakage, InsecureBlocksAreTakenOneByOne) {
  O3mParameters parameters = with_columns({4, 5, 7});
  parameters.insecure_blocks = true;
  const std::string words = all_of(parameters, "active participant");
  EXPECT_THAT(words, HasSubstr("--insecure-blocks"));
  EXPECT_THAT(words, HasSubstr("each passive participant separately"));
  EXPECT_THAT(words,
              HasSubstr("Knowing 5 contexts, linearly independent, it computes the features of passive participant 1"));
  EXPECT_THAT(words, HasSubstr("Knowing 7 contexts"));
  EXPECT_THAT(words, Not(HasSubstr("summed securely")));
}

TEST(Leakage, OneColumnIsReadUpToItsSignWithoutAnyKnownContext) {
  const std::string words = all_of(with_columns({4, 1}), "active participant");
  EXPECT_THAT(words, HasSubstr("up to one sign, without knowing any context"));
  EXPECT_THAT(words, Not(HasSubstr("independent component analysis")));
}

TEST(Leakage, GeneratorAndActiveParticipantReadEverything) {
  O3mParameters parameters = with_columns({4, 6, 6});
  EXPECT_THAT(all_of(parameters, "active participant and mask generator"), HasSubstr("Everything"));
  EXPECT_THAT(all_of(parameters, "mask generator"), HasSubstr("No context"));
}

TEST(Leakage, JsonHasTheSameWordsInTheSameOrder) {
  const O3mParameters parameters = with_columns({2, 3, 4});
  const nlohmann::ordered_json json = leakage(parameters);
  std::vector<std::pair<std::string, std::string>> flat;
  for (const auto& [role, sentences] : json.items()) {
    for (const auto& sentence : sentences) flat.emplace_back(role, sentence);
  }
  EXPECT_EQ(flat, leakage_words(parameters));
}

TEST(Leakage, TheSectionHoldsEveryRoleAndTheHeadline) {
  const O3mParameters parameters = with_columns({2, 3, 4});
  const std::string section = leakage_section(parameters).content;
  EXPECT_THAT(section, HasSubstr(leakage_headline()));
  for (const std::string& role : roles_of(parameters)) {
    EXPECT_THAT(section, HasSubstr("<th scope=\"row\">" + role + "</th>"));
  }
}

TEST(Leakage, RefusesWhatIsNoRun) {
  EXPECT_THROW((void)leakage_words(with_columns({4})), std::invalid_argument);
  EXPECT_THROW((void)leakage_words(with_columns({4, 0})), std::invalid_argument);
  O3mParameters parameters = with_columns({4, 4});
  for (const int generator : {0, 2, 9}) {
    parameters.mask_generator = static_cast<NodeId>(generator);
    EXPECT_THROW((void)leakage_words(parameters), std::invalid_argument);
  }
}

}  // namespace
}  // namespace sotto::apps
