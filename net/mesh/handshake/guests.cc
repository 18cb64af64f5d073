#include "sotto/net/mesh/handshake/guests.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::net {
namespace {

constexpr std::size_t most_strangers = 32;
constexpr int most_questions = 8;

}  // namespace

Guests::Guests(const MeshConfig& config, std::vector<std::byte> hello, Probe probe)
    : config_(config),
      pins_(config.certificates),
      hello_(std::move(hello)),
      probe_(std::move(probe)) {}

void Guests::add(std::unique_ptr<ByteStream> stream, std::optional<NodeId> expected,
                 const std::string& from) {
  if (config_.wrap) stream = config_.wrap(std::move(stream), !expected, expected);
  guests_.push_back(
      Guest{std::make_unique<Link>(expected.value_or(nobody), config_.topology, std::move(stream)),
            expected, from, Clock::now() + config_.hello_deadline});
}

void Guests::add_made(std::unique_ptr<ByteStream> stream, NodeId peer, const std::string& from) {
  add(std::move(stream), peer, from);
  // Who connects speaks first, so that a stranger learns nothing.
  if (connects_to(config_.topology, config_.self, peer)) answer(*guests_.back().link);
}

void Guests::add_accepted(std::unique_ptr<ByteStream> stream, const std::string& from) {
  const auto is_stranger = [](const Guest& guest) { return !guest.expected; };
  if (std::count_if(guests_.begin(), guests_.end(), is_stranger) >=
      static_cast<std::ptrdiff_t>(most_strangers)) {
    const auto oldest = std::find_if(guests_.begin(), guests_.end(), is_stranger);
    drop(*oldest, "it said nothing before too many others came");
    guests_.erase(oldest);
  }
  add(std::move(stream), std::nullopt, from);
}

std::vector<std::unique_ptr<Link>> Guests::take_made() {
  std::vector<std::unique_ptr<Link>> links;
  std::deque<Guest> strangers;
  for (Guest& guest : guests_) {
    if (!guest.expected) {
      strangers.push_back(std::move(guest));
      continue;
    }
    if (!connects_to(config_.topology, config_.self, *guest.expected)) answer(*guest.link);
    links.push_back(std::move(guest.link));
  }
  guests_ = std::move(strangers);
  return links;
}

std::optional<Arrival> Guests::hear(std::vector<Departure>& departures) {
  for (std::size_t i = 0; i < guests_.size();) {
    Guest& guest = guests_[i];
    Hello hello;
    guest.link->flush();
    const Next next = guest.expected ? hear(guest, hello) : hear_stranger(guest, hello);
    if (next == Next::stays) {
      ++i;
      continue;
    }
    Guest gone = std::exchange(guest, Guest{});
    guests_.erase(guests_.begin() + static_cast<std::ptrdiff_t>(i));
    if (next == Next::arrives) {
      return Arrival{std::move(gone.link), std::move(hello), gone.expected, gone.from};
    }
    if (gone.expected) departures.push_back(Departure{*gone.expected, gone.link->loss()});
  }
  return std::nullopt;
}

Guests::Next Guests::hear_stranger(Guest& guest, Hello& hello) {
  try {
    const Next next = hear(guest, hello);
    if (next == Next::arrives) return admits(guest, hello) ? next : Next::leaves;
    if (next == Next::leaves) {
      if (guest.questions > 0) return next;
      if (guest.link->refused()) ++refused_strangers_;
      drop(guest, guest.link->refused()
                      ? guest.link->loss()
                      : fmt::format("it left before its hello: {}", guest.link->loss()));
    } else if (Clock::now() >= guest.deadline) {
      if (guest.questions == 0) drop(guest, "it connected and said nothing");
      return Next::leaves;
    }
    return next;
  } catch (const ProtocolError&) {
    drop(guest, "it sent what is no hello");
  } catch (const RemoteFailure&) {
    drop(guest, "it left before its hello");  // what a stranger says of a run means nothing
  }
  return Next::leaves;
}

Guests::Next Guests::hear(Guest& guest, Hello& hello) {
  Link& link = *guest.link;
  if (const auto header = next_frame(guest)) {
    if (header->type != FrameType::hello || header->length > longest_hello) {
      throw ProtocolError(ProtocolError::Kind::malformed, link.name(), 0,
                          fmt::format("{} at {} answered with what is no hello: another program "
                                      "holds that port, or it runs another version",
                                      link.name(), guest.from));
    }
    if (link.receive(header->length)) {
      take_hello(guest, *header, hello);
      return Next::arrives;
    }
  }
  if (!link.closed()) return Next::stays;
  if (guest.expected && link.refused()) {
    throw TrustError(link.name(),
                     fmt::format("{} at {}: {}", link.name(), guest.from, link.loss()));
  }
  return Next::leaves;
}

// The next frame that is no doctor's question; those are answered.
std::optional<FrameHeader> Guests::next_frame(Guest& guest) {
  Link& link = *guest.link;
  for (;;) {
    const auto header = link.next();
    if (!header || header->type != FrameType::probe || guest.expected) return header;
    if (header->length <= longest_probe && !link.receive(header->length)) return std::nullopt;
    answer_probe(guest, *header);
  }
}

void Guests::take_hello(Guest& guest, const FrameHeader& header, Hello& hello) const {
  Link& link = *guest.link;
  std::optional<Hello> heard = decode_hello(link.payload(header.length));
  if (!heard) {
    throw ProtocolError(ProtocolError::Kind::malformed, link.name(), 0,
                        fmt::format("{} at {} sent a malformed hello", link.name(), guest.from));
  }
  link.consume(header.length);
  hello = std::move(*heard);
  if (guest.expected && !pins_.prove(*guest.expected, link.peer_fingerprint())) {
    throw TrustError(
        link.name(),
        fmt::format("{} at {} showed {}, but [trust] has {} for it: compare both with `sotto keys "
                    "show` on its machine, by another way than this network",
                    link.name(), guest.from,
                    link.peer_fingerprint().empty() ? "no certificate" : link.peer_fingerprint(),
                    pins_.expected(*guest.expected)));
  }
}

// Answers a doctor of the run. Throws ProtocolError for any other.
void Guests::answer_probe(Guest& guest, const FrameHeader& header) {
  Link& link = *guest.link;
  const auto refuse = [&](const char* what) {
    throw ProtocolError(ProtocolError::Kind::malformed, link.name(), 0, what);
  };
  if (header.length > longest_probe) refuse("an oversized question");
  const std::optional<Probe> question = decode_probe(link.payload(header.length));
  link.consume(header.length);
  if (!question || question->what != Probe::What::question) refuse("a malformed question");
  if (!pins_.know(link.peer_fingerprint())) refuse("a question of a stranger");
  if (++guest.questions > most_questions) refuse("too many questions");
  if (pins_.prove(question->sender, link.peer_fingerprint())) asked_by_.insert(question->sender);
  probe_.clock = wall_clock();
  link.post(FrameType::probe, 0, encode(probe_));
  link.flush();
}

// Of a stranger with a hello: false if it has not proved to be who it says it is.
bool Guests::admits(Guest& guest, const Hello& hello) {
  Link& link = *guest.link;
  const std::string fingerprint = link.peer_fingerprint();
  const bool proven = hello.version == wire_version ? pins_.prove(hello.sender, fingerprint)
                                                    : pins_.know(fingerprint);
  if (proven) return true;
  const std::optional<NodeId> owner = pins_.owner_of(fingerprint);
  if (!owner) {
    drop(guest, fingerprint.empty()
                    ? "it showed no certificate"
                    : fmt::format("it showed a certificate that is not trusted, {}", fingerprint));
    return false;
  }
  const std::string mixed_up = fmt::format(
      "it says that it is {} and shows the certificate of {}: check its name, its id and its key",
      is_role(config_.topology, hello.sender) ? peer_name(config_.topology, hello.sender)
                                              : fmt::format("role {}", hello.sender),
      peer_name(config_.topology, *owner));
  drop(guest, mixed_up);
  // It is of the run, with a mistake in its config, and may hear of it.
  link.post(FrameType::failed, 0,
            encode(Failure{ExitCode::not_trusted, hello.sender, config_.self, 0,
                           fmt::format("the role at {}: {}", guest.from, mixed_up)}));
  link.flush();
  link.end_writing();
  return false;
}

void Guests::drop(const Guest& guest, const std::string& what) {
  ++dropped_;
  last_dropped_ = fmt::format("{}: {}", guest.from, what);
}

std::vector<Link*> Guests::known_links() const {
  std::vector<Link*> links;
  for (const Guest& guest : guests_) {
    if (guest.expected || pins_.owner_of(guest.link->peer_fingerprint())) {
      links.push_back(guest.link.get());
    }
  }
  return links;
}

bool Guests::waits_for(NodeId peer) const {
  return std::any_of(guests_.begin(), guests_.end(),
                     [&](const Guest& guest) { return guest.expected == peer; });
}

void Guests::add_waitables(std::vector<Waitable>& to) const {
  for (const Guest& guest : guests_) to.push_back(guest.link->wait_for(true));
}

std::string Guests::dropped() const {
  if (dropped_ == 0) return "";
  return fmt::format(" ({} {} dropped: {})", counted(dropped_, "other connection"),
                     dropped_ == 1 ? "was" : "were", last_dropped_);
}

}  // namespace sotto::net
