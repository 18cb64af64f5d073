#include "net/mesh/handshake/authenticated_peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::net {
namespace {

[[noreturn]] void refuse_confirm(const Link& link) {
  throw ProtocolError(ProtocolError::Kind::malformed, link.name(), 0,
                      fmt::format("{} sent another frame where it should confirm the handshake", link.name()));
}

}  // namespace

AuthenticatedPeers::AuthenticatedPeers(Io& io, const MeshConfig& config, const Hello& mine)
    : io_(io),
      config_(config),
      peers_(peers_of(config.topology, config.self)),
      announcements_(config.topology.parties_and_owners()) {
  note(mine);
}

void AuthenticatedPeers::add(std::unique_ptr<Link> link) {
  arrived_.push_back(Peer{std::move(link), Wait(io_, [] {})});
}

void AuthenticatedPeers::note(const Hello& hello) {
  if (announces(config_.topology, hello.sender)) announcements_[hello.sender] = hello.announcement;
  nonces_[hello.sender] = hello.nonce;
  resume_states_[hello.sender] = hello.resume_state;
}

bool AuthenticatedPeers::has(NodeId role) const {
  return std::any_of(arrived_.begin(), arrived_.end(), [&](const Peer& peer) { return peer.link->peer() == role; });
}

bool AuthenticatedPeers::drop_dead(NodeId role) {
  const auto peer =
      std::find_if(arrived_.begin(), arrived_.end(), [&](const Peer& each) { return each.link->peer() == role; });
  if (mine_ || peer == arrived_.end()) return false;
  if (peer->link->next() || !peer->link->closed()) return false;
  peer->wait.wait({});  // ends the wait before the descriptor is closed
  arrived_.erase(peer);
  return true;
}

void AuthenticatedPeers::make_progress(bool may_confirm) {
  for (Peer& peer : arrived_) receive(peer);
  const bool all_here =
      arrived_.size() == peers_.size() &&
      std::none_of(arrived_.begin(), arrived_.end(), [](const Peer& p) { return p.left.has_value(); });
  if (!mine_ && may_confirm && all_here) confirm();
  if (mine_) {
    for (Peer& peer : arrived_) check(peer);
  }
  for (Peer& peer : arrived_) peer.link->flush();
}

void AuthenticatedPeers::confirm() {
  Confirm& mine = mine_.emplace();
  mine.parameters = sha256(without_trust(config_.parameters));
  mine.session = fresh_session(config_.topology, config_.session, nonces_);
  const auto of_owners = announcements_.begin() + static_cast<std::ptrdiff_t>(config_.topology.parties());
  for (auto party = announcements_.begin(); party != of_owners; ++party) mine.announcements.push_back(sha256(*party));
  if (makes_the_session(config_.topology, config_.self)) {
    mine.resume_point = resume_point_ = config_.resume.agree(resume_states_);
    mine.of_owners.assign(of_owners, announcements_.end());
  }
  const std::vector<std::byte> payload = encode(mine);
  for (const Peer& peer : arrived_) peer.link->post(FrameType::confirm, 0, payload);
}

void AuthenticatedPeers::receive(Peer& peer) {
  Link& link = *peer.link;
  const auto header = link.next();
  if (!header) {
    if (!link.closed() || may_come_again(peer)) return;
    throw NetworkError(link.name(),
                       fmt::format("{} left during the handshake: {}; see its own output", link.name(), link.loss()));
  }
  if (peer.received) return;  // the next frame belongs to the run
  if (header->type != FrameType::confirm || header->length > longest_confirm(config_.topology, link.peer())) {
    refuse_confirm(link);
  }
  if (!link.receive(header->length)) return;
  peer.received = decode_confirm(link.payload(header->length), config_.topology, link.peer());
  link.consume(header->length);
  if (!peer.received) refuse_confirm(link);
}

// Only a peer that connects to this role can connect again.
bool AuthenticatedPeers::may_come_again(Peer& peer) const {
  const bool calls = !connects_to(config_.topology, config_.self, peer.link->peer());
  if (mine_ || !calls || peer.link->peer_fingerprint().empty()) return false;
  const Clock::time_point now = Clock::now();
  if (!peer.left) peer.left = now;
  return now < *peer.left + time_to_come_again;
}

void AuthenticatedPeers::check(Peer& peer) {
  if (!peer.received || peer.confirmed) return;
  Confirm mine = *mine_;
  mine.resume_point = resume_point_;
  const std::string my_name = peer_name(config_.topology, config_.self);
  if (mine.session != peer.received->session) {
    throw NetworkError("", fmt::format("{} has heard other nonces than {}: a role was restarted meanwhile, or sent "
                                       "different peers different nonces; try again",
                                       peer.link->name(), my_name));
  }
  if (const auto what = difference(mine, *peer.received, my_name, peer.link->name(), config_.resume.describe)) {
    throw DisagreementError(*what);
  }
  if (!resume_point_) adopt(*peer.received, peer.link->name());
  peer.confirmed = true;
}

// A node outside the parties adopts the first confirm that it receives. All later confirms must be equal to the first.
void AuthenticatedPeers::adopt(const Confirm& theirs, const std::string& their_name) {
  const Topology& topology = config_.topology;
  if (topology.is_owner(config_.self) &&
      theirs.of_owners.at(config_.self - topology.parties()) != config_.announcement) {
    throw DisagreementError(
        fmt::format("{} says that {} announced other data than it did", their_name, peer_name(topology, config_.self)));
  }
  resume_point_ = theirs.resume_point;
  mine_->of_owners = theirs.of_owners;
  std::copy(theirs.of_owners.begin(), theirs.of_owners.end(),
            announcements_.begin() + static_cast<std::ptrdiff_t>(topology.parties()));
}

bool AuthenticatedPeers::complete() const {
  return arrived_.size() == peers_.size() && std::all_of(arrived_.begin(), arrived_.end(), [](const Peer& peer) {
           return peer.confirmed && !peer.link->sending();
         });
}

std::vector<std::string> AuthenticatedPeers::unconfirmed() const {
  std::vector<std::string> names;
  for (const Peer& peer : arrived_) {
    if (!peer.confirmed) names.push_back(peer.link->name());
  }
  return names;
}

void AuthenticatedPeers::unwatch() {
  for (Peer& peer : arrived_) peer.wait.wait({});
}

std::vector<Link*> AuthenticatedPeers::links() const {
  std::vector<Link*> links;
  for (const Peer& peer : arrived_) links.push_back(peer.link.get());
  return links;
}

std::vector<std::unique_ptr<Link>> AuthenticatedPeers::take_links() {
  std::vector<std::unique_ptr<Link>> links;
  for (Peer& peer : std::exchange(arrived_, {})) links.push_back(std::move(peer.link));
  return links;
}

void AuthenticatedPeers::wait() {
  for (Peer& peer : arrived_) {
    const bool early = peer.link->holds_data() && peer.received;
    peer.wait.wait(peer.link->wait_for(!early));
  }
}

Mesh AuthenticatedPeers::into_mesh() {
  std::vector<std::unique_ptr<Link>> links = take_links();
  const auto place = [this](const std::unique_ptr<Link>& link) {
    return std::find(peers_.begin(), peers_.end(), link->peer());
  };
  std::sort(links.begin(), links.end(), [&](const auto& one, const auto& other) { return place(one) < place(other); });
  for (const std::unique_ptr<Link>& link : links) link->begin_run();
  return Mesh(config_.topology, config_.self, mine_->session, std::move(links), std::move(announcements_),
              std::move(*resume_point_));
}

std::size_t longest_confirm(const Topology& topology, NodeId sender) {
  return sizeof(Digest) + sizeof(SessionId) + topology.parties() * sizeof(Digest) +
         (makes_the_session(topology, sender)
              ? sizeof(std::uint64_t) + longest_resume + topology.owners() * (sizeof(std::uint32_t) + longest_of_owner)
              : 0);
}

std::vector<std::byte> encode(const Confirm& confirm) {
  ByteWriter writer;
  writer.bytes(confirm.parameters);
  writer.bytes(confirm.session);
  for (const Digest& announcement : confirm.announcements) writer.bytes(announcement);
  if (confirm.resume_point) writer.numbers(std::span(*confirm.resume_point));
  for (const std::string& announcement : confirm.of_owners) writer.long_text(announcement);
  return writer.take();
}

std::optional<Confirm> decode_confirm(std::span<const std::byte> payload, const Topology& topology, NodeId sender) {
  ByteReader reader(payload);
  Confirm confirm;
  confirm.parameters = reader.array<32>();
  confirm.session = reader.array<16>();
  for (std::size_t party = 0; party < topology.parties(); ++party) confirm.announcements.push_back(reader.array<32>());
  if (makes_the_session(topology, sender)) {
    confirm.resume_point = reader.numbers<std::byte>();
    for (std::size_t owner = 0; owner < topology.owners(); ++owner) {
      confirm.of_owners.push_back(reader.long_text(longest_of_owner));
    }
  }
  if (!reader.at_end() || payload.size() > longest_confirm(topology, sender)) return std::nullopt;
  return confirm;
}

std::optional<std::string> difference(const Confirm& mine, const Confirm& theirs, const std::string& my_name,
                                      const std::string& their_name, const decltype(Resume::describe)& describe) {
  if (mine.parameters != theirs.parameters) {
    return fmt::format("{} has heard other parameters than {}", their_name, my_name);
  }
  for (std::size_t party = 0; party < mine.announcements.size(); ++party) {
    if (mine.announcements[party] != theirs.announcements.at(party)) {
      return fmt::format("party {} announced other data to {} than to {}", party, their_name, my_name);
    }
  }
  for (std::size_t owner = 0; owner < std::min(mine.of_owners.size(), theirs.of_owners.size()); ++owner) {
    if (mine.of_owners[owner] != theirs.of_owners[owner]) {
      return fmt::format("owner {} announced other data to {} than to {}", owner, their_name, my_name);
    }
  }
  if (mine.resume_point && theirs.resume_point && *mine.resume_point != *theirs.resume_point) {
    return fmt::format("{} would open {}, {} would open {}: a role told them different states to resume from", my_name,
                       describe(*mine.resume_point), their_name, describe(*theirs.resume_point));
  }
  return std::nullopt;
}

}  // namespace sotto::net
