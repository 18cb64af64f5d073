#include "apps/prepare/tables/damaged_ids.h"

#include "tests/apps/prepare/tables/tables.h"

namespace sotto::apps::prepare {
namespace {

class DamagedIds : public InFolder {
 protected:
  std::vector<std::string> of(const std::vector<std::string>& ids) {
    std::string text = "id;x\n";
    for (const std::string& id : ids) text += id + ";1\n";
    std::vector<std::string> found = damaged_ids(table_of(folder, text), 0);
    for (std::string& line : found) line = replaced(line, folder.path().string() + "/", "");
    return found;
  }
};

std::vector<std::string> numbers_from(std::uint64_t first, std::size_t count, std::uint64_t step) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(std::to_string(first + i * step));
  return ids;
}

TEST_F(DamagedIds, AreNamedByTheirCountAndFirstPlace) {
  EXPECT_THAT(
      of({"a1", "17.0", "18.0"}),
      ElementsAre("column 'id': 2 ids with .0 at the end, as a spreadsheet writes numbers (first in t.csv:3:1); "
                  "export the ids as texts"));
  EXPECT_THAT(of({"123", "1.23E+11"}),
              ElementsAre(StartsWith("column 'id': 1 id with an exponent such as E+11, by which a spreadsheet drops "
                                     "digits (first in t.csv:3:1)")));
  EXPECT_THAT(of({"1,23E+11"}), ElementsAre(HasSubstr("1 id with an exponent such as E+11")));
  EXPECT_THAT(of({"1234567890123450", "1234567890123500"}),
              ElementsAre(StartsWith("column 'id': 2 ids with only zeros behind 15 digits")));
  // Of five digits each, as many as chance has, 01067 among them as 1067.
  auto cut = numbers_from(1067, 90, 1109);
  EXPECT_THAT(of(cut), ElementsAre(StartsWith("column 'id': 9 ids with fewer digits than the others, as where a "
                                              "spreadsheet drops leading zeros (first in t.csv:2:1)")));
  for (const std::string& line : of(cut)) EXPECT_THAT(line, Not(HasSubstr("1067")));
}

TEST_F(DamagedIds, AreNoneThatAreWhole) {
  EXPECT_THAT(of(numbers_from(1, 3000, 1)), ElementsAre());
  EXPECT_THAT(of(numbers_from(1, 9999, 1)), ElementsAre()) << "they count";
  EXPECT_THAT(of(numbers_from(100'000, 200, 7919)), ElementsAre()) << "six and seven digits";
  EXPECT_THAT(of({"01067", "10115", "00017"}), ElementsAre());
  EXPECT_THAT(of({"1.5", "10.0.0.1", "v1.0", "1e5", "12E3", "1234567890123456", "1234567890123450"}), ElementsAre());
  EXPECT_THAT(of({"0a1b", "12345678901234567890123456789012", "c485910"}), ElementsAre());
}

}  // namespace
}  // namespace sotto::apps::prepare
