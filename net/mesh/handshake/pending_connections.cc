#include "net/mesh/handshake/pending_connections.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

constexpr std::size_t most_unauthenticated = 512;
constexpr int most_inquiries = 8;

}  // namespace

PendingConnections::PendingConnections(Io& io, const MeshConfig& config, std::vector<std::byte> hello, Probe probe)
    : io_(io),
      config_(config),
      pins_(config.certificates, config.next_certificates),
      hello_(std::move(hello)),
      probe_(std::move(probe)),
      most_unauthenticated_(connections_within_limit(most_unauthenticated)) {}

PendingConnections::Connection& PendingConnections::add(std::unique_ptr<ByteStream> stream,
                                                        std::optional<NodeId> expected, const std::string& from,
                                                        const std::string& network) {
  if (config_.wrap) stream = config_.wrap(std::move(stream), !expected, expected);
  Connection& added = connections_.emplace_back();
  added.link = std::make_unique<Link>(expected.value_or(nobody), config_.topology, std::move(stream));
  added.expected = expected;
  added.from = from;
  added.network = network;
  added.deadline = Clock::now() + config_.hello_deadline;
  added.wait.emplace(io_, [&added] { added.ready = true; });
  return added;
}

void PendingConnections::add_made(std::unique_ptr<ByteStream> stream, NodeId peer, const std::string& from) {
  const Connection& added = add(std::move(stream), peer, from, "");
  // The role that connects speaks first, so an unauthenticated peer learns nothing.
  if (connects_to(config_.topology, config_.self, peer)) answer(*added.link);
}

void PendingConnections::add_accepted(std::optional<TcpListener::Accepted> accepted, const std::string& failure) {
  if (accepted) {
    add(std::move(accepted->stream), std::nullopt, accepted->from, accepted->network);
    ++unauthenticated_;
    if (unauthenticated_ > most_unauthenticated_) evict_one();
  } else if (unauthenticated_ <= config_.topology.nodes() || !evict_one()) {
    // If there are few connections without a hello, the dropped connection would probably be a role of the run.
    throw ResourceError(fmt::format("a connection cannot be accepted: {}; raise ulimit -n", failure));
  }
}

bool PendingConnections::evict_one() {
  std::vector<Position> candidates;
  std::vector<std::string_view> networks;
  for (auto it = connections_.begin(); it != connections_.end(); ++it) {
    if (it->expected || pins_.owner_of(it->link->peer_fingerprint())) continue;
    candidates.push_back(it);
    networks.push_back(it->network);
  }
  if (candidates.empty()) return false;
  const Position victim = candidates[network_to_drop(networks)];
  drop(*victim, "it said nothing before too many others came");
  erase(victim);
  return true;
}

void PendingConnections::erase(Position position) {
  if (!position->expected) --unauthenticated_;
  connections_.erase(position);
}

std::vector<std::unique_ptr<Link>> PendingConnections::take_made() {
  std::vector<std::unique_ptr<Link>> links;
  for (auto it = connections_.begin(); it != connections_.end();) {
    const Position here = it++;
    if (!here->expected) continue;
    if (!connects_to(config_.topology, config_.self, *here->expected)) answer(*here->link);
    here->wait.reset();
    links.push_back(std::move(here->link));
    erase(here);
  }
  return links;
}

std::optional<Identified> PendingConnections::receive(std::vector<Disconnected>& lost) {
  const Clock::time_point now = Clock::now();
  for (auto it = connections_.begin(); it != connections_.end();) {
    const Position here = it++;
    if (!std::exchange(here->ready, false) && (here->expected || now < here->deadline)) continue;
    Hello hello;
    here->link->flush();
    const Next next = here->expected ? this->receive(*here, hello) : receive_unauthenticated(*here, hello);
    if (next == Next::stays) {
      Waitable wanted = here->link->wait_for(true);
      if (!here->expected) wanted.ready_at = std::min(wanted.ready_at, here->deadline);
      here->wait->wait(wanted);
      continue;
    }
    here->wait.reset();
    std::unique_ptr<Link> link = std::move(here->link);
    const std::optional<NodeId> expected = here->expected;
    const std::string from = here->from;
    erase(here);
    if (next == Next::identified) return Identified{std::move(link), std::move(hello), expected, from};
    if (expected) lost.push_back(Disconnected{*expected, link->loss()});
  }
  return std::nullopt;
}

PendingConnections::Next PendingConnections::receive_unauthenticated(Connection& connection, Hello& hello) {
  try {
    const Next next = receive(connection, hello);
    if (next == Next::identified) return admits(connection, hello) ? next : Next::leaves;
    if (next == Next::leaves) {
      if (connection.inquiries > 0) return next;
      if (connection.link->refused()) ++refused_;
      drop(connection, connection.link->refused()
                           ? connection.link->loss()
                           : fmt::format("it left before its hello: {}", connection.link->loss()));
    } else if (Clock::now() >= connection.deadline) {
      if (connection.inquiries == 0) drop(connection, "it connected and said nothing");
      return Next::leaves;
    }
    return next;
  } catch (const ProtocolError&) {
    drop(connection, "it sent what is no hello");
  } catch (const RemoteFailure&) {
    drop(connection, "it left before its hello");  // the peer's failure report is ignored
  }
  return Next::leaves;
}

PendingConnections::Next PendingConnections::receive(Connection& connection, Hello& hello) {
  Link& link = *connection.link;
  if (const auto header = next_frame(connection)) {
    if (header->type != FrameType::hello || header->length > longest_hello) {
      throw ProtocolError(
          ProtocolError::Kind::malformed, link.name(), 0,
          fmt::format(
              "{} at {} answered with what is no hello: another program holds that port, or it runs another version",
              link.name(), connection.from));
    }
    if (link.receive(header->length)) {
      take_hello(connection, *header, hello);
      return Next::identified;
    }
  }
  if (!link.closed()) return Next::stays;
  if (connection.expected && link.refused()) {
    throw TrustError(link.name(), fmt::format("{} at {}: {}", link.name(), connection.from, link.loss()));
  }
  return Next::leaves;
}

std::optional<FrameHeader> PendingConnections::next_frame(Connection& connection) {
  Link& link = *connection.link;
  for (;;) {
    const auto header = link.next();
    if (!header || header->type != FrameType::probe || connection.expected) return header;
    if (header->length <= longest_probe && !link.receive(header->length)) return std::nullopt;
    answer_inquiry(connection, *header);
  }
}

void PendingConnections::take_hello(Connection& connection, const FrameHeader& header, Hello& hello) const {
  Link& link = *connection.link;
  std::optional<Hello> received = decode_hello(link.payload(header.length));
  if (!received) {
    throw ProtocolError(ProtocolError::Kind::malformed, link.name(), 0,
                        fmt::format("{} at {} sent a malformed hello", link.name(), connection.from));
  }
  link.consume(header.length);
  hello = std::move(*received);
  if (connection.expected && !pins_.prove(*connection.expected, link.peer_fingerprint())) {
    throw TrustError(link.name(),
                     fmt::format("{} at {} showed {}, but [trust] has {} for it: compare both with `sotto keys show` "
                                 "on its machine, by another way than this network",
                                 link.name(), connection.from,
                                 link.peer_fingerprint().empty() ? "no certificate" : link.peer_fingerprint(),
                                 pins_.expected(*connection.expected)));
  }
}

void PendingConnections::answer_inquiry(Connection& connection, const FrameHeader& header) {
  Link& link = *connection.link;
  const auto refuse = [&](const char* what) {
    throw ProtocolError(ProtocolError::Kind::malformed, link.name(), 0, what);
  };
  if (header.length > longest_probe) refuse("an oversized inquiry");
  const std::optional<Probe> question = decode_probe(link.payload(header.length));
  link.consume(header.length);
  if (!question || question->what != Probe::What::inquiry) refuse("a malformed inquiry");
  if (!pins_.know(link.peer_fingerprint())) refuse("an inquiry of no role");
  if (++connection.inquiries > most_inquiries) refuse("too many inquiries");
  if (pins_.prove(question->sender, link.peer_fingerprint())) asked_by_.insert(question->sender);
  probe_.clock = wall_clock();
  link.post(FrameType::probe, 0, encode(probe_));
  link.flush();
}

// Returns false if the peer has not proved its role.
bool PendingConnections::admits(Connection& connection, const Hello& hello) {
  Link& link = *connection.link;
  const std::string fingerprint = link.peer_fingerprint();
  const bool proven = hello.version == wire_version ? pins_.prove(hello.sender, fingerprint) : pins_.know(fingerprint);
  if (proven) return true;
  const std::optional<NodeId> owner = pins_.owner_of(fingerprint);
  if (!owner) {
    drop(connection, fingerprint.empty() ? "it showed no certificate"
                                         : fmt::format("it showed a certificate that is not trusted, {}", fingerprint));
    return false;
  }
  const std::string mixed_up =
      fmt::format("it says that it is {} and shows the certificate of {}: check its name, its id and its key",
                  is_role(config_.topology, hello.sender) ? peer_name(config_.topology, hello.sender)
                                                          : fmt::format("role {}", hello.sender),
                  peer_name(config_.topology, *owner));
  drop(connection, mixed_up);
  link.post(FrameType::failed, 0,
            encode(Failure{ExitCode::not_trusted, hello.sender, config_.self, 0,
                           fmt::format("the role at {}: {}", connection.from, mixed_up)}));
  link.flush();
  link.end_writing();
  return false;
}

void PendingConnections::drop(const Connection& connection, const std::string& what) {
  ++dropped_;
  last_dropped_ = fmt::format("{}: {}", connection.from, what);
}

void PendingConnections::unwatch() {
  for (Connection& connection : connections_) connection.wait.reset();
}

std::vector<Link*> PendingConnections::known_links() const {
  std::vector<Link*> links;
  for (const Connection& connection : connections_) {
    const bool known = connection.expected || pins_.owner_of(connection.link->peer_fingerprint());
    if (known) links.push_back(connection.link.get());
  }
  return links;
}

bool PendingConnections::waits_for(NodeId peer) const {
  return std::any_of(connections_.begin(), connections_.end(),
                     [&](const Connection& connection) { return connection.expected == peer; });
}

std::string PendingConnections::dropped() const {
  if (dropped_ == 0) return "";
  return fmt::format(" ({} {} dropped: {})", counted(dropped_, "other connection"), dropped_ == 1 ? "was" : "were",
                     last_dropped_);
}

}  // namespace sotto::net
