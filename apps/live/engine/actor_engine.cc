// The functions of the actor's engine that play an epoch.
#include "apps/live/engine/actor_engine.h"

#include <algorithm>
#include <thread>
#include <variant>

#include "sotto/protocol/mesh/peers.h"

namespace sotto::apps::live {
namespace {

constexpr std::uint64_t learn_head_start = 30;  // ms
constexpr std::chrono::milliseconds next_look{50};

}  // namespace

ActorEngine::ActorEngine(net::Io& io, LiveRows& rows, EngineConfig config, ActorPeers peers)
    : rows_(rows), peers_(std::move(peers)), core_(io, *this, std::move(config)) {
  peers_.has_dealer = core_.config().topology.has_dealer();
  if (peers_.has_dealer) peers_.learn_head_start = learn_head_start;
  peers_.has_helper = core_.config().topology.has_helper();
}

ActorEngine::~ActorEngine() { core_.stop(); }

void ActorEngine::make() {
  actor_ = std::make_unique<LiveActor>(rows_, settings(), peers_, core_.config().recovery_request);
  actor_->begin_figures(core_.now());
  AskReplies refused;
  for (const AskedEvents::Request& asked : asked_.requests()) {
    DecisionRequest request = asked.request;
    request.deadline = std::max<LiveTime>(asked.deadline - asked.asked, 1);
    const AskResult result = actor_->ask(request, asked.asked);
    if (result.status == AskStatus::pending || result.status == AskStatus::answered) continue;
    asked_.resolve(asked.request.event, AskReply{result.status, std::nullopt, false}, refused, poster());
  }
  refused.give(poster());
  actor_->set_draining(draining_);
  if (wanted_mode_) actor_->change_mode(*wanted_mode_);
  if (wants_snapshot()) actor_->take_snapshot();
  send_known_batches();
}

LiveStatus ActorEngine::status() const {
  LiveStatus status = core_.status();
  if (status.readiness == Readiness::ready && status.draining) {
    status.readiness = Readiness::draining;
    status.why = "it is drained: no events are taken";
  }
  return status;
}

void ActorEngine::fill(LiveStatus& status) const {
  fill_order(status, *actor_);
  const OrderBook& book = actor_->book();
  status.checkpoint = book.last().mark.id;
  status.queue = actor_->queued();
  status.draining = draining_;
  status.drained = actor_->is_drained();
  status.snapshots = book.snapshots();
  const ClockTurns& turns = actor_->clock_turns();
  status.clock_turns = turns.times;
  status.clock_ahead = core_.now() < turns.at + settings().reward_wait ? turns.ahead : 0;
}

void ActorEngine::report_figures(LiveCounters& counters) const {
  fill_figures(counters, *actor_);
  const CallFigures& figures = actor_->figures();
  counters.decided = figures.decided;
  counters.baselines = figures.baselines;
  counters.rejected = figures.rejected;
  counters.arms = figures.arms;
  counters.padding = actor_->book().last().tally.padding;
}

void ActorEngine::play(const Epoch& epoch) {
  NodeEpoch node(core_, epoch);
  open(node, epoch);
  core_.say_open();
  for (;;) turn(node);
}

// The frame `ran` may come at any time, so this function handles it.
std::optional<std::pair<NodeId, OrderFrame>> ActorEngine::receive_until(NodeEpoch& node, net::Clock::time_point end,
                                                                        const ProgramShape* awaited) {
  auto received = node.wait(end, awaited);
  if (!received) return std::nullopt;
  const NodeId origin = received->second.origin;
  const auto* const ran = std::get_if<RanFrame>(&received->second.frame);
  if (ran == nullptr) return std::pair{origin, std::move(received->second.frame)};
  if (origin >= node.topology().parties()) refuse_message(node.topology(), origin, "says what only parties say");
  core_.with_role([&] { actor_->ran(origin, *ran); });
  return std::nullopt;
}

std::pair<NodeId, OrderFrame> ActorEngine::receive(NodeEpoch& node, const ProgramShape* awaited) {
  for (;;) {
    if (auto received = receive_until(node, core_.until({}), awaited)) return std::move(*received);
  }
}

void ActorEngine::open_role(const Epoch& epoch, std::vector<RestateFrame> restated) {
  core_.with_role([&] {
    if (!actor_->lacks(epoch.opening)) restated.clear();
    actor_->open(epoch.opening, epoch.mesh.session(), restated, core_.now());
  });
}

void ActorEngine::open(NodeEpoch& node, const Epoch& epoch) {
  std::map<NodeId, RestateFrame> restated;
  std::set<NodeId> all_known, opened;
  const std::size_t parties = node.topology().parties();
  const auto& recovery = epoch.opening.recovery;
  const bool is_lost = recovery && recovery->recovery.actor;
  bool is_open = false;
  while (!is_open || opened.size() < parties + 1) {
    const bool waits =
        recovery ? is_lost && all_known.size() < parties : epoch.opening.number > 0 && restated.size() < parties;
    if (!is_open && !waits) {
      std::vector<RestateFrame> frames;
      frames.reserve(restated.size());
      for (auto& [party, frame] : restated) frames.push_back(std::move(frame));
      open_role(epoch, std::move(frames));
      is_open = true;
      continue;
    }
    auto [origin, frame] = receive(node);
    auto* const restate = std::get_if<RestateFrame>(&frame);
    const auto* const known = std::get_if<KnownFrame>(&frame);
    const auto* const says_open = std::get_if<OpenedFrame>(&frame);
    if (restate != nullptr && origin < parties && !recovery && epoch.opening.number > 0) {
      restated[origin] = std::move(*restate);
    } else if (known != nullptr && origin < parties && is_lost && !is_open) {
      core_.with_role([&] { actor_->adopt(*known); });
      if (known->last) all_known.insert(origin);
    } else if (says_open != nullptr && origin != net::dealer_id && says_open->epoch == epoch.opening.epoch) {
      opened.insert(origin);
    } else {
      refuse_message(node.topology(), origin, "says what is not due while an epoch is opened");
    }
  }
  core_.with_role([&] {
    give(actor_->all_ready());
    send_known_batches();
    end_orders();
  });
}

void ActorEngine::notify_parties(NodeEpoch& node, const OrderFrame& frame) const {
  for (NodeId party = 0; party < node.topology().parties(); ++party) node.send(party, frame);
}

void ActorEngine::notify_players(NodeEpoch& node, const OrderFrame& frame) const {
  notify_parties(node, frame);
  if (!node.topology().has_helper()) return;
  const auto* const propose = std::get_if<ProposeFrame>(&frame);
  if (propose == nullptr) return node.send(node.topology().helper(), frame);
  if (propose->entry.shape.kind != EntryKind::decide) return;
  OrderEntry bare;
  bare.number = propose->entry.number;
  bare.program = propose->entry.program;
  bare.shape = propose->entry.shape;
  node.send(node.topology().helper(), ProposeFrame{std::move(bare)});
}

void ActorEngine::send_plan(NodeEpoch& node, const PlanFrame& plan) const {
  notify_players(node, plan);
  if (node.topology().has_dealer()) node.send(net::dealer_id, plan);
  node.plan(plan);
}

void ActorEngine::turn(NodeEpoch& node) {
  std::optional<PlanFrame> plan, next_plan;
  std::optional<Proposal> proposal;
  std::optional<SettledFrame> settled;
  std::optional<LiveTime> next, due;
  bool blocked = false;
  core_.with_role([&] {
    const LiveTime now = core_.now();
    work_on_asks(now);
    plan = actor_->plan(now);
    proposal = actor_->propose(now);
    if (proposal && !proposal->begin && !actor_->can_plan_later()) next_plan = actor_->plan(now);
    if (!proposal) settled = actor_->settle(now);
    next = actor_->next_turn();
    blocked = next && *next <= now;
    due = next_due();
  });
  if (plan) send_plan(node, *plan);
  if (settled) notify_parties(node, *settled);
  if (!proposal) {
    core_.wake_calls_by(due);
    return wait_idly(node, blocked ? net::Clock::now() + next_look : core_.until(next));
  }
  for (const SkipFrame& skip : proposal->skips) {
    notify_players(node, skip);
    if (node.topology().has_dealer()) node.send(net::dealer_id, skip);
    node.skip(skip);
  }
  if (proposal->begin) return begin_learn(node, *proposal->begin);
  notify_players(node, proposal->propose);
  std::this_thread::yield();
  node.expect(proposal->propose.entry);
  if (next_plan) send_plan(node, *next_plan);
  core_.wake_calls_by(due);  // called only now, so that the engine sends the entry first
  run(node, proposal->propose.entry);
}

void ActorEngine::wait_idly(NodeEpoch& node, net::Clock::time_point end) {
  is_idle_ = true;
  try {
    if (const auto received = receive_until(node, end)) {
      refuse_message(node.topology(), received->first, "speaks while no number is on its way");
    }
  } catch (...) {
    is_idle_ = false;
    throw;
  }
  is_idle_ = false;
}

void ActorEngine::run(NodeEpoch& node, const OrderEntry& entry) {
  if (entry.shape.secret) {
    agree(node, entry);
  } else if (entry.shape.kind == EntryKind::decide) {
    decide(node, entry);
  }
  core_.timed(entry.shape, LiveObserver::Phase::wait, [&] { wait_for_all(node, entry.shape); });
  core_.timed(entry.shape, LiveObserver::Phase::store, [&] { commit(); });
}

void ActorEngine::wait_for_all(NodeEpoch& node, const ProgramShape& shape) {
  for (bool all = false; !all;) {
    const auto [origin, frame] = receive(node, &shape);
    const auto* const done = std::get_if<DoneFrame>(&frame);
    if (done == nullptr) refuse_message(node.topology(), origin, "does not say that it has done the number");
    all = core_.with_role([&, from = origin] { return actor_->done(from, *done); });
  }
}

void ActorEngine::decide(NodeEpoch& node, const OrderEntry& entry) {
  bandit::DecideInputs inputs;
  inputs.size = entry.shape.size;
  bandit::DecideResult result =
      node.run(entry, [&](Party& party) { return run_decide(party, node.plan(), std::move(inputs)); });
  core_.with_role([&] { actor_->set_arms(std::move(result.arms)); });
}

void ActorEngine::agree(NodeEpoch& node, const OrderEntry& entry) {
  bandit::AgreeInputs inputs;
  inputs.size = entry.shape.size;
  inputs.played = core_.with_role([&] { return actor_->own_arms(); });
  const bandit::AgreeResult result =
      node.run(entry, [&](Party& party) { return run_agree(party, node.plan(), std::move(inputs)); });
  core_.with_role([&] { actor_->set_answered(result.shown); });
}

void ActorEngine::begin_learn(NodeEpoch& node, const BeginFrame& learn) {
  notify_players(node, learn);
  bandit::LearnInputs inputs;
  core_.with_role([&] {
    inputs.arms = actor_->played_arms();
    LiveActor::LiftPlayed played = actor_->lift_played();
    inputs.lift.told = std::move(played.told);
    inputs.lift.base = std::move(played.base);
  });
  const auto self = static_cast<NodeId>(node.topology().parties());
  node.begin(learn, std::move(inputs), [this, self, program = learn.program](bandit::LearnResult result) {
    core_.with_role([&] {
      actor_->set_lift(std::move(result.shown_lift));
      actor_->ran(self, RanFrame{program});
    });
  });
}

void ActorEngine::commit() {
  core_.with_role([&] {
    const std::vector<LiveAnswer> answers = actor_->commit(core_.now());
    give(answers);
    end_orders();
  });
  core_.with_role([&] { rows_.at_rest(); });
}

}  // namespace sotto::apps::live
