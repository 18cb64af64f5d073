// Runs that crash, here and there and between one role's store and another's, and go on: all roles with their real
// stores, in one process.
#include "sotto/apps/bandit/role/role_state.h"

#include "sotto/apps/bandit/step/step_plan.h"

#include <fmt/format.h>

#include "sotto/apps/bandit/batch/batch_plan.h"
#include "sotto/apps/bandit/local.h"
#include "sotto/apps/bandit/plaintext.h"
#include "sotto/apps/kit/deploy/role_mesh.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/net/mesh/peers.h"
#include "sotto/net/transport/tls/identity.h"
#include "sotto/protocols/simulate/simulate.h"
#include "tests/apps/bandit/ridge.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

// Where a role dies.
struct Crash {
  enum class At { opening, step_begins, decided, rewards, step_done, before_keep, after_keep };
  NodeId role;
  At at;
  std::uint64_t step;  // steps done, for the keeping ones
};

struct Died : std::runtime_error {
  Died() : std::runtime_error("died") {}
};

// Dies where it is told to, and counts the steps that began.
class MortalSite final : public ForwardingSite {
 public:
  MortalSite(BanditSite& site, std::optional<Crash> crash, std::uint64_t& begun)
      : ForwardingSite(site), crash_(crash), begun_(begun) {}
  void step_begins(std::uint64_t step) override {
    ForwardingSite::step_begins(step);
    ++begun_;
    die(Crash::At::step_begins, step);
  }
  void step_done(std::uint64_t step) override {
    ForwardingSite::step_done(step);
    die(Crash::At::step_done, step);
  }
  // In batches, those that have the step.
  void decided(std::uint64_t first, std::size_t steps) override {
    ForwardingSite::decided(first, steps);
    for (std::uint64_t step = first; step < first + steps; ++step) die(Crash::At::decided, step);
  }
  void rewards(std::uint64_t first, std::span<std::uint64_t> out) override {
    ForwardingSite::rewards(first, out);
    for (std::uint64_t step = first; step < first + out.size(); ++step) die(Crash::At::rewards, step);
  }
  void save(std::uint64_t steps, const ModelShares& shares, const CheckpointId& id) override {
    die(Crash::At::before_keep, steps);
    ForwardingSite::save(steps, shares, id);
    die(Crash::At::after_keep, steps);
  }

 private:
  void die(Crash::At at, std::uint64_t step) const {
    if (crash_ && crash_->at == at && crash_->step == step) throw Died();
  }
  std::optional<Crash> crash_;
  std::uint64_t& begun_;
};

using Change = std::function<void(BanditSettings&)>;
Change rewarder_apart(bool apart) {
  return [apart](BanditSettings& run) { run.separate_rewarder = apart; };
}

using At = Crash::At;

// All roles of a run with their files in one folder.
class Roles {
 public:
  // Two parties, three arms, 40 steps with a checkpoint every ten, or as that is changed.
  explicit Roles(const Change& change = [](BanditSettings&) {}) {
    run_.session = "00112233445566778899aabbccddeeff";
    run_.parties = 2;
    run_.steps = 40;
    run_.arms = 3;
    run_.epsilon = 0.3;
    run_.max_norm = 1;
    run_.binary_rewards = false;
    run_.reveal_model = true;
    run_.checkpoint_every = 10;
    change(run_);
    write_data();
    for (std::size_t p = 0; p < run_.parties; ++p) add(BanditRole::party, p);
    add(BanditRole::actor, 0);
    if (run_.separate_rewarder) add(BanditRole::rewarder, 0);
    add(BanditRole::dealer, 0);
    begun_.resize(configs_.size());
    plan_ = local_plan(run_, inputs());
  }

  // In step 15, after which the stores are copied as "at 10", and in step 35.
  void crash_twice() {
    EXPECT_FALSE(play(Crash{1, At::step_begins, 15}));
    copy_stores("at 10");
    EXPECT_FALSE(play(Crash{1, At::step_begins, 35}));
  }
  // One epoch, up to the crash or to the end. True at the end.
  bool play(std::optional<Crash> crash = {}) {
    std::vector<std::unique_ptr<RoleState>> states;
    std::map<NodeId, ResumeState> standings;
    for (BanditSettings& config : configs_) {
      states.push_back(std::make_unique<RoleState>(config));
      standings[role_id(config)] = states.back()->standing();
      config.resume = true;
    }
    opening_ = agree_on(run_.topology(), standings);
    const net::SessionId session = net::fresh_nonce();  // of the links: new each time
    // Rewards go to the last node, whose own site pulls the arm where the rewarder is separate too.
    EnvironmentSite rewards(Environment::read(environment_), run_.steps, plan_->reward_bits, Seed::from_os(), nullptr,
                            true, {});
    class Puller final : public QuietSite {
     public:
      explicit Puller(EnvironmentSite& to) : to_(to) {}
      void pull(std::uint64_t step, std::size_t arm) override { to_.pull(step, arm); }

     private:
      EnvironmentSite& to_;
    } puller(rewards);
    QuietSite quiet;
    std::vector<std::unique_ptr<PartySite>> parties;
    std::vector<std::unique_ptr<MortalSite>> sites;
    const Topology topology = run_.topology();
    for (std::size_t i = 0; i < states.size(); ++i) {
      const NodeId id = role_id(configs_[i]);
      if (crash && crash->at == Crash::At::opening && crash->role == id) return false;
      states[i]->open_epoch(opening_);
      BanditSite* site = &quiet;
      if (i < run_.parties) {
        parties.push_back(std::make_unique<PartySite>(read_block(configs_[i].data).table, plan_->context_bits));
        site = parties.back().get();
      } else if (id == rewarder_of(topology)) {
        site = &rewards;
      } else if (id == actor_of(topology)) {
        site = &puller;
      }
      BanditSite& kept = states[i]->attach(*site, id == rewarder_of(topology) ? &rewards : nullptr, session);
      const bool dies = crash && crash->role == id;
      sites.push_back(std::make_unique<MortalSite>(kept, dies ? crash : std::nullopt, begun_[i]));
    }
    const BanditSchedule schedule{opening_.from_step, run_.checkpoint_every};
    protocols::SimulationOptions simulation;
    simulation.chunk_tap = [&](std::uint64_t number, Bytes&) {
      EXPECT_TRUE(chunks_.insert({session, number}).second)
          << "chunk " << number << " of epoch " << opening_.epoch << " was dealt twice";
    };
    std::size_t next = 0;
    try {
      const auto run = protocols::simulate(
          topology, [&](Party& party) { return private_bandit(party, *plan_, *sites[next++], schedule); }, simulation);
      run.nodes[0].weights.if_known([&](const Words& words) { weights_.assign(words.begin(), words.end()); });
    } catch (const Died&) {
      return false;
    }
    arms_ = rewards.arms();
    curve_ = rewards.curve().points();
    reports_.clear();
    for (const auto& state : states) {
      reports_.emplace_back();
      state->add_to(reports_.back());
      state->mark_complete();
    }
    return true;
  }

  void expect_like_the_twin() const {
    ASSERT_EQ(arms_.size(), run_.steps);
    const LocalInputs all = inputs();
    PlaintextBandit twin(run_.arms, plan_->parameters.features(), 0, 1);
    RewardCurve curve(run_.steps);
    for (std::uint64_t t = 0; t < run_.steps; ++t) {
      const double reward = all.environment.reward(t % all.environment.rows(), arms_[t]);
      twin.update(joint_row(all, t), arms_[t], reward);
      curve.add(reward);
    }
    const std::size_t d = plan_->parameters.features();
    for (std::size_t a = 0; a < run_.arms; ++a) {
      for (std::size_t i = 0; i < d; ++i) {
        EXPECT_NEAR(decode(weights_[a * d + i], weight_bits()), twin.weights(a)[i], 2e-3);
      }
    }
    EXPECT_EQ(curve_, curve.points());
  }

  void expect_ridge() const {
    const LocalInputs all = inputs();
    RidgeSums sums(plan_->parameters.features());
    for (std::uint64_t t = 0; t < run_.steps; ++t) {
      sums.add(joint_row(all, t), all.environment.reward(t % all.environment.rows(), 0));
    }
    const Eigen::VectorXd ridge = sums.weights();
    for (Eigen::Index i = 0; i < ridge.size(); ++i) {
      EXPECT_NEAR(decode(weights_[static_cast<std::size_t>(i)], weight_bits()), ridge(i), 2e-3);
    }
  }

  // The stores as they are now, of all roles or of one, the dealer's last; and back again.
  void copy_stores(const std::string& name) const {
    for (const BanditSettings& config : configs_) {
      fs::create_directories(copy_of(config, name).parent_path());
      fs::copy(config.state, copy_of(config, name));
    }
  }
  // What an epoch that does not begin says.
  template <class E>
  std::string refusal() {
    return message_of<E>(folder_, [&] { play(); });
  }
  void bring_back(std::size_t role, const std::string& name) const {
    const BanditSettings& config = configs_.at(role);
    fs::remove_all(config.state);
    fs::copy(copy_of(config, name), config.state);
    fs::permissions(config.state, fs::perms::owner_all);
  }
  void bring_all_nodes_back(const std::string& name) const {
    for (std::size_t node = 0; node < nodes(); ++node) bring_back(node, name);
  }
  // Without --resume, in empty folders.
  void begin_anew() {
    for (BanditSettings& config : configs_) {
      fs::remove_all(config.state);
      config.resume = false;
    }
  }
  // Each role but the dealer counts from `least` to `most` steps that were begun.
  void expect_counted(std::uint64_t least, std::uint64_t most = ~std::uint64_t{0}) const {
    for (std::size_t node = 0; node < nodes(); ++node) {
      EXPECT_GE(reports_[node].steps_begun, least) << node;
      EXPECT_LE(reports_[node].steps_begun, most) << node;
    }
  }
  [[nodiscard]] std::size_t nodes() const { return configs_.size() - 1; }
  // Each role in turn with an old copy of its store.
  void expect_each_refused(const std::string& copy, const std::string& present, const std::string& says) {
    for (std::size_t node = 0; node < nodes(); ++node) {
      bring_back(node, copy);
      const std::string name = net::peer_name(run_.topology(), role_id(configs_[node]));
      EXPECT_THAT(refusal<DisagreementError>(), StartsWith("the state of " + name + says));
      bring_back(node, present);
    }
  }

  [[nodiscard]] const ResumePoint& opening() const { return opening_; }
  [[nodiscard]] std::vector<BanditSettings>& configs() { return configs_; }
  [[nodiscard]] const std::vector<std::uint64_t>& begun() const { return begun_; }
  [[nodiscard]] const std::vector<RoleReport>& reports() const { return reports_; }
  [[nodiscard]] const TestFolder& folder() const { return folder_; }

 private:
  void write_data() {
    for (std::size_t p = 0; p < run_.parties; ++p) {
      std::string text = "a,b\n";
      for (int row = 0; row < 30; ++row) {
        const double angle = 0.7 * row + static_cast<double>(p);
        const double size = 1 / std::sqrt(static_cast<double>(run_.parties)) - 1e-6;
        text += fmt::format("{},{}\n", size * std::cos(angle), size * std::sin(angle));
      }
      (void)folder_.put(fmt::format("party_{}.csv", p), text);
    }
    std::string text;
    for (std::size_t a = 0; a < run_.arms; ++a) text += fmt::format("{}reward_{}", a ? "," : "", a);
    for (int row = 0; row < 30; ++row) {
      text += "\n";
      for (std::size_t a = 0; a < run_.arms; ++a) {
        text += fmt::format("{}{}", a ? "," : "", 0.9 * std::sin(row + 2.0 * static_cast<double>(a)));
      }
    }
    environment_ = folder_.put("environment.csv", text + "\n");
  }

  [[nodiscard]] LocalInputs inputs() const {
    LocalInputs result{{}, Environment::read(environment_)};
    for (std::size_t p = 0; p < run_.parties; ++p) {
      result.blocks.push_back(read_block(folder_.path() / fmt::format("party_{}.csv", p)));
    }
    return result;
  }

  static std::vector<double> joint_row(const LocalInputs& all, std::uint64_t step) {
    std::vector<double> x;
    for (const Block& block : all.blocks) {
      const auto part = block.table.row(step % all.environment.rows());
      x.insert(x.end(), part.begin(), part.end());
    }
    return x;
  }

  [[nodiscard]] unsigned weight_bits() const {
    return plan_->batches ? plan_->batches->weight_bits : plan_->step->weight_bits;
  }

  [[nodiscard]] fs::path copy_of(const BanditSettings& config, const std::string& name) const {
    return folder_.path() / "copies" / name / config.state.filename();
  }

  void add(BanditRole role, std::size_t id) {
    BanditSettings config = run_;
    config.set_role(role, id);
    const std::string key = config.role_key();
    config.key = folder_.path() / (key + ".pem");
    net::Identity::create(key).write(config.key);
    config.state = folder_.path() / key;
    if (role == BanditRole::party) config.data = folder_.path() / (key + ".csv");
    const bool rewarded = role == BanditRole::rewarder || (role == BanditRole::actor && !run_.separate_rewarder);
    if (rewarded) config.environment = environment_;
    configs_.push_back(config);
  }

  TestFolder folder_;
  BanditSettings run_;
  fs::path environment_;
  std::vector<BanditSettings> configs_;  // nodes in order, then the dealer
  std::optional<BanditPlan> plan_;
  ResumePoint opening_;
  std::set<std::pair<net::SessionId, std::uint64_t>> chunks_;
  std::vector<std::uint64_t> begun_;
  std::vector<std::uint64_t> weights_;
  std::vector<std::uint32_t> arms_;
  Curve curve_;
  std::vector<RoleReport> reports_;
};

TEST(RoleState, ARunThatCrashesEverywhereIsTheRunOfItsTwin) {
  for (const bool separate : {false, true}) {
    Roles roles(rewarder_apart(separate));
    const NodeId actor = 2;
    const NodeId rewarder = separate ? 3 : 2;
    const NodeId dealer = net::dealer_id;
    const Crash crashes[] = {
        {0, At::opening, 0},       // before its epoch is on the disk
        {dealer, At::opening, 0},  // all others have opened theirs
        {1, At::step_begins, 4},   // before the first checkpoint
        {1, At::before_keep, 10},  // party 0 has it, party 1 has not
        {rewarder, At::before_keep, 10},
        {actor, At::step_done, 13},  // all have the first
        {1, At::opening, 0},
        {0, At::after_keep, 20},  // party 0 alone has the second
        {1, At::after_keep, 20},  // so has party 1, of another epoch
        {rewarder, At::step_begins, 27},
        {dealer, At::step_begins, 31},
        {0, At::before_keep, 40},  // everything was done but the end
    };
    std::uint32_t epoch = 0;
    std::uint64_t from = 0;
    for (const Crash& crash : crashes) {
      EXPECT_FALSE(roles.play(crash));
      // Where nobody had come to open its epoch it may be opened again.
      EXPECT_GE(roles.opening().epoch, epoch + (&crash == &crashes[1] ? 0 : 1));
      EXPECT_GE(roles.opening().from_step, from) << "what was reached is lost";
      EXPECT_EQ(roles.opening().from_step % 10, 0u);
      epoch = roles.opening().epoch;
      from = roles.opening().from_step;
    }
    EXPECT_EQ(from, 30u);
    EXPECT_TRUE(roles.play());
    EXPECT_GT(roles.opening().epoch, epoch);
    roles.expect_like_the_twin();
    // Every role but the dealer has counted each step that any of them began, in whatever epoch: in a crash one may
    // have begun a step more than another.
    for (std::size_t i = 0; i < roles.nodes(); ++i) {
      EXPECT_EQ(roles.reports()[i].steps_begun, roles.reports()[0].steps_begun) << i;
      EXPECT_GE(roles.reports()[i].steps_begun, roles.begun()[i]) << i;
      EXPECT_LE(roles.reports()[i].steps_begun, roles.begun()[i] + std::size(crashes)) << i;
      EXPECT_GT(roles.begun()[i], 40u);
    }
  }
}

TEST(RoleState, StartsWhereAllRolesCan) {
  struct Case {
    Crash crash;
    std::uint64_t from;
    std::uint64_t repeated;
  };
  const Case cases[] = {
      {{1, At::before_keep, 20}, 10, 11}, {{1, At::step_begins, 21}, 20, 2}, {{0, At::before_keep, 10}, 0, 10},
      {{0, At::step_begins, 3}, 0, 4},    {{2, At::step_begins, 35}, 30, 6},
  };
  for (const Case& c : cases) {
    Roles roles;
    EXPECT_FALSE(roles.play(c.crash));
    EXPECT_TRUE(roles.play());
    EXPECT_EQ(roles.opening().epoch, 2u);
    EXPECT_EQ(roles.opening().from_step, c.from);
    EXPECT_EQ(roles.opening().repeated, c.repeated);
    roles.expect_like_the_twin();
  }
}

// Checkpoints after 12, 20, 32 and 40 events, where a run from the start learns four at a time.
Change in_batches(std::size_t batch, std::uint64_t lag, bool separate = false) {
  return [=](BanditSettings& run) {
    run.batch = batch;
    run.reward_lag = lag;
    run.separate_rewarder = separate;
  };
}

TEST(RoleState, ARunInBatchesThatCrashesEverywhereIsTheRunOfItsTwin) {
  for (const bool separate : {false, true}) {
    const std::uint64_t lag = separate ? 5 : 0;
    Roles roles(in_batches(4, lag, separate));
    const NodeId actor = 2;
    const NodeId rewarder = separate ? 3 : 2;
    const NodeId dealer = net::dealer_id;
    const Crash crashes[] = {
        {0, At::opening, 0},
        {1, At::step_begins, 6},  // before the first checkpoint
        {actor, At::decided, 9},  // between deciding and learning
        {0, At::decided, 11},
        {rewarder, At::rewards, 2},  // in learning
        {1, At::before_keep, 12},    // party 0 has it, party 1 has not
        {rewarder, At::before_keep, 12},
        {actor, At::step_done, 13},  // all have the first
        {rewarder, At::rewards, 17},
        {0, At::after_keep, 20},  // party 0 alone has the second
        {1, At::after_keep, 20},
        {rewarder, At::decided, 27},
        {dealer, At::step_begins, 31},
        {actor, At::decided, 38},
        {0, At::before_keep, 40},
    };
    std::uint64_t from = 0;
    for (const Crash& crash : crashes) {
      EXPECT_FALSE(roles.play(crash));
      EXPECT_GE(roles.opening().from_step, from) << "what was reached is lost";
      from = roles.opening().from_step;
    }
    EXPECT_EQ(from, separate ? 20u : 32u);
    EXPECT_TRUE(roles.play());
    roles.expect_like_the_twin();
    for (std::size_t i = 0; i < roles.nodes(); ++i) {
      EXPECT_EQ(roles.reports()[i].steps_begun, roles.reports()[0].steps_begun) << i;
      EXPECT_GE(roles.reports()[i].steps_begun, roles.begun()[i]) << i;
      // In a crash one role may have begun a batch more than another, and with a lag several.
      EXPECT_LE(roles.reports()[i].steps_begun, roles.begun()[i] + std::size(crashes) * (4 + lag)) << i;
      EXPECT_GT(roles.begun()[i], 40u);
    }
  }
}

TEST(RoleState, ARunInBatchesDecidesAgainWhatWasNotLearned) {
  struct Case {
    Crash crash;
    std::uint64_t from;
    std::uint64_t repeated;
  };
  // With a lag of 5, 12 events were decided before the first four are learned, and 4 more before each further batch.
  const Case cases[] = {
      {{1, At::decided, 11}, 0, 12},  {{2, At::rewards, 2}, 0, 12},   {{1, At::before_keep, 20}, 12, 20},
      {{1, At::decided, 28}, 20, 12}, {{2, At::rewards, 25}, 20, 16}, {{1, At::before_keep, 40}, 32, 8},
  };
  for (const Case& c : cases) {
    Roles roles(in_batches(4, 5));
    EXPECT_FALSE(roles.play(c.crash));
    EXPECT_TRUE(roles.play());
    EXPECT_EQ(roles.opening().from_step, c.from);
    EXPECT_EQ(roles.opening().repeated, c.repeated);
    roles.expect_like_the_twin();
    roles.expect_counted(40 + c.repeated, 40 + c.repeated);
  }
}

TEST(RoleState, ARunOfGrowingBatchesGoesOn) {
  Roles roles([](BanditSettings& run) {
    in_batches(130, 40)(run);
    run.steps = 600;
    run.checkpoint_every = 70;
  });
  EXPECT_FALSE(roles.play(Crash{1, At::step_done, 200}));
  EXPECT_FALSE(roles.play(Crash{2, At::rewards, 450}));
  EXPECT_GT(roles.opening().from_step, 100u);
  EXPECT_TRUE(roles.play());
  EXPECT_GT(roles.opening().from_step, 300u);
  roles.expect_like_the_twin();
}

TEST(RoleState, AnOldCopyOfARunInBatchesIsRefusedByName) {
  Roles roles(in_batches(4, 5));
  EXPECT_FALSE(roles.play(Crash{1, At::decided, 19}));
  roles.copy_stores("at 0");
  EXPECT_FALSE(roles.play(Crash{1, At::decided, 35}));
  roles.copy_stores("of epoch 2");
  roles.expect_each_refused("at 0", "of epoch 2", " is an old copy (");
  EXPECT_TRUE(roles.play());
  EXPECT_EQ(roles.opening().from_step, 20u);
  roles.expect_like_the_twin();
}

TEST(RoleState, OneArmIsRidgeRegressionAfterACrash) {
  Roles roles([](BanditSettings& run) {
    run.parties = 3;
    run.arms = 1;
    run.steps = 300;
    run.checkpoint_every = 70;
  });
  EXPECT_FALSE(roles.play(Crash{1, At::step_done, 251}));
  EXPECT_TRUE(roles.play());
  EXPECT_EQ(roles.opening().from_step, 210u);
  roles.expect_ridge();
  roles.expect_like_the_twin();
}

TEST(RoleState, ACompleteRunIsResumedFromItsEnd) {
  Roles roles;
  EXPECT_TRUE(roles.play());
  roles.expect_like_the_twin();
  EXPECT_TRUE(roles.play());
  EXPECT_EQ(roles.opening().epoch, 2u);
  EXPECT_EQ(roles.opening().from_step, 40u);
  EXPECT_EQ(roles.opening().repeated, 0u);
  EXPECT_EQ(roles.opening().taken, 40u);
  roles.expect_like_the_twin();
  for (std::size_t i = 0; i + 1 < roles.begun().size(); ++i) EXPECT_EQ(roles.begun()[i], 40u);
}

TEST(RoleState, InputsMustBeThoseThatTheRunWasBegunWith) {
  Roles roles;
  EXPECT_FALSE(roles.play(Crash{1, At::step_done, 12}));
  std::ofstream(roles.folder().path() / "party_0.csv", std::ios::app) << "0.1,0.1\n";
  EXPECT_THAT(roles.refusal<InputError>(), HasSubstr("the input file of party 0"));
}

TEST(RoleState, ARoleThatLostItsStoreIsRefusedAndNothingIsLost) {
  Roles roles;
  EXPECT_FALSE(roles.play(Crash{1, At::step_done, 25}));
  const auto store = roles.folder().path() / "party_1";
  const auto aside = roles.folder().path() / "aside";
  fs::rename(store, aside);
  EXPECT_THAT(roles.refusal<InputError>(), HasSubstr("party_1: holds no state of a run"));
  // Begun anew without --resume, it would take the others back to the start.
  roles.configs()[1].resume = false;
  EXPECT_THAT(roles.refusal<DisagreementError>(),
              HasSubstr("the state of party 1 is an old copy (no checkpoint, epoch 0"));
  fs::remove_all(store);
  fs::rename(aside, store);
  EXPECT_TRUE(roles.play());
  roles.expect_like_the_twin();
}

// Two epochs write the same steps, in other shares: those of one role's old copy would add up to noise with those of
// the others. By their numbers alone the checkpoints are the same.
TEST(RoleState, AnOldCopyOfOneRoleIsRefusedByName) {
  for (const bool separate : {false, true}) {
    Roles roles(rewarder_apart(separate));
    roles.crash_twice();
    roles.copy_stores("of epoch 2");
    roles.bring_all_nodes_back("at 10");
    EXPECT_FALSE(roles.play(Crash{1, At::step_begins, 35}));
    EXPECT_EQ(roles.opening().from_step, 10u);
    roles.copy_stores("of epoch 3");
    roles.expect_each_refused("of epoch 2", "of epoch 3", " is an old copy (step 30 of epoch 2, where ");
    EXPECT_TRUE(roles.play());
    EXPECT_EQ(roles.opening().from_step, 30u);
    roles.expect_like_the_twin();
  }
}

// The numbers of epochs and steps are the same then; the session of the links was not.
TEST(RoleState, ACopyOfAnEarlierStartIsRefused) {
  Roles roles;
  EXPECT_FALSE(roles.play(Crash{1, At::step_begins, 25}));
  roles.copy_stores("before");
  roles.begin_anew();
  EXPECT_FALSE(roles.play(Crash{1, At::step_begins, 25}));
  roles.copy_stores("now");
  roles.expect_each_refused("before", "now", " does not belong to that of ");
  EXPECT_TRUE(roles.play());
  roles.expect_like_the_twin();
}

TEST(RoleState, OldCopiesOfAllPartiesAreRefusedWhereTheActorIsNewer) {
  for (const bool separate : {false, true}) {
    Roles roles(rewarder_apart(separate));
    roles.crash_twice();
    for (const std::size_t party : {0u, 1u}) roles.bring_back(party, "at 10");
    EXPECT_THAT(roles.refusal<DisagreementError>(),
                StartsWith("the state of party 0 and party 1 is an old copy (step 10 of epoch 1, where "));
  }
}

// An old copy whose newest checkpoint the others still keep does no harm: they go on from there.
TEST(RoleState, AnOldCopyThatTheOthersStillHaveIsGoneOnFrom) {
  Roles roles;
  EXPECT_FALSE(roles.play(Crash{1, At::step_begins, 25}));
  roles.copy_stores("at 20");
  EXPECT_FALSE(roles.play(Crash{1, At::step_begins, 35}));
  roles.bring_back(0, "at 20");
  EXPECT_TRUE(roles.play());
  EXPECT_EQ(roles.opening().from_step, 20u);
  EXPECT_EQ(roles.opening().repeated, 16u);
  roles.expect_like_the_twin();
  // The party whose copy it was counts what the others remember.
  roles.expect_counted(roles.begun()[1]);
}

// The dealer alone remembers epoch 2, and that it dealt the steps from 10 to 35: arms were opened in them that are
// opened again.
TEST(RoleState, StepsThatOnlyTheDealerRemembersCount) {
  for (const bool separate : {false, true}) {
    Roles roles(rewarder_apart(separate));
    roles.crash_twice();
    roles.bring_all_nodes_back("at 10");
    EXPECT_TRUE(roles.play());
    EXPECT_EQ(roles.opening().epoch, 3u);
    EXPECT_EQ(roles.opening().from_step, 10u);
    roles.expect_like_the_twin();
    // 0 to 15, 10 to 35, 10 to 39.
    roles.expect_counted(std::max<std::uint64_t>(roles.begun()[1], 16 + 26 + 30 - 1), 16 + 26 + 30 + 1);
  }
}

// A dealer who saw the end of the run knows how often steps were taken, even of its own epoch.
TEST(RoleState, AfterTheEndTheDealerKnowsThatAllWasPlayed) {
  Roles roles;
  EXPECT_FALSE(roles.play(Crash{1, At::step_begins, 15}));
  roles.copy_stores("at 10");
  EXPECT_TRUE(roles.play());
  roles.bring_all_nodes_back("at 10");
  EXPECT_TRUE(roles.play());
  EXPECT_EQ(roles.opening().repeated, 30u);
  roles.expect_counted(15 + 30 + 30);
  for (std::size_t node = 0; node < roles.nodes(); ++node) roles.expect_counted(roles.begun()[node]);
}

TEST(RoleState, WithoutCheckpointsThereIsNothingToResume) {
  BanditSettings config;
  config.set_role(BanditRole::party);
  config.steps = 10;
  EXPECT_EQ(RoleState(config).standing(), ResumeState{});
  config.resume = true;
  EXPECT_THROW(RoleState{config}, InputError);
  config.resume = false;
  config.checkpoint_every = 5;
  EXPECT_THROW(RoleState{config}, InputError);
  config.state = "/nonexistent";
  EXPECT_THROW(RoleState{config}, InputError);
}

}  // namespace
}  // namespace sotto::apps
