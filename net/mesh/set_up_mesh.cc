#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "net/mesh/handshake/abort.h"
#include "net/mesh/handshake/authenticated_peers.h"
#include "net/mesh/handshake/messenger.h"
#include "net/mesh/handshake/pending_connections.h"
#include "net/transport/tcp/connector.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/mesh.h"

namespace sotto::net {
namespace {

// A role that already has all its peers waits a moment, so the role with a missing peer can name that peer.
constexpr std::chrono::seconds time_to_tell{1};

struct Outgoing {
  NodeId peer;
  TcpConnector connector;
  bool connected = false;
};

// A role that connects again was restarted, or two processes have its key.
struct Retry {
  Identified peer;
  Clock::time_point until;  // the other link must be closed by then
};

bool is_of_config(const Failure& failure) {
  return failure.code == ExitCode::disagreement || failure.code == ExitCode::not_trusted;
}

Hello hello_of(const MeshConfig& config) {
  const Topology& topology = config.topology;
  if (!is_role(topology, config.self)) throw std::invalid_argument("no such role");
  if (!announces(topology, config.self) && !config.announcement.empty()) {
    throw std::invalid_argument("only compute parties and owners announce");
  }
  if (topology.is_owner(config.self) && config.announcement.size() > longest_of_owner) {
    throw InputError(fmt::format("the announcement of an owner is longer than {} bytes", longest_of_owner));
  }
  Hello hello;
  hello.sender = config.self;
  hello.parties = static_cast<std::uint8_t>(topology.parties());
  hello.dealer = topology.has_dealer();
  hello.helper = topology.has_helper();
  hello.further_node = topology.has_further_node();
  hello.owners = static_cast<std::uint8_t>(topology.owners());
  hello.session = config.session;
  hello.nonce = config.nonce ? *config.nonce : fresh_nonce();
  hello.resume_state = config.resume.state;
  hello.parameters = config.parameters;
  hello.announcement = config.announcement;
  return hello;
}

Probe probe_of(const MeshConfig& config) {
  Probe probe;
  probe.sender = config.self;
  probe.what = Probe::What::role;
  probe.software = config.software;
  probe.parameters = config.parameters;
  probe.announcement = config.announcement;
  return probe;
}

class SetUp {
 public:
  explicit SetUp(MeshConfig config)
      : config_(std::move(config)),
        hello_(hello_of(config_)),
        peers_(peers_of(config_.topology, config_.self)),
        pending_(io_, config_, encode(hello_), probe_of(config_)),
        authenticated_(io_, config_, hello_) {}

  Mesh run() {
    end_ = Clock::now() + config_.setup_deadline;
    try {
      loop();
    } catch (const DisagreementError& e) {
      tell_all({e.exit_code(), config_.self, config_.self, 0, e.what()}, e.what());
      throw;
    } catch (const TrustError& e) {
      const NodeId peer = peer_of_name(config_.topology, e.peer(), config_.self);
      tell_all({e.exit_code(), peer, config_.self, 0, e.what()}, e.what());
      throw;
    } catch (const RemoteFailure& e) {
      if (config_.starts_over && is_echo(e.failure())) fail(std::make_exception_ptr(lost_to(e)));
      if (!is_told_on(e)) fail();
      tell_all(e.failure(), e.what());
      throw;
    } catch (...) {
      fail();
    }
    return authenticated_.into_mesh();
  }

 private:
  [[nodiscard]] bool is_told_on(const RemoteFailure& received) const;
  [[nodiscard]] bool is_echo(const Failure& received) const;
  [[nodiscard]] RemoteFailure lost_to(const RemoteFailure& failure) const;
  void loop();
  void begin_connections();
  void make_progress();
  void poll_connectors();
  void tell_all(const Failure& failure, const std::string& cause);
  void hear_who_comes(Messenger& messenger);
  bool try_again(const Disconnected& lost);
  [[nodiscard]] bool comes_again(const Identified& peer) const;
  void admit_again();
  void admit(Identified peer);
  void check(const Hello& hello, std::optional<NodeId> expected, bool taken, const std::string& from,
             const std::string& their_name) const;
  void lose(const Disconnected& lost);
  [[nodiscard]] bool has_all_peers() const;
  [[nodiscard]] bool interrupted() const { return config_.interrupted != nullptr && config_.interrupted->load(); }
  [[noreturn]] void give_up() const;
  [[noreturn]] void fail(const std::exception_ptr& error = std::current_exception());
  [[nodiscard]] std::string name(NodeId id) const { return peer_name(config_.topology, id); }

  Io io_;
  MeshConfig config_;
  Hello hello_;
  std::vector<NodeId> peers_;
  Clock::time_point end_{};
  std::vector<Outgoing> outgoing_;
  PendingConnections pending_;
  AuthenticatedPeers authenticated_;
  std::vector<Retry> again_;
};

// Returns whether this role passes a failure on to its peers. In a service, a role passes a failure on only if it
// received the failure directly from its reporter. All roles have links with the parties. So a failure reaches every
// role in at most two hops: from the reporter to the parties, and from the parties to all other roles. Without this
// limit, roles that begin set-ups again would pass a failure on forever. A run ends only once at each role, so a run
// needs no limit.
bool SetUp::is_told_on(const RemoteFailure& received) const {
  const bool is_near = !config_.starts_over || !received.relayed_by();
  return is_of_config(received.failure()) && received.failure().culprit != config_.self && is_near;
}

// A peer may still report a failure that this role has found in an earlier set-up.
bool SetUp::is_echo(const Failure& received) const {
  return is_of_config(received) && received.reporter == config_.self;
}

RemoteFailure SetUp::lost_to(const RemoteFailure& failure) const {
  const NodeId peer = failure.relayed_by().value_or(config_.self);
  const std::string text =
      fmt::format("{} still tells what {} found in a set-up before: try again", name(peer), name(config_.self));
  return {Failure{ExitCode::peer_lost, peer, config_.self, 0, text}, name(config_.self)};
}

void SetUp::loop() {
  begin_connections();
  for (;;) {
    make_progress();
    if (authenticated_.complete() && again_.empty()) return;
    if (interrupted()) throw Interrupted();
    const Clock::time_point now = Clock::now();
    const Clock::time_point mine = has_all_peers() ? end_ + time_to_tell : end_;
    if (now >= mine) give_up();
    authenticated_.wait();
    io_.run_for(std::min<Clock::duration>(mine - now, longest_uninterrupted));
  }
}

void SetUp::begin_connections() {
  if (config_.listener) {
    config_.listener->accept_on(io_, [this](std::optional<TcpListener::Accepted> accepted, const std::string& failure) {
      pending_.add_accepted(std::move(accepted), failure);
    });
  }
  for (const NodeId peer : peers_) {
    if (const auto given = config_.streams.find(peer); given != config_.streams.end()) {
      pending_.add_made(std::move(given->second), peer, "its end of a pair");
    } else if (connects_to(config_.topology, config_.self, peer)) {
      const auto address = config_.addresses.find(peer);
      if (address == config_.addresses.end()) throw InputError(fmt::format("no address is given for {}", name(peer)));
      outgoing_.push_back(Outgoing{peer, TcpConnector(io_, address->second)});
    } else if (!config_.listener) {
      throw InputError(
          fmt::format("{} connects to {}, which has no address to listen on", name(peer), name(config_.self)));
    }
  }
}

void SetUp::make_progress() {
  poll_connectors();
  std::vector<Disconnected> lost;
  while (std::optional<Identified> peer = pending_.receive(lost)) {
    if (comes_again(*peer)) {
      again_.push_back(Retry{std::move(*peer), Clock::now() + time_to_come_again});
    } else {
      admit(std::move(*peer));
    }
  }
  for (const Disconnected& each : lost) lose(each);
  admit_again();
  authenticated_.make_progress(again_.empty());
}

void SetUp::poll_connectors() {
  for (Outgoing& to : outgoing_) {
    if (to.connected) continue;
    if (std::unique_ptr<ByteStream> stream = to.connector.take()) {
      to.connected = true;
      pending_.add_made(std::move(stream), to.peer, to.connector.address().text());
    } else if (to.connector.out_of_descriptors()) {
      throw ResourceError(
          fmt::format("{} cannot be connected to: {}; raise ulimit -n", name(to.peer), to.connector.last_failure()));
    }
  }
}

// All users must see why their roles cannot work together, in whatever order the roles start. A role with a failure
// therefore waits for the peers that have not received it yet, and each of these peers does the same. If a role refuses
// the certificate of a peer, the peer learns the cause from this refusal. A role that accepts connections does not
// learn which peer refused it, so it assumes that each refusal came from a different missing peer.
void SetUp::tell_all(const Failure& failure, const std::string& cause) {
  Messenger messenger(io_, failure);
  for (std::unique_ptr<Link>& link : authenticated_.take_links()) messenger.take(std::move(link));
  for (Retry& each : std::exchange(again_, {})) {
    pending_.answer(*each.peer.link);
    messenger.take(std::move(each.peer.link));
  }
  const Clock::time_point end = std::max(end_, Clock::now() + time_to_tell);
  for (bool noticed = false;;) {
    poll_connectors();
    hear_who_comes(messenger);
    for (const Disconnected& lost : messenger.make_progress()) {
      // A peer at the other end of a make_stream_pair() cannot reconnect.
      if (!try_again(lost) && !config_.listener) messenger.give_up(lost.peer);
    }
    std::vector<std::string> absent;
    bool tells = false;
    for (const NodeId peer : peers_) {
      if (messenger.done_with(peer)) continue;
      if (messenger.tells(peer)) {
        tells = true;
      } else {
        absent.push_back(name(peer));
      }
    }
    const bool all_told =
        !tells && (absent.empty() || (failure.code == ExitCode::not_trusted && absent.size() <= pending_.refused()));
    const Clock::time_point now = Clock::now();
    if (all_told || interrupted() || now >= end) return;
    if (!absent.empty() && !std::exchange(noticed, true) && config_.notice) {
      const std::chrono::duration<double> longest = end - now;
      config_.notice(fmt::format("{}; stays up to {:.0f} s to tell {}, too (Ctrl-C ends it now)", cause,
                                 std::max(longest.count(), 1.0), fmt::join(absent, ", ")));
    }
    messenger.wait();
    io_.run_for(std::min<Clock::duration>(end - now, longest_uninterrupted));
  }
}

// After a failed set-up, each role that sends its hello receives this role's hello and then the reason of the failure.
void SetUp::hear_who_comes(Messenger& messenger) {
  for (std::unique_ptr<Link>& link : pending_.take_made()) messenger.take(std::move(link));
  std::vector<Disconnected> none;  // stays empty, because only peers connect now
  while (std::optional<Identified> peer = pending_.receive(none)) {
    const Hello& hello = peer->hello;
    if (hello.version == wire_version && is_role(config_.topology, hello.sender)) peer->link->identify(hello.sender);
    pending_.answer(*peer->link);
    messenger.take(std::move(peer->link));
  }
}

// The peer may be restarted before the next try. Returns false if the peer is the end that connects.
bool SetUp::try_again(const Disconnected& lost) {
  for (Outgoing& to : outgoing_) {
    if (to.peer != lost.peer) continue;
    to.connected = false;
    to.connector.failed("it took the connection, but " + lost.why);
    return true;
  }
  return false;
}

void SetUp::lose(const Disconnected& lost) {
  if (try_again(lost)) return;
  throw NetworkError(name(lost.peer), fmt::format("{} left during the handshake: {}", name(lost.peer), lost.why));
}

// Returns true only if the peer has proved that it holds the role's certificate.
bool SetUp::comes_again(const Identified& peer) const {
  return !peer.expected && peer.hello.version == wire_version && !peer.link->peer_fingerprint().empty() &&
         authenticated_.has(peer.hello.sender);
}

// The newer link replaces the older link if the older link is closed. If both links are alive, both peers are refused.
void SetUp::admit_again() {
  for (Retry& each : std::exchange(again_, {})) {
    const NodeId role = each.peer.hello.sender;
    if (authenticated_.drop_dead(role) || !authenticated_.has(role) || Clock::now() >= each.until) {
      admit(std::move(each.peer));
    } else {
      again_.push_back(std::move(each));
    }
  }
}

void SetUp::admit(Identified peer) {
  const Hello& hello = peer.hello;
  const bool known =
      hello.version == wire_version && std::find(peers_.begin(), peers_.end(), hello.sender) != peers_.end();
  const bool taken = known && authenticated_.has(hello.sender);
  std::string their_name = known ? name(hello.sender) : "the role at " + peer.from;
  if (peer.expected) {
    their_name = name(*peer.expected);
  } else if (known && !taken) {
    peer.link->identify(hello.sender);
  }
  if (!peer.expected || !connects_to(config_.topology, config_.self, *peer.expected)) {
    pending_.answer(*peer.link);  // lets the peer say what differs
  }
  authenticated_.add(std::move(peer.link));
  check(hello, peer.expected, taken, peer.from, their_name);
  authenticated_.note(hello);
  const auto here = std::count_if(peers_.begin(), peers_.end(), [&](NodeId id) { return authenticated_.has(id); });
  if (config_.arrived) config_.arrived(their_name, static_cast<std::size_t>(here), peers_.size());
}

void SetUp::check(const Hello& hello, std::optional<NodeId> expected, bool taken, const std::string& from,
                  const std::string& their_name) const {
  if (const auto what = difference(hello_, hello, their_name)) {
    const char* const disagree = what->starts_with("program ") ? "the programs differ" : "the configs disagree";
    throw DisagreementError(fmt::format("{}: {}", disagree, *what));
  }
  const bool may_connect = std::find(peers_.begin(), peers_.end(), hello.sender) != peers_.end() &&
                           !connects_to(config_.topology, config_.self, hello.sender);
  if (expected ? hello.sender != *expected : !may_connect) {
    throw DisagreementError(fmt::format("the role at {} says that it is {}, which {}: check the ids and addresses",
                                        from, is_role(config_.topology, hello.sender) ? name(hello.sender) : "unknown",
                                        expected ? fmt::format("should be {}", name(*expected))
                                                 : fmt::format("does not connect to {}", name(config_.self))));
  }
  if (taken) {
    throw DisagreementError(fmt::format(
        "two roles say that they are {}, the second from {}: give each an id of its own", their_name, from));
  }
}

bool SetUp::has_all_peers() const {
  return std::all_of(peers_.begin(), peers_.end(), [&](NodeId peer) { return authenticated_.has(peer); });
}

// The error names the missing peer, the address where it was expected, and the remedy.
void SetUp::give_up() const {
  const double waited = std::chrono::duration<double>(config_.setup_deadline).count();
  for (const Outgoing& to : outgoing_) {
    if (authenticated_.has(to.peer)) continue;
    const std::string peer = name(to.peer);
    const std::string address = to.connector.address().text();
    const std::string& why = to.connector.last_failure();
    if (pending_.waits_for(to.peer)) {
      throw NetworkError(peer, fmt::format("{} at {} took the connection but has said nothing for {:.3g} s: it hangs, "
                                           "or another program holds the port",
                                           peer, address, waited));
    }
    throw NetworkError(
        peer, fmt::format("{} cannot be reached at {}, tried for {:.3g} s: {}; start it, or check its address", peer,
                          address, waited, why.empty() ? "no answer" : why));
  }
  for (const NodeId id : peers_) {
    if (authenticated_.has(id)) continue;
    throw NetworkError(
        name(id),
        fmt::format("{} has not connected to {} for {:.3g} s: start it, or check the address that it was given{}",
                    name(id), config_.listener ? config_.listener->address().text() : name(config_.self), waited,
                    pending_.dropped()));
  }
  for (const std::string& who : authenticated_.unconfirmed()) {
    throw NetworkError(
        who,
        fmt::format("{} did not complete the handshake within {:.3g} s: one of its own peers is missing", who, waited));
  }
  throw NetworkError("", fmt::format("the handshake was not complete after {:.3g} s", waited));
}

void SetUp::fail(const std::exception_ptr& error) {
  authenticated_.unwatch();
  pending_.unwatch();
  std::vector<Link*> links = authenticated_.links();
  for (Link* link : pending_.known_links()) links.push_back(link);
  for (const Retry& each : again_) links.push_back(each.peer.link.get());
  fail_run(error, config_.topology, config_.self, 0, links);
}

}  // namespace

Link& Mesh::link(NodeId peer) const {
  for (const auto& link : links_) {
    if (link->peer() == peer) return *link;
  }
  throw std::invalid_argument("this role has no link with " + peer_name(topology_, peer));
}

Mesh set_up_mesh(MeshConfig config) { return SetUp(std::move(config)).run(); }

}  // namespace sotto::net
