#include "sotto/apps/p2b/roles/known_users.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <map>
#include <memory>

#include "sotto/core/error/errors.h"
#include "tests/apps/p2b/roles/folders.h"

namespace sotto::apps {
namespace {

class Store {
 public:
  Store() {
    std::ofstream(folder_.path() / "s.db");
    reopen();
    database_->execute(KnownUsers::schema);
  }
  Database& database() { return *database_; }
  void reopen() {
    database_.reset();
    database_ = std::make_unique<Database>(folder_.path() / "s.db");
    database_->execute("PRAGMA synchronous = OFF");  // the tests lose no power
  }

 private:
  PrivateFolder folder_;
  std::unique_ptr<Database> database_;
};

TEST(KnownUsers, KnowsThoseOfEachTable) {
  Store store;
  KnownUsers users(store.database(), 4);
  EXPECT_FALSE(users.report_of(5));
  for (std::uint64_t mark : {5ULL, 1ULL << 63, 7ULL, 9ULL}) users.add(mark, mark + 1);
  users.write();
  EXPECT_EQ(store.database().number("SELECT count(*) FROM users"), 4);
  EXPECT_EQ(store.database().number("SELECT count(*) FROM recent"), 0);
  users.add(11, 12);
  users.write();
  EXPECT_EQ(store.database().number("SELECT count(*) FROM recent"), 1);
  EXPECT_EQ(users.report_of(5), 6U);
  EXPECT_EQ(users.report_of(1ULL << 63), (1ULL << 63) + 1);
  EXPECT_EQ(users.report_of(11), 12U);
  EXPECT_FALSE(users.report_of(12));
}

TEST(KnownUsers, TakesAMarkOfZeroForOne) {
  Store store;
  KnownUsers users(store.database(), 4);
  users.add(0, 3);
  EXPECT_EQ(users.report_of(0), 3U);
  EXPECT_EQ(users.report_of(1), 3U);
}

TEST(KnownUsers, RefusesAGroupThatIsCutOff) {
  Store store;
  store.database().execute("INSERT INTO recent VALUES (1, x'0102030405')");
  EXPECT_THROW((void)KnownUsers(store.database()), InputError);
}

RC_GTEST_PROP(KnownUsersProperty, IsAMapThatOutlivesItsProcess, ()) {
  Store store;
  const auto most = *rc::gen::inRange<std::size_t>(1, 20);
  auto users = std::make_unique<KnownUsers>(store.database(), most);
  std::map<std::uint64_t, std::uint64_t> model;
  const int steps = *rc::gen::inRange(0, 60);
  for (int i = 0; i < steps; ++i) {
    // Few marks that share slots, and any.
    const std::uint64_t mark =
        *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(1, 40),
                        rc::gen::map(rc::gen::inRange<std::uint64_t>(1, 9),
                                     [](std::uint64_t n) { return n << 60; }));
    const auto known = users->report_of(mark);
    RC_ASSERT(known.has_value() == (model.count(mark) == 1));
    if (known) {
      RC_ASSERT(*known == model[mark]);
    } else {
      model[mark] = static_cast<std::uint64_t>(i);
      users->add(mark, static_cast<std::uint64_t>(i));
    }
    if (*rc::gen::inRange(0, 3) == 0) users->write();
    if (*rc::gen::inRange(0, 8) == 0) {
      users->write();
      users.reset();
      store.reopen();
      users = std::make_unique<KnownUsers>(store.database(), *rc::gen::inRange<std::size_t>(1, 20));
    }
  }
  for (const auto& [mark, nonce] : model) RC_ASSERT(users->report_of(mark) == nonce);
}

}  // namespace
}  // namespace sotto::apps
