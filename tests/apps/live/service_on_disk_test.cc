// The service on SQLite. The tests kill a role at every write, cut off transactions, and restore old copies of stores.

#include <fmt/format.h>

#include "apps/live/serve/role_log.h"
#include "tests/apps/live/stored_role.h"
#include "tests/framework.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

constexpr unsigned stored_events = 2;
constexpr std::array<const char*, 5> stored_roles{"actor", "party 0", "party 1", "rewarder", "dealer"};

struct Killed {};

class MortalRows final : public LiveRows {
 public:
  MortalRows(std::unique_ptr<LiveStore> store, std::size_t& left, bool before)
      : store_(std::move(store)), left_(left), before_(before) {}
  [[nodiscard]] std::optional<LiveRow> get(const RowKey& key) const override { return store_->get(key); }
  void each(LiveTable table, const std::function<bool(const RowKey&, const LiveRow&)>& take) const override {
    store_->each(table, take);
  }
  void commit(const RowChanges& changes) override {
    const bool ends = --left_ == 0;
    if (ends && before_) throw Killed{};
    store_->commit(changes);
    if (ends) throw Killed{};
  }

 private:
  std::unique_ptr<LiveStore> store_;
  std::size_t& left_;
  bool before_;
};

class ServiceOnDisk : public LiveStoreTest {
 protected:
  static constexpr LiveTime start = 1'000'000;
  void create_all() const {
    for (const char* role : stored_roles) create(role);
  }
  void start_all(std::size_t writes, bool before) {
    service.reset();
    left = writes;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].reset();
      rows[i] = std::make_unique<MortalRows>(open(stored_roles[i]), left, before);
    }
    service = std::make_unique<FiveRoles>(
        FiveRows{rows[0].get(), rows[1].get(), rows[2].get(), rows[3].get(), rows[4].get()}, live_settings());
  }
  void tell(const std::vector<LiveAnswer>& answers) {
    for (const LiveAnswer& answer : answers) {
      const auto [known, is_new] = told.try_emplace(answer.event, answer);
      EXPECT_EQ(known->second.arm, answer.arm);
      EXPECT_EQ(known->second.state, answer.state);
    }
  }
  void play(LiveTime now) {
    tell(service->open(now));
    std::vector<FeaturePush> features;
    std::vector<RewardCall> calls;
    for (unsigned i = 0; i < stored_events; ++i) {
      features.push_back({live_event(i), {.1 * i, 0}});
      const AskResult result = service->actor->ask(live_request(i), now);
      if (result.answer) tell({*result.answer});
    }
    (void)service->parties[0]->push(features, now);
    while (service->propose(now)) tell(service->finish(now));
    for (unsigned i = 0; i < stored_events; ++i) calls.push_back({live_event(i), 1, ""});
    const auto posted = service->rewarder->post(calls, now);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (posted[i] == RewardStatus::used) acknowledged.insert(calls[i].event);
    }
    const LiveTime later = now + live_settings().reward_wait;
    while (service->propose(later)) tell(service->finish(later));
  }
  void expect_the_end() {
    EXPECT_EQ(told.size(), stored_events);
    EXPECT_EQ(service->actor->pending(), 0u);
    EXPECT_EQ(service->parties[0]->waiting(), 0u);
    EXPECT_TRUE(service->parties[0]->model());
    EXPECT_EQ(service->parties[0]->model(), service->parties[1]->model());
    for (const EventId& event : acknowledged) {
      const std::vector<RewardCall> again{{event, 1, ""}};
      EXPECT_EQ(service->rewarder->post(again, start).front(), RewardStatus::duplicate);
    }
  }

  std::size_t left = 0;
  std::array<std::unique_ptr<MortalRows>, 5> rows;
  std::unique_ptr<FiveRoles> service;
  std::map<EventId, LiveAnswer> told;
  std::set<EventId> acknowledged;
};

constexpr std::size_t for_ever = 1'000'000;

TEST_F(ServiceOnDisk, EndsAtAnyWriteAndGoesOn) {
  create_all();
  start_all(for_ever, false);
  play(start);
  expect_the_end();
  const std::size_t writes = for_ever - left;
  ASSERT_GT(writes, 15u);
  std::size_t kills = 0;
  for (std::size_t at = 1; at <= writes; ++at) {
    for (const bool before : {true, false}) {
      SCOPED_TRACE(fmt::format("write {}, {}", at, before ? "before" : "after"));
      service.reset();
      for (auto& of_role : rows) of_role.reset();
      for (const char* role : stored_roles) fs::remove_all(of(role));
      told.clear();
      acknowledged.clear();
      create_all();
      start_all(at, before);
      try {
        play(start);
      } catch (const Killed&) {
        ++kills;
      }
      start_all(for_ever, false);
      play(start + 500);
      expect_the_end();
    }
  }
  EXPECT_EQ(kills, 2 * writes);
}

// The WAL contains a whole commit and a part of the next commit's bytes. A commit of few rows goes into the log, and a
// commit of many rows goes directly into the tables.
class PowerCut : public LiveStoreTest, public ::testing::WithParamInterface<unsigned> {};

INSTANTIATE_TEST_SUITE_P(Rows, PowerCut, ::testing::Values(40u, 1100u));

TEST_P(PowerCut, LeavesWhatWasCommitted) {
  const unsigned rows = GetParam();
  create("party 0");
  const fs::path database = of("party 0") / "live.db";
  const fs::path wal = of("party 0") / "live.db-wal";
  std::string before;
  std::string after;
  std::string file;
  {
    const auto store = open("party 0");
    const auto put = [&](OrderNumber number) {
      RowDraft draft(*store);
      for (unsigned i = 0; i < rows; ++i) draft.put(key_of(LiveTable::events, live_event(i)), row_of(number & 255));
      draft.commit();
    };
    put(1);
    file = slurp(database);
    before = slurp(wal);
    put(2);
    after = slurp(wal);
  }
  ASSERT_GT(after.size(), before.size());
  for (std::size_t cut = before.size(); cut < after.size(); cut += 1 + (after.size() - before.size()) / 16) {
    fs::remove_all(of("party 0"));
    make_private_folder(of("party 0"));
    std::ofstream(database, std::ios::binary) << file;
    std::ofstream(wal, std::ios::binary) << after.substr(0, cut);
    fs::permissions(database, fs::perms::owner_read | fs::perms::owner_write);
    const auto store = open("party 0");
    for (unsigned i = 0; i < rows; ++i) {
      EXPECT_EQ(store->get(key_of(LiveTable::events, live_event(i))), row_of(1)) << cut;
    }
  }
}

TEST_F(ServiceOnDisk, AnOldCopyOfEachRole) {
  for (std::size_t role = 0; role < stored_roles.size(); ++role) {
    SCOPED_TRACE(stored_roles[role]);
    service.reset();
    for (auto& of_role : rows) of_role.reset();
    for (const char* name : stored_roles) fs::remove_all(of(name));
    told.clear();
    create_all();
    start_all(for_ever, false);
    tell(service->open(start));
    service.reset();
    rows[role].reset();
    const fs::path copy = folder.path() / "copy";
    fs::remove_all(copy);
    fs::copy(of(stored_roles[role]), copy);
    start_all(for_ever, false);
    play(start);
    service.reset();
    for (auto& of_role : rows) of_role.reset();
    fs::remove_all(of(stored_roles[role]));
    fs::rename(copy, of(stored_roles[role]));
    start_all(for_ever, false);
    if (role == 4) {
      // An old copy of the dealer does no harm, because the dealer takes over the state of the other roles.
      (void)service->open(start);
      EXPECT_EQ(service->opening.epoch, 3u);
      continue;
    }
    EXPECT_THROW((void)service->open(start), DisagreementError);
    start_all(for_ever, false);
    EXPECT_THROW((void)service->open(start), DisagreementError);
  }
}

constexpr LiveTime hour = 3'600'000;
constexpr LiveTime today = 1'800'000'000'000;

constexpr LiveTime in_days(LiveTime days) { return today + 24 * days * hour; }

struct Shown {
  std::vector<std::string> lines;
  RoleLog log{[this](LogLevel level, const std::string& line) { lines.push_back(name_of(level) + (" " + line)); }};
  LiveStatus status;

  Shown() { status.role = "party 0"; }
  std::vector<std::string> after(LiveTime now = today) {
    lines.clear();
    log.show(status, now);
    return lines;
  }
};

TEST(RoleLog, SaysWhatPeopleDo) {
  Shown shown;
  shown.status.mode = LiveMode::frozen;
  shown.status.snapshots = {{3, {}, 10}};
  EXPECT_THAT(shown.after(), ::testing::IsEmpty()) << "as it was begun";
  shown.status.mode = LiveMode::online;
  shown.status.number = 12;
  EXPECT_THAT(shown.after(), ::testing::ElementsAre("info party 0 is in mode online, no longer frozen, at number 12"));
  EXPECT_THAT(shown.after(), ::testing::IsEmpty());
  shown.status.snapshots.push_back({13, {}, 40});
  EXPECT_THAT(shown.after(),
              ::testing::ElementsAre("info party 0 has a copy of the model under number 13, of 40 events"));
  shown.status.snapshots.erase(shown.status.snapshots.begin());
  EXPECT_THAT(shown.after(), ::testing::IsEmpty());
}

TEST(RoleLog, SaysWhatARecoveryHasDropped) {
  Shown shown;
  shown.status.dropped = 5;
  EXPECT_THAT(shown.after(), ::testing::IsEmpty()) << "of an earlier process";
  shown.status.dropped = 17;
  OrderEntry& entry = shown.status.recovery.emplace();
  entry.number = 90;
  entry.recovery.snapshot = entry.recovery.actor = true;
  entry.recovery.learned = 40;
  EXPECT_THAT(shown.after(),
              ::testing::ElementsAre("warning party 0 has dropped 12 events in a recovery: they are not learned",
                                     "warning party 0 has recovered at number 90: the model goes back to a copy of 40 "
                                     "events; the actor continues without its store"));
  EXPECT_THAT(shown.after(), ::testing::IsEmpty());
}

TEST(RoleLog, WarnsOnceADayOfCertificatesFrom60Days) {
  Shown shown;
  shown.status.peers = {{"party 1", PeerState::here, std::nullopt, "", in_days(62)}};
  shown.status.certificate_until = in_days(900);
  EXPECT_THAT(shown.after(), ::testing::IsEmpty());
  EXPECT_THAT(shown.after(in_days(1)), ::testing::IsEmpty());
  const auto warned = shown.after(in_days(3));
  ASSERT_EQ(warned.size(), 1U);
  EXPECT_THAT(warned[0], ::testing::StartsWith("warning the certificate of party 1 ends on "));
  EXPECT_THAT(warned[0], ::testing::HasSubstr(", in 59 days"));
  EXPECT_THAT(shown.after(in_days(3) + 23 * hour), ::testing::IsEmpty());
  EXPECT_EQ(shown.after(in_days(4)).size(), 1U);
  shown.status.certificate_until = in_days(30);
  EXPECT_THAT(shown.after(in_days(4)),
              ::testing::ElementsAre(::testing::StartsWith("warning the certificate of this role ends on ")));
  shown.status.certificate_until = in_days(900);
  shown.status.peers[0].certificate_until = in_days(10);
  EXPECT_THAT(shown.after(in_days(11)),
              ::testing::ElementsAre(::testing::StartsWith("warning the certificate of party 1 ended on ")));
}

TEST(RoleLog, HasEachWarningAsItBeginsAndOnceADay) {
  Shown shown;
  const auto says = ::testing::ElementsAre(::testing::HasSubstr("the clock of party 0 went back by 2h"));
  shown.status.clock_ahead = 2 * hour;
  EXPECT_THAT(shown.after(), says);
  EXPECT_THAT(shown.after(today + 23 * hour), ::testing::IsEmpty());
  EXPECT_THAT(shown.after(in_days(1)), says);
  shown.status.clock_ahead = 0;
  EXPECT_THAT(shown.after(in_days(1) + hour), ::testing::IsEmpty());
  shown.status.clock_ahead = 2 * hour;
  EXPECT_THAT(shown.after(in_days(1) + 2 * hour), says);
}

}  // namespace
}  // namespace sotto::apps::live
