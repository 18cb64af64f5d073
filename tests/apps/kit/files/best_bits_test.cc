#include "apps/kit/files/best_bits.h"

#include "sotto/protocol/error/errors.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

TEST(BestBits, StandBesideTheirRows) {
  const TestFolder folder;
  const auto rows = folder.put("rows.csv", "a\n1\n2\n3\n");
  EXPECT_EQ(read_best_bits(rows), std::nullopt);
  const BestBits bits{std::string(64, 'a'), {1, 0, 1}};
  EXPECT_EQ(best_bits_text(bits), "best " + std::string(64, 'a') + "\n1\n0\n1\n");
  EXPECT_EQ(folder.put("rows.csv.best", best_bits_text(bits)), best_bits_file_of(rows));
  EXPECT_EQ(read_best_bits(rows), bits);
  EXPECT_EQ(read_best_bits(rows, 3), bits);
  EXPECT_EQ(read_best_bits(folder.put("other.csv", "a\n1\n"), 1), std::nullopt);
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_best_bits(rows, 4); }),
              StartsWith("rows.csv.best: 3 shares, but the data has 4 rows"));
}

TEST(BestBits, RefuseOtherFiles) {
  const TestFolder folder;
  const auto rows = folder.put("rows.csv", "a\n1\n");
  const auto refusal = [&](const std::string& text) {
    (void)folder.put("rows.csv.best", text);
    return message_of<InputError>(folder, [&] { (void)read_best_bits(rows); });
  };
  const std::string id(64, '0');
  const std::vector<std::string> no_id{"x\n1\n",
                                       "best\n1\n",
                                       "best " + id.substr(1) + "\n1\n",
                                       "best " + id + "0\n1\n",
                                       "best " + std::string(64, 'G') + "\n1\n",
                                       "1\nbest " + id + "\n"};
  for (const std::string& bad : no_id) {
    EXPECT_THAT(refusal(bad), StartsWith("rows.csv.best:1: expected \"best\" and an id")) << bad;
  }
  EXPECT_EQ(refusal("best " + id + "\n1\n2\n"), "rows.csv.best:3: expected 0 or 1");
  EXPECT_EQ(refusal("best " + id + "\n\n1\n"), "rows.csv.best:2: expected 0 or 1");
  EXPECT_EQ(refusal("best " + id + "\n01\n"), "rows.csv.best:2: expected 0 or 1");
}

}  // namespace
}  // namespace sotto::apps
