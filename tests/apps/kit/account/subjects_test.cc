#include "apps/kit/account/subjects.h"

#include "tests/apps/support.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

class SubjectFiles : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> read(const std::string& text, std::size_t rows) const {
    return read_subjects(folder.put("ids", text), folder.path() / "rows.csv", rows);
  }
  [[nodiscard]] std::string refusal(const std::string& text, std::size_t rows) const {
    return error_of<InputError>([&] { return read(text, rows); });
  }

  TestFolder folder;
};

TEST_F(SubjectFiles, HaveALineARow) {
  EXPECT_EQ(read("a\nb b\r\na\n", 3), (std::vector<std::string>{"a", "b b", "a"}));
  EXPECT_EQ(read("a", 1), std::vector<std::string>{"a"});
  EXPECT_THAT(refusal("a\nb\n", 3), HasSubstr("2 lines, but the data has 3 rows"));
  EXPECT_THAT(refusal("a\nb\nc\nd\n", 3), HasSubstr("more than 3 lines"));
  EXPECT_THAT(refusal("a\n\nc\n", 3), HasSubstr("ids:2: expected the id"));
  EXPECT_THAT(refusal(std::string(2000, 'x'), 1), HasSubstr("ids"));
  EXPECT_THAT(refusal("", 1), HasSubstr("ids"));
}

TEST_F(SubjectFiles, ThatAreBoundToATableAreOfNoOther) {
  const std::string rows = "x\n0.5\n0.25\n";
  (void)folder.put("rows.csv", rows);
  const std::vector<std::string_view> ids{"a", "b"};
  const std::string text = subjects_text(ids, rows);
  EXPECT_EQ(read(text, 2), (std::vector<std::string>{"a", "b"}));
  EXPECT_THAT(refusal(text, 3), HasSubstr("2 lines, but the data has 3 rows"));
  (void)folder.put("rows.csv", "x\n0.5\n0.5\n");
  EXPECT_THAT(refusal(text, 2), HasSubstr("the subjects of another table"));
  EXPECT_EQ(subjects_file_of("a/rows.csv"), "a/rows.csv.subjects");
}

TEST_F(SubjectFiles, TakeWhatOneLineCanHold) {
  EXPECT_TRUE(is_subject("Zo\u00eb, 4711"));
  EXPECT_TRUE(is_subject(std::string(longest_subject, 'x')));
  for (const std::string& wrong : {std::string(), std::string(longest_subject + 1, 'x'), std::string("a\nb"),
                                   std::string("a\r"), std::string("a\0b", 3), std::string("# subjects of me")}) {
    EXPECT_FALSE(is_subject(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace sotto::apps
