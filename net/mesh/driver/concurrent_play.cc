#include "sotto/protocol/mesh/driver/concurrent_play.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::net {

ConcurrentPlay::ConcurrentPlay(const Mesh& mesh, Watch& watch, ChunkIntake* intake, ChunkReader* chunks, Rounds& rounds,
                               const RoundNumbers& numbers, std::size_t longest)
    : mesh_(mesh),
      watch_(watch),
      intake_(intake),
      chunks_(chunks),
      rounds_(rounds),
      numbers_(numbers),
      longest_(longest) {
  if (mesh.links().size() > of_link_.size()) throw std::invalid_argument("more links than roles");
}

void ConcurrentPlay::start() {
  if (stage_ != Stage::held) throw std::logic_error("a concurrent program starts once");
  stage_ = Stage::before_round;
  since_ = Clock::now();
}

bool ConcurrentPlay::step() {
  reads_ = 0;
  moved_ = false;
  for (bool goes_on = !ended(); goes_on;) {
    take_frames();
    if (stage_ == Stage::held) break;
    if (stage_ == Stage::before_round && !begin_round()) break;
    if (ended()) break;
    send();
    take_frames();
    goes_on = round_is_done();
    if (!goes_on) break;
    rounds_.scatter();
    stage_ = Stage::before_round;
    since_ = Clock::now();
    moved_ = true;
  }
  if (!ended()) check_stuck();
  return moved_;
}

// Returns false while the chunk of the round is missing.
bool ConcurrentPlay::begin_round() {
  const std::uint64_t number = rounds_.round();
  if (intake_ != nullptr) {
    const auto chunk = intake_->take_now(number);
    if (!chunk) {
      reads_ |= intake_->reads();
      return false;
    }
    chunks_->load_chunk(number - numbers_.first, *chunk);
  }
  const bool more = rounds_.gather();
  if (intake_ != nullptr) {
    chunks_->finish_chunk();
    intake_->release();
  }
  if (!more) {
    if (number != numbers_.first + numbers_.rounds) throw std::logic_error("a program of other rounds than were said");
    stage_ = Stage::ended;
    return true;
  }
  if (number >= numbers_.first + numbers_.rounds) throw std::logic_error("a program of more rounds than were said");
  const auto& links = mesh_.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const NodeId peer = links[i]->peer();
    if (peer == dealer_id) continue;
    OfLink& link = of_link_[i];
    link.owed = !rounds_.frame_to(peer).empty();
    link.due = rounds_.expected_from(peer) > 0;
    link.sent_as = 0;
  }
  stage_ = Stage::in_round;
  return true;
}

void ConcurrentPlay::send() {
  const auto& links = mesh_.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    Link& link = *links[i];
    OfLink& own = of_link_[i];
    if (own.owed && (!link.sending_frame() || link.flush())) {
      link.send({}, rounds_.frame_to(link.peer()));
      own.owed = false;
      own.sent_as = link.data_frames_sent();
    }
    const bool out = link.flush();
    if (out || link.data_frames_sent() > own.sent_as) own.sent_as = 0;
  }
}

void ConcurrentPlay::take_frames() {
  for (std::size_t i = 0; i < mesh_.links().size(); ++i) {
    if (mesh_.links()[i]->peer() != dealer_id) take_frame(i);
  }
}

void ConcurrentPlay::take_frame(std::size_t i) {
  Link& link = *mesh_.links()[i];
  OfLink& own = of_link_[i];
  const bool in_round = stage_ == Stage::in_round;
  if (in_round && own.due && !own.aside.empty()) {
    const Aside& first = own.aside.front();
    rounds_.check_header(link.peer(), first.header);
    rounds_.accept(link.peer(), first.payload);
    own.aside.pop_front();
    own.due = false;
    moved_ = true;
  }
  for (;;) {
    const auto header = link.next();
    if (!header || !has(*header)) {
      if (header || !in_round || !own.due) return;
      if (link.closed()) watch_.lost(link, rounds_.round());
      return watch_.check_not_passed(link, rounds_.round());
    }
    if (in_round && own.due) {
      rounds_.check_header(link.peer(), *header);
      if (!link.receive(header->length)) break;
      rounds_.accept(link.peer(), link.payload(header->length));
      link.consume(header->length);
      own.due = false;
      moved_ = true;
    } else if (!put_aside(i, *header)) {
      break;
    }
  }
  if (link.closed()) watch_.lost(link, rounds_.round());
  reads_ |= bit(i);
}

// Returns false while a part of the frame is missing.
bool ConcurrentPlay::put_aside(std::size_t i, const FrameHeader& header) {
  Link& link = *mesh_.links()[i];
  OfLink& own = of_link_[i];
  const std::uint64_t next = stage_ == Stage::in_round ? rounds_.round() + 1 : rounds_.round();
  if (header.round < std::max(next, own.after_aside)) {
    throw ProtocolError(ProtocolError::Kind::wrong_round, link.name(), rounds_.round(),
                        fmt::format("{} sent a frame of round {} in round {}, where none is due from it", link.name(),
                                    header.round, rounds_.round()));
  }
  if (header.length > longest_) {
    throw ProtocolError(ProtocolError::Kind::oversized, link.name(), rounds_.round(),
                        fmt::format("{} sent {} in round {}, and no frame of this program has more than {}",
                                    link.name(), counted(header.length, "byte"), header.round, longest_));
  }
  if (!link.receive(header.length)) return false;
  const auto payload = link.payload(header.length);
  own.aside.push_back(Aside{header, std::vector<std::byte>(payload.begin(), payload.end())});
  own.after_aside = header.round + 1;
  link.consume(header.length);
  moved_ = true;
  return true;
}

bool ConcurrentPlay::round_is_done() const {
  return std::none_of(of_link_.begin(), of_link_.end(),
                      [](const OfLink& link) { return link.owed || link.due || link.sent_as > 0; });
}

// Without this check, the role would wait forever for a peer that is alive but never sends its frame.
void ConcurrentPlay::check_stuck() const {
  for (std::size_t i = 0; i < mesh_.links().size() && stage_ == Stage::in_round; ++i) {
    if (of_link_[i].due) return watch_.check_not_stuck(i, since_, rounds_.round());
  }
}

}  // namespace sotto::net
