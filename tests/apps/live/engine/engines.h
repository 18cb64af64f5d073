// All roles of a decision service in one process. Each role is an engine with a store in memory, and the engines
// communicate by TCP on loopback. A test can destroy an engine and start a new engine on the same store.
#pragma once

#include <unistd.h>

#include <map>
#include <memory>
#include <vector>

#include "apps/live/engine/actor_engine.h"
#include "apps/live/engine/party_engine.h"
#include "apps/live/engine/rewarder_engine.h"
#include "apps/live/engine/witness_engines.h"
#include "apps/live/import/foreign_model.h"
#include "sotto/protocol/mesh/peers.h"
#include "tests/apps/live/memory_rows.h"
#include "tests/apps/support.h"

namespace sotto::apps::live::testing {

using namespace sotto::apps::bandit;

inline LiveSettings engine_settings() {
  LiveSettings settings;
  settings.arms = {"a", "b", "c", "d"};
  settings.batch_sizes = {1, 8, 32};
  settings.baseline_arm = 0;
  settings.decision_deadline = 600'000;
  settings.cut_off = 5'000;
  settings.reward_wait = 100;
  settings.remember = 600'000;
  settings.deal_ahead = 3;
  return settings;
}

class Engines {
 public:
  static constexpr std::size_t columns = 2;  // number of columns of each party

  explicit Engines(std::size_t parties, LiveSettings settings = engine_settings(),
                   RandomnessBy preprocessing = RandomnessBy::dealer)
      : topology_(bandit_topology(parties, true, preprocessing)),
        preprocessing_(preprocessing),
        settings_(std::move(settings)),
        party(parties) {
    for (const NodeId role : roles()) {
      rows_.emplace(role, std::make_unique<MemoryRows>(disks_[role]));
      if (!net::listens(topology_, role)) continue;
      net::TcpListener listener(net::Address{"127.0.0.1", 0});
      addresses_[role] = listener.address();
      ports_[role] = listener.release();
    }
  }
  ~Engines() {
    kill_all();
    io.poll();
    for (const auto& [role, port] : ports_) close(port);
  }
  Engines(const Engines&) = delete;
  Engines& operator=(const Engines&) = delete;

  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] const LiveSettings& settings() const { return settings_; }
  [[nodiscard]] NodeId actor_id() const { return topology_.outside_node(); }
  [[nodiscard]] NodeId rewarder_id() const { return topology_.further_node(); }
  [[nodiscard]] Disk& disk(NodeId role) { return disks_.at(role); }
  [[nodiscard]] MemoryRows& rows(NodeId role) { return *rows_.at(role); }
  void use_rows(NodeId role, LiveRows& rows) { other_rows_[role] = &rows; }
  [[nodiscard]] std::vector<NodeId> roles() const {
    std::vector<NodeId> all;
    if (topology_.has_dealer()) all.push_back(net::dealer_id);
    for (NodeId node = 0; node < topology_.nodes(); ++node) all.push_back(node);
    return all;
  }
  [[nodiscard]] BatchPlan plan() const {
    BanditParameters parameters;
    parameters.columns.assign(topology_.parties(), columns);
    parameters.arms = settings_.arms.size();
    parameters.steps = steps;
    parameters.exploration = {std::uint64_t{1} << 62, false};
    parameters.separate_rewarder = true;
    parameters.preprocessing = preprocessing_;
    BatchPlan plan = plan_batches(std::move(parameters), settings_.largest_batch(), !settings_.default_reward);
    plan.notes_best = settings_.keeps_best();
    plan.lift_levels = settings_.lift_levels.size();
    return plan;
  }

  void start() {
    for (const NodeId role : roles()) start(role);
  }
  void start(NodeId role) {
    if (role == net::dealer_id) {
      dealer = std::make_unique<DealerEngine>(io, rows_of(role), config(role, LiveRoleKind::dealer), accepts_rollback);
      dealer->start();
    } else if (topology_.is_helper(role)) {
      helper = std::make_unique<HelperEngine>(io, rows_of(role), config(role, LiveRoleKind::helper), accepts_rollback);
      helper->start();
    } else if (role == actor_id()) {
      ActorPeers peers;
      peers.parties = topology_.parties();
      peers.padding_event = [this] {
        EventId id{std::byte{0xff}};
        for (std::size_t b = 0; b < 8; ++b) id[b + 1] = static_cast<std::byte>(dummies_ >> (8 * b));
        ++dummies_;
        return id;
      };
      actor = std::make_unique<ActorEngine>(io, rows_of(role), config(role, LiveRoleKind::actor), peers);
      actor->start();
    } else if (role == rewarder_id()) {
      rewarder = std::make_unique<RewarderEngine>(io, rows_of(role), config(role, LiveRoleKind::rewarder));
      rewarder->start();
    } else {
      party.at(role) = std::make_unique<PartyEngine>(io, rows_of(role), config(role, LiveRoleKind::party),
                                                     FeatureValues(columns, .25), guards[role]);
      if (at_hand) party.at(role)->take_from(at_hand);
      party.at(role)->start();
    }
  }
  void kill(NodeId role) {
    if (role == net::dealer_id) dealer.reset();
    if (topology_.is_helper(role)) helper.reset();
    if (role == actor_id()) actor.reset();
    if (role == rewarder_id()) rewarder.reset();
    if (role < topology_.parties()) party.at(role).reset();
  }
  void kill_all() {
    for (const NodeId role : roles()) kill(role);
  }
  [[nodiscard]] const LiveService* service(NodeId role) const {
    if (role == net::dealer_id) return dealer.get();
    if (topology_.is_helper(role)) return helper.get();
    if (role == actor_id()) return actor.get();
    if (role == rewarder_id()) return rewarder.get();
    return party.at(role).get();
  }
  [[nodiscard]] bool all_ready() const {
    const auto all = roles();
    return std::all_of(all.begin(), all.end(), [&](NodeId role) {
      return service(role) != nullptr && service(role)->status().readiness == Readiness::ready;
    });
  }

  // Runs the event loop until `is_so` returns true. After 240 seconds, reports the roles' status and returns false.
  template <class Predicate>
  [[nodiscard]] bool run_until(Predicate is_so) {
    const auto end = net::Clock::now() + std::chrono::seconds(240);
    while (!is_so()) {
      io.run_for(std::chrono::milliseconds(5));
      if (net::Clock::now() < end) continue;
      for (const NodeId role : roles()) {
        if (service(role) == nullptr) continue;
        const LiveStatus status = service(role)->status();
        ADD_FAILURE() << status.role << ": number " << status.number << ", running " << status.running << ", queue "
                      << status.queue << ", pending " << status.pending << ", epoch " << status.epoch << ": "
                      << status.why;
      }
      return false;
    }
    return true;
  }
  // Runs until the role is refused with a text that contains `says`. Links of an earlier epoch may cause other messages
  // before the refusal.
  [[nodiscard]] bool run_until_refused(NodeId role, const std::string& says) {
    return run_until([&] {
      const LiveStatus status = service(role)->status();
      return status.readiness == Readiness::refused && status.why.find(says) != std::string::npos;
    });
  }

 private:
  Topology topology_;
  RandomnessBy preprocessing_;
  LiveSettings settings_;
  std::map<NodeId, Disk> disks_;
  std::map<NodeId, std::unique_ptr<MemoryRows>> rows_;
  std::map<NodeId, net::Address> addresses_;
  std::map<NodeId, int> ports_;
  std::uint64_t dummies_ = 0;
  std::map<NodeId, LiveRows*> other_rows_;

  [[nodiscard]] LiveRows& rows_of(NodeId role) {
    const auto other = other_rows_.find(role);
    return other == other_rows_.end() ? rows(role) : *other->second;
  }
  [[nodiscard]] EngineConfig config(NodeId role, LiveRoleKind kind) {
    EngineConfig config;
    config.settings = settings_;
    config.recovery_request = recovery_requests[role];
    config.convert = [this, role](std::span<const std::byte> imported, const BatchPlan& plan) {
      return encode(converted(decode_foreign_model(imported).value(), plan, settings_, role));
    };
    config.topology = topology_;
    config.self = role;
    config.kind = kind;
    config.role = net::peer_name(topology_, role);
    if (const auto seed = insecure_seeds.find(role); seed != insecure_seeds.end()) config.insecure_seed = seed->second;
    config.session = std::string(32, '7');
    config.config = "c0ff1e00";
    config.plan = [this](const net::Mesh&) { return plan(); };
    config.options.round_deadline = round_deadline;
    if (now) config.now = now;
    if (const auto clock = clocks.find(role); clock != clocks.end()) config.now = clock->second;
    config.observer.batch = [this](ProgramShape, LiveObserver::Phase phase, double seconds) {
      EXPECT_GE(seconds, 0);
      ++observed[static_cast<std::size_t>(phase)];
    };
    config.shortest_pause = std::chrono::milliseconds(5);
    config.longest_pause = std::chrono::milliseconds(200);
    config.connect = [this, role](net::Resume resume, const std::atomic<bool>& interrupted) {
      net::MeshConfig mesh{topology_, role, net::SessionId{std::byte{7}}, parameters(role), ""};
      mesh.resume = std::move(resume);
      mesh.addresses = addresses_;
      for (auto& [peer, address] : mesh.addresses) {
        if (cable && net::connects_to(topology_, role, peer)) address = cable(role, peer, address);
      }
      if (wrap) mesh.wrap = wrap(role);
      mesh.interrupted = &interrupted;
      mesh.starts_over = true;
      if (const auto port = ports_.find(role); port != ports_.end()) mesh.listener.emplace(dup(port->second));
      return net::set_up_mesh(std::move(mesh));
    };
    return config;
  }

 public:
  // Set the following members before a role is started.
  std::function<net::Address(NodeId from, NodeId to, const net::Address& to_address)>
      cable{};                                               // returns the address that role `from` connects to
  std::function<net::MeshConfig::Wrap(NodeId role)> wrap{};  // returns a wrapper for the role's links
  std::map<NodeId, std::function<LiveTime()>> clocks{};
  PartyService::AtHand at_hand{};  // returns the row that a party has in memory for a subject
  std::map<NodeId, PartyGuards> guards{};
  std::map<NodeId, std::uint64_t> insecure_seeds{};
  std::chrono::milliseconds round_deadline = std::chrono::seconds(60);
  bool accepts_rollback = false;  // whether dealer or helper accepts a rollback
  std::uint64_t steps = 1'000'000;
  std::function<std::string(NodeId)> parameters = [](NodeId) { return "a service"; };
  std::function<LiveTime()> now;  // the clock of all other roles; the system's clock if not set

  std::array<std::atomic<std::size_t>, 3> observed{};
  std::map<NodeId, RecoveryRequest> recovery_requests;  // the flags that the roles are started with
  net::Io io;
  std::unique_ptr<ActorEngine> actor;
  std::vector<std::unique_ptr<PartyEngine>> party;
  std::unique_ptr<RewarderEngine> rewarder;
  std::unique_ptr<DealerEngine> dealer;
  std::unique_ptr<HelperEngine> helper;
};

}  // namespace sotto::apps::live::testing
