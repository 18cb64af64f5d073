#include "apps/live/engine/witness_engines.h"

#include <stdexcept>
#include <utility>
#include <variant>

#include "sotto/protocol/mesh/driver/session.h"

namespace sotto::apps::live {

WitnessEngine::WitnessEngine(net::Io& io, LiveRows& rows, EngineConfig config, bool accept_rollback)
    : rows_(rows), core_(io, *this, std::move(config)), accept_rollback_(accept_rollback) {}

void WitnessEngine::view(const EventId&, Answered<std::optional<EventView>> answer) {
  core_.post([answer = std::move(answer)] { answer(CallResult<std::optional<EventView>>{}); });
}

void WitnessEngine::fill(LiveStatus& status) const {
  status.epoch = witness().epoch().epoch;
  status.number = witness().epoch().settled;
}

void DealerEngine::play(const Epoch& epoch) {
  core_.with_role([&] {
    dealer_->open(epoch.opening, epoch.mesh.session());
    accept_rollback_ = false;
  });
  net::DealerSession session(epoch.mesh, epoch.options, longest_order_message(core_.config().settings),
                             core_.config().insecure_seed);
  core_.say_open();
  for (;;) {
    const std::optional<DealtProgram> program = core_.with_role([&] { return dealer_->next(); });
    if (program) {
      deal(epoch, session, *program);
      continue;
    }
    const net::SessionEvent event = session.wait(core_.wake(), core_.until({}));
    if (event.kind == net::SessionEvent::Kind::message) {
      core_.say_heard(event.from);
      receive(epoch, event.from, decode_message(epoch.mesh.topology(), event.from, event.bytes).frame);
    } else if (event.kind == net::SessionEvent::Kind::finished) {
      refuse_message(epoch.mesh.topology(), event.from, "ends what has no end");
    } else if (event.kind == net::SessionEvent::Kind::woken) {
      core_.clear_wake();
      if (epoch.options.interrupted->load()) throw Interrupted();
    }
  }
}

void DealerEngine::receive(const Epoch& epoch, NodeId from, const OrderFrame& frame) {
  if (from != epoch.mesh.topology().outside_node()) {
    refuse_message(epoch.mesh.topology(), from, "has nothing to say to the dealer");
  }
  const auto* const plan = std::get_if<PlanFrame>(&frame);
  const auto* const skip = std::get_if<SkipFrame>(&frame);
  if (plan == nullptr && skip == nullptr) {
    refuse_message(epoch.mesh.topology(), from, "tells the dealer what is not for it");
  }
  core_.with_role([&] {
    if (plan != nullptr) dealer_->plan(*plan);
    if (skip != nullptr) dealer_->skip(*skip);
  });
  core_.count([&](LiveCounters& counters) { counters.programs_skipped += skip == nullptr ? 0 : 1; });
}

void DealerEngine::deal(const Epoch& epoch, net::DealerSession& session, const DealtProgram& program) {
  if (program.program != session.programs() + 1) throw std::logic_error("a program out of its turn");
  const std::uint64_t before = session.statistics().dealt_bytes;
  (void)session.deal([&](Party& party) { return play_shape(party, epoch.plan, program.shape); });
  const std::size_t ahead = core_.with_role([&] { return dealer_->ahead(); });
  core_.count([&](LiveCounters& counters) {
    ++counters.programs_dealt;
    counters.programs_ahead = ahead;
    counters.dealt_bytes += session.statistics().dealt_bytes - before;
  });
}

void HelperEngine::play(const Epoch& epoch) {
  core_.with_role([&] {
    witness_->open(epoch.opening, epoch.mesh.session());
    accept_rollback_ = false;
  });
  NodeEpoch node(core_, epoch);
  core_.say_open();
  for (;;) {
    if (const auto received = node.wait(core_.until({}))) receive(node, received->first, received->second);
  }
}

void HelperEngine::receive(NodeEpoch& node, NodeId from, const OrderMessage& message) {
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
