#include "apps/kit/account/seen_accounts.h"

#include <fmt/format.h>

#include "apps/kit/store/database.h"
#include "tests/apps/support.h"
#include "tests/framework.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

std::string head(std::uint64_t entry, char branch = 'a') { return fmt::format("{}{:015}", branch, entry); }

// The position of an account with this many entries. Entries with number `fork` or higher belong to another branch.
AccountPosition position(std::uint64_t entries, std::uint64_t fork = 1'000'000) {
  AccountPosition position{std::string(32, '1'), entries};
  for (std::uint64_t e = entries; e > 0 && position.heads.size() < AccountPosition::window; --e) {
    position.heads.push_back(head(e, e >= fork ? 'b' : 'a'));
  }
  return position;
}

class SeenAccounts : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder.path() / "seen"; }
  std::vector<std::string> meet(const AccountPosition& at, const char* role = "party 1") const {
    return check_seen_accounts(file(), std::vector{SeenAccount{role, at}});
  }
  [[nodiscard]] std::string refusal(const AccountPosition& at) const {
    return error_of<DisagreementError>([&] { return meet(at); });
  }

  TestFolder folder;
};

TEST_F(SeenAccounts, GoOnWithWhatCameOn) {
  EXPECT_TRUE(check_seen_accounts(file(), {}).empty());
  EXPECT_FALSE(std::filesystem::exists(file())) << "nobody has an account";
  for (const std::uint64_t entries : {0, 1, 1, 2, 10, 500}) EXPECT_TRUE(meet(position(entries)).empty()) << entries;
  EXPECT_EQ((std::filesystem::status(file()).permissions() & std::filesystem::perms(077)),
            std::filesystem::perms::none);
}

TEST_F(SeenAccounts, RefuseAnOldCopyAndOneThatWentOnBesideIt) {
  (void)meet(position(6));
  EXPECT_THAT(refusal(position(4)), AllOf(HasSubstr("the account of party 1 is an old copy: 4 entries"),
                                          HasSubstr("this role has seen 6"), HasSubstr("--spent")));
  for (const std::uint64_t entries : {6, 7, 900}) {
    EXPECT_THAT(refusal(position(entries, 5)), HasSubstr("one of two copies that were both used")) << entries;
  }
  EXPECT_THAT(refusal(position(1200, 5)), HasSubstr("came on by 1194 entries"));
  AccountPosition merged = position(8, 5);
  merged.heads.push_back(head(6));
  EXPECT_TRUE(meet(merged).empty());
  EXPECT_THAT(refusal(position(8)), HasSubstr("one of two copies")) << "the newer one is known now";
}

TEST_F(SeenAccounts, SayWhereARoleComesWithAnother) {
  (void)meet(position(6));
  AccountPosition other = position(0);
  other.account = std::string(32, '2');
  const std::vector<std::string> warnings = meet(other);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("party 1 has another account than before"));
  EXPECT_TRUE(meet(other).empty());
  other.account = std::string(32, '3');
  EXPECT_TRUE(meet(other, "party 2").empty());
}

TEST_F(SeenAccounts, ThatAreDamagedAreRefused) {
  (void)folder.put("seen", "no database, but a text that is long enough to be none");
  EXPECT_THAT(error_of<InputError>([&] { return meet(position(1)); }), HasSubstr("is not what a role remembers"));
}

PROPERTY(AccountPositions, AreReadAsTheyAreWritten) {
  AccountPosition position{std::string(32, 'f'), static_cast<std::uint64_t>(draw_in_range(0, 2000))};
  const std::uint64_t told = std::min(position.entries, AccountPosition::window);
  const int merged = position.entries == 0 ? 0 : draw_in_range(0, 10);
  for (std::uint64_t e = 0; e < told + static_cast<std::uint64_t>(merged); ++e) position.heads.push_back(head(e));
  if (position.heads.size() > 2 * AccountPosition::window) position.heads.resize(2 * AccountPosition::window);
  HOLDS(parse_position(position_text(position)) == position);
}

TEST(AccountPositions, ThatAreNoneAreRefused) {
  const std::string id(32, '1');
  const std::string one = head(1);
  for (const std::string& text :
       {std::string(), id, id + " 1", id + " 1 ", id + " x " + one, id + " 0 " + one, id + " 2 " + one,
        id + " 1 " + one + "x", id + " -1 " + one, "x" + id + " 1 " + one, id + " 1 " + one.substr(1)}) {
    EXPECT_FALSE(parse_position(text)) << text;
  }
  EXPECT_TRUE(parse_position(id + " 0 "));
  EXPECT_TRUE(parse_position(id + " 1 " + one));
}

}  // namespace
}  // namespace sotto::apps
