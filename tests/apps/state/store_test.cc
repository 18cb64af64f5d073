#include "apps/state/store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <random>

#include "core/error/errors.h"
#include "tests/apps/data/test_files.h"

namespace sotto::apps {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> private_key(unsigned char fill) {
  return std::vector<std::byte>(32, std::byte{fill});
}

StoreIdentity identity_of(const std::string& role = "party 0") {
  StoreIdentity identity;
  identity.role = role;
  identity.session = "00112233445566778899aabbccddeeff";
  identity.parameters = "parties = 2\nsteps = 100\n";
  identity.inputs = "sha256:0123";
  identity.steps = 100;
  identity.checkpoint_every = 10;
  identity.holds_model = role != "dealer";
  return identity;
}

class Store : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path folder() const { return folder_.path() / "party_0"; }
  void create(const StoreIdentity& identity = identity_of(), unsigned char key = 7) const {
    RoleStore::create(folder(), identity, store_key(private_key(key), identity));
  }
  [[nodiscard]] std::unique_ptr<RoleStore> open(const StoreIdentity& identity = identity_of(),
                                                unsigned char key = 7) const {
    return std::make_unique<RoleStore>(folder(), identity, store_key(private_key(key), identity));
  }
  template <class E>
  std::string refusal(const std::function<void()>& action) const {
    return message_of<E>(folder_, action);
  }

  TestFolder folder_;
};

Checkpoint checkpoint_at(std::uint64_t steps, std::uint64_t word = 1) {
  Checkpoint checkpoint;
  checkpoint.steps = steps;
  checkpoint.inverses = {word, ~word, 3};
  checkpoint.targets = {word + 1};
  return checkpoint;
}

// Steps from, ..., to - 1 with a checkpoint every ten.
void play(RoleStore& store, std::uint64_t from, std::uint64_t to, std::uint64_t word = 1) {
  for (std::uint64_t step = from; step < to; ++step) {
    store.step_begins(step);
    if ((step + 1) % 10 == 0) store.save(checkpoint_at(step + 1, word), {});
  }
}

TEST_F(Store, GivesBackWhatWasStoredInAnotherProcess) {
  create();
  {
    const auto store = open();
    EXPECT_EQ(store->standing(), (net::Standing{true, 0, {}, 0}));
    store->open_epoch({1, 0, 0});
    play(*store, 0, 37, 5);
  }
  const auto store = open();
  EXPECT_EQ(store->standing(), (net::Standing{true, 1, {20, 30}, 37}));
  EXPECT_FALSE(store->complete());
  store->open_epoch({2, 30, 7});
  const Checkpoint checkpoint = store->starting_point();
  EXPECT_EQ(checkpoint.steps, 30u);
  EXPECT_EQ(checkpoint.epoch, 1u);
  EXPECT_EQ(checkpoint.inverses, checkpoint_at(30, 5).inverses);
  EXPECT_EQ(checkpoint.targets, checkpoint_at(30, 5).targets);
  EXPECT_EQ(checkpoint.progress, (StepCounts{30, 30}));
}

TEST_F(Store, CountsTheStepsOfAllEpochs) {
  create();
  open()->open_epoch({1, 0, 0});
  {
    const auto store = open();
    store->open_epoch({2, 0, 0});
    play(*store, 0, 14);
  }
  {
    const auto store = open();
    EXPECT_EQ(store->progress(), (StepCounts{14, 14}));
    store->open_epoch({3, 10, 4});
    play(*store, 10, 12);
  }
  const auto store = open();
  EXPECT_EQ(store->progress(), (StepCounts{14, 16}));
  EXPECT_EQ(store->standing().begun, 14u);
}

TEST_F(Store, OpensNoEpochTwice) {
  create();
  const auto store = open();
  store->open_epoch({4, 0, 0});
  for (const std::uint32_t epoch : {0u, 1u, 3u, 4u}) {
    const std::string text = refusal<DisagreementError>([&] { store->open_epoch({epoch, 0, 0}); });
    EXPECT_NE(text.find("has opened epoch 4"), std::string::npos) << text;
  }
  store->open_epoch({5, 0, 0});
  EXPECT_EQ(store->standing().epoch, 5u);
}

// Otherwise shares of one step but of two epochs could meet, and they do not add up.
TEST_F(Store, OpeningAnEpochDropsWhatItWillDoAgain) {
  create();
  const auto store = open();
  store->open_epoch({1, 0, 0});
  play(*store, 0, 20);
  EXPECT_EQ(store->standing().checkpoints, (std::vector<std::uint64_t>{10, 20}));
  store->open_epoch({2, 10, 0});
  EXPECT_EQ(store->standing().checkpoints, (std::vector<std::uint64_t>{10}));
  EXPECT_EQ(store->starting_point().steps, 10u);
  // The next checkpoint of this epoch replaces none of the old.
  play(*store, 10, 20, 9);
  store->open_epoch({3, 20, 0});
  EXPECT_EQ(store->starting_point().inverses, checkpoint_at(20, 9).inverses);
}

TEST_F(Store, GoesBackToTheStartWhereAnotherRoleHasNoCheckpointYet) {
  create();
  const auto store = open();
  store->open_epoch({1, 0, 0});
  play(*store, 0, 10);
  store->open_epoch({2, 0, 10});
  EXPECT_TRUE(store->standing().checkpoints.empty());
}

TEST_F(Store, LosesNothingWhereAnotherRoleHasLostItsState) {
  create();
  const auto store = open();
  store->open_epoch({1, 0, 0});
  play(*store, 0, 20);
  for (const std::uint64_t from : {std::uint64_t{0}, std::uint64_t{30}, std::uint64_t{15}}) {
    const std::string text = refusal<DisagreementError>([&] { store->open_epoch({2, from, 0}); });
    EXPECT_NE(text.find("checkpoints at 10 and 20"), std::string::npos) << text;
  }
  EXPECT_EQ(store->standing().checkpoints, (std::vector<std::uint64_t>{10, 20}));
  store->open_epoch({2, 10, 0});
  refusal<DisagreementError>([&] { store->open_epoch({3, 0, 0}); });
  store->open_epoch({3, 10, 0});
}

TEST_F(Store, KeepsCurveAndArmsOfTheRoleThatGetsTheRewards) {
  create();
  RewardCurve curve(100);
  {
    const auto store = open();
    store->open_epoch({1, 0, 0});
    for (std::uint32_t step = 0; step < 30; ++step) {
      curve.add(step % 3 == 0 ? 1 : 0);
      if ((step + 1) % 10 != 0) continue;
      Checkpoint checkpoint;
      checkpoint.steps = step + 1;
      checkpoint.curve = curve.state();
      std::vector<std::uint32_t> arms(10);
      for (std::uint32_t i = 0; i < 10; ++i) arms[i] = step - 9 + i;
      store->save(checkpoint, arms);
    }
  }
  {
    const auto store = open();
    EXPECT_EQ(store->pulled_arms().size(), 30u);
    store->open_epoch({2, 30, 0});
    EXPECT_EQ(store->starting_point().curve, curve.state());
  }
  const auto store = open();
  store->open_epoch({3, 30, 0});
  const std::vector<std::uint32_t> arms = store->pulled_arms();
  ASSERT_EQ(arms.size(), 30u);
  for (std::uint32_t i = 0; i < 30; ++i) EXPECT_EQ(arms[i], i);
}

TEST_F(Store, OpeningAnEpochDropsTheArmsAfterItsStart) {
  create();
  const auto store = open();
  store->open_epoch({1, 0, 0});
  const std::vector<std::uint32_t> arms(10, 3);
  for (const std::uint64_t steps : {10u, 20u}) {
    Checkpoint checkpoint;
    checkpoint.steps = steps;
    store->save(checkpoint, arms);
  }
  store->open_epoch({2, 10, 0});
  EXPECT_EQ(store->pulled_arms().size(), 10u);
}

TEST_F(Store, RemembersThatTheRunIsComplete) {
  create();
  {
    const auto store = open();
    store->open_epoch({1, 0, 0});
    play(*store, 0, 100);
    store->mark_complete();
  }
  EXPECT_TRUE(open()->complete());
}

TEST_F(Store, TheDealerHasEpochsOnly) {
  const StoreIdentity dealer = identity_of("dealer");
  create(dealer);
  open(dealer)->open_epoch({1, 0, 0});
  const auto store = open(dealer);
  EXPECT_EQ(store->standing(), (net::Standing{false, 1, {}, 0}));
  store->open_epoch({2, 50, 0});
  EXPECT_THROW(store->open_epoch({2, 50, 0}), DisagreementError);
}

TEST_F(Store, IsOfOneRoleOneRunAndOneKey) {
  create();
  {
    const auto store = open();
    store->open_epoch({1, 0, 0});
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
  EXPECT_EQ(open()->standing(), (net::Standing{true, 1, {10, 20}, 20}));
}

TEST_F(Store, IsMadeOnceAndMustBeThere) {
  EXPECT_FALSE(RoleStore::exists(folder()));
  std::string text = refusal<InputError>([&] { (void)open(); });
  EXPECT_NE(text.find("holds no state"), std::string::npos) << text;
  create();
  EXPECT_TRUE(RoleStore::exists(folder()));
  text = refusal<InputError>([&] { create(); });
  EXPECT_NE(text.find("--resume"), std::string::npos) << text;
}

TEST_F(Store, IsUsedByOneProcessAtATime) {
  create();
  const auto store = open();
  const std::string text = refusal<ResourceError>([&] { (void)open(); });
  EXPECT_NE(text.find("another process uses this store"), std::string::npos) << text;
  store->open_epoch({1, 0, 0});
}

TEST_F(Store, OnlyItsOwnerHasAccess) {
  create();
  const auto store = open();
  store->open_epoch({1, 0, 0});
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

TEST_F(Store, RefusesAFolderThatOthersCanEnter) {
  create();
  fs::permissions(folder(), fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
  std::string text = refusal<InputError>([&] { (void)open(); });
  EXPECT_NE(text.find("chmod 700"), std::string::npos) << text;
  fs::permissions(folder(), fs::perms::owner_all);
  fs::permissions(folder() / "store.db",
                  fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);
  text = refusal<InputError>([&] { (void)open(); });
  EXPECT_NE(text.find("chmod 600"), std::string::npos) << text;
}

TEST_F(Store, HoldsNoShareInClear) {
  create();
  std::mt19937_64 random(1);
  Checkpoint checkpoint;
  checkpoint.steps = 10;
  for (int i = 0; i < 200; ++i) checkpoint.inverses.push_back(random());
  checkpoint.targets.assign(50, 0x0123456789abcdefULL);
  const auto store = open();
  store->open_epoch({1, 0, 0});
  store->save(checkpoint, {});
  for (const auto& entry : fs::directory_iterator(folder())) {
    const std::string bytes = slurp(entry.path());
    for (const auto* words : {&checkpoint.inverses, &checkpoint.targets}) {
      for (const std::uint64_t word : *words) {
        const std::string text(reinterpret_cast<const char*>(&word), sizeof word);
        EXPECT_EQ(bytes.find(text), std::string::npos) << entry.path();
      }
    }
  }
}

// Bytes are flipped, and the file cut, all over: every time an error of one line, never anything
// else, and never a checkpoint that was not stored.
TEST_F(Store, SaysThatItIsDamaged) {
  create();
  {
    const auto store = open();
    store->open_epoch({1, 0, 0});
    play(*store, 0, 20, 77);
  }
  const fs::path path = folder() / "store.db";
  const std::string sound = slurp(path);
  std::size_t refused = 0;
  const auto try_with = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    try {
      const auto store = open();
      EXPECT_EQ(store->standing(), (net::Standing{true, 1, {10, 20}, 20}));
      store->open_epoch({2, 20, 0});
      EXPECT_EQ(store->starting_point().inverses, checkpoint_at(20, 77).inverses);
    } catch (const InputError& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    } catch (const ResourceError&) {
      ++refused;  // such as a page size that no memory holds
    }
    for (const char* rest : {"store.db-wal", "store.db-journal", "store.db-shm"}) {
      fs::remove(folder() / rest);
    }
  };
  std::size_t used = 0;
  for (std::size_t at = 0; at < sound.size(); ++at) {
    if (sound[at] == 0 || ++used % 29 != 0) continue;
    std::string bytes = sound;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x41);
    try_with(bytes);
  }
  EXPECT_GT(refused, 10u);
  // The last page holds an empty table: without its end the store has lost nothing.
  const std::size_t last_page = sound.size() - 4096;
  const std::size_t before = refused;
  for (std::size_t length = 0; length <= last_page; length += 1000) {
    try_with(sound.substr(0, length));
  }
  EXPECT_EQ(refused - before, last_page / 1000 + 1) << "a store that was cut was taken";
  for (std::size_t length = last_page; length < sound.size(); length += 500) {
    try_with(sound.substr(0, length));
  }
  refused = 0;
  try_with(sound);
  EXPECT_EQ(refused, 0u) << "a sound store was refused";
}

TEST_F(Store, RefusesANewerSchema) {
  create();
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open((folder() / "store.db").c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, "PRAGMA user_version = 2", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(handle);
  const std::string text = refusal<InputError>([&] { (void)open(); });
  EXPECT_NE(text.find("newer sotto (schema 2"), std::string::npos) << text;
}

TEST_F(Store, RowsCannotBeMovedAbout) {
  create();
  {
    const auto store = open();
    store->open_epoch({1, 0, 0});
    play(*store, 0, 20);
  }
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open((folder() / "store.db").c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle,
                         "UPDATE checkpoints SET sealed = (SELECT sealed FROM checkpoints WHERE "
                         "number = 10) WHERE number = 20",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(handle);
  const std::string text = refusal<InputError>([&] { (void)open(); });
  EXPECT_NE(text.find("row 20 of checkpoints does not decrypt"), std::string::npos) << text;
}

TEST_F(Store, AMarkThatIsNoneIsRefused) {
  create();
  fs::resize_file(folder() / "begun", 15);
  std::string text = refusal<InputError>([&] { (void)open(); });
  EXPECT_NE(text.find("begun: is damaged"), std::string::npos) << text;
  std::ofstream(folder() / "begun", std::ios::trunc) << std::string(16, '\x7f');
  text = refusal<InputError>([&] { (void)open(); });
  EXPECT_NE(text.find("more steps than the run has"), std::string::npos) << text;
  fs::remove(folder() / "begun");
  text = refusal<InputError>([&] { (void)open(); });
  EXPECT_NE(text.find("is missing"), std::string::npos) << text;
}

// The mark of a machine that was switched off may be older than what happened.
TEST_F(Store, AfterARebootTheWholeIntervalCountsAsBegun) {
  create();
  {
    const auto store = open();
    store->open_epoch({1, 0, 0});
    play(*store, 0, 23);
  }
  // Another boot: the epoch's row with another id, written as the store does.
  const StoreIdentity identity = identity_of();
  const SealingKey key = store_key(private_key(7), identity);
  const OpenedEpoch epoch{1, 0, {0, 0}, {std::byte{1}}};
  const std::vector<std::byte> sealed =
      key.seal(encode(epoch), "epochs 1 of party 0 in session " + identity.session);
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open((folder() / "store.db").c_str(), &handle), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(handle, "UPDATE epochs SET sealed = ?", -1, &statement, nullptr),
            SQLITE_OK);
  sqlite3_bind_blob64(statement, 1, sealed.data(), sealed.size(), SQLITE_STATIC);
  ASSERT_EQ(sqlite3_step(statement), SQLITE_DONE);
  sqlite3_finalize(statement);
  sqlite3_close(handle);
  std::ofstream(folder() / "begun", std::ios::trunc | std::ios::binary) << std::string(16, '\0');
  EXPECT_EQ(open()->progress(), (StepCounts{30, 30}));
}

// A limit on the size of files stands for a full disk.
TEST_F(Store, AFullDiskLeavesTheLastCheckpoint) {
  create();
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  std::uint64_t last = 0;
  {
    const auto store = open();
    store->open_epoch({1, 0, 0});
    rlimit little = old;
    little.rlim_cur = 200'000;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
    std::string text;
    for (std::uint64_t steps = 10; steps <= 100 && text.empty(); steps += 10) {
      Checkpoint checkpoint = checkpoint_at(steps);
      checkpoint.inverses.assign(4000, steps);
      try {
        store->save(checkpoint, {});
        last = steps;
      } catch (const ResourceError& error) {
        text = error.what();
      }
    }
    EXPECT_NE(text.find("its last checkpoint is kept"), std::string::npos) << text;
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, previous);
  ASSERT_GE(last, 10u);
  const auto store = open();
  ASSERT_EQ(store->standing().checkpoints.back(), last);
  store->open_epoch({2, last, 0});
  EXPECT_EQ(store->starting_point().inverses, std::vector<std::uint64_t>(4000, last));
}

}  // namespace
}  // namespace sotto::apps
