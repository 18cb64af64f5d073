#include "apps/prepare/command/prepare.h"

#include <fmt/format.h>

#include "apps/kit/files/table.h"
#include "apps/prepare/data/contexts.h"
#include "apps/prepare/data/environment.h"
#include "apps/prepare/data/raw_data.h"
#include "tests/apps/support.h"

namespace sotto::apps::prepare {
namespace {

std::string words(std::initializer_list<std::uint32_t> list) {
  std::string bytes;
  for (const std::uint32_t word : list) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift);
  }
  return bytes;
}

TEST(Idx, ReadsImagesAndLabels) {
  const TestFolder folder;
  const IdxImages images = read_idx_images(folder.put("i", words({0x803, 2, 1, 3}) + std::string("\0\1\2\3\4\xff", 6)));
  EXPECT_EQ(images.count, 2U);
  EXPECT_EQ(images.height, 1U);
  EXPECT_EQ(images.width, 3U);
  EXPECT_THAT(images.pixels, ElementsAre(0, 1, 2, 3, 4, 255));
  EXPECT_THAT(read_idx_labels(folder.put("l", words({0x801, 3}) + "\7\1\2")), ElementsAre(7, 1, 2));
}

TEST(Idx, RefusesBadImages) {
  const std::pair<std::string, const char*> cases[] = {

      {"", "0 bytes in all, too short"},
      {words({0x803, 1, 1}) + "123", "15 bytes in all, too short"},
      {words({0x801, 1, 1, 1}) + "1", "the file begins with 00000801, but IDX images begin with 00000803"},
      {words({0x03080000, 1, 1, 1}) + "1", "the file begins with 03080000"},
      {words({0x803, 0, 1, 1}), "the file holds nothing"},
      {words({0x803, 1, 0, 1}), "images of 0 x 1 pixels"},
      {words({0x803, 1, 1, 0}), "images of 1 x 0 pixels"},
      {words({0x803, 1, 4097, 1}), "images of 4097 x 1 pixels"},
      // One header claims 2^32 - 1 images of the largest size. Other headers claim sizes that would wrap around in 32
      // or 64 bits.
      {words({0x803, 0xffffffff, 4096, 4096}), "the file has 16 bytes, but its header says 72057594021150736"},
      {words({0x803, 0xffffffff, 0xffffffff, 0xffffffff}), "images of 4294967295 x 4294967295"},
      {words({0x803, 0x10000, 256, 256}), "the file has 16 bytes, but its header says 4294967312; it was cut"},
      {words({0x803, 2, 1, 1}) + "1", "the file has 17 bytes, but its header says 18; it was cut short"},
      {words({0x803, 1, 1, 1}) + "12", "the file has more bytes than the 17 that its header says; it was added to"},
      {"\x1f\x8b\x08 and more than a header's bytes", "the file is compressed"},
  };
  const TestFolder folder;
  for (const auto& [bytes, says] : cases) {
    const auto path = folder.put("i", bytes);
    EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_idx_images(path); }),
                StartsWith(std::string("i: ") + says));
  }
}

TEST(Idx, RefusesBadLabels) {
  const TestFolder folder;
  const auto refusal = [&](const std::string& bytes) {
    const auto path = folder.put("l", bytes);
    return message_of<InputError>(folder, [&] { (void)read_idx_labels(path); });
  };
  EXPECT_THAT(refusal(words({0x801})), StartsWith("l: 4 bytes in all, too short"));
  EXPECT_THAT(refusal(words({0x803, 1}) + "1"), HasSubstr("IDX labels begin with 00000801"));
  EXPECT_THAT(refusal(words({0x801, 0})), HasSubstr("its count is 0"));
  EXPECT_THAT(refusal(words({0x801, 2}) + "1"), HasSubstr("cut short"));
  EXPECT_THAT(refusal(words({0x801, 2}) + "123"), HasSubstr("added to"));
  EXPECT_THAT(refusal(words({0x801, 0xffffffff}) + "1"), HasSubstr("its header says 4294967303"));
}

TEST(MnistFolder, FindsBothWaysOfNaming) {
  const std::string images = words({0x803, 1, 1, 2}) + "ab";
  const std::string labels = words({0x801, 1}) + "\5";
  for (const std::string dash : {"-", "."}) {
    const TestFolder folder;
    (void)folder.put("train-images" + dash + "idx3-ubyte", images);
    (void)folder.put("train-labels" + dash + "idx1-ubyte", labels);
    const IdxSet set = read_mnist_folder(folder.path());
    EXPECT_EQ(set.images.count, 1U);
    EXPECT_THAT(set.labels, ElementsAre(5));
  }
}

TEST(MnistFolder, RefusesWhatIsNotThere) {
  const TestFolder folder;
  const auto refusal = [&](const fs::path& path) {
    return message_of<InputError>(folder, [&] { (void)read_mnist_folder(path); });
  };
  EXPECT_THAT(refusal(folder.path() / "none"), StartsWith("none: not a folder"));
  EXPECT_THAT(refusal(folder.path()), HasSubstr("no file train-labels-idx1-ubyte here"));
  (void)folder.put("train-labels-idx1-ubyte", words({0x801, 1}) + "\5");
  (void)folder.put("train-images-idx3-ubyte.gz", "x");
  EXPECT_THAT(refusal(folder.path()), StartsWith("train-images-idx3-ubyte.gz: the file is compressed"));
  (void)folder.put("train-images-idx3-ubyte", words({0x803, 2, 1, 1}) + "ab");
  EXPECT_EQ(refusal(folder.path()), "train-labels-idx1-ubyte: 1 label for 2 images");
}

std::vector<Block> read_blocks(const PrepareResult& result) {
  std::vector<Block> blocks;
  for (const auto& party : result.parties) blocks.push_back(read_block(party));
  return blocks;
}

PrepareOptions csv_options(const TestFolder& folder, std::string_view text) {
  PrepareOptions options;
  options.source = DataSource::csv;
  options.input = folder.put("raw.csv", text);
  options.output = folder.path() / "out";
  return options;
}

TEST(PrepareDigits, MakesTwoPartiesOfTenComponents) {
  const TestFolder folder;
  PrepareOptions options;
  options.output = folder.path() / "a/b";
  const PrepareResult result = prepare(options);
  EXPECT_EQ(result.rows, 1797U);
  EXPECT_EQ(result.arms, 10U);
  EXPECT_EQ(result.max_norm, 1);
  EXPECT_EQ(result.zero_rows, 0U);
  EXPECT_THAT(result.split, ElementsAre(10, 10));
  // The first 20 of 64 components keep 89.4% of the variance, which is a known figure of this data set.
  EXPECT_NEAR(result.explained_variance.value(), 0.8943, 1e-4);
  EXPECT_EQ(result.parties[1], folder.path() / "a/b/party_1.csv");

  const auto blocks = read_blocks(result);
  const Environment environment = Environment::read(result.environment);
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].table.columns.front(), "pc_0");
  EXPECT_EQ(blocks[1].table.columns.back(), "pc_19");
  EXPECT_EQ(environment.arms(), 10U);
  EXPECT_NO_THROW(check_aligned(blocks, environment.rows(), "environment.csv"));
  EXPECT_NO_THROW(check_norms(blocks, result.max_norm));
  for (std::size_t r = 0; r < result.rows; ++r) {
    double square = 0;
    for (const Block& block : blocks) {
      ASSERT_EQ(block.table.row(r).size(), 10U);
      for (const double x : block.table.row(r)) square += x * x;
    }
    ASSERT_NEAR(square, 1, 1e-8) << "row " << r;
  }
  for (std::size_t r = 0; r < 3; ++r) EXPECT_EQ(environment.reward(r, r), 1);
}

TEST(PrepareDigits, NormalisingComesAfterTheComponents) {
  const TestFolder folder;
  PrepareOptions options;
  options.normalise = false;
  options.output = folder.path() / "raw";
  const PrepareResult raw = prepare(options);
  options.normalise = true;
  options.output = folder.path() / "unit";
  const PrepareResult unit = prepare(options);
  EXPECT_GT(raw.max_norm, 8);
  EXPECT_EQ(raw.max_norm, round_up_norm(raw.max_norm));
  const auto raw_blocks = read_blocks(raw);
  const auto unit_blocks = read_blocks(unit);
  double norm = 0;
  for (const Block& block : raw_blocks) {
    for (const double x : block.table.row(17)) norm += x * x;
  }
  norm = std::sqrt(norm);
  for (std::size_t c = 0; c < 10; ++c) {
    EXPECT_NEAR(unit_blocks[1].table.row(17)[c], raw_blocks[1].table.row(17)[c] / norm, 1e-8);
  }
}

TEST(PrepareDigits, ThreePartiesOfAKmeansEnvironment) {
  const TestFolder folder;
  PrepareOptions options{.input = {},
                         .label_column = {},
                         .components = {},
                         .split = {8, 6, 6},
                         .kmeans = 5,
                         .shuffle = 1,
                         .limit = 500,
                         .output = folder.path()};
  const PrepareResult result = prepare(options);
  EXPECT_EQ(result.parties.size(), 3U);
  const Environment environment = Environment::read(result.environment);
  EXPECT_EQ(environment.rows(), 500U);
  EXPECT_EQ(environment.arms(), 5U);
  EXPECT_TRUE(environment.binary_rewards());
  EXPECT_GT(result.best_reward, 1.5 * result.uniform_reward);
  double sum = 0;
  for (std::size_t r = 0; r < 500; ++r) {
    for (std::size_t a = 0; a < 5; ++a) sum += environment.reward(r, a);
  }
  EXPECT_NEAR(sum / 2500, result.uniform_reward, 0.03);

  const std::string first = slurp(result.parties[0]) + slurp(result.environment);
  (void)prepare(options);
  EXPECT_EQ(slurp(result.parties[0]) + slurp(result.environment), first) << "same seeds, same files";
  options.seed = 2;
  (void)prepare(options);
  EXPECT_NE(slurp(result.parties[0]) + slurp(result.environment), first);
}

// If the data has few rows, some digits may not occur. The user must then set the number of arms to ten.
TEST(PrepareDigits, SayWhereALabelIsMissing) {
  const TestFolder folder;
  PrepareOptions options;
  options.output = folder.path();
  EXPECT_TRUE(prepare(options).has_each_label);
  options.shuffle = 1;
  options.limit = 8;
  options.components = 0;
  const PrepareResult few = prepare(options);
  EXPECT_FALSE(few.has_each_label);
  EXPECT_EQ(Environment::read(few.environment, few.arms).arms(), few.arms);
}

TEST(PrepareCsv, KeepsColumnsAndTakesTheLabelOut) {
  const TestFolder folder;
  auto options = csv_options(folder, "a,y,b,c\n3,1,0,4\n0,0,0,0\n1,2,2,2\n");
  options.label_column = "y";
  options.fit.standardise = false;
  options.components = 0;
  options.split = {1, 2};
  const PrepareResult result = prepare(options);
  EXPECT_EQ(result.zero_rows, 1U);
  EXPECT_EQ(result.arms, 3U);
  EXPECT_FALSE(result.explained_variance);
  EXPECT_EQ(slurp(result.parties[0]), "a\n0.6\n0\n0.3333333333\n");
  EXPECT_EQ(slurp(result.parties[1]), "b,c\n0,0.8\n0,0\n0.6666666667,0.6666666667\n");
  EXPECT_EQ(slurp(result.environment), "label\n1\n0\n2\n");

  options.normalise = false;
  const PrepareResult raw = prepare(options);
  EXPECT_EQ(raw.max_norm, 5);
  EXPECT_EQ(raw.zero_rows, 0U);
  EXPECT_EQ(slurp(raw.parties[1]), "b,c\n0,4\n0,0\n2,2\n");
}

TEST(PrepareCsv, StandardisesAndTakesTablesOfAnyKind) {
  const TestFolder folder;
  std::string text = "id,income,plan,best\n";
  for (int r = 0; r < 40; ++r) {
    text += "u" + std::to_string(r) + "," + (r == 3 ? "" : std::to_string(1000 * (r % 8))) + "," +
            (r % 2 == 0 ? "gold" : "tin") + "," + (r % 8 > 3 ? "yes" : "no") + "\n";
  }
  auto options = csv_options(folder, text);
  options.label_column = "best";
  options.components = 0;
  options.split = {2, 2};
  options.normalise = false;
  const PrepareResult result = prepare(options);
  EXPECT_THAT(result.labels, ElementsAre("no", "yes"));
  EXPECT_THAT(result.warnings,
              ElementsAre(StartsWith("column 'id': it looks like an id or free text, so it was left")));
  const Table party = read_csv(result.parties[0]);
  EXPECT_THAT(party.columns, ElementsAre("income", "income missing"));
  EXPECT_THAT(read_csv(result.parties[1]).columns, ElementsAre("plan=gold", "plan=tin"));
  double sum = 0;
  double squares = 0;
  for (std::size_t r = 0; r < 40; ++r) {
    EXPECT_EQ(party.row(r)[1], r == 3 ? 1 : 0);
    sum += party.row(r)[0];
    squares += party.row(r)[0] * party.row(r)[0];
  }
  EXPECT_NEAR(sum, 0, 1e-8);
  EXPECT_NEAR(squares, 39, 1e-6) << "the missing one is the mean";
}

TEST(PrepareCsv, ShufflePermutesFeaturesAndLabelsTogether) {
  const TestFolder folder;
  std::string text = "a,b,y\n";
  for (int r = 0; r < 50; ++r) text += std::to_string(r) + ",1," + std::to_string(r) + "\n";
  auto options = csv_options(folder, text);
  options.label_column = "y";
  options.fit.standardise = false;
  options.components = 0;
  options.normalise = false;
  options.shuffle = 9;
  const PrepareResult result = prepare(options);
  const Table a = read_csv(result.parties[0]);
  auto labels = read_csv(result.environment).values;
  EXPECT_EQ(a.values, labels);
  EXPECT_FALSE(std::is_sorted(labels.begin(), labels.end()));
  std::sort(labels.begin(), labels.end());
  for (std::size_t r = 0; r < 50; ++r) EXPECT_EQ(labels[r], static_cast<double>(r));
}

TEST(PrepareMnist, DividesPixelsBy255) {
  const TestFolder folder;
  (void)folder.put("train-images-idx3-ubyte", std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02", 16) +
                                                  "\xff\x33" + std::string("\0\x66", 2));
  (void)folder.put("train-labels-idx1-ubyte", std::string("\0\0\x08\x01\0\0\0\x02\1\0", 10));
  PrepareOptions options;
  options.source = DataSource::mnist;
  options.input = folder.path();
  options.output = folder.path() / "out";
  options.components = 0;
  options.normalise = false;
  const PrepareResult result = prepare(options);
  EXPECT_EQ(slurp(result.parties[0]), "pixel_0\n1\n0\n");
  EXPECT_EQ(slurp(result.parties[1]), "pixel_1\n0.2\n0.4\n");
  EXPECT_EQ(slurp(result.environment), "label\n1\n0\n");
}

TEST(Prepare, RefusesComponentsOfTooManyColumns) {
  const TestFolder folder;
  std::string names = "c0";
  std::string zeros = "0";
  std::string ones = "1";
  for (int i = 1; i < 2049; ++i) {
    names += fmt::format(",c{}", i);
    zeros += ",0";
    ones += ",1";
  }
  auto options = csv_options(folder, names + "\n" + zeros + "\n" + ones + "\n");
  options.label_column.reset();
  options.kmeans = 2;
  EXPECT_THAT(
      error_of<InputError>([&] { (void)prepare(options); }),
      AllOf(HasSubstr("--components: of at most 2048 columns, and the data has 2049"), HasSubstr("--components 0")));
  options.components = 0;
  EXPECT_NO_THROW((void)prepare(options));
}

TEST(Prepare, RefusesOptionsThatDoNotFit) {
  const TestFolder folder;
  const auto refusal = [&](auto change) {
    auto options = csv_options(folder, "a,b,c,y\n3,1,0,4\n0,0,1,0.5\n");
    options.label_column.reset();
    options.kmeans = 2;
    change(options);
    return message_of<InputError>(folder, [&] { (void)prepare(options); });
  };
  using Options = PrepareOptions;
  EXPECT_THAT(refusal([](Options& o) { o.kmeans.reset(); }), StartsWith("--label-column: name the column"));
  EXPECT_THAT(refusal([](Options& o) { o.label_column = "z"; }), StartsWith("raw.csv:1: there is no column 'z'"));
  EXPECT_THAT(refusal([](Options& o) { o.label_column = "y"; }), StartsWith("raw.csv:3:4: the label is not"));
  EXPECT_THAT(refusal([](Options& o) { o.components = 5; }), StartsWith("--components: 5 components asked for"));
  EXPECT_THAT(refusal([](Options& o) { o.components = 1; }), StartsWith("--split: 2 to 8 parties"));
  EXPECT_THAT(refusal([](Options& o) { o.split = {4}; }), StartsWith("--split: 2 to 8 parties"));
  EXPECT_THAT(refusal([](Options& o) { o.split = {4, 0}; }), StartsWith("--split: 2 to 8 parties"));
  EXPECT_THAT(refusal([](Options& o) { o.split.assign(9, 1); }), StartsWith("--split: 2 to 8 parties"));
  EXPECT_THAT(refusal([](Options& o) {
                o.split = {2, 3};
              }),
              StartsWith("--split: the counts 2,3 do not add up to the 4"));
  EXPECT_THAT(refusal([](Options& o) { o.split = {2, 1}; }), StartsWith("--split: the counts 2,1 do not"));
  EXPECT_THAT(refusal([](Options& o) { o.split = {5, SIZE_MAX}; }), HasSubstr("do not add up"));
  EXPECT_THAT(refusal([](Options& o) { o.limit = 3; }), StartsWith("--limit: 3 rows asked for, the data has 2"));
  EXPECT_THAT(refusal([](Options& o) { o.limit = 0; }), StartsWith("--limit: 0 rows"));
  EXPECT_THAT(refusal([](Options& o) { o.kmeans = 3; }), StartsWith("--kmeans: 3 arms asked for, 1 to 2"));
  EXPECT_THAT(refusal([](Options& o) { o.kmeans = 0; }), StartsWith("--kmeans: 0 arms asked for"));
  EXPECT_FALSE(fs::exists(folder.path() / "out")) << "nothing is made for bad options";
}

TEST(Prepare, NamesAFolderThatCannotBeMade) {
  const TestFolder folder;
  auto options = csv_options(folder, "a,b\n3,1\n0,2\n");
  options.kmeans = 1;
  options.output = folder.path() / "raw.csv/out";
  EXPECT_THAT(message_of<ResourceError>(folder, [&] { (void)prepare(options); }),
              StartsWith("cannot make the folder raw.csv/out: "));
}

TEST(ParseSplit, TakesCountsBetweenCommas) {
  EXPECT_THAT(parse_split("10,10"), ElementsAre(10, 10));
  EXPECT_THAT(parse_split("7"), ElementsAre(7));
  for (const char* bad :
       {"", ",", "10,", ",10", "10,,10", "10;10", "10, 10", "-1,2", "1.5,2", "0,2", "99999999999999999999,1", "a"}) {
    EXPECT_THROW((void)parse_split(bad), InputError) << bad;
  }
}

TEST(ShippedDigits, AreThere) {
  const Table table = read_csv(shipped_digits());
  EXPECT_EQ(table.rows, 1797U);
  EXPECT_EQ(table.columns.size(), 65U);
}

}  // namespace
}  // namespace sotto::apps::prepare
