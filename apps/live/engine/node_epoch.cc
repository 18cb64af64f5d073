#include "apps/live/engine/node_epoch.h"

#include <fmt/format.h>

#include <stdexcept>

#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/preprocessing/program_role.h"
#include "sotto/protocol/preprocessing/run_with_randomness.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::live {

NodeEpoch::NodeEpoch(EngineCore& core, const Epoch& epoch)
    : core_(core),
      epoch_(epoch),
      session_(epoch.mesh, epoch.options, longest_order_message(core.config().settings)),
      programs_(epoch.mesh.topology().has_dealer()),
      before_(core.counters()) {
  if (!topology().has_dealer()) agree_on_keys();
}

void NodeEpoch::agree_on_keys() {
  const std::string label = protocols::expansion_label(net::text_of(epoch_.mesh.session()), epoch_.opening.epoch);
  auto agreed = session_.run(net::sha256("keys of the epoch"), [&](Party& party) {
    protocols::OwnRandomness own = protocols::draw_own_randomness(party, label, core_.config().insecure_seed);
    return agree_on_lanes(party, plan(), std::move(own.secret), std::move(own.label));
  });
  prepared_ = std::make_unique<PreparedPrograms>(session_, topology(), plan(), std::move(agreed.result), label);
}

void NodeEpoch::send(NodeId peer, const OrderFrame& frame) { relay(peer, OrderMessage{self(), frame}); }

void NodeEpoch::relay(NodeId peer, const OrderMessage& message) { session_.send(peer, encode(message)); }

std::optional<std::pair<NodeId, OrderMessage>> NodeEpoch::wait(net::Clock::time_point end,
                                                               const ProgramShape* awaited) {
  const auto spin = awaited == nullptr ? std::nullopt : spin_in(*awaited);
  const net::SessionEvent event = session_.wait(core_.wake(), end, spin.value_or(std::chrono::microseconds{}));
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

void NodeEpoch::plan(const PlanFrame& frame) {
  programs_.plan(frame);
  if (!prepared_) return;
  to_prepare_.push_back(frame);
  if (!is_expected_) go_on_preparing();
}

void NodeEpoch::expect(const OrderEntry& proposed) { is_expected_ = proposed.shape.kind == EntryKind::decide; }

// Call only when no proposed decide is still to be run.
void NodeEpoch::go_on_preparing() {
  is_expected_ = false;
  for (const PlanFrame& frame : std::exchange(to_prepare_, {})) prepared_->prepare(frame);
}

void NodeEpoch::skip(const SkipFrame& frame) {
  const ProgramShape shape = programs_.skip(frame);
  if (prepared_) {
    prepared_->drop(frame.program);
  } else {
    session_.skip(rounds_of(plan(), shape));
  }
  core_.count([&](LiveCounters& counters) {
    ++counters.programs_skipped;
    if (prepared_) counters.prepared->ahead = prepared_->there();
  });
}

void NodeEpoch::check_turn(std::uint64_t program) const {
  if (!prepared_ && program != session_.programs() + 1) throw std::logic_error("a program out of its turn");
}

void NodeEpoch::take(const OrderEntry& entry) {
  programs_.take(entry);
  check_turn(entry.program);
}

void NodeEpoch::pass(const OrderEntry& entry) {
  take(entry);
  if (!prepared_) return session_.skip(rounds_of(plan(), entry.shape));
  // A helper first waits until the entry's program is prepared. Otherwise the helper would send frames of later
  // preparations before frames that the parties need for this entry.
  if (topology().is_helper(self())) wait_for(entry.program);
  session_.skip(prepared_->size_of(entry.shape).rounds);
  prepared_->drop(entry.program);
  go_on_preparing();
  note_costs();
}

void NodeEpoch::wait_for(std::uint64_t program) {
  if (prepared_->has(program)) return;
  const auto begin = net::Clock::now();
  session_.wait_for_concurrent([&] { return prepared_->has(program); });
  const std::chrono::duration<double> passed = net::Clock::now() - begin;
  core_.count([&](LiveCounters& counters) {
    ++counters.prepared->waited;
    counters.prepared->seconds_waited += passed.count();
  });
}

net::Digest NodeEpoch::digest_of_draws(std::uint64_t drawn) { return net::sha256(fmt::format("draws {:x}", drawn)); }

net::Digest NodeEpoch::in_step(const net::Digest& openings) const {
  const net::Digest drawn = playing_ == nullptr ? drawn_ : digest_of_draws(playing_->digest());
  if (openings == net::Digest{}) return drawn;
  return net::sha256(hex(drawn) + hex(openings));
}

std::size_t NodeEpoch::longest_frame(const ProgramShape& shape) {
  if (shape.from.any()) return longest_learn_frame(topology(), plan(), shape);
  const auto known = longest_frames_.find(shape.size);
  if (known != longest_frames_.end()) return known->second;
  return longest_frames_[shape.size] = longest_learn_frame(topology(), plan(), shape);
}

void NodeEpoch::begin(const BeginFrame& learn, bandit::LearnInputs inputs,
                      std::function<void(bandit::LearnResult)> done) {
  programs_.take(learn);
  check_turn(learn.program);
  inputs.size = learn.shape.size;
  inputs.from = learn.shape.from;
  const auto begun = net::Clock::now();
  const auto ended = [this, shape = learn.shape, begun, done = std::move(done)](bandit::LearnResult result) {
    const std::chrono::duration<double> passed = net::Clock::now() - begun;
    const LiveObserver& observer = core_.config().observer;
    if (observer.batch) observer.batch(shape, LiveObserver::Phase::rounds, passed.count());
    done(std::move(result));
  };
  if (prepared_) return begin_prepared(learn, std::move(inputs), ended);
  auto body = [this, inputs = std::move(inputs)](Party& party) mutable {
    return run_learn(party, plan(), std::move(inputs));
  };
  session_.begin(digest_of(learn), net::ConcurrentSize{rounds_of(plan(), learn.shape), longest_frame(learn.shape)},
                 std::move(body), ended);
}

template <class Ended>
void NodeEpoch::begin_prepared(const BeginFrame& learn, bandit::LearnInputs inputs, Ended ended) {
  auto body = [this, program = learn.program, inputs = std::move(inputs)](Party& party) mutable {
    auto alone = [this, inputs = std::move(inputs)](Party& at) mutable {
      return run_learn(at, plan(), std::move(inputs));
    };
    return protocols::run_prepared(party, prepared_->take(program), std::move(alone));
  };
  const auto confirmed = [ended = std::move(ended)](protocols::PreparedRun<bandit::LearnResult> run) {
    const std::string_view opened(reinterpret_cast<const char*>(run.result.public_words.data()), sizeof(net::Digest));
    run.result.public_words = net::sha256(fmt::format("{}, draws {:x}", opened, run.drawn));
    ended(std::move(run.result));
  };
  session_.begin(digest_of(learn), prepared_->size_of(learn.shape), std::move(body), confirmed,
                 [this, program = learn.program] { return prepared_->has(program); });
}

// Small decides spin, because their frames arrive sooner than a thread can fall asleep and wake up.
std::optional<std::chrono::microseconds> NodeEpoch::spin_in(const ProgramShape& shape) const {
  constexpr std::uint32_t small = 16;
  if (shape.kind != EntryKind::decide || shape.size > small) return std::nullopt;
  return core_.config().spin_in_small_decides;
}

void NodeEpoch::note_costs() {
  const net::NodeStatistics statistics = session_.statistics();
  core_.count([&](LiveCounters& counters) {
    counters.dealt_bytes = before_.dealt_bytes + statistics.dealt_bytes;
    if (prepared_) {
      counters.prepared->programs = before_.prepared->programs + prepared_->made();
      counters.prepared->ahead = prepared_->there();
    }
    for (const NodeId peer : net::peers_of(topology(), self())) {
      if (peer == net::dealer_id) continue;
      const std::string name = net::peer_name(topology(), peer);
      const auto before = before_.bytes_sent.find(name);
      counters.bytes_sent[name] =
          statistics.bytes_sent.at(peer) + (before == before_.bytes_sent.end() ? 0 : before->second);
    }
  });
}

}  // namespace sotto::apps::live
