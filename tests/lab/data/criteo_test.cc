#include "bench/lab/data/criteo.h"
#include "tests/apps/support.h"
#include "tests/lab/data/samples.h"
#include "tests/properties.h"

namespace sotto::apps::lab {
namespace {

std::string criteo_line(const std::string& label = "1", const std::string& integer = "5",
                        const std::string& category = "0a1b2c3d") {
  std::string text = label;
  for (int i = 0; i < 13; ++i) text += "\t" + integer;
  for (int i = 0; i < 26; ++i) text += "\t" + category;
  return text;
}

TEST(Criteo, ReadsARow) {
  const CriteoRow read = parse_criteo_row(
      "0\t1\t-3\t\t9223372036854775807\t0\t0\t0\t0\t0\t0\t0\t0\t12\t68fd1e64\t\tffffffff\tA" + std::string(22, '\t'),
      "f", 1);
  EXPECT_FALSE(read.clicked);
  EXPECT_EQ(read.integers[0], 1);
  EXPECT_EQ(read.integers[1], -3);
  EXPECT_FALSE(read.integers[2]);
  EXPECT_EQ(read.integers[3], INT64_MAX);
  EXPECT_EQ(read.integers[12], 12);
  EXPECT_EQ(read.categories[0], 0x68fd1e64U);
  EXPECT_FALSE(read.categories[1]);
  EXPECT_EQ(read.categories[2], 0xffffffffU);
  EXPECT_EQ(read.categories[3], 10U);
  EXPECT_FALSE(read.categories[25]);
}

TEST(Criteo, StreamsAFileWithEitherLineEndAndWithoutTheLast) {
  const TestFolder folder;
  CriteoReader reader(folder.put("log.txt", criteo_line("1") + "\r\n" + criteo_line("0") + "\n" + criteo_line("1")));
  for (const bool clicked : {true, false, true}) {
    const auto read = reader.next();
    ASSERT_TRUE(read);
    EXPECT_EQ(read->clicked, clicked);
    EXPECT_EQ(read->categories[25], 0x0a1b2c3dU);
  }
  EXPECT_EQ(reader.line(), 3u);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next());
}

std::string criteo_fault_of(const std::string& contents) {
  const TestFolder folder;
  const auto path = folder.put("log.txt", contents);
  return message_of<InputError>(folder, [&] {
    for (CriteoReader reader(path); reader.next();) continue;
  });
}

TEST(Criteo, NamesTheLineOfWhatIsWrong) {
  const std::string good = criteo_line() + "\n";
  EXPECT_THAT(criteo_fault_of(good + criteo_line("2") + "\n"), HasSubstr("log.txt:2:1: the label is neither"));
  EXPECT_THAT(criteo_fault_of(good + good + criteo_line("")), HasSubstr("log.txt:3:1"));
  EXPECT_THAT(criteo_fault_of(criteo_line("1", "1.5")), HasSubstr("log.txt:1:2: not an integer"));
  EXPECT_THAT(criteo_fault_of(criteo_line("1", "99999999999999999999")), HasSubstr("log.txt:1:2"));
  EXPECT_THAT(criteo_fault_of(criteo_line("1", "1", "xyz")), HasSubstr("log.txt:1:15: not a category"));
  EXPECT_THAT(criteo_fault_of(criteo_line("1", "1", "123456789")), HasSubstr("log.txt:1:15"));
  EXPECT_THAT(criteo_fault_of(criteo_line("1", "1", "-1")), HasSubstr("log.txt:1:15"));
  EXPECT_THAT(criteo_fault_of(good + "\n" + good), HasSubstr("log.txt:2: 1 column separated by tabs"));
  EXPECT_THAT(criteo_fault_of(criteo_line().substr(2)), HasSubstr("without labels"));
  EXPECT_THAT(criteo_fault_of(criteo_line() + "\t"), HasSubstr("log.txt:1: 41 columns"));
  EXPECT_THAT(criteo_fault_of("a,b,c\n"), HasSubstr("log.txt:1: 1 column "));
  EXPECT_THAT(criteo_fault_of(std::string(100'000, 'a')), HasSubstr("log.txt:1: the line is longer"));
  EXPECT_THAT(criteo_fault_of(""), HasSubstr("log.txt: the file is empty"));
  EXPECT_THAT(criteo_fault_of("\x1f\x8b\x08"), HasSubstr("compressed"));
}

PROPERTY(Criteo, RefusesOrReadsAnyBytes) {
  const auto text = draw<std::string>();
  try {
    (void)parse_criteo_row(text, "f", 1);
  } catch (const InputError& error) {
    HOLDS(std::string(error.what()).starts_with("f:1"));
  }
}

TEST(Criteo, ReadsTheGeneratedSample) {
  const TestFolder folder;
  CriteoReader reader(folder.put("log.txt", criteo_sample(500, 1)));
  std::size_t rows = 0, clicks = 0, missing = 0;
  while (const auto read = reader.next()) {
    ++rows;
    clicks += read->clicked ? 1 : 0;
    missing += read->integers[5] ? 0 : 1;
  }
  EXPECT_EQ(rows, 500u);
  EXPECT_GT(clicks, 50u);
  EXPECT_GT(missing, 20u);
}

// The expected hashes are the published vectors of MurmurHash3_x86_32.
TEST(CriteoItems, HashesAsMurmurHash3Does) {
  EXPECT_EQ(murmur3_32(""), 0U);
  EXPECT_EQ(murmur3_32("", 1), 0x514e28b7U);
  EXPECT_EQ(murmur3_32("hello"), 0x248bfa47U);
  EXPECT_EQ(murmur3_32("hello, world"), 0x149bbb7fU);
  EXPECT_EQ(murmur3_32("The quick brown fox jumps over the lazy dog"), 0x2e4ff723U);
  EXPECT_EQ(murmur3_32("a"), 0x3c2569b2U);
  EXPECT_EQ(murmur3_32("ab"), 0x9bbfd75fU);
  EXPECT_EQ(murmur3_32("abc"), 0xb3dd93faU);
}

CriteoRow row_of(std::initializer_list<std::uint32_t> categories) {
  CriteoRow row;
  std::size_t i = 0;
  for (const std::uint32_t category : categories) row.categories[i++] = category;
  return row;
}

// Another implementation of the same definition computed the expected codes and labels.
TEST(CriteoItems, MakesTheCodesAndLabelsOfKnownRows) {
  EXPECT_EQ(hash_categories({}), (CriteoCodes{0, 0, 0}));
  EXPECT_EQ(hash_categories(row_of({0x68fd1e64})), (CriteoCodes{0, 0, 1}));
  EXPECT_EQ(hash_categories(row_of({0x68fd1e64, 0x80e26c9b, 0xfb936136, 0x7b4723c4})), (CriteoCodes{0, 1, 1}));
  CriteoRow same, counting;
  for (std::size_t i = 0; i < criteo_categories; ++i) {
    same.categories[i] = 0x0a1b2c3d;
    counting.categories[i] = static_cast<std::uint32_t>(i);
  }
  EXPECT_EQ(hash_categories(same), (CriteoCodes{-2, 7, 1}));
  EXPECT_EQ(hash_categories(counting), (CriteoCodes{2, -3, 3}));
  const std::pair<CriteoCodes, std::uint64_t> labels[] = {
      {{0, 0, 0}, 0U},     {{0, 0, 1}, 2U},       {{0, 1, 1}, 7U},       {{-2, 7, 1}, 14029U},
      {{2, -3, 3}, 1601U}, {{26, 0, 0}, 879801U}, {{-26, 0, 0}, 950131U}};
  for (const auto& [codes, label] : labels) EXPECT_EQ(pair_codes(codes), label);
}

TEST(CriteoItems, PairsDifferentCodesDifferently) {
  std::set<std::uint64_t> labels;
  std::size_t codes = 0;
  for (int a = -26; a <= 26; ++a) {
    for (int b = -26; b <= 26; ++b) {
      for (int c = -26; c <= 26; ++c, ++codes) labels.insert(pair_codes({a, b, c}));
    }
  }
  EXPECT_EQ(labels.size(), codes);
}

std::string click_line(bool clicked, const std::string& first, const std::string& second, const std::string& category) {
  return (clicked ? "1\t" : "0\t") + first + "\t" + second + std::string(12, '\t') + category + std::string(25, '\t') +
         "\n";
}

struct Kinds {
  std::string a = "00000001", b, c;
  Kinds() {
    std::set<CriteoCodes> seen{hash_categories(row_of({1}))};
    for (std::uint32_t value = 2; c.empty(); ++value) {
      if (!seen.insert(hash_categories(row_of({value}))).second) continue;
      (b.empty() ? b : c) = fmt::format("{:08x}", value);
    }
  }
};

TEST(CriteoItems, SurveysCountsScalesAndStreams) {
  const Kinds kinds;
  const TestFolder folder;
  const auto path =
      folder.put("log.txt", click_line(true, "10", "-2", kinds.a) +                                                //
                                click_line(false, "999", "999", kinds.c) + click_line(false, "30", "", kinds.b) +  //
                                click_line(true, "", "", kinds.a) +                                                //
                                click_line(false, "20", "-2", kinds.a) +                                           //
                                click_line(true, "15", "-2", kinds.b) +                                            //
                                click_line(true, "15", "-2", kinds.b));
  const CriteoItems items = survey_criteo(path, {2, 6}, not_interrupted);
  EXPECT_EQ(items.rows, 6u);
  EXPECT_EQ(items.kept, 5u);
  EXPECT_EQ(items.labels, 3u);
  ASSERT_EQ(items.items.size(), 2u);
  EXPECT_EQ(items.items[0].rows, 3u);
  EXPECT_EQ(items.items[0].clicks, 2u);
  EXPECT_EQ(items.items[1].rows, 2u);
  EXPECT_EQ(items.least[0], 10);
  EXPECT_EQ(items.largest[0], 30);
  EXPECT_EQ(items.least[1], -2);
  EXPECT_EQ(items.largest[1], -2);
  EXPECT_FALSE(items.least[2]);

  CriteoUser scales;
  scales.fill(1);
  scales[0] = 4;
  CriteoEvents events(path, items, scales);
  const std::vector<std::pair<std::size_t, double>> wanted{{0, 0}, {1, 4}, {0, 0}, {0, 2}, {1, 1}};
  const std::vector<double> rewards{1, 0, 1, 0, 1};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto event = events.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->arm, wanted[i].first) << i;
    EXPECT_DOUBLE_EQ(event->user[0], wanted[i].second) << i;
    EXPECT_EQ(event->user[1], 0) << i;
    EXPECT_EQ(event->reward, rewards[i]) << i;
  }
  EXPECT_FALSE(events.next());
}

TEST(CriteoItems, ContextsAreTheOuterSumOfUserAndItem) {
  CriteoItems items;
  items.items = {{1, {0, 5, -1}, 1, 0}, {2, {4, 5, 1}, 1, 0}, {3, {1, 5, 0}, 1, 0}};
  const std::vector<std::vector<double>> scaled{{0, 0, 0}, {1, 0, 1}, {.25, 0, .5}};
  CriteoUser user;
  std::iota(user.begin(), user.end(), 10.0);
  std::vector<double> contexts(3 * criteo_dimension);
  CriteoContexts(items).fill(user, contexts);
  for (std::size_t arm = 0; arm < 3; ++arm) {
    for (std::size_t i = 0; i < criteo_integers; ++i) {
      for (std::size_t j = 0; j < 3; ++j) EXPECT_DOUBLE_EQ(contexts[arm * 39 + 3 * i + j], user[i] + scaled[arm][j]);
    }
  }
  std::vector<double> wrong(38);
  EXPECT_THROW(CriteoContexts(items).fill(user, wrong), std::invalid_argument);
}

TEST(CriteoItems, FindsTheMostCommonLabelsOfASample) {
  const TestFolder folder;
  const auto path = folder.put("log.txt", criteo_sample(4000, 3));
  const CriteoItems items = survey_criteo(path, {40, UINT64_MAX}, not_interrupted);
  std::map<CriteoCodes, std::uint64_t> counts;
  CriteoReader reader(path);
  while (const auto row = reader.next()) ++counts[hash_categories(*row)];
  ASSERT_EQ(items.items.size(), 40u);
  EXPECT_EQ(items.labels, counts.size());
  std::uint64_t kept = 0;
  for (std::size_t arm = 0; arm < 40; ++arm) {
    EXPECT_EQ(items.items[arm].rows, counts.at(items.items[arm].codes));
    EXPECT_EQ(items.arm_of(items.items[arm].codes), arm);
    if (arm > 0) {
      EXPECT_GE(items.items[arm - 1].rows, items.items[arm].rows);
    }
    kept += items.items[arm].rows;
    counts.erase(items.items[arm].codes);
  }
  EXPECT_EQ(items.kept, kept);
  for (const auto& [codes, count] : counts) EXPECT_LE(count, items.items.back().rows);

  CriteoUser ones;
  ones.fill(1);
  CriteoEvents events(path, items, ones);
  std::uint64_t streamed = 0;
  while (const auto event = events.next()) {
    ++streamed;
    EXPECT_LT(event->arm, 40u);
    for (const double u : event->user) {
      EXPECT_GE(u, 0);
      EXPECT_LE(u, 1);
    }
  }
  EXPECT_EQ(streamed, kept);
}

TEST(CriteoItems, RefusesALogOfOneLabelAndStopsWhenAsked) {
  const TestFolder folder;
  const auto path = folder.put("log.txt", click_line(true, "1", "1", "0000000a"));
  EXPECT_THAT(message_of<InputError>(folder,
                                     [&] {
                                       (void)survey_criteo(path, {40, UINT64_MAX}, not_interrupted);
                                     }),
              HasSubstr("log.txt: all rows have one item label"));
  EXPECT_THROW((void)survey_criteo(path, {40, UINT64_MAX}, always_interrupted), Interrupted);
}

}  // namespace
}  // namespace sotto::apps::lab
