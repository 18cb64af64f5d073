#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "core/error/errors.h"
#include "net/farewell.h"
#include "net/mesh.h"
#include "net/tcp/connector.h"

namespace sotto::net {
namespace {

// More strangers than this at once, and the oldest is dropped.
constexpr std::size_t most_strangers = 32;

struct Connecting {
  NodeId peer;
  TcpConnector connector;
};

// A connection whose hello has not been heard.
struct Guest {
  std::unique_ptr<Link> link;
  std::optional<NodeId> expected;  // whom we connected to
  std::string from;
  Clock::time_point deadline;
};

struct Member {
  std::unique_ptr<Link> link;
  std::vector<std::byte> heard;  // its confirm frame, which may come before we have all hellos
  bool confirmed = false;
};

class SetUp {
 public:
  explicit SetUp(MeshConfig config);
  Mesh run();

 private:
  void loop();
  void begin_connections();
  void make_progress();
  void poll_connectors();
  void accept_guests();
  void hear_guests();
  bool hear(Guest& guest);
  void admit(Guest& guest, const FrameHeader& header);
  void send_hello(Link& link);
  void hear_members();
  void confirm();
  void hear_confirm(Member& member, const FrameHeader& header);
  void check_confirm(Member& member);
  void add_guest(std::unique_ptr<ByteStream> stream, std::optional<NodeId> expected,
                 std::string from);
  [[nodiscard]] bool complete() const;
  [[nodiscard]] std::vector<Waitable> waitables() const;
  [[noreturn]] void give_up() const;
  [[nodiscard]] bool is_member(NodeId id) const;
  [[nodiscard]] std::vector<Link*> all_links() const;
  [[nodiscard]] std::string name(NodeId id) const { return peer_name(config_.topology, id); }

  MeshConfig config_;
  Hello hello_;
  std::vector<std::byte> hello_payload_;
  std::vector<NodeId> peers_;
  std::vector<Connecting> connecting_;
  std::deque<Guest> guests_;
  std::vector<Member> members_;
  std::vector<std::string> announcements_;
  bool confirming_ = false;
  std::size_t strangers_ = 0;
  std::string last_stranger_;
};

SetUp::SetUp(MeshConfig config)
    : config_(std::move(config)),
      peers_(peers_of(config_.topology, config_.self)),
      announcements_(config_.topology.parties()) {
  const Topology& topology = config_.topology;
  if (!is_role(topology, config_.self)) throw std::invalid_argument("no such role");
  const bool computes = config_.self < topology.parties();
  if (!computes && !config_.announcement.empty()) {
    throw std::invalid_argument("only compute parties announce");
  }
  hello_.sender = config_.self;
  hello_.parties = static_cast<std::uint8_t>(topology.parties());
  hello_.separate_rewarder = topology.separate_rewarder();
  hello_.session = config_.session;
  hello_.parameters = config_.parameters;
  hello_.announcement = config_.announcement;
  hello_payload_ = encode(hello_);
  if (computes) announcements_[config_.self] = config_.announcement;
}

Mesh SetUp::run() {
  try {
    loop();
  } catch (...) {
    fail_run(std::current_exception(), config_.topology, config_.self, 0, all_links());
  }
  std::vector<std::unique_ptr<Link>> links;
  for (const NodeId peer : peers_) {
    for (Member& member : members_) {
      if (member.link && member.link->peer() == peer) links.push_back(std::move(member.link));
    }
  }
  for (const auto& link : links) link->reset_counters();
  return Mesh(config_.topology, config_.self, config_.session, std::move(links),
              std::move(announcements_));
}

void SetUp::loop() {
  begin_connections();
  const Clock::time_point end = Clock::now() + config_.setup_deadline;
  for (;;) {
    make_progress();
    if (complete()) return;
    if (config_.interrupted != nullptr && config_.interrupted->load()) throw Interrupted();
    const Clock::time_point now = Clock::now();
    if (now >= end) give_up();
    // A signal may come just before the wait, so that no wait is long.
    wait_any(waitables(), std::min<Clock::duration>(end - now, std::chrono::milliseconds(100)));
  }
}

void SetUp::begin_connections() {
  for (const NodeId peer : peers_) {
    if (const auto given = config_.streams.find(peer); given != config_.streams.end()) {
      add_guest(std::move(given->second), peer, name(peer));
    } else if (connects_to(config_.topology, config_.self, peer)) {
      const auto address = config_.addresses.find(peer);
      if (address == config_.addresses.end()) {
        throw InputError(fmt::format("no address is given for {}", name(peer)));
      }
      connecting_.push_back(Connecting{peer, TcpConnector(address->second, name(peer))});
    } else if (!config_.listener) {
      throw InputError(fmt::format("{} connects to {}, which has no address to listen on",
                                   name(peer), name(config_.self)));
    }
  }
}

void SetUp::make_progress() {
  poll_connectors();
  accept_guests();
  hear_guests();
  hear_members();
  if (!confirming_ && members_.size() == peers_.size()) confirm();
  for (Link* link : all_links()) link->flush();
}

void SetUp::poll_connectors() {
  for (std::size_t i = 0; i < connecting_.size();) {
    Connecting& c = connecting_[i];
    std::unique_ptr<ByteStream> stream = c.connector.poll();
    if (!stream) {
      ++i;
      continue;
    }
    add_guest(std::move(stream), c.peer, c.connector.address().text());
    connecting_.erase(connecting_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void SetUp::accept_guests() {
  if (!config_.listener) return;
  while (auto accepted = config_.listener->accept()) {
    add_guest(std::move(accepted->stream), std::nullopt, accepted->from);
    if (guests_.size() > most_strangers) {
      const auto oldest = std::find_if(guests_.begin(), guests_.end(),
                                       [](const Guest& guest) { return !guest.expected; });
      if (oldest != guests_.end()) guests_.erase(oldest);
    }
  }
}

void SetUp::add_guest(std::unique_ptr<ByteStream> stream, std::optional<NodeId> expected,
                      std::string from) {
  if (config_.wrap) stream = config_.wrap(std::move(stream), !expected, expected);
  Guest guest{
      std::make_unique<Link>(expected.value_or(nobody), config_.topology, std::move(stream)),
      expected, std::move(from), Clock::now() + config_.hello_deadline};
  // Who connects speaks first, so that a stranger learns nothing.
  if (expected && connects_to(config_.topology, config_.self, *expected)) send_hello(*guest.link);
  guests_.push_back(std::move(guest));
}

void SetUp::send_hello(Link& link) { link.post(FrameType::hello, 0, hello_payload_); }

void SetUp::hear_guests() {
  for (std::size_t i = 0; i < guests_.size();) {
    Guest& guest = guests_[i];
    bool leaves = false;
    try {
      leaves = hear(guest);
    } catch (const ProtocolError& error) {
      if (guest.expected) throw;
      leaves = true;
      ++strangers_;
      last_stranger_ = fmt::format("{} sent what is no hello", guest.from);
    } catch (const RemoteFailure&) {
      if (guest.expected) throw;
      leaves = true;  // from a stranger it means nothing
    }
    if (leaves) {
      guests_.erase(guests_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

// True if the guest has become a member, or is dropped.
bool SetUp::hear(Guest& guest) {
  Link& link = *guest.link;
  if (const auto header = link.next()) {
    if (header->type != FrameType::hello || header->length > longest_hello) {
      throw ProtocolError(ProtocolError::Kind::malformed, link.name(), 0,
                          fmt::format("{} at {} answered with what is no hello: another program "
                                      "holds that port, or it runs another version",
                                      link.name(), guest.from));
    }
    if (link.receive(header->length)) {
      admit(guest, *header);
      return true;
    }
  }
  if (link.closed()) {
    if (guest.expected) {
      throw NetworkError(link.name(),
                         fmt::format("{} at {} left during the handshake: {}; see its own output",
                                     link.name(), guest.from, link.loss()));
    }
    return true;
  }
  if (!guest.expected && Clock::now() >= guest.deadline) {
    ++strangers_;
    last_stranger_ = fmt::format("{} connected and said nothing", guest.from);
    return true;
  }
  return false;
}

void SetUp::admit(Guest& guest, const FrameHeader& header) {
  Link& link = *guest.link;
  const std::optional<Hello> hello = decode_hello(link.payload(header.length));
  if (!hello) {
    throw ProtocolError(ProtocolError::Kind::malformed, link.name(), 0,
                        fmt::format("{} at {} sent a malformed hello", link.name(), guest.from));
  }
  link.consume(header.length);
  const bool current = hello->version == wire_version;
  const bool known =
      current && std::find(peers_.begin(), peers_.end(), hello->sender) != peers_.end();
  const bool taken = known && is_member(hello->sender);
  std::string their_name = current ? name(hello->sender) : guest.from;
  if (guest.expected) {
    their_name = name(*guest.expected);
  } else if (known && !taken) {
    link.identify(hello->sender);
  }
  if (!guest.expected || !connects_to(config_.topology, config_.self, *guest.expected)) {
    send_hello(link);  // also to one that is refused: it must be able to say what differs
  }
  const std::optional<NodeId> expected = guest.expected;
  const std::string from = guest.from;
  members_.push_back(Member{std::move(guest.link), {}, false});

  if (const auto what = difference(hello_, *hello, their_name)) {
    throw DisagreementError(fmt::format("the configs disagree: {}", *what));
  }
  if (expected ? hello->sender != *expected
               : !known || connects_to(config_.topology, config_.self, hello->sender)) {
    throw DisagreementError(fmt::format(
        "the role at {} says that it is {}, which {}: check the ids and addresses", from,
        is_role(config_.topology, hello->sender) ? name(hello->sender) : "unknown",
        expected ? fmt::format("should be {}", name(*expected))
                 : fmt::format("does not connect to {}", name(config_.self))));
  }
  if (taken) {
    throw DisagreementError(fmt::format(
        "two roles say that they are {}, the second from {}: give each an id of its own",
        their_name, from));
  }
  if (hello->sender < announcements_.size()) announcements_[hello->sender] = hello->announcement;
}

void SetUp::confirm() {
  confirming_ = true;
  const std::vector<std::byte> payload = encode_confirm(config_.parameters, announcements_);
  for (const Member& member : members_) member.link->post(FrameType::confirm, 0, payload);
}

void SetUp::hear_members() {
  for (Member& member : members_) {
    Link& link = *member.link;
    const auto header = link.next();
    if (header && member.heard.empty()) {
      hear_confirm(member, *header);
    } else if (!header && link.closed()) {
      throw NetworkError(link.name(), fmt::format("{} left during the handshake: {}; see its own "
                                                  "output",
                                                  link.name(), link.loss()));
    }
    if (confirming_ && !member.heard.empty() && !member.confirmed) check_confirm(member);
  }
}

void SetUp::hear_confirm(Member& member, const FrameHeader& header) {
  Link& link = *member.link;
  if (header.type != FrameType::confirm ||
      header.length != (announcements_.size() + 1) * sizeof(Digest)) {
    throw ProtocolError(
        ProtocolError::Kind::malformed, link.name(), 0,
        fmt::format("{} sent another frame where it should confirm the handshake", link.name()));
  }
  if (!link.receive(header.length)) return;
  const auto payload = link.payload(header.length);
  member.heard.assign(payload.begin(), payload.end());
  link.consume(header.length);
}

void SetUp::check_confirm(Member& member) {
  const std::string& who = member.link->name();
  const std::vector<std::byte> mine = encode_confirm(config_.parameters, announcements_);
  const auto [differs, ignored] = std::mismatch(mine.begin(), mine.end(), member.heard.begin());
  if (differs != mine.end()) {
    const auto part = static_cast<std::size_t>(differs - mine.begin()) / sizeof(Digest);
    throw DisagreementError(
        part == 0 ? fmt::format("{} has heard other parameters than {}", who, name(config_.self))
                  : fmt::format("party {} announced other data to {} than to {}", part - 1, who,
                                name(config_.self)));
  }
  member.confirmed = true;
}

bool SetUp::complete() const {
  return members_.size() == peers_.size() &&
         std::all_of(members_.begin(), members_.end(), [](const Member& member) {
           return member.confirmed && !member.link->sending();
         });
}

std::vector<Waitable> SetUp::waitables() const {
  std::vector<Waitable> result;
  for (const Connecting& c : connecting_) result.push_back(c.connector.wait_for());
  if (config_.listener) result.push_back(config_.listener->wait_for());
  for (const Guest& guest : guests_) result.push_back(guest.link->wait_for(true));
  for (const Member& member : members_) {
    // A frame that came early is left to the run.
    const bool early = member.link->holds_data() && !member.heard.empty();
    result.push_back(member.link->wait_for(!early));
  }
  return result;
}

void SetUp::give_up() const {
  const double seconds = std::chrono::duration<double>(config_.setup_deadline).count();
  std::string dropped;
  if (strangers_ > 0) {
    dropped = fmt::format(" ({} other connections were dropped: {})", strangers_, last_stranger_);
  }
  for (const Connecting& c : connecting_) {
    throw NetworkError(
        name(c.peer),
        fmt::format("{} cannot be reached at {}, tried for {:.3g} s: {}; start it, or check its "
                    "address",
                    name(c.peer), c.connector.address().text(), seconds,
                    c.connector.last_failure().empty() ? "no answer" : c.connector.last_failure()));
  }
  for (const NodeId peer : peers_) {
    if (is_member(peer)) continue;
    const auto address = config_.addresses.find(peer);
    throw NetworkError(
        name(peer),
        address != config_.addresses.end()
            ? fmt::format("{} at {} took the connection but has said nothing for {:.3g} s: it "
                          "hangs, or another program holds the port",
                          name(peer), address->second.text(), seconds)
            : fmt::format("{} has not connected to {} for {:.3g} s: start it, or check the address "
                          "that it was given{}",
                          name(peer),
                          config_.listener ? config_.listener->address().text() : "this role",
                          seconds, dropped));
  }
  for (const Member& member : members_) {
    if (member.confirmed) continue;
    throw NetworkError(member.link->name(),
                       fmt::format("{} did not complete the handshake within {:.3g} s: one of its "
                                   "own peers is missing",
                                   member.link->name(), seconds));
  }
  throw NetworkError("", fmt::format("the handshake was not complete after {:.3g} s", seconds));
}

bool SetUp::is_member(NodeId id) const {
  return std::any_of(members_.begin(), members_.end(),
                     [&](const Member& member) { return member.link->peer() == id; });
}

std::vector<Link*> SetUp::all_links() const {
  std::vector<Link*> links;
  for (const Member& member : members_) links.push_back(member.link.get());
  for (const Guest& guest : guests_) {
    if (guest.expected && guest.link) links.push_back(guest.link.get());
  }
  return links;
}

}  // namespace

Mesh set_up_mesh(MeshConfig config) { return SetUp(std::move(config)).run(); }

}  // namespace sotto::net
