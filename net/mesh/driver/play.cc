#include "net/mesh/driver/play.h"

#include <fmt/format.h>

#include <ctime>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

bool is_ahead(const Ledger& ledger) {
  return !ledger.phases().empty() && ledger.phases()[ledger.current_phase()].name == "preprocessing";
}

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

LinkSet flushed(const Mesh& mesh) {
  return links_that(mesh, [](Link& link) { return !link.flush(); });
}

void flush_all(Mesh& mesh, Watch& watch, std::uint64_t round) {
  watch.until(round, [&](bool) { return flushed(mesh); });
}

template <class Heard>
void meet(Mesh& mesh, Watch& watch, std::uint64_t round, FrameType type, LinkSet peers, Heard received) {
  const auto& links = mesh.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    if ((peers & bit(i)) != 0) links[i]->post(type, round, {});
  }
  watch.until(round, [&](bool) {
    LinkSet awaited = 0;
    for (std::size_t i = 0; i < links.size(); ++i) {
      if ((peers & bit(i)) == 0) continue;
      Link& link = *links[i];
      const bool data = link.next().has_value();
      if (!received(link, data)) {
        if (link.closed()) watch.lost(link, round);
        awaited |= bit(i);
      }
      if (!link.flush()) awaited |= bit(i);
    }
    return awaited;
  });
}

void finish_at(Mesh& mesh, Watch& watch, std::uint64_t round) {
  const LinkSet all = links_that(mesh, [](const Link&) { return true; });
  meet(mesh, watch, round, FrameType::finish, all, [&](const Link& link, bool data) {
    if (!data) return link.finished();
    throw ProtocolError(
        ProtocolError::Kind::unexpected, link.name(), round,
        fmt::format("{} continues after the program's last round {}: it runs another program or another version",
                    link.name(), round));
  });
  for (const auto& link : mesh.links()) link->close();
}

}  // namespace

NodePlay::NodePlay(Mesh& mesh, const DriverOptions& options, bool takes_chunks)
    : mesh_(mesh), options_(options), watch_(mesh, options) {
  const Topology& topology = mesh.topology();
  if (takes_chunks != (topology.has_dealer() && mesh.self() == topology.last_party())) {
    throw std::invalid_argument("the last party, and no other, reads chunks");
  }
  if (takes_chunks) intake_.emplace(mesh, watch_, options);
}

void NodePlay::set_up() {
  const Clock::time_point begin = Clock::now();
  if (intake_ && options_.deal_ahead) intake_->take_all();
  const LinkSet nodes = links_that(mesh_, [](const Link& link) { return link.peer() != dealer_id; });
  meet(mesh_, watch_, 0, FrameType::ready, nodes, [](const Link& link, bool data) {
    if (!data || link.ready()) return link.ready();
    // An unexpected frame would block all later frames.
    throw ProtocolError(ProtocolError::Kind::unexpected, link.name(), 0,
                        fmt::format("{} sent another frame before it said that it is ready", link.name()));
  });
  statistics_.set_up_seconds = seconds_between(begin, Clock::now());
}

void NodePlay::play(Rounds& rounds, ChunkReader* chunks, std::uint64_t bound,
                    std::optional<std::chrono::microseconds> spin) {
  if (intake_.has_value() != (chunks != nullptr)) {
    throw std::invalid_argument("the last party, and no other, reads chunks");
  }
  const Clock::time_point start = Clock::now();
  watch_.spin_for(spin);
  rounds.number_from(next_);
  rounds.bind_to(bound);
  const bool makes_randomness = !mesh_.topology().has_dealer();
  Clock::time_point round_begins = start;
  while (next_round(rounds, chunks)) {
    exchange(rounds);
    rounds.scatter();
    watch_.pass(announced(rounds.round()));
    if (!makes_randomness) continue;
    const Clock::time_point now = Clock::now();
    if (is_ahead(rounds.ledger())) statistics_.seconds_preprocessing += seconds_between(round_begins, now);
    round_begins = now;
  }
  watch_.spin_for({});
  statistics_.seconds += seconds_between(start, Clock::now());
  statistics_.rounds += rounds.round() - next_;
  next_ = rounds.round() + 1;
}

void NodePlay::skip(std::uint64_t rounds) {
  for (const std::uint64_t end = next_ + rounds + 1; next_ < end; ++next_) {
    if (!intake_) continue;
    (void)take_chunk(next_);
    intake_->release();
    watch_.pass(announced(next_));
  }
}

ConcurrentPlay& NodePlay::begin_concurrent(Rounds& rounds, ChunkReader* chunks, std::uint64_t bound,
                                           std::uint64_t count, std::size_t longest) {
  if (intake_ && !concurrent_.empty()) throw std::logic_error("two concurrent programs with chunks");
  if (intake_.has_value() != (chunks != nullptr)) {
    throw std::invalid_argument("the last party, and no other, reads chunks");
  }
  rounds.number_from(next_);
  rounds.bind_to(bound);
  const RoundNumbers numbers{next_, count};
  if (intake_) intake_->keep(next_, numbers.end());
  ConcurrentPlay& begun =
      concurrent_.emplace_back(mesh_, watch_, intake_ ? &*intake_ : nullptr, chunks, rounds, numbers, longest);
  next_ = numbers.end();
  return begun;
}

void NodePlay::step_concurrent() {
  if (concurrent_.empty()) return;
  for (bool goes_on = true; goes_on;) {
    bool moved = false;
    for (ConcurrentPlay& one : concurrent_) moved = one.step() || moved;
    goes_on = moved && concurrent_.size() > 1;
  }
  read_concurrent();
}

void NodePlay::read_concurrent() noexcept {
  LinkSet reads = 0;
  for (const ConcurrentPlay& one : concurrent_) reads |= one.reads();
  watch_.read_concurrent(reads);
}

void NodePlay::end_concurrent(const ConcurrentPlay& ended) {
  const auto found =
      std::find_if(concurrent_.begin(), concurrent_.end(), [&](const ConcurrentPlay& one) { return &one == &ended; });
  if (found == concurrent_.end() || !found->ended()) throw std::logic_error("a concurrent program has not ended");
  statistics_.rounds += found->numbers().rounds;
  concurrent_.erase(found);
  read_concurrent();
}

bool NodePlay::is_of_concurrent(const FrameHeader& header) const noexcept {
  return std::any_of(concurrent_.begin(), concurrent_.end(),
                     [&](const ConcurrentPlay& one) { return one.has(header); });
}

void NodePlay::finish() { finish_at(mesh_, watch_, next_ == 0 ? 0 : next_ - 1); }

NodeStatistics NodePlay::statistics() const {
  NodeStatistics all = statistics_;
  if (intake_) all.dealt_bytes = intake_->bytes();
  for (const auto& link : mesh_.links()) {
    if (link->peer() == dealer_id) continue;
    all.bytes_sent[link->peer()] = link->data_bytes_sent();
    all.frames_sent += link->data_frames_sent();
  }
  return all;
}

bool NodePlay::next_round(Rounds& rounds, ChunkReader* chunks) {
  if (!intake_ || chunks == nullptr) return rounds.gather();
  const std::uint64_t number = rounds.round();
  chunks->load_chunk(number - next_, take_chunk(number));
  const bool more = rounds.gather();
  chunks->finish_chunk();
  intake_->release();
  return more;
}

std::span<const std::byte> NodePlay::take_chunk(std::uint64_t number) {
  double& seconds = statistics_.seconds_waiting_for_dealer;
  if (!concurrent_.empty()) {
    seconds += watch_.until(announced(number), [&](bool) {
      step_concurrent();
      return intake_->poll(number);
    });
  }
  return intake_->take(number, seconds);
}

void NodePlay::exchange(Rounds& rounds) {
  const auto& links = mesh_.links();
  LinkSet due = 0;
  LinkSet owed = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const NodeId peer = links[i]->peer();
    if (peer == dealer_id) continue;
    if (!rounds.frame_to(peer).empty()) owed |= bit(i);
    if (rounds.expected_from(peer) > 0) due |= bit(i);
    sent_as_[i] = 0;
  }
  bool first_try = true;
  statistics_.seconds_waiting_for_peers += watch_.until(announced(rounds.round()), [&](bool thorough) {
    LinkSet unsent = 0;
    owed = send_to(owed, rounds, unsent);
    step_concurrent();
    if (intake_ && std::exchange(first_try, false)) intake_->bring_near(rounds.round() + 1);
    for (std::size_t i = 0; i < links.size(); ++i) {
      if ((due & bit(i)) == 0) continue;
      if (receive_from(*links[i], rounds)) {
        due &= static_cast<LinkSet>(~bit(i));
      } else if (unsent == 0 && !thorough) {
        break;
      }
    }
    return static_cast<LinkSet>(unsent | due);
  });
}

// Adds to `unsent` the links on which this round's frame is not completely sent. Returns the links to
// which the frame could not be given yet.
LinkSet NodePlay::send_to(LinkSet owed, Rounds& rounds, LinkSet& unsent) {
  const auto& links = mesh_.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    Link& link = *links[i];
    const bool own = (owed & bit(i)) != 0;
    if (own && (!link.sending_frame() || link.flush())) {
      link.send({}, rounds.frame_to(link.peer()));
      sent_as_[i] = link.data_frames_sent();
      owed &= static_cast<LinkSet>(~bit(i));
    }
    // The link may already be sending a frame of another program.
    const bool out = link.flush() || (!concurrent_.empty() && link.data_frames_sent() != sent_as_[i]);
    if (!out || (owed & bit(i)) != 0) unsent |= bit(i);
  }
  return owed;
}

bool NodePlay::receive_from(Link& link, Rounds& rounds) {
  const auto header = link.next();
  if (header && is_of_concurrent(*header)) {
    if (link.closed()) watch_.lost(link, rounds.round());
    return false;
  }
  if (header) {
    rounds.check_header(link.peer(), *header);
    if (link.receive(header->length)) {
      rounds.accept(link.peer(), link.payload(header->length));
      link.consume(header->length);
      return true;
    }
  } else if (link.finished()) {
    throw ProtocolError(ProtocolError::Kind::truncated, link.name(), rounds.round(),
                        fmt::format("{} finished before round {}: it runs another program or another version",
                                    link.name(), rounds.round()));
  }
  if (link.closed()) watch_.lost(link, rounds.round());
  if (!header) watch_.check_not_passed(link, rounds.round());
  return false;
}

DealerPlay::DealerPlay(Mesh& mesh, const DriverOptions& options)
    : mesh_(mesh), watch_(mesh, options), epoch_(epoch_digest(mesh.session(), options.epoch)) {}

void DealerPlay::deal(Rounds& rounds, ChunkWriter& chunks) {
  const Clock::time_point begin = Clock::now();
  const double cpu_begin = thread_cpu_seconds();
  rounds.number_from(next_);
  for (bool more = true; more;) {
    more = rounds.gather();
    chunk_ = chunks.take_chunk();
    statistics_.dealt_bytes += FrameHeader::size + chunk_.size();
    send_chunk(rounds.round());
    chunks.give_back(std::move(chunk_));
    if (more) rounds.scatter();
    watch_.pass(rounds.round());
  }
  statistics_.rounds += rounds.round() - next_;
  next_ = rounds.round() + 1;
  statistics_.cpu_seconds += thread_cpu_seconds() - cpu_begin;
  statistics_.seconds += seconds_between(begin, Clock::now());
}

void DealerPlay::finish() { finish_at(mesh_, watch_, next_ == 0 ? 0 : next_ - 1); }

void DealerPlay::send_chunk(std::uint64_t number) {
  if (chunk_.size() > UINT32_MAX) throw std::invalid_argument("a chunk of more than 4 GiB: split the round");
  std::array<std::byte, FrameHeader::size> head{};
  write_header(FrameHeader{static_cast<std::uint32_t>(chunk_.size()), FrameType::chunk, number, epoch_}, head);
  mesh_.link(mesh_.topology().last_party()).send(head, chunk_);
  flush_all(mesh_, watch_, number);
}

void send_seeds_to(Mesh& mesh, Watch& watch, std::span<const Seed> seeds_by_node) {
  for (NodeId node = 0; node < seeds_by_node.size(); ++node) {
    mesh.link(node).post(FrameType::seed, 0, seeds_by_node[node].expose());
  }
  flush_all(mesh, watch, 0);
}

Seed seed_from_dealer(Mesh& mesh, Watch& watch) {
  Link& dealer = mesh.link(dealer_id);
  const LinkSet awaited = bit_of_dealer(mesh);
  watch.until(0, [&](bool) -> LinkSet {
    const auto header = dealer.next();
    if (header && (header->type != FrameType::seed || header->length != Seed::size)) {
      throw ProtocolError(ProtocolError::Kind::unexpected, dealer.name(), 0,
                          "the dealer sent another frame where the seed was due");
    }
    if (header && dealer.receive(Seed::size)) return 0;
    if (dealer.closed()) watch.lost(dealer, 0);
    return awaited;
  });
  Seed seed = Seed::from_bytes(dealer.payload(Seed::size).first<Seed::size>());
  dealer.wipe(Seed::size);
  return seed;
}

}  // namespace sotto::net
