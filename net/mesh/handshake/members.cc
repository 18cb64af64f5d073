#include "sotto/net/mesh/handshake/members.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/core/error/errors.h"

namespace sotto::net {

Members::Members(const MeshConfig& config, const Hello& mine)
    : config_(config),
      peers_(peers_of(config.topology, config.self)),
      announcements_(config.topology.parties()) {
  note(mine);
}

void Members::add(std::unique_ptr<Link> link) {
  members_.push_back(Member{std::move(link), std::nullopt, false});
}

void Members::note(const Hello& hello) {
  if (config_.topology.is_party(hello.sender)) announcements_[hello.sender] = hello.announcement;
  nonces_[hello.sender] = hello.nonce;
  standings_[hello.sender] = hello.standing;
}

bool Members::has(NodeId role) const {
  return std::any_of(members_.begin(), members_.end(),
                     [&](const Member& member) { return member.link->peer() == role; });
}

void Members::make_progress() {
  for (Member& member : members_) hear(member);
  if (!mine_ && members_.size() == peers_.size()) confirm();
  if (mine_) {
    for (Member& member : members_) check(member);
  }
  for (Member& member : members_) member.link->flush();
}

void Members::confirm() {
  Confirm& mine = mine_.emplace();
  mine.parameters = sha256(config_.parameters);
  mine.session = fresh_session(config_.topology, config_.session, nonces_);
  for (const std::string& announcement : announcements_) {
    mine.announcements.push_back(sha256(announcement));
  }
  // The actor and the rewarder do not hear each other's standing.
  if (makes_the_session(config_.topology, config_.self)) {
    mine.opening = opening_ = agree_on(config_.topology, standings_);
  }
  const std::vector<std::byte> payload = encode(mine);
  for (const Member& member : members_) member.link->post(FrameType::confirm, 0, payload);
}

void Members::hear(Member& member) {
  Link& link = *member.link;
  const auto header = link.next();
  if (!header) {
    if (!link.closed()) return;
    throw NetworkError(link.name(), fmt::format("{} left during the handshake: {}; see its own "
                                                "output",
                                                link.name(), link.loss()));
  }
  if (member.heard) return;  // a frame that came early is left to the run
  if (header->type != FrameType::confirm ||
      header->length != confirm_size(config_.topology, link.peer())) {
    throw ProtocolError(
        ProtocolError::Kind::malformed, link.name(), 0,
        fmt::format("{} sent another frame where it should confirm the handshake", link.name()));
  }
  if (!link.receive(header->length)) return;
  member.heard = decode_confirm(link.payload(header->length), config_.topology, link.peer());
  link.consume(header->length);
}

void Members::check(Member& member) {
  if (!member.heard || member.confirmed) return;
  Confirm mine = *mine_;
  mine.opening = opening_;
  const std::string my_name = peer_name(config_.topology, config_.self);
  if (const auto what = difference(mine, *member.heard, my_name, member.link->name())) {
    throw DisagreementError(*what);
  }
  if (!opening_) opening_ = member.heard->opening;
  member.confirmed = true;
}

bool Members::complete() const {
  return members_.size() == peers_.size() &&
         std::all_of(members_.begin(), members_.end(), [](const Member& member) {
           return member.confirmed && !member.link->sending();
         });
}

std::vector<std::string> Members::unconfirmed() const {
  std::vector<std::string> names;
  for (const Member& member : members_) {
    if (!member.confirmed) names.push_back(member.link->name());
  }
  return names;
}

std::vector<Link*> Members::links() const {
  std::vector<Link*> links;
  for (const Member& member : members_) links.push_back(member.link.get());
  return links;
}

std::vector<std::unique_ptr<Link>> Members::take_links() {
  std::vector<std::unique_ptr<Link>> links;
  for (Member& member : members_) links.push_back(std::move(member.link));
  members_.clear();
  return links;
}

void Members::add_waitables(std::vector<Waitable>& to) const {
  for (const Member& member : members_) {
    const bool early = member.link->holds_data() && member.heard;
    to.push_back(member.link->wait_for(!early));
  }
}

Mesh Members::into_mesh() {
  std::vector<std::unique_ptr<Link>> links;
  for (const NodeId peer : peers_) {
    for (Member& member : members_) {
      if (!member.link || member.link->peer() != peer) continue;
      member.link->reset_counters();
      links.push_back(std::move(member.link));
    }
  }
  return Mesh(config_.topology, config_.self, mine_->session, std::move(links),
              std::move(announcements_), *opening_);
}

}  // namespace sotto::net
