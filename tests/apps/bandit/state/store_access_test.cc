// Who may open a store, and with what.
#include "sotto/apps/bandit/state/store.h"

#include <sys/stat.h>

#include "sotto/core/error/errors.h"
#include "tests/apps/bandit/state/stores.h"

namespace sotto::apps {
namespace {

using namespace testing;

class StoreAccess : public Store {};

TEST_F(StoreAccess, IsOfOneRoleOneRunAndOneKey) {
  create();
  {
    const auto store = open();
    store->open_epoch(opening_of(1, 0));
    play(*store, 0, 20);
  }
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
    const std::string text = refusal<InputError>([&] { (void)open(c.identity, c.key); });
    EXPECT_NE(text.find(c.says), std::string::npos) << text;
    EXPECT_EQ(text.rfind("party_0/store.db: ", 0), 0u) << text;
  }
  EXPECT_EQ(open()->standing(), (ResumeState{true, false, 1, {name_at(10), name_at(20)}, 20, 20}));
}

TEST_F(StoreAccess, IsMadeOnceAndMustBeThere) {
  EXPECT_FALSE(RoleStore::exists(folder()));
  std::string text = refusal<InputError>([&] { (void)open(); });
  EXPECT_NE(text.find("holds no state"), std::string::npos) << text;
  create();
  EXPECT_TRUE(RoleStore::exists(folder()));
  text = refusal<InputError>([&] { create(); });
  EXPECT_NE(text.find("--resume"), std::string::npos) << text;
}

TEST_F(StoreAccess, IsUsedByOneProcessAtATime) {
  create();
  const auto store = open();
  const std::string text = refusal<ResourceError>([&] { (void)open(); });
  EXPECT_NE(text.find("another process uses this store"), std::string::npos) << text;
  store->open_epoch(opening_of(1, 0));
}

TEST_F(StoreAccess, OnlyItsOwnerHasAccess) {
  create();
  const auto store = open();
  store->open_epoch(opening_of(1, 0));
  play(*store, 0, 10);
  const auto mode = [](const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777;
  };
  EXPECT_EQ(mode(folder()), 0700u);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder())) {
    EXPECT_EQ(mode(entry.path()), 0600u) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 3u);  // with the write-ahead log
}

TEST_F(StoreAccess, RefusesAFolderThatOthersCanEnter) {
  create();
  fs::permissions(folder(), fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
  std::string text = refusal<InputError>([&] { (void)open(); });
  EXPECT_NE(text.find("chmod 700"), std::string::npos) << text;
  fs::permissions(folder(), fs::perms::owner_all);
  fs::permissions(folder() / "store.db", fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);
  text = refusal<InputError>([&] { (void)open(); });
  EXPECT_NE(text.find("chmod 600"), std::string::npos) << text;
}

}  // namespace
}  // namespace sotto::apps
