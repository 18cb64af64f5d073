// The possible next steps of a World, and the properties that are checked on the way.
//
//   one-arm     no event gets two different answers
//   shown       the actor never sees two draws of the arm of an event
//   durable     no caller gets an arm unless actor, parties and rewarder have its decide on their disks
//   once        no event is learned twice
//   fresh       the randomness of a program serves one transcript, or none if the program is skipped
//   version     all roles in a program use the same model, and a learn leaves them with one model
//   reward      the reward that was acknowledged is the reward that is learned
//   kept        a given answer is never rolled back
//   old-copy    a copy that lacks two committed numbers or more is refused
//   no-refusal  without an old copy no role refuses anything
//   frozen      a batch that is decided while the mode is frozen is never learned
//   witness     a number that the dealer has received is not rolled back, even if all other roles have old disks
//
// A last property, all-learned, is checked when all states are known: the end can be reached from every state.
#pragma once

#include "tests/exploration/world.h"

namespace sotto::apps::testing {

using namespace sotto::apps::bandit;
using namespace sotto::apps::live;

[[nodiscard]] inline bool is_of(const RowKey& key, LiveTable table) { return key.table == table; }

class Steps {
 public:
  struct Step {
    std::string label;
    bool is_fault;
    World world;
  };

  explicit Steps(const Bounds& bounds) : bounds_(bounds), settings_(explored_settings(bounds)) {
    for (std::size_t role = 0; role < live_roles; ++role) spoil(role);
  }

  [[nodiscard]] World beginning() const {
    World world;
    world.crashes = bounds_.crashes;
    world.baseline = bounds_.baseline;
    world.reward = bounds_.reward;
    world.snapshot = bounds_.snapshot;
    return world;
  }

  // of() returns all possible next steps, and throws Violation. of() and is_goal() bind the roles to the world's disks,
  // and change nothing else in the world.
  [[nodiscard]] std::vector<Step> of(World& world);
  [[nodiscard]] bool is_goal(World& world);
  [[nodiscard]] std::array<std::uint64_t, 2> state_key(const World& world);

 private:
  template <class Action>
  void add(const World& world, std::string label, bool is_fault, Action action) {
    Step step{std::move(label), is_fault, world};
    bind(step.world);
    try {
      action(step.world);
    } catch (const Error& error) {
      throw Violation(step.label + ": no-refusal: " + error.what());
    } catch (const std::logic_error& error) {
      throw Violation(step.label + ": no-refusal: " + error.what());
    }
    steps_.push_back(std::move(step));
  }

  void bind(World& world) {
    for (std::size_t role = 0; role < live_roles; ++role) rows_[role].use(world.disks[role]);
  }
  void spoil(std::size_t role);

  // The role is copied first, because worlds share roles.
  LiveActor& actor(World& w) {
    w.actor = w.actor ? std::make_shared<LiveActor>(*w.actor)
                      : std::make_shared<LiveActor>(rows_[actor_role], settings_, ActorPeers{}, w.wishes[actor_role]);
    return *w.actor;
  }
  LiveParty& party(World& w, std::size_t role) {
    auto& party = w.parties.at(role - party_0);
    party = party ? std::make_shared<LiveParty>(*party)
                  : std::make_shared<LiveParty>(rows_[role], settings_, FeatureValues{0.0}, LiveParty::Noise(),
                                                w.wishes.at(role));
    return *party;
  }
  LiveRewarder& rewarder(World& w) {
    w.rewarder = w.rewarder ? std::make_shared<LiveRewarder>(*w.rewarder)
                            : std::make_shared<LiveRewarder>(rows_[rewarder_role], settings_, w.wishes[rewarder_role]);
    return *w.rewarder;
  }
  LiveDealer& dealer(World& w) {
    w.dealer = w.dealer ? std::make_shared<LiveDealer>(*w.dealer) : std::make_shared<LiveDealer>(rows_[dealer_role]);
    return *w.dealer;
  }
  void forget(World& w, std::size_t role);
  // Puts the role in its state between two epochs. A role other than the actor remembers only what is on its disk.
  void leave(World& w, std::size_t role) {
    if (role != actor_role || bounds_.seeded == Seeded::drop_not_stored) return forget(w, role);
    actor(w).leave_epoch();
    w.phase.at(role) = 0;
    w.concurrent.at(role) = 0;
    w.lesson.clear();
  }

  [[nodiscard]] OrderNumber last_of(const Disk& disk) const;
  [[nodiscard]] std::size_t asked_on(const Disk& disk) const;
  [[nodiscard]] LiveHistory history(World& w, std::size_t role);
  [[nodiscard]] LiveOpening agree(World& w);
  void check_opening(const World& w, const LiveOpening& opening) const;
  void enter(World& w, std::size_t role, std::uint64_t program, const net::Digest& about);
  void enter(World& w, std::size_t role, const OrderEntry& entry);
  void tell(World& w, const LiveAnswer& answer) const;
  void tell_all(World& w);
  void check_reward(const World& w) const;
  [[nodiscard]] bool rounds_can_end(const World& w) const;
  [[nodiscard]] PartyOutcome outcome(World& w, std::size_t role);
  [[nodiscard]] std::vector<std::byte> lesson(World& w);
  [[nodiscard]] std::vector<std::byte> learned_model(World& w, std::size_t role);

  void faults(const World& w);
  void memories(const World& w);
  void losses(const World& w);
  void lose(World& w, LiveRole role);
  void rollbacks(const World& w);
  void take_known(World& w, std::size_t role);
  void epochs(const World& w);
  void open(World& w, std::size_t role);
  [[nodiscard]] bool can_open(const World& w, std::size_t role);
  void callers(const World& w);
  void order(const World& w);
  void proposals(const World& w);
  void deal(World& w);
  void concurrent(const World& w);
  void followers(const World& w, const OrderEntry& entry);

  Bounds bounds_;
  LiveSettings settings_;
  std::array<MemoryRows, live_roles> rows_;
  std::vector<Step> steps_;
};

}  // namespace sotto::apps::testing
