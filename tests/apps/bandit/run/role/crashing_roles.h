// All roles of a run with their real stores, in one process. The roles die where a test says so, and continue when the
// test starts them again.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/step/step_plan.h"
#include "apps/bandit/model/twin/plaintext.h"
#include "apps/bandit/run/local/local.h"
#include "apps/bandit/run/role/role_state.h"
#include "apps/kit/deploy/role_mesh.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"
#include "sotto/protocol/transport/tls/identity.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"

namespace sotto::apps::bandit::run {

using namespace sotto::apps::prepare;

struct Crash {
  enum class At { opening, step_begins, decided, rewards, step_done, before_keep, after_keep };
  NodeId role;
  At at;
  std::uint64_t step;  // for before_keep and after_keep: the number of steps done
};

struct Died : std::runtime_error {
  Died() : std::runtime_error("died") {}
};

class Mortal final : public StepObserver, public Rewards, public CheckpointStore {
 public:
  Mortal(BanditSite site, std::optional<Crash> crash, std::uint64_t& begun)
      : site_(std::move(site)), crash_(crash), begun_(begun) {}
  void step_begins(std::uint64_t step) override {
    ++begun_;
    die(Crash::At::step_begins, step);
  }
  void step_done(std::uint64_t step) override { die(Crash::At::step_done, step); }
  // In runs in batches, the role dies in the batch that contains the step.
  void decided(std::uint64_t first, std::size_t steps) override {
    for (std::uint64_t step = first; step < first + steps; ++step) die(Crash::At::decided, step);
  }
  std::uint64_t reward(std::uint64_t step) override { return site_.rewards().reward(step); }
  void rewards(std::uint64_t first, std::span<std::uint64_t> out) override {
    site_.rewards().rewards(first, out);
    for (std::uint64_t step = first; step < first + out.size(); ++step) die(Crash::At::rewards, step);
  }
  CheckpointId name_checkpoint(std::uint64_t steps, const net::Digest& public_words) override {
    return site_.checkpoints()->name_checkpoint(steps, public_words);
  }
  void save(std::uint64_t steps, const ModelShares& shares, const CheckpointId& id) override {
    die(Crash::At::before_keep, steps);
    site_.checkpoints()->save(steps, shares, id);
    die(Crash::At::after_keep, steps);
  }
  void load(std::uint64_t steps, ModelShares& shares) override { site_.checkpoints()->load(steps, shares); }

 private:
  void die(Crash::At at, std::uint64_t step) const {
    if (crash_ && crash_->at == at && crash_->step == step) throw Died();
  }
  BanditSite site_;
  std::optional<Crash> crash_;
  std::uint64_t& begun_;
};

using Change = std::function<void(BanditSettings&)>;
inline Change rewarder_apart(bool apart) {
  return [apart](BanditSettings& run) { run.separate_rewarder = apart; };
}

class CrashingRoles {
 public:
  // The settings are two parties, three arms, and 40 steps with a checkpoint every ten, unless `change` changes them.
  explicit CrashingRoles(const Change& change = [](BanditSettings&) {}) {
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

  void crash_twice() {
    EXPECT_FALSE(play(Crash{1, Crash::At::step_begins, 15}));
    copy_stores("at 10");
    EXPECT_FALSE(play(Crash{1, Crash::At::step_begins, 35}));
  }
  // Plays one epoch, up to the crash or to the end of the run. Returns true at the end of the run.
  bool play(std::optional<Crash> crash = {}) {
    std::vector<std::unique_ptr<RoleState>> states;
    std::map<NodeId, ResumeState> standings;
    for (BanditSettings& config : configs_) {
      states.push_back(std::make_unique<RoleState>(config, config, config, config));
      standings[role_id(config)] = states.back()->resume_state();
      config.resume = true;
    }
    opening_ = agree_on(run_.topology(), standings);
    const net::SessionId session = net::fresh_nonce();
    EnvironmentSite rewards(rewards_of(Environment::read(environment_)), run_.steps, plan_->reward_bits,
                            Seed::from_os(), nullptr, true, {});
    std::vector<std::unique_ptr<PartySite>> parties;
    std::deque<BanditSite> sites;
    std::deque<Mortal> mortals;
    const Topology topology = run_.topology();
    for (std::size_t i = 0; i < states.size(); ++i) {
      const NodeId id = role_id(configs_[i]);
      if (crash && crash->at == Crash::At::opening && crash->role == id) return false;
      states[i]->open_epoch(opening_);
      BanditSite& site = sites.emplace_back();
      if (i < run_.parties) {
        parties.push_back(std::make_unique<PartySite>(read_block(configs_[i].data).table, plan_->context_bits));
        site.add(*parties.back());
      } else if (id == rewarder_of(topology)) {
        site.add(rewards);
      } else if (id == actor_of(topology)) {
        site.add<Arms>(rewards);
      }
      states[i]->attach(site, id == rewarder_of(topology) ? &rewards : nullptr, session);
      const bool dies = crash && crash->role == id;
      Mortal& mortal = mortals.emplace_back(site, dies ? crash : std::nullopt, begun_[i]);
      site.add<StepObserver>(mortal);
      site.add<CheckpointStore>(mortal);
      if (id == rewarder_of(topology)) site.add<Rewards>(mortal);
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
          topology, [&](Party& party) { return private_bandit(party, *plan_, sites[next++], schedule); }, simulation);
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

  void copy_stores(const std::string& name) const {
    for (const BanditSettings& config : configs_) {
      fs::create_directories(copy_of(config, name).parent_path());
      fs::copy(config.state, copy_of(config, name));
    }
  }
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
  void begin_anew() {
    for (BanditSettings& config : configs_) {
      fs::remove_all(config.state);
      config.resume = false;
    }
  }
  void expect_counted(std::uint64_t least, std::uint64_t most = ~std::uint64_t{0}) const {
    for (std::size_t node = 0; node < nodes(); ++node) {
      EXPECT_GE(reports_[node].steps_begun, least) << node;
      EXPECT_LE(reports_[node].steps_begun, most) << node;
    }
  }
  [[nodiscard]] std::size_t nodes() const { return configs_.size() - 1; }
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
  std::vector<BanditSettings> configs_;
  std::optional<BanditPlan> plan_;
  ResumePoint opening_;
  std::set<std::pair<net::SessionId, std::uint64_t>> chunks_;
  std::vector<std::uint64_t> begun_;
  std::vector<std::uint64_t> weights_;
  std::vector<std::uint32_t> arms_;
  Curve curve_;
  std::vector<RoleReport> reports_;
};

}  // namespace sotto::apps::bandit::run
