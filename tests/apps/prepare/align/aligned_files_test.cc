#include "apps/prepare/align/aligned_files.h"

#include "apps/kit/files/row_order.h"
#include "apps/prepare/tables/prepare_party.h"
#include "tests/apps/prepare/tables/tables.h"

namespace sotto::apps::prepare {
namespace {

using ReadsIds = InFolder;

std::string refused(const TestFolder& folder, std::string_view text, const IdForm& form = {}) {
  const TextTable table = table_of(folder, text);
  return message_of<InputError>(folder, [&] { (void)read_ids(table, table.column("id", "--id"), form); });
}

TEST_F(ReadsIds, AsTheyAreCompared) {
  const TextTable table = table_of(folder, "x;id\n1;\" Zoe\u0308 \"\n2;B 2\n");
  EXPECT_THAT(read_ids(table, 1, {}), ElementsAre("Zo\u00eb", "B 2"));
  EXPECT_THAT(read_ids(table, 1, {UnicodeForm::nfc, IdCase::fold, IdBlanks::none}), ElementsAre("zo\u00eb", "b2"));
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
  EXPECT_THAT(read_ids(again, 0, {}), ElementsAre("a"));
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
  EXPECT_EQ(contents_of(files, "pseudonyms.csv"), "id,subject\n\"k,3\",00aa\n\"k\"\"1\",0b\n");
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].path, "out/aligned.csv");
}

// What is written reads back as the same cells, whatever separates them.
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

// The order beside aligned.csv is the one that `prepare party` then finds.
TEST_F(AlignedFiles, HaveTheOrderOfWhatIsPreparedFromThem) {
  const TextTable table = table_of(folder, "id,x\nk1,1\nk2,2\nk3,4\n");
  write_files(aligned_files(table, 0, {{1, "aa"}, {0, "bb"}, {2, "cc"}}, folder.path()));
  PreparePartyOptions options;
  options.table = aligned_file(folder.path());
  options.fit.id = subject_column;
  options.output = folder.path() / "prepared";
  const PreparePartyResult prepared = prepare_party(options);
  EXPECT_EQ(read_order(prepared.rows_file), read_order(aligned_file(folder.path())));
}

}  // namespace
}  // namespace sotto::apps::prepare
