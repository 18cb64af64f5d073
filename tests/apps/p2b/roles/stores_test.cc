#include "sotto/apps/p2b/roles/known_users.h"
#include "sotto/apps/p2b/roles/report_queue.h"
#include "sotto/apps/p2b/roles/store_file.h"
#include "sotto/core/error/errors.h"
#include "tests/apps/p2b/roles/folders.h"
#include "tests/apps/p2b/roles/manual_clock.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

using std::chrono::seconds;

TEST(BatchClock, TicksAtMultiplesOfItsPeriod) {
  const BatchClock minutes(seconds(60), ManualClock().function());
  EXPECT_EQ(minutes.tick_after(Tick(seconds(0))), Tick(seconds(60)));
  EXPECT_EQ(minutes.tick_after(Tick(seconds(59)) + std::chrono::milliseconds(999)), Tick(seconds(60)));
  EXPECT_EQ(minutes.tick_after(Tick(seconds(60))), Tick(seconds(120))) << "later, not the same";
  const BatchClock days(seconds(86'400));
  EXPECT_EQ(tick_text(days.tick_after(ManualClock::begin)), "2027-01-16T00:00:00Z");
}

TEST(BatchClock, RefusesPeriodsThatAreNone) {
  EXPECT_THROW(BatchClock(seconds(0)), std::invalid_argument);
  EXPECT_THROW(BatchClock(seconds(-5)), std::invalid_argument);
  EXPECT_THROW(BatchClock(longest_period + seconds(1)), std::invalid_argument);
}

using ::testing::HasSubstr;

SurvivorPart part_of(std::uint64_t batch, std::uint32_t part, std::uint32_t parts, std::uint32_t code) {
  SurvivorPart p;
  p.name.queue[0] = std::byte{7};
  p.name.batch = batch;
  p.name.part = part;
  p.parts = parts;
  p.tuples = {{code, 1, 0.5}, {code, 2, 1}};
  return p;
}

std::vector<Tuple> all(SurvivorStore& store) {
  std::vector<Tuple> tuples;
  store.replay([&](std::span<const Tuple> part) { tuples.insert(tuples.end(), part.begin(), part.end()); });
  return tuples;
}

TEST(SurvivorStore, TakesEachPartOnce) {
  const PrivateFolder folder;
  SurvivorStore store(folder.path() / "s.db", small_terms());
  EXPECT_TRUE(store.take(part_of(1, 0, 2, 3)));
  EXPECT_FALSE(store.take(part_of(1, 0, 2, 3)));
  EXPECT_EQ(store.tuples(), 2U);
  EXPECT_EQ(store.batches(), 0U);
  EXPECT_TRUE(store.take(part_of(1, 1, 2, 4)));
  EXPECT_EQ(store.batches(), 1U);
  // The same number of another queue is another batch.
  SurvivorPart other = part_of(1, 0, 1, 5);
  other.name.queue[0] = std::byte{8};
  EXPECT_TRUE(store.take(other));
  EXPECT_EQ(store.batches(), 2U);
  EXPECT_EQ(all(store), (std::vector<Tuple>{{3, 1, 0.5}, {3, 2, 1}, {4, 1, 0.5}, {4, 2, 1}, {5, 1, 0.5}, {5, 2, 1}}));
}

TEST(SurvivorStore, KeepsAllOverARestart) {
  const PrivateFolder folder;
  const auto path = folder.path() / "s.db";
  { EXPECT_TRUE(SurvivorStore(path, small_terms()).take(part_of(1, 0, 1, 3))); }
  SurvivorStore store(path, small_terms());
  EXPECT_EQ(store.tuples(), 2U);
  EXPECT_EQ(store.batches(), 1U);
  EXPECT_FALSE(store.take(part_of(1, 0, 1, 3)));
  EXPECT_EQ(all(store), part_of(1, 0, 1, 3).tuples);
}

TEST(SurvivorStore, RefusesOtherTerms) {
  const PrivateFolder folder;
  const auto path = folder.path() / "s.db";
  { const SurvivorStore store(path, small_terms()); }
  P2bTerms other = small_terms();
  other.arms = 4;
  EXPECT_THAT(error_of<InputError>([&] { SurvivorStore(path, other); }), HasSubstr("was made for 3 arms, here 4"));
}

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
                        rc::gen::map(rc::gen::inRange<std::uint64_t>(1, 9), [](std::uint64_t n) { return n << 60; }));
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
