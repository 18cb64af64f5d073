// Who may open a store, and with what.
#include "sotto/apps/bandit/state/store.h"

#include "tests/apps/bandit/state/stores.h"

namespace sotto::apps {
namespace {

using namespace testing;

class StoreAccess : public Store {};

TEST_F(StoreAccess, IsOfOneRoleOneRunAndOneKey) {
  played_to(20);
  const auto other = [](auto change) {
    StoreIdentity identity = identity_of();
    change(identity);
    return identity;
  };
  struct Case {
    StoreIdentity identity;
    unsigned char key;
    std::string says;
  };
  const Case cases[] = {
      {other([](auto& i) { i.role = "party 1"; }), 7, "is the store of party 0, not of party 1"},
      {other([](auto& i) { i.session[0] = 'f'; }), 7, "is of another run (session 0011"},
      {other([](auto& i) { i.parameters = "parties = 2\nsteps = 101\n"; }), 7, "steps = 10"},
      {other([](auto& i) { i.inputs = "sha256:4567"; }), 7, "the input file of party 0"},
      {identity_of(), 8, "does not open with the key of party 0"},
  };
  for (const Case& c : cases) {
    expect_refusal<InputError>("party_0/store.db: ", [&] { (void)open(c.identity, c.key); });
    expect_refusal<InputError>(c.says, [&] { (void)open(c.identity, c.key); });
  }
  EXPECT_EQ(open()->standing(), (ResumeState{true, false, 1, {name_at(10), name_at(20)}, 20, 20}));
}

TEST_F(StoreAccess, IsMadeOnceAndMustBeThere) {
  EXPECT_FALSE(RoleStore::exists(folder()));
  expect_not_opened("holds no state");
  create();
  EXPECT_TRUE(RoleStore::exists(folder()));
  expect_refusal<InputError>("--resume", [&] { create(); });
}

TEST_F(StoreAccess, IsUsedByOneProcessAtATime) {
  create();
  const auto store = open();
  expect_refusal<ResourceError>("another process uses this store", [&] { (void)open(); });
  store->open_epoch(opening_of(1, 0));
}

TEST_F(StoreAccess, OnlyItsOwnerHasAccess) {
  const auto store = played_to(10);
  EXPECT_EQ(mode_of(folder()), 0700u);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder())) {
    EXPECT_EQ(mode_of(entry.path()), 0600u) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 3u);  // with the write-ahead log
}

TEST_F(StoreAccess, RefusesAFolderThatOthersCanEnter) {
  create();
  fs::permissions(folder(), fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
  expect_not_opened("chmod 700");
  fs::permissions(folder(), fs::perms::owner_all);
  fs::permissions(folder() / "store.db", fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);
  expect_not_opened("chmod 600");
}

}  // namespace
}  // namespace sotto::apps
