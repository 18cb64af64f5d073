#include "sotto/apps/bandit/live/engine/node_epoch.h"

#include <stdexcept>

#include "sotto/net/mesh/peers.h"

namespace sotto::apps {

NodeEpoch::NodeEpoch(EngineCore& core, const Epoch& epoch)
    : core_(core),
      epoch_(epoch),
      session_(epoch.mesh, epoch.options, longest_order_message(core.config().settings)),
      before_(core.counters()) {}

void NodeEpoch::tell(NodeId peer, const OrderFrame& frame) { relay(peer, OrderMessage{self(), frame}); }

void NodeEpoch::relay(NodeId peer, const OrderMessage& message) { session_.tell(peer, encode(message)); }

std::optional<std::pair<NodeId, OrderMessage>> NodeEpoch::wait(net::Clock::time_point end) {
  const net::SessionEvent event = session_.wait(core_.wake(), end);
  switch (event.kind) {
    case net::SessionEvent::Kind::message:
      core_.say_heard(event.from);
      return std::pair{event.from, decode_message(topology(), event.from, event.bytes)};
    case net::SessionEvent::Kind::finished:
      refuse_message(topology(), event.from, "ends what has no end");
    case net::SessionEvent::Kind::woken:
      core_.clear_wake();
      if (epoch_.options.interrupted->load()) throw Interrupted();
      break;
    case net::SessionEvent::Kind::ended:
      note_costs();
      break;
    case net::SessionEvent::Kind::late:
      break;
  }
  return std::nullopt;
}

void NodeEpoch::skip(const SkipFrame& frame) {
  session_.skip(rounds_of(plan(), programs_.skip(frame)));
  core_.count([](LiveCounters& counters) { ++counters.programs_skipped; });
}

// Programs of the order count from 1, those of a session from 0.
void NodeEpoch::check_turn(std::uint64_t program) const {
  if (program != session_.programs() + 1) throw std::logic_error("a program out of its turn");
}

void NodeEpoch::take(const OrderEntry& entry) {
  programs_.take(entry);
  check_turn(entry.program);
}

void NodeEpoch::pass(const OrderEntry& entry) {
  take(entry);
  session_.skip(rounds_of(plan(), entry.shape));
}

std::size_t NodeEpoch::longest_frame(std::size_t size) {
  const auto known = longest_frames_.find(size);
  if (known != longest_frames_.end()) return known->second;
  return longest_frames_[size] = longest_learn_frame(topology(), plan(), size);
}

void NodeEpoch::begin(const BeginFrame& learn, LearnInputs inputs, std::function<void(LearnResult)> done) {
  programs_.take(learn);
  check_turn(learn.program);
  inputs.size = learn.shape.size;
  const auto begun = net::Clock::now();
  const auto ended = [this, shape = learn.shape, begun, done = std::move(done)](LearnResult result) {
    const std::chrono::duration<double> passed = net::Clock::now() - begun;
    const LiveObserver& observer = core_.config().observer;
    if (observer.batch) observer.batch(shape, LiveObserver::Phase::rounds, passed.count());
    done(std::move(result));
  };
  auto body = [this, inputs = std::move(inputs)](Party& party) mutable {
    return run_learn(party, plan(), std::move(inputs));
  };
  session_.begin(digest_of(learn), net::BesideSize{rounds_of(plan(), learn.shape), longest_frame(learn.shape.size)},
                 std::move(body), ended);
}

// The frames of a small decide come within the time that it takes to fall asleep and to be woken.
std::optional<std::chrono::microseconds> NodeEpoch::spin_in(const ProgramShape& shape) const {
  constexpr std::uint32_t small = 16;
  if (shape.kind != EntryKind::decide || shape.size > small) return std::nullopt;
  return core_.config().spin_in_small_decides;
}

void NodeEpoch::note_costs() {
  const net::NodeStatistics statistics = session_.statistics();
  core_.count([&](LiveCounters& counters) {
    counters.dealt_bytes = before_.dealt_bytes + statistics.dealt_bytes;
    for (const NodeId peer : net::peers_of(topology(), self())) {
      if (peer == net::dealer_id) continue;
      const std::string name = net::peer_name(topology(), peer);
      const auto before = before_.bytes_sent.find(name);
      counters.bytes_sent[name] =
          statistics.bytes_sent.at(peer) + (before == before_.bytes_sent.end() ? 0 : before->second);
    }
  });
}

}  // namespace sotto::apps
