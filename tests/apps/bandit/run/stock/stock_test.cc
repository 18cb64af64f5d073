#include "apps/bandit/run/stock/stock.h"
#include "protocols/preprocessing/recorded/material.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"
#include "tests/apps/bandit/model/worlds.h"
#include "tests/apps/support.h"
#include "tests/protocols/preprocessing/without_dealer.h"

namespace sotto::apps::bandit::run {

namespace {

using namespace testing;
using protocols::RecordedMaterial;
namespace fs = std::filesystem;

RecordedMaterial material_of(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  RecordedMaterial material;
  Words words(50);
  for (std::uint64_t& word : words) word = random();
  material.masks.push_back({words.size(), 64, words, words});
  material.products.push_back(Additive{words});
  return material;
}

net::SessionId session_number(unsigned char number) {
  net::SessionId session{};
  session[0] = std::byte{number};
  return session;
}

class StockOfARole : public ::testing::Test {
 protected:
  [[nodiscard]] static SealingKey key_of_number(unsigned char number) {
    const std::vector<std::byte> secret(32, std::byte{number});
    return SealingKey::derive(secret, "test");
  }
  [[nodiscard]] std::unique_ptr<Stock> open(const std::string& role = "party 0",
                                            const std::string& parameters = "a = 1\n", unsigned char key = 1,
                                            const std::string& rows = "rows") const {
    return std::make_unique<Stock>(path, StockOwner{role, parameters, net::sha256(rows)}, key_of_number(key));
  }
  void fill(std::uint64_t count, unsigned char session = 1) const {
    const auto stock = open();
    stock->open(StockPoint{false, stock->stretches(), 0}, "data = 1\n", session_number(session));
    for (std::uint64_t i = 0; i < count; ++i) {
      stock->will_cover(10 * (stock->stretches() + 1));
      stock->put(material_of(stock->stretches()), false);
    }
  }
  static void expect_material(const RecordedMaterial& read, std::uint64_t seed) {
    EXPECT_EQ(protocols::encode(read), protocols::encode(material_of(seed)));
  }

  TestFolder folder;
  fs::path path = folder.path() / "stock";
};

template <class Act>
void expect_refused_with(Act act, const char* says) {
  try {
    act();
    FAIL() << "not refused: " << says;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(says));
  }
}

TEST_F(StockOfARole, GivesBackWhatWasPutInAnotherProcess) {
  fill(2);
  fill(1, 2);
  const auto stock = open();
  EXPECT_EQ(stock->stretches(), 3u);
  EXPECT_EQ(stock->steps(), 30u);
  EXPECT_FALSE(stock->is_whole());
  for (std::uint64_t i = 0; i < 3; ++i) expect_material(stock->read(i), i);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(path / "stock.db").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(StockOfARole, GivesEachStretchOutOnce) {
  fill(3);
  {
    const auto stock = open();
    EXPECT_THROW((void)stock->take(0), std::logic_error);  // refused until the disk records that a run has begun
    stock->open(StockPoint{false, 3, 0}, "data = 1\n", session_number(2));
    stock->begin();
    expect_material(stock->take(0), 0);
    EXPECT_THROW((void)stock->take(0), InputError);
  }
  // The test closes the stock here, as if the process were killed. When the stock is opened again, it records that a
  // run had begun.
  const auto stock = open();
  EXPECT_TRUE(stock->state().begun);
  EXPECT_THROW((void)stock->read(0), InputError);
  stock->open(StockPoint{true, 0, 0}, "data = 2\n", session_number(3));
  EXPECT_EQ(stock->stretches(), 0u);
  EXPECT_FALSE(stock->state().begun);
  EXPECT_THROW((void)stock->read(1), InputError);
}

TEST_F(StockOfARole, ACopyIsRefused) {
  fill(2);
  const fs::path kept = folder.path() / "kept";
  fs::copy(path, kept, fs::copy_options::recursive);
  {
    const auto stock = open();
    stock->open(StockPoint{false, 2, 0}, "data = 1\n", session_number(2));
    stock->begin();
  }
  fs::remove_all(path);
  fs::rename(kept, path);
  fs::permissions(path, fs::perms::owner_all);
  fs::permissions(path / "stock.db", fs::perms::owner_read | fs::perms::owner_write);
  expect_refused_with([&] { (void)open(); }, "is a copy");
}

TEST_F(StockOfARole, WhatIsNotItsOwnIsRefused) {
  fill(1);
  expect_refused_with([&] { (void)open("party 1"); }, "is the stock of party 0, not of party 1");
  expect_refused_with([&] { (void)open("party 0", "a = 2\n"); },
                      "the stock is for another run: a = 2 here, 1 at the making of the stock");
  expect_refused_with([&] { (void)open("party 0", "a = 1\n", 2); }, "does not open with the key of party 0");
  expect_refused_with(
      [&] {
        open()->open(StockPoint{false, 1, 0}, "data = 2\n", session_number(2));
      },
      "the stock is for other data: data = 2 here, 1 at the making of the stock");
  // Masks that were used before with other rows would reveal differences between those rows and the new rows.
  expect_refused_with(
      [&] {
        open("party 0", "a = 1\n", 1, "other rows")->open(StockPoint{false, 1, 0}, "data = 1\n", session_number(2));
      },
      "the stock was made for other rows than party 0 has now");
  EXPECT_EQ(open()->stretches(), 1u) << "it stays as it is";
  fs::permissions(path / "stock.db", fs::perms::group_read, fs::perm_options::add);
  expect_refused_with([&] { (void)open(); }, "chmod 600");
}

TEST_F(StockOfARole, DamageIsRefused) {
  fill(3);
  std::mt19937_64 random(5);
  const auto refused = [&](const char* name, const std::vector<std::string>& changed) {
    const fs::path file = path / name;
    const std::string whole = slurp(file);
    std::size_t count = 0;
    for (const std::string& bytes : changed) {
      std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
      try {
        const auto stock = open();
        for (std::uint64_t i = 0; i < stock->stretches(); ++i) expect_material(stock->read(i), i);
      } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        ++count;
      }
    }
    std::ofstream(file, std::ios::binary | std::ios::trunc) << whole;
    return count;
  };
  const auto flipped = [&](const char* name, std::size_t count) {
    std::vector<std::string> changed(count, slurp(path / name));
    for (std::string& bytes : changed) bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
    return changed;
  };
  const auto cut = [&](const char* name) {
    std::vector<std::string> changed;
    const std::string whole = slurp(path / name);
    for (std::size_t i = 1; i < 6; ++i) changed.push_back(whole.substr(0, whole.size() * i / 6));
    return changed;
  };
  EXPECT_EQ(refused("stretch_1", flipped("stretch_1", 15)), 15u);
  EXPECT_EQ(refused("stretch_1", cut("stretch_1")), 5u);
  EXPECT_EQ(refused("stretch_1", {slurp(path / "stretch_0"), slurp(path / "stretch_1") + "x"}), 2u);
  EXPECT_EQ(refused("stock.db", cut("stock.db")), 5u);
  static_cast<void>(refused("stock.db", flipped("stock.db", 30)));
  const auto stock = open();
  for (std::uint64_t i = 0; i < 3; ++i) expect_material(stock->read(i), i);
}

TEST_F(StockOfARole, RolesGoOnFromWhatAllHave) {
  fill(2);
  const StockState other = open()->state();
  fill(1);
  const Topology topology = bandit_topology(2, false, RandomnessBy::ot);
  StockState ahead = open()->state();
  EXPECT_EQ(ahead.before, other.name);
  const StockPoint point = agree_on_stock(topology, {{0, ahead}, {1, other}, {2, other}}, false);
  EXPECT_EQ(point, (StockPoint{false, 2, 0}));
  const auto stock = open();
  stock->open(point, "data = 1\n", session_number(4));
  EXPECT_EQ(stock->state().name, other.name);
  EXPECT_EQ(stock->stretches(), 2u);
  EXPECT_EQ(stock->steps(), 20u);
  EXPECT_THROW((void)stock->read(2), InputError);
}

class Agreement : public ::testing::Test {
 protected:
  static StockState standing_of(std::uint64_t stretches, std::string_view name, std::string_view before) {
    StockState state;
    state.is_there = true;
    state.stretches = stretches;
    state.name = net::sha256(name);
    state.before = net::sha256(before);
    return state;
  }
  [[nodiscard]] StockPoint agreed(bool resumes = false) const { return agree_on_stock(topology, all, resumes); }

  Topology topology = bandit_topology(2, false, RandomnessBy::ot);
  StockState usual = standing_of(3, "three", "two");
  std::map<NodeId, StockState> all{{0, usual}, {1, usual}, {2, usual}};
};

TEST_F(Agreement, TakesWhatAllHave) {
  EXPECT_EQ(agreed(), (StockPoint{false, 3, 0}));
  all[1] = standing_of(4, "four", "three");
  EXPECT_EQ(agreed(), (StockPoint{false, 3, 0}));
  for (auto& [node, state] : all) {
    state.prepares = true;
    state.wanted = 10 + node;
  }
  EXPECT_EQ(agreed(), (StockPoint{false, 3, 10}));
  all.clear();
  for (NodeId node = 0; node < 3; ++node) all[node] = {};
  EXPECT_EQ(agreed(), StockPoint{});
}

TEST_F(Agreement, RefusesASecondUseWhoeverRemembersIt) {
  for (NodeId node = 0; node < 3; ++node) {
    for (auto& [other, state] : all) state = usual;
    all[node].begun = true;
    expect_refused_with([&] { (void)agreed(); }, "randomness is used once");
    EXPECT_TRUE(agreed(true).anew);
    for (auto& [other, state] : all) state.prepares = true;
    EXPECT_EQ(agreed(), (StockPoint{true, 0, 0}));
  }
}

TEST_F(Agreement, ARunThatGoesOnUsesNoStock) { EXPECT_EQ(agreed(true), (StockPoint{true, 0, 0})); }

TEST_F(Agreement, RefusesStocksThatWereNotMadeTogether) {
  all[1] = standing_of(3, "another", "two");
  expect_refused_with([&] { (void)agreed(); }, "party 0 and party 1 were not made together");
  all[1] = standing_of(4, "four", "another");
  expect_refused_with([&] { (void)agreed(); }, "not made together");
  all[1] = standing_of(5, "five", "three");
  expect_refused_with([&] { (void)agreed(); }, "not made together");
  all[1] = usual;
  all[2].is_there = false;
  expect_refused_with([&] { (void)agreed(); }, "keeps a stock of randomness and actor none");
  all[2] = usual;
  all[0].prepares = true;
  expect_refused_with([&] { (void)agreed(); }, "party 0 prepares randomness and party 1 runs");
}

TEST_F(Agreement, BytesAreReadBackOrRefused) {
  const auto whole = encode(usual);
  std::span<const std::byte> left = whole;
  EXPECT_EQ(take_stock_state(left), usual);
  EXPECT_TRUE(left.empty());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    left = std::span(whole).first(length);
    EXPECT_FALSE(take_stock_state(left));
  }
  const StockPoint point{true, 7, 9};
  const auto bytes = encode(point);
  left = bytes;
  EXPECT_EQ(take_stock_point(left), point);
  std::vector<std::byte> wrong = whole;
  wrong[1] = std::byte{2};
  left = wrong;
  EXPECT_FALSE(take_stock_state(left));
}

}  // namespace

namespace {

using protocols::testing::place_of;
using protocols::testing::StockInMemory;
using protocols::testing::Stocks;

Stocks made_ahead(const BanditPlan& plan, std::size_t most) {
  const Topology topology = plan.parameters.topology();
  Stocks stocks(topology.nodes() + 1);
  BanditSite site;
  (void)protocols::simulate(topology, [&](Party& party) {
    StockInMemory& stock = stocks[place_of(party)];
    return prepare_bandit(party, plan, site, {Seed::from_os(), "ahead"}, stock,
                          [&stock, most] { return stock.stretches() >= most; });
  });
  return stocks;
}

Outcome play_on(const BanditWorld& world, BanditParameters parameters, std::size_t most, Stocks* left = nullptr) {
  const BanditPlan plan = plan_bandit(std::move(parameters));
  Stocks stocks = made_ahead(plan, most);
  WorldSite::Record record;
  WorldSite site(world, plan, record);
  auto run = protocols::simulate(plan.parameters.topology(), [&](Party& party) {
    return prepared_bandit(party, plan, site, {}, {Seed::from_os(), "test"}, &stocks[place_of(party)]);
  });
  if (left != nullptr) *left = std::move(stocks);
  Ledger planned = run.ledger;
  return Outcome{std::move(record), std::move(run), std::move(planned), plan};
}

TEST(BanditOnAStock, LearnsWhatItsTwinLearnsWhereTheStockIsWhole) {
  for (const auto by : {RandomnessBy::replicated, RandomnessBy::ot, RandomnessBy::helper}) {
    for (const std::size_t batch : {std::size_t{1}, std::size_t{8}}) {
      const BanditWorld world = make_world(32, 4, 3, true, 1, 21);
      BanditParameters p = parameters_for(
          world, by == RandomnessBy::replicated ? std::vector<std::size_t>{2, 1, 1} : std::vector<std::size_t>{2, 2},
          32);
      p.batch = batch;
      p.separate_rewarder = batch > 1;
      p.exploration.threshold = std::uint64_t{1} << 61;
      p.preprocessing = by;
      const Outcome outcome = play_on(world, p, 99);
      expect_like_twin(world, outcome, 3e-3, 2e-2);
      expect_measured_as_planned(outcome);
      expect_same_program_costs(outcome, play(world, p));
      EXPECT_LT(outcome.run.ledger.of("preprocessing").rounds, 10u);  // only the rounds that make keys
    }
  }
}

// A stretch is 90 steps here. Only the first of two stretches is made ahead.
TEST(BanditOnAStock, MakesTheRestInTheRun) {
  const BanditWorld world = make_world(100, 20, 10, true, 1, 5);
  BanditParameters p = parameters_for(world, {7, 7, 6}, 100);
  p.exploration.threshold = std::uint64_t{1} << 61;
  p.preprocessing = RandomnessBy::replicated;
  Stocks stocks;
  const Outcome outcome = play_on(world, p, 1, &stocks);
  expect_like_twin(world, outcome, 3e-3, 1e-3);
  expect_measured_as_planned(outcome);
  for (const StockInMemory& stock : stocks) EXPECT_FALSE(stock.is_whole());
  EXPECT_GT(outcome.run.ledger.of("preprocessing").rounds, 60u);
  EXPECT_THROW((void)stocks[0].take(0), std::runtime_error);
}

}  // namespace
}  // namespace sotto::apps::bandit::run
