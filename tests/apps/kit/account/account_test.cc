#include "apps/kit/account/account.h"

#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <random>
#include <set>

#include "apps/kit/account/seen_accounts.h"
#include "tests/apps/support.h"
#include "tests/framework.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

class Accounts : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder.path() / "account"; }
  static Release release(double epsilon, std::string receiver = "the actor") {
    return {fresh_release_id(), std::move(receiver), "evaluation", epsilon};
  }
  static std::vector<SubjectKey> keys(const Account& account, const std::vector<std::string>& ids) {
    std::vector<SubjectKey> keys;
    for (const std::string& id : ids) keys.push_back(account.key_of(id));
    return keys;
  }

  TestFolder folder;
};

TEST_F(Accounts, ChargeASubjectOnceAReleaseAndAddUp) {
  Account::begin(file());
  Account account(file());
  const std::vector<SubjectKey> of = keys(account, {"a", "b", "a", "c"});
  EXPECT_EQ(of[0], of[2]);
  account.charge(release(.5), of, 2, 100);
  account.charge(release(1), std::span(of).first(1), 2, 200);
  EXPECT_EQ(account.spent(of[0]), 1.5);
  EXPECT_EQ(account.spent(of[1]), .5);
  EXPECT_EQ(account.spent(account.key_of("somebody else")), 0);
  EXPECT_EQ(account.most_spent(), 1.5);
  EXPECT_EQ(account.most_spent(std::span(of).subspan(1, 1)), .5);
  EXPECT_EQ(account.subjects(), 3u);
  EXPECT_EQ(account.beyond(of, .6, 2), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(account.beyond(of, .5, 2), std::vector<std::size_t>{});
  const std::vector<AccountEntry> entries = account.entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].subjects, 3u);
  EXPECT_EQ(entries[1].release.epsilon, 1);
  EXPECT_EQ(entries[1].time, 200);
}

TEST_F(Accounts, HoldWhatAWindowGathers) {
  Account::begin(file());
  const Release first = release(.5), second = release(.5);
  {
    Account account(file());
    account.charge(release(1.75), keys(account, {"rich"}), 2, 50);
    EXPECT_EQ(account.hold(first, keys(account, {"a", "rich", "b"}), 2, 100), (std::vector<bool>{true, false, true}));
    EXPECT_EQ(account.hold(first, keys(account, {"b", "c"}), 2, 100), (std::vector<bool>{true, true}));
    EXPECT_EQ(account.held(), 3u);
    EXPECT_EQ(account.entries().size(), 1u) << "it is no entry yet";
  }
  {
    Account account(file());
    EXPECT_EQ(account.spent(account.key_of("b")), .5);
    EXPECT_EQ(account.spent(account.key_of("rich")), 1.75);
    EXPECT_EQ(account.beyond(keys(account, {"a", "d"}), 1.75, 2), std::vector<std::size_t>{0});
    EXPECT_THROW(account.charge(release(1.75), keys(account, {"a"}), 2, 110), InputError);
    EXPECT_EQ(account.hold(second, keys(account, {"a"}), 2, 200), std::vector<bool>{true});
    EXPECT_EQ(account.held(), 1u);
    ASSERT_EQ(account.entries().size(), 2u);
    EXPECT_EQ(account.entries()[1].release.id, first.id);
    EXPECT_EQ(account.entries()[1].subjects, 3u);
    EXPECT_EQ(account.entries()[1].time, 200);
    EXPECT_EQ(account.spent(account.key_of("a")), 1);
    EXPECT_EQ(account.spent(account.key_of("c")), .5);
    EXPECT_EQ(account.most_spent(), 1.75);
  }
  EXPECT_EQ(Account(file()).entries().size(), 2u) << "the chain holds";
}

TEST_F(Accounts, TakeInWhatACopyHolds) {
  Account::begin(file());
  const Release window = release(.5), other = release(.25);
  const auto copy_file = folder.path() / "copy";
  {
    Account account(file());
    (void)account.hold(window, keys(account, {"a"}), 2, 100);
  }
  std::filesystem::copy_file(file(), copy_file);
  {
    Account account(file());
    Account copy(copy_file);
    (void)copy.hold(window, keys(copy, {"b"}), 2, 100);
    EXPECT_EQ(account.merge(copy), 0u);
    EXPECT_EQ(account.held(), 2u) << "of the same window";
    (void)copy.hold(other, keys(copy, {"b"}), 2, 200);
    EXPECT_EQ(account.merge(copy), 2u) << "the window as an entry of the copy, and what it holds now";
    EXPECT_EQ(account.merge(copy), 0u);
    EXPECT_GE(account.spent(account.key_of("b")), .75);
    (void)account.hold(release(.5), keys(account, {"c"}), 2, 300);
    EXPECT_EQ(account.held(), 1u);
    EXPECT_GE(account.spent(account.key_of("a")), .5);
  }
  EXPECT_EQ(Account(file()).entries().size(), 3u) << "the chain holds";
}

TEST_F(Accounts, RefuseAllWhereOneHasTooLittleLeft) {
  Account::begin(file(), .5);
  Account account(file());
  const std::vector<SubjectKey> of = keys(account, {"a", "b"});
  EXPECT_EQ(account.spent(of[0]), .5) << "what was said to be spent before";
  account.charge(release(1), std::span(of).first(1), 2, 1);
  EXPECT_THAT(error_of<InputError>([&] {
                account.charge(release(1), of, 2, 2);
                return 0;
              }),
              AllOf(HasSubstr("1 subject would have spent more than the budget of 2"), HasSubstr("nobody is charged")));
  EXPECT_EQ(account.spent(of[1]), .5);
  EXPECT_EQ(account.entries().size(), 1u);
  account.charge(release(.5), of, 2, 3);
  EXPECT_EQ(account.beyond(of, 1e-6, 2), std::vector<std::size_t>{0});
}

TEST_F(Accounts, TakeTenTimesATenthOfTheBudgetAndNoMore) {
  Account::begin(file());
  Account account(file());
  const std::vector<SubjectKey> of = keys(account, {"a"});
  for (int i = 0; i < 10; ++i) account.charge(release(.1), of, 1, i);
  EXPECT_EQ(account.beyond(of, .1, 1).size(), 1u);
  EXPECT_NEAR(account.spent(of[0]), 1, 1e-12);
}

TEST_F(Accounts, AreTheSameWhenTheyAreOpenedAgain) {
  Account::begin(file());
  std::vector<AccountEntry> before;
  SubjectKey key{};
  {
    Account account(file());
    key = account.key_of("a");
    account.charge(release(.5, "a name\nof two lines"), std::vector{key}, 2, 5);
    before = account.entries();
  }
  Account account(file());
  EXPECT_EQ(account.key_of("a"), key);
  EXPECT_EQ(account.spent(key), .5);
  ASSERT_EQ(account.entries().size(), 1u);
  EXPECT_EQ(account.entries()[0].head, before[0].head);
  EXPECT_EQ(account.entries()[0].release.receiver, "a name\nof two lines");
}

TEST_F(Accounts, KnowSubjectsByAKeyOfTheirOwn) {
  Account::begin(file());
  Account::begin(folder.path() / "other");
  const Account one(file());
  const Account other(folder.path() / "other");
  EXPECT_NE(one.key_of("a"), other.key_of("a"));
  EXPECT_NE(one.key_of("a"), one.key_of("b"));
  EXPECT_NE(one.key_of(std::string(5000, 'x')), one.key_of(std::string(5001, 'x')));
  EXPECT_NE(one.key_of(std::string("a\0b", 3)), one.key_of("a"));
  EXPECT_EQ((std::filesystem::status(file()).permissions() & std::filesystem::perms(077)),
            std::filesystem::perms::none);
}

TEST_F(Accounts, ForgetNothingWhereAClockIsSetBack) {
  Account::begin(file());
  Account account(file());
  const std::vector<SubjectKey> of = keys(account, {"a"});
  account.charge(release(.5), of, 2, 1000);
  account.charge(release(.5), of, 2, 10);
  EXPECT_EQ(account.entries()[1].time, 1000);
  EXPECT_THAT(error_of<InputError>([&] { return account.forget(1001); }), HasSubstr("later than the last entry"));
  account.charge(release(.5), of, 2, 2000);
  EXPECT_EQ(account.forget(1500), 2u);
  EXPECT_EQ(account.forget(1500), 0u);
  EXPECT_EQ(account.forget(5), 0u) << "what is forgotten stays so";
  EXPECT_EQ(account.spent(of[0]), .5);
  EXPECT_FALSE(account.entries()[0].counts);
  EXPECT_TRUE(account.entries()[2].counts);
}

TEST_F(Accounts, ForgetWhatIsOlderThanTheyAreAskedTo) {
  Account::begin(file());
  Account account(file());
  const std::vector<SubjectKey> of = keys(account, {"a"});
  account.charge(release(.5), of, 2, 1000);
  EXPECT_EQ(account.forget_before(500), 0u);
  EXPECT_EQ(account.forget_before(5000), 1u) << "a time after the last entry";
  EXPECT_EQ(account.spent(of[0]), 0);
  account.charge(release(.5), of, 2, 10);
  EXPECT_EQ(account.spent(of[0]), .5) << "a clock that was set back does not forget what is charged now";
}

TEST_F(Accounts, TakeBackWhatCostNothing) {
  Account::begin(file());
  const Release back = release(1.5);
  {
    Account account(file());
    const std::vector<SubjectKey> of = keys(account, {"a", "b"});
    account.charge(back, of, 2, 1000);
    account.charge(release(.5), std::span(of).first(1), 2, 1000);
    account.take_back(back.id, 10);
    const auto again = [&] {
      account.take_back(back.id, 20);
      return 0;
    };
    EXPECT_THAT(error_of<InputError>(again), HasSubstr("no such release"));
  }
  Account account(file());
  EXPECT_EQ(account.spent(account.key_of("a")), .5);
  EXPECT_EQ(account.subjects(), 1u);
  const std::vector<AccountEntry> entries = account.entries();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_FALSE(entries[0].counts);
  EXPECT_TRUE(entries[1].counts);
  EXPECT_EQ(entries[2].takes_back, back.id);
  EXPECT_EQ(entries[2].time, 1000);
}

TEST_F(Accounts, ThatWereCopiedGoOnAsOneWithEachReleaseOnce) {
  Account::begin(file());
  const std::filesystem::path copy = folder.path() / "copy";
  const Release before = release(.25);
  const Release back = release(.25);
  const auto charge = [&](const std::filesystem::path& path, const Release& one) {
    Account account(path);
    account.charge(one, keys(account, {"a"}), 4, 1);
  };
  charge(file(), before);
  charge(file(), back);
  std::filesystem::copy_file(file(), copy);
  charge(file(), release(.5));
  charge(copy, release(1));
  Account(copy).take_back(back.id, 1);
  Account account(file());
  const std::string own_head = account.position().heads.front();
  {
    Account other(copy);
    EXPECT_EQ(account.merge(other), 2u);
    EXPECT_EQ(account.merge(other), 0u);
    const AccountPosition position = account.position();
    EXPECT_EQ(position.entries, 5u);
    EXPECT_EQ(position.account, other.position().account);
    for (const std::string& head : {own_head, other.position().heads.front()}) {
      EXPECT_THAT(position.heads, ::testing::Contains(head)) << "who met either goes on with both";
    }
  }
  EXPECT_EQ(account.spent(account.key_of("a")), 1.75);
  const std::filesystem::path stranger = folder.path() / "stranger";
  Account::begin(stranger);
  EXPECT_THAT(error_of<InputError>([&] {
                Account other(stranger);
                return account.merge(other);
              }),
              HasSubstr("another account"));
}

TEST_F(Accounts, AreOfOneProcessAtATime) {
  Account::begin(file());
  const Account account(file());
  EXPECT_THAT(error_of<ResourceError>([&] { return Account(file()).spent_before(); }), HasSubstr("another process"));
}

TEST_F(Accounts, ThatAreNoneAreRefused) {
  const auto refusal = [&](const std::filesystem::path& path) {
    return error_of<InputError>([&] { return Account(path).spent_before(); });
  };
  EXPECT_THAT(refusal(file()), HasSubstr("there is no account: `sotto account begin"));
  Account::begin(file());
  EXPECT_THAT(error_of<InputError>([&] {
                Account::begin(file());
                return 0;
              }),
              HasSubstr("is there already"));
  for (const double wrong : {-1., std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(Account::begin(folder.path() / "wrong", wrong), InputError);
  }
  const auto private_file = [&](const char* name, const std::string& bytes) {
    const std::filesystem::path path = folder.put(name, bytes);
    std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return path;
  };
  EXPECT_THAT(refusal(private_file("text", "no database at all, but a text that is long enough")), HasSubstr("text"));
  EXPECT_THAT(refusal(private_file("empty", "")), HasSubstr("is no account of this version"));
  EXPECT_THAT(refusal(folder.path()), HasSubstr("is no account of this version"));
  const std::filesystem::path few = private_file("few", "x");
  EXPECT_THAT(refusal(few), HasSubstr("few"));
  EXPECT_EQ(std::filesystem::file_size(few), 1u) << "it is left as it was";
  std::filesystem::permissions(file(), std::filesystem::perms::group_read, std::filesystem::perm_options::add);
  EXPECT_THAT(refusal(file()), HasSubstr("chmod 600"));
}

TEST_F(Accounts, FindWhatWasChangedBehindTheirBack) {
  for (
      const char* change :
      {"UPDATE entries SET epsilon = 0.1 WHERE number = 1", "UPDATE entries SET subjects = 1 WHERE number = 2",
       "UPDATE entries SET time = 5 WHERE number = 2", "UPDATE entries SET receiver = 'x' WHERE number = 1",
       "DELETE FROM entries WHERE number = 1", "UPDATE entries SET head = digest WHERE number = 1",
       "DELETE FROM charges WHERE entry = 2",
       "UPDATE charges SET subject = x'00112233445566778899aabbccddeeff' WHERE entry = 2 AND subject = (SELECT MIN(subject)"
       " FROM charges)",
       "UPDATE account SET version = 1", "UPDATE entries SET takes_back = 'x' WHERE number = 2",
       "UPDATE entries SET bits = 7 WHERE number = 2", "DELETE FROM account"}) {
    const std::filesystem::path path = folder.path() / "changed";
    std::filesystem::remove(path);
    Account::begin(path);
    {
      Account account(path);
      account.charge(release(.5), keys(account, {"a", "b"}), 2, 1);
      account.charge(release(.5), keys(account, {"a", "b"}), 2, 2);
    }
    Database(path).execute(change);
    EXPECT_THROW((void)Account(path), InputError) << change;
  }
}

PROPERTY(AccountProperties, NoSubjectSpendsMoreThanTheBudget) {
  const TestFolder folder;
  const std::filesystem::path file = folder.path() / "account";
  const double before = draw_in_range(0, 3) / 4.;
  Account::begin(file, before);
  auto account = std::make_unique<Account>(file);
  std::map<std::string, double> spent;
  const double budget = 2;
  const int steps = draw_in_range(1, 12);
  for (int step = 0; step < steps; ++step) {
    if (draw_in_range(0, 5) == 0) {
      account.reset();
      account = std::make_unique<Account>(file);
    }
    const double epsilon = draw_in_range(1, 5) / 4.;
    std::vector<SubjectKey> subjects;
    std::set<std::string> ids;
    for (int i = draw_in_range(1, 6); i > 0; --i) {
      ids.insert(std::string(1, static_cast<char>('a' + draw_in_range(0, 6))));
    }
    bool fits = true;
    for (const std::string& id : ids) {
      for (int times = draw_in_range(1, 3); times > 0; --times) subjects.push_back(account->key_of(id));
      fits = fits && before + spent[id] + epsilon <= budget;
    }
    bool charged = true;
    try {
      account->charge({fresh_release_id(), "receiver", "about", epsilon}, subjects, budget, step);
    } catch (const InputError&) {
      charged = false;
    }
    HOLDS(charged == fits);
    if (charged) {
      for (const std::string& id : ids) spent[id] += epsilon;
    }
  }
  for (const auto& [id, sum] : spent) {
    HOLDS(account->spent(account->key_of(id)) == before + sum);
    HOLDS(before + sum <= budget);
  }
}

void kill_while_charging(std::mt19937_64& random) {
  const TestFolder folder;
  const std::filesystem::path file = folder.path() / "account";
  Account::begin(file);
  int opened[2];
  ASSERT_EQ(::pipe(opened), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(opened[0]);
    try {
      Account account(file);
      const std::vector<SubjectKey> of{account.key_of("a")};
      for (int time = 0;; ++time) {
        account.charge({fresh_release_id(), "receiver", "about", .125}, of, 2, time);
        (void)check_seen_accounts(folder.path() / "seen", std::vector{SeenAccount{"party 0", account.position()}});
        if (::write(opened[1], "x", 1) != 1) ::_exit(1);
      }
    } catch (const std::exception&) {
      ::_exit(0);
    }
  }
  ::close(opened[1]);
  std::size_t count = 0;
  std::size_t until = random() % 18;
  char byte = 0;
  while (count < until && ::read(opened[0], &byte, 1) == 1) ++count;
  ::kill(child, SIGKILL);
  while (::read(opened[0], &byte, 1) == 1) ++count;
  ::close(opened[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  Account account(file);
  const double spent = account.spent(account.key_of("a"));
  EXPECT_GE(spent, .125 * static_cast<double>(count));
  EXPECT_LE(spent, .125 * static_cast<double>(count + 1)) << "at most one was charged and not opened";
  EXPECT_LE(spent, 2);
  EXPECT_TRUE(
      check_seen_accounts(folder.path() / "seen", std::vector{SeenAccount{"party 0", account.position()}}).empty());
}

TEST(AccountKills, LoseNoChargeOfWhatWasOpened) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 6; ++i) kill_while_charging(random);
}

TEST(AccountKillsLong, LoseNoChargeOfWhatWasOpened) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 200; ++i) kill_while_charging(random);
}

}  // namespace
}  // namespace sotto::apps
