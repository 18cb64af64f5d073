#include <filesystem>
#include <fstream>

#include "apps/live/rows/live_store.h"
#include "tests/faults/live_service.h"

namespace sotto::apps::testing {

using namespace sotto::apps::live;
namespace {

namespace fs = std::filesystem;

LiveSettings small_batches() {
  LiveSettings settings = engine_settings();
  settings.batch_sizes = {1, 4};
  return settings;
}

// A role's store whose power can be cut. After a cut, the files are as they were at the end of the last commit. The WAL
// may also have any part of the bytes that were written to it since that commit.
class PowerCutRows final : public LiveRows {
 public:
  PowerCutRows(fs::path folder, std::string role, unsigned seed)
      : folder_(std::move(folder)), identity_{std::move(role), std::string(32, '7'), "arms = 4\n"}, random_(seed) {
    LiveFile::create(folder_, identity_, key());
    open();
    keep();
  }

  void cut_after(std::size_t commits) {
    left_ = commits;
    cuts_ = true;
  }
  [[nodiscard]] bool is_cut() const { return cut_; }
  // Call this when the role's process has ended. Cuts the role's files back and opens them again.
  void power_on() {
    const std::string written = slurp(folder_ / wal);
    store_.reset();
    fs::remove(folder_ / "live.db-shm");
    for (const auto& [name, bytes] : kept_) std::ofstream(folder_ / name, std::ios::binary) << bytes;
    const std::string& synced = kept_[wal];
    // Pages that follow the last commit may have reached the disk or not.
    if (written.size() > synced.size() && written.compare(0, synced.size(), synced) == 0) {
      const std::size_t more = random_() % (written.size() - synced.size());
      std::ofstream(folder_ / wal, std::ios::binary) << written.substr(0, synced.size() + more);
      ++parts_;
    }
    cuts_ = false;
    cut_ = false;
    open();
  }
  [[nodiscard]] std::size_t parts() const { return parts_; }

  [[nodiscard]] std::optional<LiveRow> get(const RowKey& key) const override {
    check_power();
    return store_->get(key);
  }
  void each(LiveTable table, const std::function<bool(const RowKey&, const LiveRow&)>& take) const override {
    check_power();
    store_->each(table, take);
  }
  void commit(const RowChanges& changes) override {
    check_power();
    store_->commit(changes);
    if (cuts_ && left_-- == 0) {
      cut_ = true;
      check_power();
    }
    keep();
  }

 private:
  static constexpr const char* wal = "live.db-wal";

  [[nodiscard]] SealingKey key() const { return live_store_key(std::vector<std::byte>(32, std::byte{7}), identity_); }
  void open() { store_ = std::make_unique<LiveStore>(folder_, identity_, key()); }
  void keep() {
    for (const char* const name : {"live.db", wal}) kept_[name] = slurp(folder_ / name);
  }
  void check_power() const {
    if (cut_) throw ResourceError("there is no power");
  }

  fs::path folder_;
  LiveIdentity identity_;
  std::mt19937_64 random_;
  std::unique_ptr<LiveStore> store_;
  std::map<std::string, std::string> kept_;
  std::size_t left_ = 0;
  std::size_t parts_ = 0;
  std::atomic<bool> cuts_{false};
  std::atomic<bool> cut_{false};
};

void copy_rows(const LiveRows& from, MemoryRows& to) {
  for (const LiveTable table : {LiveTable::epoch, LiveTable::chain, LiveTable::models}) {
    RowChanges changes;
    from.each(table, [&](const RowKey& key, const LiveRow& row) {
      changes[key] = row;
      return true;
    });
    to.commit(changes);
  }
}

TEST(Serve, APowerCut) {
  const TestFolder folder;
  std::map<NodeId, std::unique_ptr<PowerCutRows>> rows;
  CabledEngines service(2, small_batches());
  Engines& engines = service.engines;
  const std::vector<NodeId> roles = engines.roles();
  for (const NodeId role : roles) {
    const std::string name = net::peer_name(engines.topology(), role);
    rows[role] = std::make_unique<PowerCutRows>(folder.path() / std::to_string(role), name, 1u + role);
    engines.use_rows(role, *rows[role]);
  }
  Visitors visitors(engines, 150);
  std::size_t cuts = 0;
  constexpr std::size_t most_cuts = 15;
  std::optional<NodeId> cutting;
  engines.start();
  ASSERT_TRUE(engines.run_until([&] {
    visitors.limit(cuts < most_cuts ? 8 * (cuts + 3) : visitors.visits().size());
    visitors.proceed(10);
    if (!cutting && cuts < most_cuts && visitors.told() >= 8 * cuts) {
      cutting = roles[cuts % roles.size()];
      rows[*cutting]->cut_after(cuts % 3);
    }
    if (cutting && rows[*cutting]->is_cut()) {
      engines.kill(*cutting);
      rows[*cutting]->power_on();
      engines.start(*cutting);
      cutting.reset();
      ++cuts;
    }
    return cuts == most_cuts && visitors.all_done() && nothing_pending(engines);
  }));
  std::size_t parts = 0;
  for (const NodeId role : roles) parts += rows[role]->parts();
  EXPECT_GT(parts, 0u);
  engines.kill_all();
  for (NodeId party = 0; party < 2; ++party) copy_rows(*rows[party], engines.rows(party));
  expect_model(engines, visitors);
}

class OldCopy {
 public:
  // Events 1 to 4 get answers, each in a decide of its own. The copy of the disk is made before the last `lacks` of the
  // four events.
  OldCopy(NodeId role, unsigned lacks) : service_(2, lone_settings()), role_(role) {
    Engines& engines = service_.engines;
    service_.begin();
    Disk copy;
    for (unsigned event = 1; event <= 4; ++event) {
      if (event + lacks == 5) copy = engines.rows(role_).copy();
      told_.push_back(service_.ask(fault_request(event)).answer.value());
    }
    engines.kill(role_);
    engines.disk(role_) = copy;
    engines.start(role_);
  }

  void expect_refused(const std::string& says) {
    Engines& engines = service_.engines;
    const std::uint64_t before = engines.rows(role_).copy().hash();
    for (const NodeId role : engines.roles()) {
      ASSERT_TRUE(engines.run_until_refused(role, says)) << int{role};
      EXPECT_THAT(engines.service(role)->status().why, HasSubstr("number ")) << int{role};
    }
    engines.kill_all();
    EXPECT_EQ(engines.disk(role_).hash(), before);
  }
  void expect_goes_on() {
    for (const LiveAnswer& told : told_) {
      DecisionRequest request;
      request.event = told.event;
      EXPECT_EQ(service_.ask(request).answer, told);
    }
    EXPECT_EQ(service_.ask(fault_request(9)).answer->number, 5u);
  }

 private:
  CabledEngines service_;
  NodeId role_;
  std::vector<LiveAnswer> told_;
};

TEST(Serve, AnOldCopy) {
  const Engines engines(2);
  for (const unsigned lacks : {1u, 2u}) {
    const std::string says =
        lacks == 1 ? "the store of actor is ahead: it has told what a party no longer knows" : "share no number: party";
    OldCopy(0, lacks).expect_refused(says);
    OldCopy(1, lacks).expect_refused(says);
    OldCopy(net::dealer_id, lacks).expect_goes_on();
  }
  OldCopy(engines.actor_id(), 1).expect_goes_on();
  OldCopy(engines.rewarder_id(), 1).expect_goes_on();
  OldCopy(engines.actor_id(), 2).expect_refused("the store of actor is an old copy");
  OldCopy(engines.rewarder_id(), 2).expect_refused("the store of rewarder is an old copy");
}

TEST(Serve, ACommonRollback) {
  CabledEngines service(2, lone_settings());
  Engines& engines = service.engines;
  service.begin();
  std::map<NodeId, Disk> copies;
  for (unsigned event = 1; event <= 4; ++event) {
    (void)service.ask(fault_request(event));
    if (event != 1) continue;
    engines.kill_all();
    for (const NodeId role : engines.roles()) copies[role] = engines.disk(role);
    engines.start();
  }
  // The dealer learns of a number with the next plan, or a second later.
  ASSERT_TRUE(engines.run_until([&] { return engines.dealer->status().number >= 3; }));
  const auto bring_back = [&](bool accepts) {
    engines.kill_all();
    for (const NodeId role : engines.roles()) {
      if (role != net::dealer_id) engines.disk(role) = copies.at(role);
    }
    engines.accepts_rollback = accepts;
    engines.start();
  };
  bring_back(false);
  ASSERT_TRUE(
      engines.run_until_refused(engines.actor_id(), "the stores of all roles except the dealer are old copies"));
  EXPECT_EQ(engines.disk(0).hash(), copies.at(0).hash());
  bring_back(true);
  EXPECT_EQ(service.ask(fault_request(7)).answer->number, 2u);
}

TEST(Serve, AFullDisk) {
  CabledEngines service(2, small_batches());
  Engines& engines = service.engines;
  Visitors visitors(engines, 360);
  const std::vector<NodeId> roles = engines.roles();
  std::size_t filled = 0;
  bool is_full = false;
  bool was_told = false;
  engines.start();
  service.finish(visitors, [&] {
    visitors.limit(filled < roles.size() ? 40 * (filled + 2) : visitors.visits().size());
    if (filled == roles.size()) return false;
    MemoryRows& rows = engines.rows(roles[filled]);
    if (!is_full && visitors.told() >= 40 * filled) {
      rows.fill(true);
      is_full = true;
    } else if (is_full) {
      const LiveService* const role = engines.service(roles[filled]);
      if (role->status().readiness != Readiness::disk_full) return true;
      EXPECT_THAT(role->status().why, HasSubstr("the disk is full"));
      was_told = true;
      rows.fill(false);
      is_full = false;
      ++filled;
    }
    return true;
  });
  EXPECT_TRUE(was_told);
  EXPECT_EQ(filled, roles.size());
}

}  // namespace
}  // namespace sotto::apps::testing
