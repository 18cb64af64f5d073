#include "sotto/protocol/mesh/driver/session.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "net/mesh/driver/play.h"
#include "sotto/protocol/mesh/driver/run.h"

namespace sotto::net {
namespace {

using protocols::ProgramRole;

std::string label_of(const Mesh& mesh, std::uint32_t epoch, std::uint64_t program) {
  return fmt::format("{}, program {}", protocols::expansion_label(text_of(mesh.session()), epoch), program);
}

std::uint64_t digest_of(const Mesh& mesh, std::uint32_t epoch, std::uint64_t program, const Digest& entry) {
  const std::string_view about(reinterpret_cast<const char*>(entry.data()), entry.size());
  const Digest digest = sha256(fmt::format("{}, about {}", label_of(mesh, epoch, program), about));
  std::uint64_t word;
  std::memcpy(&word, digest.data(), sizeof word);
  return word;
}

void take_messages(const Mesh& mesh, std::size_t longest) {
  for (const auto& link : mesh.links()) link->take_messages(longest);
}

void post(Mesh& mesh, NodeId peer, std::uint64_t number, std::span<const std::byte> message) {
  Link& link = mesh.link(peer);
  link.post(FrameType::message, number, message);
  link.flush();
}

enum class Side : std::uint8_t { none, plays, ended };

// `step` returns whether any program of play_concurrent() has ended.
template <class Step, class Number>
SessionEvent next_event(Mesh& mesh, Watch& watch, const Step& step, const Number& number, int wake,
                        Clock::time_point end, std::chrono::microseconds spin = {}) {
  const Clock::time_point spins_until = Clock::now() + spin;
  bool woken = false;
  for (bool has_looked = false;; has_looked = true) {
    const Side concurrent = step();
    if (concurrent == Side::ended) return {SessionEvent::Kind::ended};
    for (const auto& link : mesh.links()) {
      if (auto message = link->take_message()) {
        return {SessionEvent::Kind::message, link->peer(), std::move(*message)};
      }
    }
    const auto& links = mesh.links();
    const auto finished = std::find_if(links.begin(), links.end(), [](const auto& link) { return link->finished(); });
    const bool has_finished = concurrent == Side::none && finished != links.end();
    const Clock::time_point now = Clock::now();
    const bool spins = now < spins_until;
    // Events that have already happened are returned first, even after the deadline.
    if (has_looked) {
      if (has_finished) return {SessionEvent::Kind::finished, (*finished)->peer()};
      if (woken) return {SessionEvent::Kind::woken};
      if (now >= end) return {SessionEvent::Kind::late};
      if (spins) sched_yield();
    }
    woken = watch.idle(number(), wake, has_finished || spins ? now : end);
  }
}

}  // namespace

struct NodeSession::Parts {
  DriverOptions options;
  std::vector<std::unique_ptr<Concurrent>> concurrent;  // must outlive `node`
  NodePlay node;
  std::optional<Seed> seed;  // only with a dealer
};

NodeSession::NodeSession(Mesh& mesh, const DriverOptions& options, std::size_t longest_message) : mesh_(mesh) {
  if (options.deal_ahead) throw std::invalid_argument("a session has no end that all could be dealt before");
  const bool dealt = mesh.topology().has_dealer();
  const bool takes_chunks = dealt && mesh.self() == mesh.topology().last_party();
  parts_.reset(new Parts{options, {}, NodePlay(mesh, options, takes_chunks), std::nullopt});
  take_messages(mesh, longest_message);
  ends_at_all_peers(mesh, nullptr, [&] {
    if (dealt) parts_->seed.emplace(seed_from_dealer(mesh, parts_->node.watch()));
    parts_->node.set_up();
  });
}

NodeSession::~NodeSession() = default;

ProgramRole NodeSession::next_role() {
  if (!parts_->seed) return {mesh_.topology(), mesh_.self()};
  return {mesh_.topology(), mesh_.self(), *parts_->seed, label_of(mesh_, parts_->options.epoch, program_)};
}

void NodeSession::play(ProgramRole& role, const Digest& entry, std::optional<std::chrono::microseconds> spin) {
  const bool takes_chunks = mesh_.topology().has_dealer() && mesh_.self() == mesh_.topology().last_party();
  ends_at_all_peers(mesh_, &role.rounds(), [&] {
    parts_->node.play(role.rounds(), takes_chunks ? role.reader() : nullptr,
                      digest_of(mesh_, parts_->options.epoch, program_, entry), spin);
  });
  ++program_;
}

void NodeSession::play_concurrent(std::unique_ptr<Concurrent> concurrent, const Digest& entry,
                                  const ConcurrentSize& size) {
  const bool dealt = mesh_.topology().has_dealer();
  if (parts_->concurrent.size() >= (dealt ? 1 : most_concurrent))
    throw std::logic_error("too many concurrent programs");
  Concurrent& begun = *parts_->concurrent.emplace_back(std::move(concurrent));
  ProgramRole& role = begun.role;
  const bool takes_chunks = mesh_.topology().has_dealer() && mesh_.self() == mesh_.topology().last_party();
  const std::uint64_t bound = digest_of(mesh_, parts_->options.epoch, program_, entry);
  ends_at_all_peers(mesh_, &role.rounds(), [&] {
    begun.play = &parts_->node.begin_concurrent(role.rounds(), takes_chunks ? role.reader() : nullptr, bound,
                                                size.rounds, size.longest_frame);
    step_concurrent();
  });
  ++program_;
}

void NodeSession::step_concurrent() {
  for (const auto& one : parts_->concurrent) {
    if (one->started || (one->may_start && !one->may_start())) continue;
    one->start();
    one->play->start();
    one->started = true;
  }
  parts_->node.step_concurrent();
}

// Only one result is delivered at a time, because a result may let other programs start.
bool NodeSession::give_ended() {
  auto& concurrent = parts_->concurrent;
  const auto found = std::find_if(concurrent.begin(), concurrent.end(),
                                  [](const auto& one) { return one->started && one->play->ended(); });
  if (found == concurrent.end()) return false;
  parts_->node.end_concurrent(*(*found)->play);
  const std::unique_ptr<Concurrent> ended = std::move(*found);
  concurrent.erase(found);
  ended->give();
  return true;
}

void NodeSession::skip(std::uint64_t rounds) {
  detail::guarded(mesh_, [&] { parts_->node.skip(rounds); });
  ++program_;
}

void NodeSession::send(NodeId peer, std::span<const std::byte> message) {
  post(mesh_, peer, parts_->node.next_number(), message);
}

SessionEvent NodeSession::wait(int wake, Clock::time_point end, std::chrono::microseconds spin) {
  NodePlay& node = parts_->node;
  const auto step = [&] {
    if (parts_->concurrent.empty()) return Side::none;
    step_concurrent();
    return give_ended() ? Side::ended : Side::plays;
  };
  const auto number = [&] { return node.next_number(); };
  return detail::guarded(mesh_, [&] { return next_event(mesh_, node.watch(), step, number, wake, end, spin); });
}

void NodeSession::wait_for_concurrent(const std::function<bool()>& is_so) {
  NodePlay& node = parts_->node;
  detail::guarded(mesh_, [&] {
    while (!is_so()) {
      step_concurrent();
      if (!give_ended()) (void)node.watch().idle(node.next_number(), -1, Clock::time_point::max());
    }
  });
}

void NodeSession::finish() {
  if (!parts_->concurrent.empty()) throw std::logic_error("a concurrent program has not ended");
  detail::guarded(mesh_, [&] { parts_->node.finish(); });
}

NodeStatistics NodeSession::statistics() const { return parts_->node.statistics(); }

struct DealerSession::Parts {
  DriverOptions options;
  DealerPlay dealer;
  protocols::SessionKeys keys;
};

DealerSession::DealerSession(Mesh& mesh, const DriverOptions& options, std::size_t longest_message,
                             std::optional<std::uint64_t> insecure_seed)
    : mesh_(mesh) {
  take_messages(mesh, longest_message);
  ends_at_all_peers(mesh, nullptr, [&] {
    parts_.reset(
        new Parts{options, DealerPlay(mesh, options), protocols::draw_session_keys(mesh.topology(), insecure_seed)});
    send_seeds_to(mesh, parts_->dealer.watch(), parts_->keys.nodes);
  });
}

DealerSession::~DealerSession() = default;

ProgramRole DealerSession::next_role() {
  return {mesh_.topology(), parts_->keys, label_of(mesh_, parts_->options.epoch, program_)};
}

void DealerSession::play(ProgramRole& role) {
  ends_at_all_peers(mesh_, &role.rounds(), [&] { parts_->dealer.deal(role.rounds(), *role.writer()); });
  ++program_;
}

void DealerSession::send(NodeId peer, std::span<const std::byte> message) {
  post(mesh_, peer, parts_->dealer.next_number(), message);
}

SessionEvent DealerSession::wait(int wake, Clock::time_point end) {
  DealerPlay& dealer = parts_->dealer;
  const auto step = [] { return Side::none; };
  const auto number = [&] { return dealer.next_number(); };
  return detail::guarded(mesh_, [&] { return next_event(mesh_, dealer.watch(), step, number, wake, end); });
}

void DealerSession::finish() {
  detail::guarded(mesh_, [&] { parts_->dealer.finish(); });
}

const DealerStatistics& DealerSession::statistics() const { return parts_->dealer.statistics(); }

}  // namespace sotto::net
