#include "tests/privacy/statistics.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"

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

}  // namespace
}  // namespace sotto::privacy
