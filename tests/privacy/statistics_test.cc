#include <cctype>

#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"
#include "tests/privacy/rank.h"
#include "tests/privacy/statistics.h"

namespace sotto::privacy {
namespace {

// Uniform words of a fixed seed, changed by change(secret, word).
template <class Change>
Word words(std::uint64_t seed, unsigned bits, Change change) {
  Prg prg(Seed::insecure_from_number(seed));
  Word word{"word", bits, {}};
  for (unsigned secret = 0; secret < 2; ++secret) {
    for (std::uint64_t& value : word.under[secret]) {
      value = change(secret, prg.next() >> (64 - bits)) & (~std::uint64_t{0} >> (64 - bits));
    }
  }
  return word;
}

std::uint64_t unchanged(unsigned, std::uint64_t value) { return value; }

std::vector<std::string> findings_of(const Word& word, Expect expect) {
  Examination examination;
  examination.word(word, expect);
  EXPECT_GT(examination.decisions(), 0u);
  return examination.findings();
}

TEST(TranscriptStatistics, HaveTheStatedLimits) {
  EXPECT_NEAR(uniformity_limit(), 0.182, 0.0005);
  EXPECT_NEAR(likeness_limit(), 0.258, 0.0005);
  EXPECT_NEAR(bytes_limit(), 490, 1);
}

TEST(TranscriptStatistics, LeaveUniformWordsAlone) {
  for (const unsigned bits : {1u, 2u, 3u, 4u, 5u, 8u, 33u, 64u}) {
    EXPECT_TRUE(findings_of(words(bits, bits, unchanged), Expect::uniform_and_alike).empty()) << bits;
  }
}

TEST(TranscriptStatistics, FindAShortMaskAMissingBitAndAConstant) {
  const auto expect_found = [](auto change) {
    EXPECT_FALSE(findings_of(words(1, 64, change), Expect::uniform_and_alike).empty());
  };
  expect_found([](unsigned, std::uint64_t value) { return value >> 24; });
  expect_found([](unsigned, std::uint64_t value) { return value << 1; });
  expect_found([](unsigned, std::uint64_t value) { return value & ~(std::uint64_t{1} << 37); });
  expect_found([](unsigned, std::uint64_t) { return std::uint64_t{12345}; });
}

TEST(TranscriptStatistics, FindWhatDiffersBetweenSecretsOnly) {
  const auto shifted = [](unsigned secret, std::uint64_t value) { return (value >> 1) | std::uint64_t{secret} << 63; };
  EXPECT_FALSE(findings_of(words(1, 64, shifted), Expect::alike).empty());
  const auto constant = [](unsigned, std::uint64_t) { return std::uint64_t{7}; };
  EXPECT_TRUE(findings_of(words(1, 64, constant), Expect::alike).empty());
}

TEST(TranscriptStatistics, FindOneMaskUnderTwoWords) {
  const Word a = words(1, 64, unchanged);
  const Word same = words(1, 64, [](unsigned, std::uint64_t value) { return value + 5; });
  const Word negated = words(1, 64, [](unsigned, std::uint64_t value) { return 5 - value; });
  const Word flipped = words(1, 64, [](unsigned, std::uint64_t value) { return value ^ 5; });
  const Word narrow = words(1, 8, unchanged);  // the top byte of another word: no relation
  for (const Word* related : {&same, &negated, &flipped}) {
    Examination examination;
    examination.pair(a, *related, Expect::uniform_and_alike);
    EXPECT_FALSE(examination.findings().empty());
  }
  Examination examination;
  examination.pair(a, words(2, 64, unchanged), Expect::uniform_and_alike);
  examination.pair(a, narrow, Expect::uniform_and_alike);
  EXPECT_TRUE(examination.findings().empty());
}

TEST(TranscriptStatistics, CountBytes) {
  std::array<std::uint64_t, 256> counts{};
  counts.fill(100);
  Examination examination;
  examination.bytes("even", counts);
  EXPECT_TRUE(examination.findings().empty());
  counts[17] = 400;
  examination.bytes("one too often", counts);
  EXPECT_EQ(examination.findings().size(), 1u);
  EXPECT_EQ(examination.decisions(), 2u);
}

std::vector<Experiment> ranked_experiments() {
  std::vector<Experiment> all = all_experiments();
  all.push_back(bandit_of_three_arms());
  return all;
}

class StatisticalRanks : public ::testing::TestWithParam<ExperimentOf> {};

TEST_P(StatisticalRanks, AreFull) {
  const auto [which, parties] = GetParam();
  const RankOutcome outcome = examine_rank(ranked_experiments().at(which), parties);
  // The views are those of the actor, of the dealer, and of each group of all parties except one, without and with the
  // actor.
  EXPECT_GE(outcome.views, 3 * (1 + 2 * parties) + 1);
  EXPECT_GT(outcome.most_words, 0u);
  EXPECT_EQ(outcome.runs, outcome.most_words + 64);
  EXPECT_TRUE(outcome.findings.empty()) << joined(outcome.findings);
  RecordProperty("words", static_cast<int>(outcome.most_words));
}
INSTANTIATE_TEST_SUITE_P(Protocols, StatisticalRanks,
                         ::testing::Combine(::testing::Range<std::size_t>(0, ranked_experiments().size()),
                                            ::testing::Values<std::size_t>(2, 3)),
                         NameOf<ranked_experiments>());

std::vector<Experiment> related_controls() {
  std::vector<Experiment> related = controls_of_many_words();
  for (const Control& control : negative_controls()) {
    if (control.related) related.push_back(control.experiment);
  }
  return related;
}

class StatisticalRankControls : public ::testing::TestWithParam<ExperimentOf> {};

TEST_P(StatisticalRankControls, AreCaught) {
  const auto [which, parties] = GetParam();
  const RankOutcome outcome = examine_rank(related_controls().at(which), parties);
  EXPECT_TRUE(any_says(outcome.findings, "words, always")) << joined(outcome.findings);
}
INSTANTIATE_TEST_SUITE_P(Leaks, StatisticalRankControls,
                         ::testing::Combine(::testing::Range<std::size_t>(0, related_controls().size()),
                                            ::testing::Values<std::size_t>(2, 3)),
                         NameOf<related_controls>());

TEST(StatisticalRankControls, OfThreeWordsAreMissedByPairs) {
  for (const Experiment& control : controls_of_many_words()) {
    for (const std::size_t parties : {2u, 3u}) {
      const Outcome pairs = carry_out(control, parties);
      EXPECT_GT(pairs.decisions, 0u);
      EXPECT_TRUE(pairs.findings.empty()) << control.name << ": " << joined(pairs.findings);
      const RankOutcome rank = examine_rank(control, parties);
      EXPECT_TRUE(any_says(rank.findings, "3 words, always")) << control.name << ": " << joined(rank.findings);
    }
  }
}

TEST(StatisticalRankControls, AreCaughtAroundWholeSteps) {
  for (const std::size_t parties : {2u, 3u}) {
    const RankOutcome outcome = examine_rank(control_around_steps(), parties);
    EXPECT_GT(outcome.most_words, 1000u);
    for (const std::string& finding : outcome.findings) {
      EXPECT_NE(finding.find("3 words, always"), std::string::npos) << finding;
      EXPECT_NE(finding.find("'control'"), std::string::npos) << finding;
    }
    EXPECT_GE(outcome.findings.size(), 2 * parties) << joined(outcome.findings);
  }
}

BitRows uniform(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Prg prg(Seed::insecure_from_number(seed));
  BitRows bits(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t column = 0; column < columns; ++column) bits.put(i, column, prg.next());
  }
  return bits;
}

void add(BitRows& rows, std::size_t to, std::size_t from) {
  for (std::size_t word = 0; word < rows.row(to).size(); ++word) rows.row(to)[word] ^= rows.row(from)[word];
}

void clear(BitRows& rows, std::size_t row) {
  for (std::uint64_t& word : rows.row(row)) word = 0;
}

TEST(Gf2, FindsNoRelationAmongUniformRows) {
  for (const std::size_t rows : {1u, 2u, 63u, 64u, 65u, 300u}) {
    EXPECT_EQ(relation(uniform(rows, rows + 63, rows)), std::nullopt) << rows;
  }
  EXPECT_EQ(relation(BitRows(0, 64)), std::nullopt);
}

TEST(Gf2, FindsUnitVectorsIndependentInAnyOrder) {
  BitRows bits(200, 200);
  for (std::size_t i = 0; i < 200; ++i) bits.put(i, (i * 77 + 5) % 200, 1);
  EXPECT_EQ(relation(bits), std::nullopt);
}

TEST(Gf2, NamesTheOnlyRowsThatAddUpToZero) {
  for (const auto& planted :
       std::vector<std::vector<std::size_t>>{{7}, {0, 299}, {3, 64, 128}, {1, 2, 3, 4, 5, 6, 7, 8, 150}}) {
    BitRows bits = uniform(300, 363, 1);
    clear(bits, planted.front());
    for (std::size_t i = 1; i < planted.size(); ++i) add(bits, planted.front(), planted[i]);
    EXPECT_EQ(relation(bits), planted);
  }
}

TEST(Gf2, NamesASumOfAllRows) {
  BitRows bits = uniform(130, 193, 2);
  std::vector<std::size_t> all(130);
  std::iota(all.begin(), all.end(), std::size_t{0});
  clear(bits, 129);
  for (std::size_t i = 0; i < 129; ++i) add(bits, 129, i);
  EXPECT_EQ(relation(bits), all);
}

TEST(Gf2, FindsThatMoreRowsThanColumnsAreDependent) {
  const auto found = relation(uniform(70, 69, 3));
  ASSERT_TRUE(found.has_value());
  BitRows bits = uniform(70, 69, 3);
  for (std::size_t i = 1; i < found->size(); ++i) add(bits, found->front(), (*found)[i]);
  for (const std::uint64_t word : bits.row(found->front())) EXPECT_EQ(word, 0u);
}

}  // namespace
}  // namespace sotto::privacy
