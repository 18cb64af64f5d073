#include "apps/live/engine/helper_engine.h"

#include <utility>
#include <variant>

namespace sotto::apps::live {

HelperEngine::HelperEngine(net::Io& io, LiveRows& rows, EngineConfig config, bool accept_rollback)
    : rows_(rows), core_(io, *this, std::move(config)), accept_rollback_(accept_rollback) {}

HelperEngine::~HelperEngine() { core_.stop(); }

void HelperEngine::view(const EventId&, Answered<std::optional<EventView>> answer) {
  core_.post([answer = std::move(answer)] { answer(CallResult<std::optional<EventView>>{}); });
}

void HelperEngine::make() { witness_ = std::make_unique<LiveWitness>(rows_, "the helper", accept_rollback_); }

void HelperEngine::fill(LiveStatus& status) const {
  status.epoch = witness_->epoch().epoch;
  status.number = witness_->epoch().settled;
}

void HelperEngine::play(const Epoch& epoch) {
  core_.with_role([&] {
    witness_->open(epoch.opening, epoch.mesh.session());
    accept_rollback_ = false;
  });
  NodeEpoch node(core_, epoch);
  core_.say_open();
  for (;;) {
    if (const auto heard = node.wait(core_.until({}))) hear(node, heard->first, heard->second);
  }
}

void HelperEngine::hear(NodeEpoch& node, NodeId from, const OrderMessage& message) {
  if (from != node.actor()) refuse_message(node.topology(), from, "has nothing to say to the helper");
  if (const auto* const plan = std::get_if<PlanFrame>(&message.frame)) {
    core_.with_role([&] { witness_->plan(*plan); });
    return node.plan(*plan);
  }
  if (const auto* const skip = std::get_if<SkipFrame>(&message.frame)) return node.skip(*skip);
  if (const auto* const learn = std::get_if<BeginFrame>(&message.frame)) {
    return node.begin(*learn, {}, [this](const bandit::LearnResult&) {
      core_.count([](LiveCounters& counters) { ++counters.learns; });
    });
  }
  const auto* const propose = std::get_if<ProposeFrame>(&message.frame);
  if (propose == nullptr || propose->entry.shape.kind != EntryKind::decide || !propose->entry.events.empty()) {
    refuse_message(node.topology(), from, "tells the helper what is not for it");
  }
  core_.count([](LiveCounters& counters) { ++counters.decides; });
  node.pass(propose->entry);
}

}  // namespace sotto::apps::live
