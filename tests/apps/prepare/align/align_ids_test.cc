#include "apps/prepare/align/align_ids.h"
#include "apps/kit/files/row_order.h"
#include "apps/prepare/tables/prepare_party.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/apps/prepare/tables/tables.h"
#include "tests/apps/support.h"
#include "tests/net/roles.h"

namespace sotto::apps::prepare {
namespace {

using Ids = std::vector<std::string>;

std::vector<Alignment> align_all(const std::vector<Ids>& sets, bool further = false) {
  const Topology topology = Topology::without_dealer(sets.size() - (further ? 1 : 0), further);
  auto configs = net::testing::tcp_configs(topology);
  configs.erase(net::dealer_id);
  std::vector<Alignment> results(sets.size());
  const auto outcomes = net::testing::run_roles(std::move(configs), [&](NodeId role, net::MeshConfig config) {
    net::Mesh mesh = net::set_up_mesh(std::move(config));
    results.at(role) = align_ids(mesh, sets.at(role), {});
  });
  net::testing::expect_all(outcomes, 0);
  return results;
}

std::set<std::string> in_all(const std::vector<Ids>& sets) {
  std::set<std::string> common(sets[0].begin(), sets[0].end());
  for (const Ids& ids : sets) {
    const std::set<std::string> own(ids.begin(), ids.end());
    std::erase_if(common, [&](const std::string& id) { return !own.contains(id); });
  }
  return common;
}

std::vector<Ids> random_sets(std::size_t companies, std::mt19937& random) {
  std::vector<Ids> sets(companies);
  for (Ids& ids : sets) {
    for (int id = 0; id < 20; ++id) {
      if (random() % 8 != 0) ids.push_back("customer " + std::to_string(id));
    }
    std::shuffle(ids.begin(), ids.end(), random);
  }
  return sets;
}

void expect_aligned(const std::vector<Ids>& sets, const std::vector<Alignment>& alignments) {
  const std::set<std::string> expected = in_all(sets);
  std::map<std::string, std::string> pseudonyms;
  for (std::size_t c = 0; c < sets.size(); ++c) {
    const Alignment& own = alignments[c];
    std::set<std::string> found;
    for (std::size_t i = 0; i < own.rows.size(); ++i) {
      const AlignedRow& row = own.rows[i];
      EXPECT_EQ(row.pseudonym.size(), 32U);
      EXPECT_EQ(row.pseudonym, alignments[0].rows.at(i).pseudonym) << "one order at all";
      const std::string& id = sets[c].at(row.place);
      EXPECT_TRUE(found.insert(id).second) << "a row an id";
      EXPECT_EQ(pseudonyms.emplace(id, row.pseudonym).first->second, row.pseudonym) << "one pseudonym an id";
    }
    EXPECT_EQ(found, expected) << "company " << c;
    EXPECT_TRUE(std::is_sorted(own.rows.begin(), own.rows.end(),
                               [](const AlignedRow& a, const AlignedRow& b) { return a.pseudonym < b.pseudonym; }));
    for (std::size_t other = 0; other < sets.size(); ++other) EXPECT_EQ(own.sizes.at(other), sets[other].size());
  }
}

class Alignments : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Companies, Alignments, ::testing::Values(2, 3, 5, 8));

TEST_P(Alignments, AreThoseOfThePlainSets) {
  std::mt19937 random(3);
  const std::vector<Ids> sets = random_sets(GetParam(), random);
  expect_aligned(sets, align_all(sets));
}

TEST_P(Alignments, OfEqualAndOfDisjointSets) {
  std::vector<Ids> sets(GetParam(), Ids{"a", "b", "c"});
  expect_aligned(sets, align_all(sets));
  sets.back() = {"d"};
  const auto none = align_all(sets);
  for (const Alignment& alignment : none) EXPECT_TRUE(alignment.rows.empty());
}

TEST(Alignment, TakesARoleBesideTheParties) {
  std::mt19937 random(5);
  for (const std::size_t companies : {3U, 4U}) {
    const std::vector<Ids> sets = random_sets(companies, random);
    expect_aligned(sets, align_all(sets, true));
  }
}

TEST(Alignment, GivesOtherPseudonymsAndAnotherOrderEachTime) {
  Ids ids;
  for (int id = 0; id < 60; ++id) ids.push_back(std::to_string(id));
  const std::vector<Ids> sets{ids, ids};
  const Alignment one = align_all(sets)[0];
  const Alignment two = align_all(sets)[0];
  std::set<std::string> seen;
  std::size_t same_place = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_TRUE(seen.insert(one.rows.at(i).pseudonym).second);
    EXPECT_TRUE(seen.insert(two.rows.at(i).pseudonym).second);
    same_place += one.rows[i].place == two.rows[i].place ? 1 : 0;
  }
  // If both orders are uniform, one id is expected to have the same place in both orders. 30 equal places have a
  // probability below 1e-32.
  EXPECT_LT(same_place, 30U);
}

TEST(Alignment, CostsWhatTheProtocolSays) {
  const std::vector<Ids> sets{{"a", "b", "c"}, {"b", "c", "d", "e", "f"}};
  for (const Alignment& alignment : align_all(sets)) {
    EXPECT_EQ(alignment.rounds, 1U + 2);
    EXPECT_EQ(alignment.bytes_sent, 3 * FrameHeader::size + 8 + 32 * (3 + 5));
  }
}

TEST(Alignment, EndsAtAllWhereOneFails) {
  const Topology topology = Topology::without_dealer(3, false);
  auto configs = net::testing::tcp_configs(topology);
  configs.erase(net::dealer_id);
  const std::vector<Ids> sets{{"a", "b"}, {"b", "c"}, {"b"}};
  const auto outcomes = net::testing::run_roles(std::move(configs), [&](NodeId role, net::MeshConfig config) {
    net::Mesh mesh = net::set_up_mesh(std::move(config));
    const auto on_progress = [&](const protocols::IntersectProgress&) {
      if (role == 1) throw ResourceError("the disk is full");
    };
    (void)align_ids(mesh, sets.at(role), {}, on_progress);
  });
  net::testing::expect_all(outcomes, 6, "the disk is full");
}

using ReadsIds = InFolder;

std::string refused(const TestFolder& folder, std::string_view text, const IdForm& form = {}) {
  const TextTable table = table_of(folder, text);
  return message_of<InputError>(folder, [&] { (void)read_ids(table, table.column("id", "--id"), form); });
}

TEST_F(ReadsIds, AsTheyAreCompared) {
  const TextTable table = table_of(folder, "x;id\n1;\" Zoe\u0308 \"\n2;B 2\n");
  EXPECT_THAT(read_ids(table, 1, {}).ids, ElementsAre("Zo\u00eb", "B 2"));
  EXPECT_THAT(read_ids(table, 1, {UnicodeForm::nfc, IdCase::fold, IdBlanks::none}).ids, ElementsAre("zo\u00eb", "b2"));
}

TEST_F(ReadsIds, ThatAreMissingOrComeTwiceAreRefusedByTheirLines) {
  EXPECT_EQ(refused(folder, "id,x\nsecret1,1\n,2\n"),
            "t.csv:3:1: no value where an id is expected; every row needs one");
  EXPECT_EQ(refused(folder, "x,id\n1,secret1\n2,k\n3,secret1\n"),
            "t.csv:4:2: the id of row t.csv:2 stands here again; each id needs one row");
  const std::string alike =
      refused(folder, "x,id\n1,secret1\n2,SECRET1\n", {UnicodeForm::nfc, IdCase::fold, IdBlanks::ends});
  EXPECT_THAT(alike, StartsWith("t.csv:3:2: the id of row t.csv:2 stands here again, written otherwise"));
  EXPECT_THAT(alike, Not(HasSubstr("ecret")));
  EXPECT_THAT(refused(folder, "id,x\n\u00a0,1\n"), StartsWith("t.csv:2:1: no value"));
}

TEST_F(ReadsIds, BesideNoOtherSubjects) {
  EXPECT_THAT(refused(folder, "id,subject\na,b\n"), StartsWith("t.csv:1:2: a column 'subject' is there already"));
  const TextTable again = table_of(folder, "subject,x\na,1\n");
  EXPECT_THAT(read_ids(again, 0, {}).ids, ElementsAre("a"));
}

std::string contents_of(const std::vector<NewFile>& files, const std::string& name) {
  for (const NewFile& file : files) {
    if (file.path.filename() == name) return file.contents;
  }
  return "none";
}

using AlignedFiles = InFolder;

TEST_F(AlignedFiles, HoldTheRowsThatAreCommonInTheirOrder) {
  const TextTable table = table_of(folder, "a,id,\"b,c\"\n1,\"k\"\"1\",x\n2,k2,\" y,z\"\n3,\"k,3\",\n");
  const std::vector<NewFile> files = aligned_files(table, 1, {{2, "00aa"}, {0, "0b"}}, "out");
  EXPECT_EQ(contents_of(files, "aligned.csv"), "a,subject,\"b,c\"\n3,00aa,\n1,0b,x\n");
  EXPECT_THAT(contents_of(files, "aligned.csv.subjects"), ::testing::EndsWith("\nk,3\nk\"1\n"));
  EXPECT_EQ(contents_of(files, "pseudonyms.csv"), "id,subject\n\"k,3\",00aa\n\"k\"\"1\",0b\n");
  ASSERT_EQ(files.size(), 4U);
  EXPECT_EQ(files[0].path, "out/aligned.csv");
}

TEST_F(AlignedFiles, ReadBack) {
  for (const std::string separator : {",", ";", "\t"}) {
    const std::string other = separator == ";" ? "1,5" : "1;5";
    const TextTable table =
        table_of(folder, "id" + separator + "x" + separator + "y\nk1" + separator + "\"p" + separator + "q\"" +
                             separator + other + "\nk2" + separator + "\"\"" + separator + "\"say \"\"no\"\"\"\n");
    const auto files = aligned_files(table, 0, {{1, "aa"}, {0, "bb"}}, folder.path());
    write_files(files);
    const TextTable again = TextTable::read(aligned_file(folder.path()));
    EXPECT_EQ(again.separator(), separator[0]);
    EXPECT_THAT(again.columns(), ElementsAre("subject", "x", "y"));
    for (const auto& [row, was] : std::map<std::size_t, std::size_t>{{0, 1}, {1, 0}}) {
      for (const std::size_t c : {1U, 2U}) EXPECT_EQ(again.cell(row, c), table.cell(was, c));
    }
    EXPECT_EQ(again.cell(0, 0), "aa");
    EXPECT_TRUE(read_order(aligned_file(folder.path())).has_value());
  }
}

TEST_F(AlignedFiles, OfATableWithoutAHeaderHaveOne) {
  const TextTable table = table_of(folder, "k1,5\nk2,6\n", false);
  EXPECT_EQ(contents_of(aligned_files(table, 0, {{1, "aa"}}, "out"), "aligned.csv"), "subject,column_2\naa,6\n");
}

TEST_F(AlignedFiles, HaveTheOrderOfWhatIsPreparedFromThem) {
  const TextTable table = table_of(folder, "id,x\nk1,1\nk2,2\nk3,4\n");
  write_files(aligned_files(table, 0, {{1, "aa"}, {0, "bb"}, {2, "cc"}}, folder.path()));
  PreparePartyOptions options;
  options.table = aligned_file(folder.path());
  options.fit.id = {std::string(subject_column)};
  options.output = folder.path() / "prepared";
  const PreparePartyResult prepared = prepare_party(options);
  EXPECT_EQ(read_order(prepared.rows_file), read_order(aligned_file(folder.path())));
}

}  // namespace
}  // namespace sotto::apps::prepare
