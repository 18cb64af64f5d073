#include <sqlite3.h>
#include <sys/resource.h>

#include <csignal>

#include "apps/bandit/model/sites.h"
#include "apps/bandit/run/state/rows.h"
#include "apps/bandit/run/state/store.h"
#include "sotto/protocol/wire/hash.h"
#include "tests/apps/bandit/run/state/stores.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::bandit::run {
namespace {

using namespace testing;

class StoreDamage : public Store {
 protected:
  void execute(const std::string& statement) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open((folder() / "store.db").c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
  }
};

TEST_F(StoreDamage, HoldsNoShareInClear) {
  create();
  std::mt19937_64 random(1);
  Checkpoint checkpoint;
  checkpoint.steps = 10;
  for (int i = 0; i < 200; ++i) checkpoint.inverses.push_back(random());
  checkpoint.targets.assign(50, 0x0123456789abcdefULL);
  const auto store = open();
  store->open_epoch(opening_of(1, 0));
  store->save(checkpoint, {});
  for (const auto& entry : fs::directory_iterator(folder())) {
    const std::string bytes = slurp(entry.path());
    for (const auto* words : {&checkpoint.inverses, &checkpoint.targets}) {
      for (const std::uint64_t word : *words) {
        const std::string text(reinterpret_cast<const char*>(&word), sizeof word);
        EXPECT_THAT(bytes, Not(HasSubstr(text))) << entry.path();
      }
    }
  }
}

// The test flips bytes and cuts the file in many places. Opening the damaged store must fail with an error of one line,
// or return the stored checkpoints.
TEST_F(StoreDamage, SaysThatItIsDamaged) {
  played_to(20, 77);
  const fs::path path = folder() / "store.db";
  const std::string sound = slurp(path);
  std::size_t refused = 0;
  const auto try_with = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    try {
      const auto store = open();
      EXPECT_EQ(store->resume_state(), (ResumeState{true, false, 1, {name_at(10, 77), name_at(20, 77)}, 20, 20}));
      store->open_epoch(opening_of(2, 20, 77));
      EXPECT_EQ(store->starting_point().inverses, checkpoint_at(20, 77).inverses);
    } catch (const InputError& error) {
      ++refused;
      EXPECT_THAT(std::string(error.what()), Not(HasSubstr("\n")));
    } catch (const ResourceError&) {
      ++refused;
    }
    for (const char* rest : {"store.db-wal", "store.db-journal", "store.db-shm"}) fs::remove(folder() / rest);
  };
  std::size_t used = 0;
  for (std::size_t at = 0; at < sound.size(); ++at) {
    if (sound[at] == 0 || ++used % 29 != 0) continue;
    std::string bytes = sound;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x41);
    try_with(bytes);
  }
  EXPECT_GT(refused, 10u);
  // The last page contains an empty table. If only the end of this page is cut off, the store has lost no data.
  const std::size_t last_page = sound.size() - 4096;
  const std::size_t before = refused;
  for (std::size_t length = 0; length <= last_page; length += 1000) try_with(sound.substr(0, length));
  EXPECT_EQ(refused - before, last_page / 1000 + 1) << "a store that was cut was taken";
  for (std::size_t length = last_page; length < sound.size(); length += 500) try_with(sound.substr(0, length));
  refused = 0;
  try_with(sound);
  EXPECT_EQ(refused, 0u) << "a sound store was refused";
}

TEST_F(StoreDamage, RefusesASchemaOfAnotherVersion) {
  create();
  for (const auto& [version, says] :
       {std::pair{"3", "newer sotto (schema 3"}, std::pair{"1", "older sotto (schema 1"}}) {
    execute(std::string("PRAGMA user_version = ") + version);
    expect_not_opened(says);
  }
}

TEST_F(StoreDamage, RowsCannotBeMovedAbout) {
  played_to(20);
  execute("UPDATE checkpoints SET sealed = (SELECT sealed FROM checkpoints WHERE number = 10) WHERE number = 20");
  expect_not_opened("row 20 of checkpoints does not decrypt");
}

TEST_F(StoreDamage, AMarkThatIsNoneIsRefused) {
  create();
  fs::resize_file(folder() / "begun", 15);
  expect_not_opened("begun: is damaged");
  std::ofstream(folder() / "begun", std::ios::trunc) << std::string(16, '\x7f');
  expect_not_opened("more steps than the run has");
  fs::remove(folder() / "begun");
  expect_not_opened("is missing");
}

TEST_F(StoreDamage, AfterARebootTheWholeIntervalCountsAsBegun) {
  played_to(23);
  // Simulates another boot: the test writes another boot id into the epoch's row.
  const StoreIdentity identity = identity_of();
  const SealingKey key = store_key(private_key(7), identity);
  const OpenedEpoch epoch{1, 0, {0, 0}, {std::byte{1}}};
  const std::vector<std::byte> sealed = key.seal(encode(epoch), "epochs 1 of party 0 in session " + identity.session);
  execute("UPDATE epochs SET sealed = x'" + hex(sealed) + "'");
  std::ofstream(folder() / "begun", std::ios::trunc | std::ios::binary) << std::string(16, '\0');
  EXPECT_EQ(open()->progress(), (StepCounts{30, 30}));
}

// The disk seems full, because the test limits the size of files.
TEST_F(StoreDamage, AFullDiskLeavesTheLastCheckpoint) {
  create();
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  std::uint64_t last = 0;
  {
    const auto store = open();
    store->open_epoch(opening_of(1, 0));
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
    EXPECT_THAT(text, HasSubstr("its last checkpoint is kept"));
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, previous);
  ASSERT_GE(last, 10u);
  const auto store = open();
  ASSERT_EQ(store->resume_state().checkpoints.back().step, last);
  store->open_epoch(opening_of(2, last));
  EXPECT_EQ(store->starting_point().inverses, std::vector<std::uint64_t>(4000, last));
}

CheckpointPlace example() {
  CheckpointPlace place;
  for (std::size_t i = 0; i < place.before.size(); ++i) place.before[i] = std::byte(i);
  place.session.fill(std::byte{7});
  place.epoch = 3;
  place.steps = 2000;
  return place;
}

// Another program computed the expected bytes from docs/reference/wire-format.md.
TEST(CheckpointId, IsTheHashThatTheFormatSays) {
  const std::uint64_t words[] = {1, 2, std::numeric_limits<std::uint64_t>::max()};
  EXPECT_EQ(hex(checkpoint_id(example(), digest_of(words))),
            "8de5557ad351625e58483e5e1663bd10b6a27a910d0f996d56f346f68fc3b126");
}

TEST(CheckpointId, IsAnotherWhereAnythingIs) {
  std::set<CheckpointId> ids;
  const auto add = [&](auto change, std::uint64_t last = 3) {
    CheckpointPlace place = example();
    change(place);
    const std::uint64_t words[] = {1, 2, last};
    ids.insert(checkpoint_id(place, digest_of(words)));
  };
  add([](auto&) {});
  add([](auto&) {}, 4);
  add([](auto& place) { place.before[31] ^= std::byte{1}; });
  add([](auto& place) { place.session[0] ^= std::byte{1}; });
  add([](auto& place) { place.epoch = 4; });
  add([](auto& place) { place.steps = 2001; });
  EXPECT_EQ(ids.size(), 6u);
}

Checkpoint some_checkpoint() {
  Checkpoint checkpoint;
  checkpoint.steps = 40;
  checkpoint.epoch = 3;
  checkpoint.progress = {45, 51};
  checkpoint.id[3] = std::byte{8};
  checkpoint.inverses = {1, 2, ~std::uint64_t{0}};
  checkpoint.targets = {7};
  checkpoint.curve = RewardCurve::State{40, 3.5, 1e-17, {{10, .5, {}}, {40, .0875, {}}}};
  return checkpoint;
}

TEST(Rows, DecodeToWhatWasEncoded) {
  Checkpoint checkpoint = some_checkpoint();
  EXPECT_EQ(decode_checkpoint(encode(checkpoint)), checkpoint);
  checkpoint.curve.reset();
  checkpoint.inverses.clear();
  EXPECT_EQ(decode_checkpoint(encode(checkpoint)), checkpoint);
  const OpenedEpoch epoch{7, 40, {41, 60}, {std::byte{9}}};
  EXPECT_EQ(decode_opened_epoch(encode(epoch)), epoch);
  const PulledArms arms{30, {1, 0, 9}};
  EXPECT_EQ(decode_pulled_arms(encode(arms)), arms);
}

TEST(Rows, OfOneKindAreNoneOfAnother) {
  const PulledArms arms{30, {1, 0, 9}};
  EXPECT_FALSE(decode_checkpoint(encode(arms)).has_value());
  EXPECT_FALSE(decode_opened_epoch(encode(arms)).has_value());
  EXPECT_FALSE(decode_pulled_arms(encode(some_checkpoint())).has_value());
}

TEST(Rows, ThatAreCutOrTooLongAreRefused) {
  const std::vector<std::byte> row = encode(some_checkpoint());
  for (std::size_t length = 0; length < row.size(); ++length) {
    EXPECT_FALSE(decode_checkpoint(std::span(row).first(length)).has_value()) << length;
  }
  std::vector<std::byte> longer = row;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_checkpoint(longer).has_value());
}

TEST(Rows, ALengthBeyondTheRowAllocatesNothing) {
  std::vector<std::byte> row = encode(PulledArms{0, {1, 2}});
  for (std::size_t i = 9; i < 17; ++i) row[i] = std::byte{0xff};
  EXPECT_FALSE(decode_pulled_arms(row).has_value());
  row[9] = std::byte{3};
  for (std::size_t i = 10; i < 17; ++i) row[i] = std::byte{0};
  EXPECT_FALSE(decode_pulled_arms(row).has_value());
}

PROPERTY(Rows, ThatAreAcceptedEncodeToTheSameBytes) {
  const auto noise = draw<std::vector<std::uint8_t>>();
  std::vector<std::byte> row = encode(some_checkpoint());
  for (std::size_t i = 0; i + 1 < noise.size(); i += 2) {
    row[(noise[i] * 7u) % row.size()] = static_cast<std::byte>(noise[i + 1]);
  }
  if (const auto checkpoint = decode_checkpoint(row)) HOLDS(encode(*checkpoint) == row);
}

}  // namespace
}  // namespace sotto::apps::bandit::run
