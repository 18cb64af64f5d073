#include "sotto/net/mesh/driver/session.h"

#include <fmt/format.h>
#include <poll.h>

#include <cstring>
#include <exception>
#include <stdexcept>

#include "sotto/net/mesh/driver/play.h"
#include "sotto/net/mesh/driver/run.h"

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

bool can_be_read(int descriptor) {
  pollfd asked{descriptor, POLLIN, 0};
  return descriptor >= 0 && poll(&asked, 1, 0) == 1;
}

void take_messages(const Mesh& mesh, std::size_t longest) {
  for (const auto& link : mesh.links()) link->take_messages(longest);
}

void post(Mesh& mesh, NodeId peer, std::uint64_t number, std::span<const std::byte> message) {
  Link& link = mesh.link(peer);
  link.post(FrameType::message, number, message);
  link.flush();
}

SessionEvent next_event(Mesh& mesh, Watch& watch, std::uint64_t number, int wake, Clock::time_point end) {
  for (;;) {
    for (const auto& link : mesh.links()) {
      (void)link->next();
      if (auto message = link->take_message()) {
        return {SessionEvent::Kind::message, link->peer(), std::move(*message)};
      }
    }
    for (const auto& link : mesh.links()) {
      if (link->finished()) return {SessionEvent::Kind::finished, link->peer()};
    }
    if (can_be_read(wake)) return {SessionEvent::Kind::woken};
    if (Clock::now() >= end) return {SessionEvent::Kind::late};
    watch.idle(number, wake, end);
  }
}

}  // namespace

struct NodeSession::Parts {
  Mesh& mesh;
  DriverOptions options;
  NodePlay node;
  std::optional<Seed> seed;  // where there is a dealer
};

NodeSession::NodeSession(Mesh& mesh, const DriverOptions& options, std::size_t longest_message) {
  if (options.deal_ahead) throw std::invalid_argument("a session has no end that all could be dealt before");
  const bool dealt = mesh.topology().has_dealer();
  const bool takes_chunks = dealt && mesh.self() == mesh.topology().last_party();
  parts_.reset(new Parts{mesh, options, NodePlay(mesh, options, takes_chunks), std::nullopt});
  take_messages(mesh, longest_message);
  ends_at_all_peers(mesh, nullptr, [&] {
    if (dealt) parts_->seed.emplace(seed_from_dealer(mesh, parts_->node.watch()));
    parts_->node.set_up();
  });
}

NodeSession::~NodeSession() = default;

void NodeSession::fail(const std::exception_ptr& error) { fail_run(error, parts_->mesh); }

ProgramRole NodeSession::next_role() {
  const Mesh& mesh = parts_->mesh;
  if (!parts_->seed) return {mesh.topology(), mesh.self()};
  return {mesh.topology(), mesh.self(), *parts_->seed, label_of(mesh, parts_->options.epoch, program_)};
}

void NodeSession::play(ProgramRole& role, const Digest& entry) {
  Mesh& mesh = parts_->mesh;
  const bool takes_chunks = mesh.topology().has_dealer() && mesh.self() == mesh.topology().last_party();
  ends_at_all_peers(mesh, &role.rounds(), [&] {
    parts_->node.play(role.rounds(), takes_chunks ? role.reader() : nullptr,
                      digest_of(mesh, parts_->options.epoch, program_, entry));
  });
  ++program_;
}

void NodeSession::skip(std::uint64_t rounds) {
  guarded([&] { parts_->node.skip(rounds); });
  ++program_;
}

void NodeSession::tell(NodeId peer, std::span<const std::byte> message) {
  post(parts_->mesh, peer, parts_->node.next_number(), message);
}

SessionEvent NodeSession::wait(int wake, Clock::time_point end) {
  NodePlay& node = parts_->node;
  return guarded([&] { return next_event(parts_->mesh, node.watch(), node.next_number(), wake, end); });
}

void NodeSession::finish() {
  guarded([&] { parts_->node.finish(); });
}

NodeStatistics NodeSession::statistics() const { return parts_->node.statistics(); }

struct DealerSession::Parts {
  Mesh& mesh;
  DriverOptions options;
  DealerPlay dealer;
  protocols::SessionKeys keys;
};

DealerSession::DealerSession(Mesh& mesh, const DriverOptions& options, std::size_t longest_message,
                             std::optional<std::uint64_t> insecure_seed) {
  take_messages(mesh, longest_message);
  ends_at_all_peers(mesh, nullptr, [&] {
    parts_.reset(new Parts{mesh, options, DealerPlay(mesh, options),
                           protocols::draw_session_keys(mesh.topology(), insecure_seed)});
    send_seeds_to(mesh, parts_->dealer.watch(), parts_->keys.nodes);
  });
}

DealerSession::~DealerSession() = default;

void DealerSession::fail(const std::exception_ptr& error) { fail_run(error, parts_->mesh); }

ProgramRole DealerSession::next_role() {
  const Mesh& mesh = parts_->mesh;
  return {mesh.topology(), parts_->keys, label_of(mesh, parts_->options.epoch, program_)};
}

void DealerSession::play(ProgramRole& role) {
  ends_at_all_peers(parts_->mesh, &role.rounds(), [&] { parts_->dealer.deal(role.rounds(), *role.writer()); });
  ++program_;
}

void DealerSession::tell(NodeId peer, std::span<const std::byte> message) {
  post(parts_->mesh, peer, parts_->dealer.next_number(), message);
}

SessionEvent DealerSession::wait(int wake, Clock::time_point end) {
  DealerPlay& dealer = parts_->dealer;
  return guarded([&] { return next_event(parts_->mesh, dealer.watch(), dealer.next_number(), wake, end); });
}

void DealerSession::finish() {
  guarded([&] { parts_->dealer.finish(); });
}

const DealerStatistics& DealerSession::statistics() const { return parts_->dealer.statistics(); }

}  // namespace sotto::net
